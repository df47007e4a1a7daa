"""Judging a hypothesis: where an input may meet it, at each index of its value."""

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import ceil, floor

from gradwright.certify.hypotheses.enclosures import WHOLE, Enclosure
from gradwright.certify.hypotheses.hulls import Hulls
from gradwright.certify.hypotheses.values import TooMany, Values
from gradwright.certify.hypotheses.varying import Varying
from gradwright.certify.kernel.algebra import Algebra, variables_of
from gradwright.certify.kernel.atoms import Atoms, Class, Sign, Terms
from gradwright.certify.kernel.conditions import Between, Domain, Hypothesis
from gradwright.certify.kernel.index import variable

STEPS = 20_000
"""Products that are evaluated for one hypothesis."""


class Judgement(enum.Enum):
    """What is known of the inputs that meet a hypothesis."""

    EVERYWHERE = enum.auto()
    """Every input does."""
    LIKELY = enum.auto()
    """At each index an input changes the value, or it lies inside the domain."""
    OPEN = enum.auto()
    """There are too many indices to tell."""
    NOWHERE = enum.auto()
    """At some index no input is seen to."""


class Judge:
    """Judges hypotheses over one table of atoms."""

    def __init__(self, algebra: Algebra) -> None:
        atoms = self.atoms = algebra.atoms
        self.hulls = Hulls(atoms)
        self.beside = Hulls(atoms, algebra.thresholds.reach)
        """Bounds where computed indices are in range: what these hypotheses leave the others."""
        self.varying = Varying(atoms, self.hulls)
        self.values = Values(self.varying)

    def judged(self, hypothesis: Hypothesis) -> Judgement:
        """Return what is known of the inputs that meet a hypothesis."""
        domain, terms = hypothesis.domain, hypothesis.terms
        hull = self.hulls.terms(terms)
        if holds(domain, hull):
            return Judgement.EVERYWHERE
        if not hypothesis.where and (
            not admits(domain, hull)
            or not admits(domain, self.beside.terms(terms))
            or self._is_outside(domain, terms)
        ):
            return Judgement.NOWHERE
        unbounded = isinstance(domain, Domain) or hull == WHOLE
        if unbounded and self.varying.are_free(terms, dict(hypothesis.box)):
            return Judgement.LIKELY
        try:
            met = all(self._is_met(hypothesis, here) for here in self._places(hypothesis))
        except TooMany:
            return Judgement.OPEN
        return Judgement.LIKELY if met else Judgement.NOWHERE

    def _is_met(self, hypothesis: Hypothesis, here: Mapping[int, int]) -> bool:
        """Return whether a value is seen to be inside at an index, or an input changes it there."""
        for mask in hypothesis.where:
            known = self.values.value(mask, here)
            if known is not None and known.exact == 0:
                return True
        is_fixed, span = self.values.span(hypothesis.terms, here)
        if is_fixed:
            return holds(hypothesis.domain, span)
        return bool(hypothesis.where) or admits(hypothesis.domain, span)

    def _places(self, hypothesis: Hypothesis) -> Iterator[Mapping[int, int]]:
        """Yield indices, of those that a change of names makes alike one at least."""
        self.values.left = STEPS
        box = dict(hypothesis.box)
        every = (*hypothesis.terms, *(term for mask in hypothesis.where for term in mask))
        reads = sorted(variables_of(dict(every)))
        plain = set(reads) & self.varying.plain_variables(every, box)
        ranges = [range(min(box[v], len(plain)) if v in plain else box[v]) for v in reads]
        for place in product(*ranges):
            yield dict(zip(reads, place, strict=True))

    def _is_outside(self, domain: Domain | Between, terms: Terms) -> bool:
        """Return whether the signs of its terms keep a value out of a domain."""
        if len(terms) == 1:
            [((factors, guards), c)] = terms
            content = self.atoms.content(factors[0][0]) if len(factors) == 1 else None
            if isinstance(content, Class) and factors[0][2] == 1:
                terms = tuple(((f, (*g, *guards)), c * d) for (f, g), d in content.terms)
        opposite = self.atoms.sum_sign(tuple((monomial, -c) for monomial, c in terms))
        if domain is Domain.NONNEGATIVE:
            return opposite is Sign.POSITIVE
        return domain is Domain.POSITIVE and opposite is not Sign.ANY


@dataclass(slots=True)
class Clashes:
    """Which hypothesis leaves no whole number for what those before it bound.

    Of values c a + d over all entries of one atom a, which are looked at together.
    """

    atoms: Atoms
    first: Hypothesis | None = None
    """The first one that does."""
    _left: dict[int, tuple[Fraction, Fraction]] = field(
        default_factory=dict[int, tuple[Fraction, Fraction]]
    )

    def add(self, hypothesis: Hypothesis) -> None:
        """Take one more hypothesis together with the others."""
        if self.first is not None or not isinstance(hypothesis.domain, Between):
            return
        found = _line(self.atoms, hypothesis)
        if found is None:
            return
        atom, c, d = found
        ends = sorted(((hypothesis.domain.low - d) / c, (hypothesis.domain.high - d) / c))
        low, high = self._left.get(atom, ends)
        self._left[atom] = low, high = max(low, ends[0]), min(high, ends[1])
        if ceil(low) > floor(high):
            self.first = hypothesis


def _line(atoms: Atoms, hypothesis: Hypothesis) -> tuple[int, Fraction, Fraction] | None:
    """Return a, c and d of a value c a + d that reads all entries of a, everywhere."""
    constants = [c for (factors, guards), c in hypothesis.terms if not factors and not guards]
    rest = [(m, c) for m, c in hypothesis.terms if m[0] or m[1]]
    if hypothesis.where or len(rest) != 1 or rest[0][0][1] or len(rest[0][0][0]) != 1:
        return None
    [((((atom, access, q),), _), c)] = rest
    reads, box = [e[1][0][0] for e in access if e[1]], dict(hypothesis.box)
    whole = len(set(reads)) == len(access) and all(
        e == variable(v) and box[v] == n
        for e, v, n in zip(access, reads, atoms.extents(atom), strict=True)
    )
    return (atom, c, sum(constants, Fraction(0))) if whole and q == 1 else None


def holds(domain: Domain | Between, x: Enclosure) -> bool:
    """Return whether all of an enclosure lies inside a domain."""
    low, high = x.low, x.high
    match domain:
        case Domain.NONZERO:
            return not x.holds_zero
        case Domain.NONNEGATIVE:
            return low is not None and low >= 0
        case Domain.POSITIVE:
            return low is not None and low > 0
        case Domain.UNIT:
            return low is not None and high is not None and low > -1 and high < 1
        case Domain.ABOVE_ONE:
            return low is not None and low > 1
        case Domain.OFF_POLES:
            return x.exact is not None  # the poles are irrational
        case Between():
            above = low is not None and domain.low <= low
            return above and high is not None and high <= domain.high


def admits(domain: Domain | Between, x: Enclosure) -> bool:
    """Return whether a part of an enclosure lies inside a domain."""
    low, high = x.low, x.high
    match domain:
        case Domain.NONZERO:
            return x.exact != 0
        case Domain.NONNEGATIVE:
            return high is None or high >= 0
        case Domain.POSITIVE:
            return high is None or high > 0
        case Domain.UNIT:
            return (low is None or low < 1) and (high is None or high > -1)
        case Domain.ABOVE_ONE:
            return high is None or high > 1
        case Domain.OFF_POLES:
            return True
        case Between():
            above = high is None or high >= domain.low
            return above and (low is None or low <= domain.high)
