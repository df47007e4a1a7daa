"""How close two numbers must be, in units of the last place of the largest of them."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Numbers: TypeAlias = Any
"""What np.asarray takes; NumPy's own name for it is not fully typed."""
Float = type[np.floating[Any]]

EXACT = 0
ROUNDING = 256
"""The same formula, sums of a few dozen terms in another order."""
CHAINED = 4096
"""The same formula through several layers or steps, each rounding what it got."""
QUOTED = 2**33
"""A published number of six or seven digits, in float64."""


def ulps_apart(actual: Numbers, expected: Numbers, dtype: Float = np.float64) -> float:
    """Return the largest difference in ulps of the largest |expected| (inf if not finite)."""
    left, right = np.asarray(actual, np.float64), np.asarray(expected, np.float64)
    assert left.shape == right.shape, f"{left.shape} and {right.shape}"
    if not (np.isfinite(left).all() and np.isfinite(right).all()):
        return float("inf")
    largest = float(np.abs(right).max(initial=0))
    unit = float(np.finfo(dtype).eps) * (largest or 1)
    return float(np.abs(left - right).max(initial=0)) / unit


def assert_ulps(actual: Numbers, expected: Numbers, ulps: float, dtype: Float = np.float64) -> None:
    """Fail unless every element is within `ulps` of the largest |expected|."""
    apart = ulps_apart(actual, expected, dtype)
    assert apart <= ulps, f"{apart:g} ulps apart, at most {ulps:g}:\n{actual}\n{expected}"
