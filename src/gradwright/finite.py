"""Results that a net came to, held to be finite before anything is made of them."""

import numpy as np
from numpy.typing import NDArray

from gradwright.errors import DivergedError

_REMEDY = (
    "Its parameters or running statistics lead to them: a variance below 0, or values that f32 does"
    " not hold"
)


def require_finite(net: str, what: str, found: NDArray[np.generic] | float) -> None:
    """DivergedError where a net's results, called so, hold a NaN or an infinity."""
    if not np.isfinite(np.asarray(found, np.float64)).all():
        raise DivergedError(
            where=net, expected=f"finite {what}", found="NaN or infinity", remedy=_REMEDY
        )
