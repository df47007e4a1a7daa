"""Values at single indices: which no input changes there, and what they are.

An index that is read as it is everywhere, over its whole extent, is tried at a few values: a change
of names makes the others alike.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import islice, product

from gradwright.certify.kernel.algebra import Poly, variables_of
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
    Monomial,
    Pi,
    Relation,
    Selector,
    Sign,
    Sum,
    Terms,
    Uninterpreted,
)
from gradwright.certify.kernel.enclosures import PI, WHOLE, Enclosure, at, enclosed
from gradwright.certify.kernel.index import (
    Extents,
    always,
    constant,
    substitute,
    value_at,
    variable,
    variables,
)

STEPS = 200_000
"""Products that are evaluated before indices are given up."""

PLACES = 10_000
"""Summands of which one is looked for that is there at every index."""

Key = tuple[tuple[int, tuple[int, ...], Fraction], ...]


class TooMany(Exception):
    """More indices than are tried."""


class Instances:
    """Values of polynomials at indices, over one table of atoms."""

    def __init__(self, atoms: Atoms, reached: Callable[[int], frozenset[int]]) -> None:
        self.atoms = atoms
        self.reached = reached
        self.is_free = cache(self._search_free)
        self.plain = cache(self._search_plain)
        self._known: dict[tuple[int, tuple[int, ...]], Enclosure | None] = {}
        self._left = 0

    def constants(self, p: Poly, box: Extents, where: Sequence[Poly] = ()) -> Iterator[Enclosure]:
        """Yield what p is at those indices of a box at which no input changes it.

        Indices at which a polynomial of `where` is 0 are passed over. Raises TooMany.
        """
        if not self._are_free(tuple(p.items())):
            yield from (found for found in self.values(p, box, where) if found is not None)

    def values(
        self, p: Poly, box: Extents, where: Sequence[Poly] = ()
    ) -> Iterator[Enclosure | None]:
        """Yield what p is at the indices of a box, None where an input changes it.

        Of indices that a change of names makes alike one at least. Raises TooMany.
        """
        terms = tuple(p.items())
        self._left = STEPS
        every = tuple(each for q in where for each in q.items())
        reads = sorted(variables_of(dict((*terms, *every))))
        plain = set(reads) & self._plain_variables((*terms, *every), box)
        ranges = [range(min(box[v], len(plain)) if v in plain else box[v]) for v in reads]
        for place in product(*ranges):
            here = dict(zip(reads, place, strict=True))
            if any(self._is_nothing(tuple(q.items()), here) for q in where):
                continue
            yield self.value(terms, here)

    def _is_nothing(self, terms: Terms, here: Mapping[int, int]) -> bool:
        found = self.value(terms, here)
        return found is not None and found.exact == 0

    def value(self, terms: Terms, here: Mapping[int, int]) -> Enclosure | None:
        """Return what a sum is at an index, None where an input changes it."""
        total: dict[Key, Enclosure] = {}
        self._collect(total, terms, here, at(1))
        left = {key for key, c in total.items() if c.exact != 0}
        return total.get((), at(0)) if left <= {()} else None

    def _collect(
        self, total: dict[Key, Enclosure], terms: Terms, here: Mapping[int, int], scale: Enclosure
    ) -> None:
        """Add the terms of a sum at an index, those of classes in it one by one."""
        for (factors, guards), c in terms:
            self._left -= 1
            if self._left < 0:
                raise TooMany
            if not all(low <= value_at(e, here) < high for e, low, high in guards):
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

    def _product(self, factors: Iterable[Factor], here: Mapping[int, int]) -> tuple[Enclosure, Key]:
        """Return what no input changes of a product, and the factors that some input does."""
        constant, free = at(1), dict[tuple[int, tuple[int, ...]], Fraction]()
        for atom, access, q in factors:
            place = tuple([value_at(e, here) for e in access])
            found = self._atom(atom, place)
            if found is None:
                ordered = self.atoms.ordered(atom, tuple((i, ()) for i in place))
                same = atom, tuple(i for i, _ in ordered)
                free[same] = free.get(same, Fraction(0)) + q
            else:
                constant = constant.times(found.raised(Fraction(q)))
        return constant, tuple(sorted((*same, q) for same, q in free.items() if q))

    def _atom(self, atom: int, place: tuple[int, ...]) -> Enclosure | None:
        if self.is_free(atom):
            return None
        key = atom, place
        if key not in self._known:
            self._known[key] = self._value(atom, place)
        return self._known[key]

    def _value(self, atom: int, place: tuple[int, ...]) -> Enclosure | None:
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
            case Argument() | Selector() | Uninterpreted() if self.reached(atom):
                return None
            case _:
                return WHOLE

    def _sum(self, content: Sum, place: tuple[int, ...]) -> Enclosure | None:
        total = at(0)
        for rest in product(*map(range, content.extents[content.outputs :])):
            self._left -= 1
            if self._left < 0:
                raise TooMany
            here = dict(enumerate((*place, *rest)))
            if all(low <= value_at(e, here) < high for e, low, high in content.guards):
                constant, free = self._product(content.factors, here)
                if free and constant.exact != 0:
                    return None
                total = total.plus(constant)
        return total

    def _are_free(self, terms: Terms) -> bool:
        """Return whether at every index an input changes a sum: a term unlike all others."""
        kinds = Counter(_kind(monomial) for monomial, _ in terms)
        return any(
            not monomial[1] and kinds[_kind(monomial)] == 1 and self._is_free_product(monomial[0])
            for monomial, _ in terms
        )

    def _is_free_product(self, factors: Sequence[Factor]) -> bool:
        free = [self.is_free(atom) for atom, _, _ in factors]
        rest = zip(free, factors, strict=True)
        return any(free) and all(each or self._is_never_0(f[0]) for each, f in rest)

    def _is_never_0(self, atom: int) -> bool:
        content = self.atoms.content(atom)
        dense = isinstance(content, Dense) and 0 not in content.entries
        return dense or self.atoms.sign(atom) is Sign.POSITIVE

    def _search_free(self, atom: int) -> bool:
        """Return whether some input changes an atom at each of its indices."""
        if not self.reached(atom):
            return False
        match self.atoms.content(atom):
            case Argument() | Selector() | Uninterpreted():
                return True
            case Function(inner=int(inner)) | Mask(inner=inner):
                return self.is_free(inner)
            case Class(terms=terms):
                return self._are_free(terms)
            case Sum(factors=factors) as content:
                return self._is_free_product(factors) and _is_never_empty(content)
            case _:
                return False

    def _search_plain(self, atom: int) -> frozenset[int]:
        """Return the places of an atom's indices that it does not tell apart."""
        extents = dict(enumerate(self.atoms.extents(atom)))
        match self.atoms.content(atom):
            case Argument() | Base() | Pi() | Selector() | Uninterpreted() if self.reached(atom):
                return frozenset(extents)
            case Function(inner=int(inner)) | Mask(inner=inner):
                return self.plain(inner)
            case Class(terms=terms):
                return self._plain_variables(terms, extents)
            case Sum() as content:
                term = (content.factors, content.guards), Fraction(1)
                every = dict(enumerate(content.extents))
                return self._plain_variables((term,), every) & frozenset(range(content.outputs))
            case _:
                return frozenset()

    def _plain_variables(self, terms: Terms, box: Extents) -> frozenset[int]:
        """Return the variables that occur as they are, at places that are not told apart."""
        found = set(box)
        for (factors, guards), _ in terms:
            for e, _, _ in guards:
                found.difference_update(variables(e))
            for atom, access, _ in factors:
                same = self.plain(atom)
                for i, e in enumerate(access):
                    if i not in same or len(e[1]) != 1 or e != variable(e[1][0][0]):
                        found.difference_update(variables(e))
        return frozenset(found)


def _is_never_empty(content: Sum) -> bool:
    """Return whether one summand at least is there at every index: the same one is looked for."""
    outer = {v: n if v < content.outputs else 1 for v, n in enumerate(content.extents)}
    inner = sorted({v for e, _, _ in content.guards for v in variables(e) if v >= content.outputs})
    for place in islice(product(*(range(content.extents[v]) for v in inner)), PLACES):
        at = dict(zip(inner, map(constant, place), strict=True))
        if all(always((substitute(e, at), low, high), outer) for e, low, high in content.guards):
            return True
    return False


def _mask(relation: Relation, x: Fraction | None) -> Enclosure:
    return Enclosure(Fraction(0), Fraction(1)) if x is None else at(int(relation.holds(x)))


def _kind(monomial: Monomial) -> tuple[tuple[int, Fraction], ...]:
    return tuple(sorted((atom, Fraction(q)) for atom, _, q in monomial[0]))
