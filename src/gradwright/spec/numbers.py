"""What counts as a number in a declaration."""

import math

LARGEST_COUNT = 2**31 - 1
"""Extents and indices are 32-bit integers on some backends."""

COUNTS = f">= 1 (plain integers up to {LARGEST_COUNT})"
"""What `is_count` accepts, in words."""


def is_count(number: object) -> bool:
    """Whether a number is an extent, stride or count.

    Only `int` itself: True is no count, and a NumPy integer is printed in its own way, so that
    equal declarations would have different fingerprints.
    """
    return type(number) is int and 1 <= number <= LARGEST_COUNT


def is_real(number: object) -> bool:
    """Whether a number is a finite `int` or `float` (not a bool, not a NumPy scalar)."""
    return type(number) is int or (type(number) is float and math.isfinite(number))
