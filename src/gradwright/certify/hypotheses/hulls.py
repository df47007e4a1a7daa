"""What all entries of a value lie between, at every index and for every input."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from math import floor, prod, trunc

from gradwright.certify.hypotheses.enclosures import PI, WHOLE, Enclosure, at, enclosed
from gradwright.certify.kernel.atoms import (
    Atoms,
    Base,
    Class,
    Coordinate,
    Dense,
    Exponent,
    Function,
    Mask,
    Pi,
    Relation,
    Sign,
    Sum,
    Terms,
    Uninterpreted,
)

_CUT = {"truncate": trunc, "floor": floor}
"""Functions that take numbers to whole ones and never fall."""
Reach = tuple[Fraction, Fraction]
_BIT = Enclosure(Fraction(0), Fraction(1))


class Hulls:
    """Bounds of polynomials over one table of atoms: of each term for itself.

    `assumed` returns what hypotheses bound an atom by; without it nothing is assumed.
    """

    def __init__(self, atoms: Atoms, assumed: Callable[[int], Reach | None] | None = None) -> None:
        self.atoms = atoms
        self.assumed = assumed
        self.atom = cache(self._search)
        """Return what the entries of an atom lie between."""

    def terms(self, terms: Terms) -> Enclosure:
        """Return what a sum lies between."""
        total = at(0)
        for (factors, guards), c in terms:
            found = self.product((atom, q) for atom, _, q in factors).times(at(c))
            total = total.plus(found.with_zero() if guards else found)
        return total

    def product(self, factors: Iterable[tuple[int, Exponent]]) -> Enclosure:
        """Return what a product lies between, at whatever indices its factors are read."""
        total = at(1)
        for atom, q in factors:
            total = total.times(self.atom(atom).raised(Fraction(q)))
        return total

    def _search(self, atom: int) -> Enclosure:
        found = self._of(atom)
        if self.assumed is not None and not self.atoms.is_mask(atom):
            found = found.within(*(self.assumed(atom) or (None, None)))
        return found if self.atoms.sign(atom) is Sign.ANY else found.within(Fraction(0))

    def _of(self, atom: int) -> Enclosure:
        match self.atoms.content(atom):
            case Dense(entries=entries):
                return Enclosure(min(entries), max(entries))
            case Coordinate(extent=extent):
                return Enclosure(Fraction(0), Fraction(extent - 1))
            case Base(value=value):
                return at(value)
            case Pi():
                return PI
            case Mask(relation=relation, inner=inner):
                return _tested(relation, self.atom(inner))
            case _ if self.atoms.is_mask(atom):
                return _BIT
            case Class(terms=terms):
                return self.terms(terms)
            case Sum(outputs=outputs, extents=extents, factors=factors, guards=guards):
                one = self.product((a, q) for a, _, q in factors)
                every = one.times(at(prod(extents[outputs:])))
                return every.with_zero() if guards else every
            case Function(name=name, scale=scale, inner=None):
                return enclosed(name, at(scale))
            case Function(name=name, scale=scale, inner=int(inner)):
                read = self.atom(inner).times(at(scale))
                cut = _CUT.get(name)
                return enclosed(name, read) if cut is None else read.monotone(cut)
            case Uninterpreted(opcode="reduce_maximum" | "reduce_minimum", operands=(terms,)):
                return self.terms(terms)
            case _:
                return WHOLE


def _tested(relation: Relation, x: Enclosure) -> Enclosure:
    """Return what is known of whether a value stands in a relation to 0."""
    match relation:
        case Relation.POSITIVE:
            holds, fails = x.low is not None and x.low > 0, x.high is not None and x.high <= 0
        case Relation.NEGATIVE:
            holds, fails = x.high is not None and x.high < 0, x.low is not None and x.low >= 0
        case Relation.ZERO:
            holds, fails = x.exact == 0, not x.holds_zero
    return at(int(holds)) if holds or fails else _BIT
