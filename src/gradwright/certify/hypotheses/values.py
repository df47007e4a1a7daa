"""What a value is at a single index: a number that no input changes, or what it lies between."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import product

from gradwright.certify.hypotheses.enclosures import PI, WHOLE, Enclosure, at, enclosed
from gradwright.certify.hypotheses.varying import Varying
from gradwright.certify.kernel.atoms import (
    Base,
    Class,
    Coordinate,
    Dense,
    Factor,
    Function,
    Mask,
    Pi,
    Relation,
    Sum,
    Terms,
)
from gradwright.certify.kernel.index import Affine, hold

Place = tuple[int, ...]
Entries = tuple[tuple[int, Place, Fraction], ...]
"""A product of entries that inputs change: atom, indices, exponent."""


class TooMany(Exception):
    """More products than are evaluated."""


class Values:
    """Values of polynomials at indices, over one table of atoms."""

    def __init__(self, varying: Varying) -> None:
        self.atoms, self.hulls = varying.atoms, varying.hulls
        self.varying = varying
        self.left = 0
        """Products that may still be evaluated; TooMany where there are more."""
        self._known: dict[tuple[int, Place], Enclosure | None] = {}

    def span(self, terms: Terms, here: Mapping[int, int]) -> tuple[bool, Enclosure]:
        """Return whether no input changes a sum at an index, and what it lies between there."""
        entries = self._entries(terms, here)
        total = at(0)
        for found, c in entries.items():
            total = total.plus(c.times(self.hulls.product((atom, q) for atom, _, q in found)))
        return not any(entries), total

    def value(self, terms: Terms, here: Mapping[int, int]) -> Enclosure | None:
        """Return what a sum is at an index, None where an input changes it."""
        entries = self._entries(terms, here)
        return None if any(entries) else entries.get((), at(0))

    def _entries(self, terms: Terms, here: Mapping[int, int]) -> dict[Entries, Enclosure]:
        total: dict[Entries, Enclosure] = {}
        self._collect(total, terms, here, at(1))
        return {found: c for found, c in total.items() if c.exact != 0}

    def _collect(
        self,
        total: dict[Entries, Enclosure],
        terms: Terms,
        here: Mapping[int, int],
        scale: Enclosure,
    ) -> None:
        """Add the terms of a sum at an index, those of classes in it one by one."""
        for (factors, guards), c in terms:
            self._count()
            if not hold(guards, here):
                continue
            constant, free = self._product(factors, here)
            constant = constant.times(scale).times(at(c))
            content = self.atoms.content(free[0][0]) if len(free) == 1 else None
            if constant.exact == 0:
                continue
            if isinstance(content, Class) and free[0][2] == 1:
                self._collect(total, content.terms, dict(enumerate(free[0][1])), constant)
            else:
                total[free] = total.get(free, at(0)).plus(constant)

    def _count(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise TooMany

    def _product(
        self, factors: Iterable[Factor], here: Mapping[int, int]
    ) -> tuple[Enclosure, Entries]:
        """Return what no input changes of a product, and the factors that some input does."""
        constant, free = at(1), dict[tuple[int, Place], Fraction]()
        for atom, access, q in factors:
            place = tuple([e.value(here) for e in access])
            found = self._atom(atom, place)
            if found is None:
                ordered = self.atoms.ordered(atom, tuple(map(Affine, place)))
                same = atom, tuple(i for i, _ in ordered)
                free[same] = free.get(same, Fraction(0)) + q
            else:
                constant = constant.times(found.raised(Fraction(q)))
        return constant, tuple(sorted((*same, q) for same, q in free.items() if q))

    def _atom(self, atom: int, place: Place) -> Enclosure | None:
        """Return an entry of an atom, None where an input changes it."""
        if self.varying.is_free(atom):
            return None
        key = atom, place
        if key not in self._known:
            self._known[key] = self._value(atom, place)
        return self._known[key]

    def _value(self, atom: int, place: Place) -> Enclosure | None:
        match self.atoms.content(atom):
            case Dense() | Coordinate():
                entry = self.atoms.entry(atom, place)
                return WHOLE if entry is None else at(entry)
            case Base(value=value):
                return at(value)
            case Pi():
                return PI
            case Function(name=name, scale=scale, inner=None):
                return enclosed(name, at(scale))
            case Function(name=name, scale=scale, inner=int(inner)):
                found = self._atom(inner, place)
                return None if found is None else enclosed(name, found.times(at(scale)))
            case Mask(relation=relation, inner=inner):
                found = self._atom(inner, place)
                return found if found is None else _mask(relation, found.exact)
            case Class(terms=terms):
                return self.value(terms, dict(enumerate(place)))
            case Sum() as content:
                return self._sum(content, place)
            case _:
                return None if self.atoms.reached(atom) else self.hulls.atom(atom)

    def _sum(self, content: Sum, place: Place) -> Enclosure | None:
        total = at(0)
        for rest in product(*map(range, content.extents[content.outputs :])):
            self._count()
            here = dict(enumerate((*place, *rest)))
            if hold(content.guards, here):
                constant, free = self._product(content.factors, here)
                if free and constant.exact != 0:
                    return None
                total = total.plus(constant)
        return total


def _mask(relation: Relation, x: Fraction | None) -> Enclosure:
    return Enclosure(Fraction(0), Fraction(1)) if x is None else at(int(relation.holds(x)))
