"""What a proof assumes of the inputs, and which liberties of reading it took."""

import enum
from dataclasses import dataclass, field

from gradwright.certify.kernel.enclosures import Enclosure


class Domain(enum.Enum):
    """Where a function is defined and has a derivative."""

    NONZERO = enum.auto()
    NONNEGATIVE = enum.auto()
    POSITIVE = enum.auto()
    UNIT = enum.auto()
    """Between -1 and 1."""
    ABOVE_ONE = enum.auto()
    OFF_POLES = enum.auto()
    """No odd multiple of pi / 2: each rational number."""

    def holds(self, x: Enclosure) -> bool:
        """Return whether all of an enclosure lies inside."""
        match self:
            case Domain.NONZERO:
                return not x.holds_zero
            case Domain.NONNEGATIVE:
                return x.low is not None and x.low >= 0
            case Domain.POSITIVE:
                return x.low is not None and x.low > 0
            case Domain.UNIT:
                return x.low is not None and x.high is not None and x.low > -1 and x.high < 1
            case Domain.ABOVE_ONE:
                return x.low is not None and x.low > 1
            case Domain.OFF_POLES:
                return x.exact is not None


DOMAINS = {
    **dict.fromkeys(("acos", "asin", "atanh", "erf_inv"), Domain.UNIT),
    "acosh": Domain.ABOVE_ONE,
    "tan": Domain.OFF_POLES,
}
"""The domains of named functions that are defined on a part of the line only."""


@dataclass(slots=True)
class Conditions:
    """Hypotheses of a proof, by atom; each is a condition on inputs, true off a null set or stated.

    An equality is claimed at inputs that meet all of them, and at no others.
    """

    supposed: set[tuple[Domain, int]] = field(default_factory=set[tuple[Domain, int]])
    """What was divided by, or had its root, logarithm or inverse function taken, by atom."""
    kinks: set[int] = field(default_factory=set[int])
    """Atoms P for which [P = 0] was read as 0; their zeros are a null set."""
    in_range: set[str] = field(default_factory=set[str])
    """Operations whose computed indices are taken to be inside their operand (lines)."""
    settled: bool = False
    """Whether hypotheses on indices are only listed from here on, and no longer reasoned with:
    those that a text to be judged needs must not prove it."""
    rounded: set[str] = field(default_factory=set[str])
    """Roundings that were read as the identity, forward and backward."""
    idealised: dict[str, str] = field(default_factory=dict[str, str])
    """Literals that were read as the irrational number that they round."""
    replicas: set[int] = field(default_factory=set[int])
    """Numbers of replicas that a sum over replicas was read with."""
