"""What a proof assumes of the inputs, and which liberties of reading it took."""

import enum
from dataclasses import dataclass, field
from fractions import Fraction

from gradwright.certify.kernel.atoms import Terms
from gradwright.hlo import Operation


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


@dataclass(frozen=True, slots=True)
class Between:
    """The whole numbers from low to high: those that a type holds, or places in an operand."""

    low: Fraction
    high: Fraction


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """Each entry of a value over a box lies in a domain, where the masks of `where` are 1."""

    domain: Domain | Between
    terms: Terms
    box: tuple[tuple[int, int], ...]
    where: tuple[Terms, ...]


DOMAINS = {
    **dict.fromkeys(("acos", "asin", "atanh", "erf_inv"), Domain.UNIT),
    "acosh": Domain.ABOVE_ONE,
    "tan": Domain.OFF_POLES,
}
"""The domains of named functions that are defined on a part of the line only."""


@dataclass(slots=True)
class Conditions:
    """Hypotheses of a proof; each is a condition on inputs, true off a null set or stated.

    An equality is claimed at inputs that meet all of them, and at no others. Whether there are any
    is asked of the list, after the proof.
    """

    supposed: dict[Hypothesis, Operation | None] = field(
        default_factory=dict[Hypothesis, Operation | None]
    )
    """What was taken for granted of values, with the operation that needed it first."""
    operation: Operation | None = None
    """The operation that is denoted or differentiated."""
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

    def suppose(self, hypothesis: Hypothesis) -> None:
        """List a hypothesis, for the operation that is worked on."""
        self.supposed.setdefault(hypothesis, self.operation)
