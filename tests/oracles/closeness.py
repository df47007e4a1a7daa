"""Tolerances, derived and named: rounding in ulps, differences by their truncation error."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]

EPSILON = float(np.finfo(np.float64).eps)
EPSILON32 = float(np.finfo(np.float32).eps)

STEP = EPSILON ** (1 / 3)
"""Step of a central difference at which truncation (h^2) and rounding (eps / h) balance."""

CURVATURE = 100
"""Bound on a sixth of the third derivatives, and on sums of terms, of the functions tested."""

DIFFERENCE = CURVATURE * EPSILON ** (2 / 3)
"""Error of a central difference at `STEP`, relative to the largest gradient: 3.7e-9."""


def assert_rounded(
    actual: Floats,
    expected: Floats,
    *,
    terms: float,
    epsilon: float = EPSILON,
    name: str = "",
) -> None:
    """Check that two arrays differ by no more than the rounding of sums of `terms` terms.

    The bound is terms * epsilon times the largest element expected (at least 1: cancelling sums
    are summed from numbers of order 1).
    """
    assert actual.shape == expected.shape, f"{name}: shape {actual.shape}, not {expected.shape}"
    bound = terms * epsilon * magnitude(expected)
    worst = float(np.max(np.abs(actual - expected), initial=0.0))
    assert worst <= bound, f"{name}: off by {worst:.3g}, more than {bound:.3g}"


def magnitude(array: Floats) -> float:
    """Return the largest element in absolute value, at least 1."""
    return max(1.0, float(np.max(np.abs(array), initial=0.0)))
