"""What a proof assumes of the inputs, and which liberties of reading it took."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Conditions:
    """Hypotheses of a proof, by atom; each is a condition on inputs, true off a null set or stated.

    An equality is claimed at inputs that meet all of them, and at no others.
    """

    nonzero: set[int] = field(default_factory=set[int])
    """Atoms that were divided by."""
    nonnegative: set[int] = field(default_factory=set[int])
    """Atoms of which a root was taken."""
    positive: set[int] = field(default_factory=set[int])
    """Atoms of which a logarithm was taken."""
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
