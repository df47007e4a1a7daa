"""What counts as a number in a declaration."""

from typing import cast

LARGEST_COUNT = 2**31 - 1
"""Extents and indices are 32-bit integers on some backends."""

LARGEST_REAL = (2 - 2**-23) * 2.0**127
"""The largest f32; beyond it a constant of a program would be infinite."""

SMALLEST_REAL = 2.0**-126
"""The smallest normal f32; below it a divisor's guard would be 0."""

BELOW_ONE = 1 - 2.0**-24
"""The largest f32 below 1; a rate above it would be 1, and 1 - rate 0."""

COUNTS = f">= 1 (plain integers up to {LARGEST_COUNT})"
"""What `is_count` accepts, in words."""


def is_count(number: object) -> bool:
    """Whether a number is an extent, stride or count.

    Only `int` itself: True is no count, and a NumPy integer is printed in its own way, so that
    equal declarations would have different fingerprints.
    """
    return type(number) is int and 1 <= number <= LARGEST_COUNT


def is_real(number: object) -> bool:
    """Whether a number is an `int` or `float` (not a bool, not a NumPy scalar) that f32 holds."""
    return type(number) in (int, float) and abs(cast("float", number)) <= LARGEST_REAL
