"""Judging a hypothesis: where an input may meet it, at each index of its value."""

import enum
from collections.abc import Iterator, Mapping
from itertools import product

from gradwright.certify.hypotheses.enclosures import WHOLE, Enclosure
from gradwright.certify.hypotheses.hulls import Hulls
from gradwright.certify.hypotheses.values import TooMany, Values
from gradwright.certify.hypotheses.varying import Varying
from gradwright.certify.kernel.algebra import Algebra, Poly
from gradwright.certify.kernel.atoms import Class, Sign, Terms
from gradwright.certify.kernel.conditions import Between, Domain, Hypothesis

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
        reads = sorted(Poly(every).variables)
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
