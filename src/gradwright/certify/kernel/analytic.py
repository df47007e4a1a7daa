"""Values that are analytic in the real arguments: their zeros are a null set unless they are 0.

A function that is real-analytic on the whole space of its arguments, which is connected, and not 0
at some point has zeros of measure 0 only. Arguments of integers are parameters: a point counts
where the value is the same nonzero number whatever they are.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import islice, product

from gradwright.certify.advice.inputs import suggested_entry, suggested_inputs
from gradwright.certify.kernel.algebra import Algebra, Poly
from gradwright.certify.kernel.atoms import (
    Argument,
    Atoms,
    Base,
    Class,
    Coordinate,
    Dense,
    Factor,
    Function,
    Mask,
    Numbers,
    Pi,
    Sign,
    Sum,
    Terms,
)
from gradwright.certify.kernel.clearing import exponent_at
from gradwright.certify.kernel.index import Affine, Extents, hold, variable

ROOT_TERMS = 64
"""Terms that a sum may come to have when a root is taken away."""
STEPS = 20_000
"""Terms that are evaluated before a function counts as one that may vanish anywhere."""
POINTS = 64
"""Points at which values are kept."""
_AT_ZERO = {
    "exponential": Fraction(1),
    "logistic": Fraction(1, 2),
    "cosine": Fraction(1),
    "sine": Fraction(0),
    "erf": Fraction(0),
    "atan": Fraction(0),
    "asinh": Fraction(0),
}
"""Functions that are analytic on the whole line, with their values at 0."""


class Analytic:
    """Decides whether polynomials over atoms are analytic, and not 0, at every index."""

    def __init__(self, algebra: Algebra) -> None:
        self.algebra = algebra
        self.atoms = algebra.atoms
        self._is_entire = cache(self._search)
        self._is_even_atom = cache(self._search_even)
        self._points: dict[tuple[frozenset[int], frozenset[int] | None], _Point] = {}

    def vanishes_rarely(self, terms: Terms, extents: Sequence[int]) -> bool:
        """Return whether the zeros of a sum of terms are a null set at each index of a box."""
        reads = {r for (factors, _), _ in terms for f in factors for r in self.atoms.reached(f[0])}
        terms = _without_roots(self.algebra, terms, dict(enumerate(extents)))
        if not all(self._is_entire_product(factors) for (factors, _), _ in terms):
            return False
        real = frozenset(filter(self.atoms.is_real, reads))
        places = list(islice(self._places(terms, extents), STEPS + 1))
        steps = STEPS // len(places)

        def differs(place: tuple[int, ...]) -> bool:
            tries = suggested_inputs(real, place)
            return any(self._point(*each).total(terms, place, steps) for each in tries)

        return steps > 0 and all(map(differs, places))

    def _point(self, not_0: frozenset[int], near: frozenset[int] | None) -> "_Point":
        """Return a point with what is known of it: cases and places of one sum share most of it."""
        if (not_0, near) not in self._points:
            if len(self._points) == POINTS:
                self._points.clear()
            self._points[not_0, near] = _Point(self.atoms, not_0, near)
        return self._points[not_0, near]

    def _places(self, terms: Terms, extents: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Yield indices of a box, one at least of those that a change of names makes alike.

        Where all indices are whole variables, one permutation of all of one extent changes nothing.
        """
        most = len(extents) if self._is_even(terms, extents) else STEPS
        yield from product(*(range(min(n, most)) for n in extents))

    def _is_even(self, terms: Terms, extents: Sequence[int]) -> bool:
        """Return whether terms are read, deep down, at variables over whole extents only."""
        return not any(guards for (_, guards), _ in terms) and all(
            tuple(extents[v] for e in access if (v := e.lone) is not None)
            == self.atoms.extents(atom)
            and self._is_even_atom(atom)
            for (factors, _), _ in terms
            for atom, access, _ in factors
        )

    def _search_even(self, atom: int) -> bool:
        match self.atoms.content(atom):
            case Argument(numbers=Numbers.REAL) | Base() | Pi():
                return True
            case Function(inner=inner):
                return inner is None or self._is_even_atom(inner)
            case Class(extents=extents, terms=terms):
                return self._is_even(terms, extents)
            case Sum(extents=extents, factors=factors, guards=guards):
                return self._is_even((((factors, guards), Fraction(1)),), extents)
            case _:
                return False

    def _is_entire_product(self, factors: Iterable[Factor]) -> bool:
        return all(
            self._is_entire(atom)
            and ((Fraction(q).denominator == 1 and q > 0) or self.atoms.sign(atom) is Sign.POSITIVE)
            for atom, _, q in factors
        )

    def _search(self, atom: int) -> bool:
        """Return whether an atom is analytic in the real arguments on their whole space."""
        match self.atoms.content(atom):
            case Argument(numbers=numbers):
                return numbers is not Numbers.ANY
            case Dense() | Coordinate() | Base() | Pi():
                return True
            case Mask():
                return self.atoms.is_parameter(atom)
            case Function(inner=None):
                return True
            case Function(name="log", inner=int(inner), scale=scale):
                positive = self.atoms.sign(inner) is Sign.POSITIVE and scale > 0
                return positive and self._is_entire(inner)
            case Function(name=name, inner=int(inner)):
                return name in _AT_ZERO and self._is_entire(inner)
            case Class(terms=terms):
                return all(self._is_entire_product(factors) for (factors, _), _ in terms)
            case Sum(factors=factors):
                return self._is_entire_product(factors)
            case _:
                return False


def _without_roots(algebra: Algebra, terms: Terms, extents: Extents) -> Terms:
    """Return a sum A ** n - (-B) ** n r ** n for A + B r, for each root r: 0 wherever that is."""
    p = Poly(terms)
    while root := next((f for factors, _ in p for f in factors if f[2] % 1), None):
        n = Fraction(root[2]).denominator
        place = root[:2]
        whole = Poly({m: c for m, c in p.items() if exponent_at(m, place).denominator == 1})
        rooted = whole - p
        if len({exponent_at(m, place) % 1 for m in rooted}) > 1 or len(p) ** n > ROOT_TERMS:
            return terms
        p = algebra.raised(whole, n, extents) - algebra.raised(rooted, n, extents)
    return p.terms


class _Exhausted(Exception):
    """More terms than a point may take."""


class _Point:
    """Values where all entries are 0 but those of some arguments at some indices (None: all)."""

    def __init__(self, atoms: Atoms, not_0: frozenset[int], indices: frozenset[int] | None) -> None:
        self.atoms = atoms
        self.not_0 = not_0
        self.indices = indices
        self._known: dict[tuple[int, tuple[int, ...]], Fraction | None] = {}
        self._left = STEPS

    def total(self, terms: Terms, place: Sequence[int], steps: int) -> Fraction | None:
        """Return the sum of terms at an index; None where it is not known, or takes too long."""
        self._left = steps
        try:
            return self.terms(terms, dict(enumerate(place)))
        except _Exhausted:
            return None

    def terms(self, terms: Terms, at: Mapping[int, int]) -> Fraction | None:
        found = [
            self._product(factors, c, at) for (factors, guards), c in terms if hold(guards, at)
        ]
        return None if None in found else sum((x for x in found if x is not None), Fraction(0))

    def _product(
        self, factors: Iterable[Factor], c: Fraction, at: Mapping[int, int]
    ) -> Fraction | None:
        """Return a product, 0 where one factor is, whatever those are that are not known."""
        self._left -= 1
        if self._left < 0:
            raise _Exhausted
        values = [
            self._power(self._atom(atom, tuple(e.value(at) for e in access)), Fraction(q))
            for atom, access, q in factors
        ]
        if 0 in values:
            return Fraction(0)
        for value in values:
            if value is None:
                return None
            c *= value
        return c

    def _power(self, value: Fraction | None, q: Fraction) -> Fraction | None:
        if value is None or value == 1 or q == 1:
            return value
        if q.denominator > 1 or (q < 0 and not value):
            return None
        return value ** int(q)

    def _atom(self, atom: int, place: tuple[int, ...]) -> Fraction | None:
        key = atom, place
        if key not in self._known:
            self._known[key] = self._value(atom, place)
        return self._known[key]

    def _value(self, atom: int, place: tuple[int, ...]) -> Fraction | None:
        match self.atoms.content(atom):
            case Argument(numbers=Numbers.REAL):
                inside = atom in self.not_0 and all(map(self._is_inside, place))
                return Fraction(suggested_entry(atom, place)) if inside else Fraction(0)
            case Dense() | Coordinate():
                return self.atoms.entry(atom, place)
            case Base(value=value):
                return value
            case Function(name=name, inner=int(inner)):
                value = self._atom(inner, place)
                return _AT_ZERO.get(name) if value == 0 else None
            case Mask(relation=relation, inner=inner):
                value = self._atom(inner, place)
                return None if value is None else Fraction(relation.holds(value))
            case Class(terms=terms):
                return self.terms(terms, dict(enumerate(place)))
            case Sum() as content:
                return self._sum(content, place)
            case _:
                return None

    def _sum(self, content: Sum, place: tuple[int, ...]) -> Fraction | None:
        """Sum over those indices only at which an argument that is a factor is not 0."""
        reached = [
            [i for i in range(n) if self._is_inside(i)]
            if self._bears(content.factors, variable(v))
            else range(n)
            for v, n in enumerate(content.extents)
        ]
        total = Fraction(0)
        for rest in product(*reached[content.outputs :]):
            at = dict(enumerate((*place, *rest)))
            if hold(content.guards, at):
                term = self._product(content.factors, Fraction(1), at)
                if term is None:
                    return None
                total += term
        return total

    def _is_inside(self, i: int) -> bool:
        return self.indices is None or i in self.indices

    def _bears(self, factors: Iterable[Factor], index: Affine) -> bool:
        """Return whether an argument that is a factor is read at an index."""
        return any(
            index in access and q > 0 and self.atoms.is_real(atom) for atom, access, q in factors
        )
