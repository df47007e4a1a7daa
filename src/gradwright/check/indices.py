"""Atoms at single indices: whether an input changes them there, and what they are where none does.

An index that occurs as it is, never in a guard, a constant or a sum of indices, is tried at as many
values as there are such indices: any others are those under other names.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import product

from gradwright.check.affine import Affine, Box, variable
from gradwright.check.atoms import (
    Applied,
    Atoms,
    Chosen,
    Dense,
    Factor,
    Index,
    Mask,
    Named,
    Sum,
    Terms,
    Test,
    Uncheckable,
    Unknown,
)

PRODUCTS = 200_000
"""Products that are looked at for one value."""

Place = tuple[int, ...]
Symbols = tuple[tuple[int, Place, Fraction], ...]
"""Powers of atoms at indices that are no known numbers."""


class Indices:
    """The atoms of one check, index by index."""

    def __init__(self, atoms: Atoms) -> None:
        self.atoms = atoms
        self.is_fixed = cache(self._search_fixed)
        self.varies = cache(self._search_varies)
        self.alike = cache(self._search_alike)
        self._left = 0

    def fixed_values(self, atom: int) -> Iterator[Fraction | None]:
        """Yield an atom at the indices at which no input changes it; None for no known number."""
        if self.varies(atom):
            return
        self._left = PRODUCTS
        extents, alike = self.atoms.extents[atom], self.alike(atom)
        ranges = [range(min(n, len(alike)) if i in alike else n) for i, n in enumerate(extents)]
        for place in product(*ranges):
            term = (((atom, tuple((i, ()) for i in place), 1),), ()), Fraction(1)
            left = self._expanded((term,), {})
            if all(self.is_fixed(a) for symbols in left for a, _, _ in symbols):
                yield left.get((), Fraction(0)) if left.keys() <= {()} else None

    def _spend(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise Uncheckable("a hypothesis about a value of too many indices")

    def _expanded(self, terms: Terms, at: Mapping[int, int]) -> dict[Symbols, Fraction]:
        """Return a sum at an index as numbers times powers of atoms, equal ones together."""
        total: dict[Symbols, Fraction] = {}
        for (factors, guards), c in terms:
            self._spend()
            if not all(low <= _value(e, at) < high for e, low, high in guards):
                continue
            parts = [self._power(atom, _place(access, at), q) for atom, access, q in factors]
            found: dict[Symbols, Fraction] = {(): c}
            for part in parts:
                found = _times(found, part)
            for symbols, k in found.items():
                total[symbols] = total.get(symbols, Fraction(0)) + k
        return {symbols: c for symbols, c in total.items() if c}

    def _power(self, atom: int, place: Place, q: int | Fraction) -> dict[Symbols, Fraction]:
        part = self._atom(atom, place)
        if q == 1:
            return part
        if part.keys() <= {()} and Fraction(q).denominator == 1:
            x = part.get((), Fraction(0))
            return {(): x ** int(q)} if x else {} if q > 0 else _symbol(atom, place, q)
        return _symbol(atom, place, q)

    def _atom(self, atom: int, place: Place) -> dict[Symbols, Fraction]:
        self._spend()
        match self.atoms.contents[atom]:
            case Dense(entries=entries):
                at = 0
                for extent, i in zip(self.atoms.extents[atom], place, strict=True):
                    at = at * extent + i
                return {(): entries[at]} if entries[at] else {}
            case Index():
                return {(): Fraction(place[0])} if place[0] else {}
            case Named(terms=terms):
                return self._expanded(terms, dict(enumerate(place)))
            case Sum() as content:
                return self._sum(atom, content, place)
            case Mask(test=test, inner=inner):
                x = self._number(inner, place)
                if x is None:
                    return _symbol(atom, place, 1)
                return {(): Fraction(1)} if (x > 0 if test is Test.POSITIVE else x == 0) else {}
            case Applied(inner=int(inner)) if self._number(inner, place) is not None:
                raise Uncheckable("a function that no input changes, at some index")
            case _:
                return _symbol(atom, place, 1)

    def _number(self, atom: int, place: Place) -> Fraction | None:
        part = self._atom(atom, place)
        return part.get((), Fraction(0)) if part.keys() <= {()} else None

    def _sum(self, atom: int, content: Sum, place: Place) -> dict[Symbols, Fraction]:
        """Return a sum of numbers as one; any other that has terms is as it is."""
        total = Fraction(0)
        for rest in product(*map(range, content.extents[content.outputs :])):
            at = dict(enumerate((*place, *rest)))
            found = self._expanded((((content.factors, content.guards), Fraction(1)),), at)
            if not found.keys() <= {()}:
                return _symbol(atom, place, 1)
            total += found.get((), Fraction(0))
        return {(): total} if total else {}

    def _search_fixed(self, atom: int) -> bool:
        """Return whether no input changes an atom at any index."""
        match self.atoms.contents[atom]:
            case Unknown() | Chosen():
                return False
            case Applied(inner=inner) | Mask(inner=inner):
                return inner is None or self.is_fixed(inner)
            case Named(terms=terms):
                return all(self.is_fixed(a) for (factors, _), _ in terms for a, _, _ in factors)
            case Sum(factors=factors):
                return all(self.is_fixed(a) for a, _, _ in factors)
            case _:
                return True

    def _search_varies(self, atom: int) -> bool:
        """Return whether at every index some input changes an atom, seen without a look at any."""
        match self.atoms.contents[atom]:
            case Unknown() | Chosen():
                return True
            case Applied(inner=int(inner)) | Mask(inner=inner):
                return self.varies(inner)
            case Sum(factors=factors, guards=()):
                return self._product_varies(factors)
            case Named(terms=terms):
                kinds = [
                    sorted((a, Fraction(q)) for a, _, q in factors) for (factors, _), _ in terms
                ]
                count = Counter(map(tuple, kinds))
                return any(
                    not guards and count[tuple(kind)] == 1 and self._product_varies(factors)
                    for kind, ((factors, guards), _) in zip(kinds, terms, strict=True)
                )
            case _:
                return False

    def _product_varies(self, factors: Sequence[Factor]) -> bool:
        others = [atom for atom, _, _ in factors if not self.varies(atom)]
        return len(others) < len(factors) and all(
            self.atoms.is_positive(atom, strictly=True) for atom in others
        )

    def _search_alike(self, atom: int) -> frozenset[int]:
        """Return the indices of an atom whose values it does not tell apart."""
        match self.atoms.contents[atom]:
            case Unknown():
                return frozenset(range(len(self.atoms.extents[atom])))
            case Applied(inner=int(inner)) | Mask(inner=inner):
                return self.alike(inner)
            case Named(extents=extents, terms=terms):
                return self._plain(terms, dict(enumerate(extents)))
            case Sum(outputs, extents, factors, guards):
                plain = self._plain((((factors, guards), Fraction(1)),), dict(enumerate(extents)))
                return plain & frozenset(range(outputs))
            case _:
                return frozenset()

    def _plain(self, terms: Terms, box: Box) -> frozenset[int]:
        found = set(box)
        for (factors, guards), _ in terms:
            told = [e for e, _, _ in guards]
            for atom, access, _ in factors:
                same = self.alike(atom)
                told += [e for i, e in enumerate(access) if i not in same or not _is_variable(e)]
            found.difference_update(v for e in told for v, _ in e[1])
        return frozenset(found)


def _is_variable(e: Affine) -> bool:
    return len(e[1]) == 1 and e == variable(e[1][0][0])


def _value(e: Affine, at: Mapping[int, int]) -> int:
    return e[0] + sum(k * at[v] for v, k in e[1])


def _place(access: Sequence[Affine], at: Mapping[int, int]) -> Place:
    return tuple([_value(e, at) for e in access])


def _symbol(atom: int, place: Place, q: int | Fraction) -> dict[Symbols, Fraction]:
    return {((atom, place, Fraction(q)),): Fraction(1)}


def _times(
    left: Mapping[Symbols, Fraction], right: Mapping[Symbols, Fraction]
) -> dict[Symbols, Fraction]:
    total: dict[Symbols, Fraction] = {}
    for (p, c), (q, k) in product(left.items(), right.items()):
        both: dict[tuple[int, Place], Fraction] = {}
        for atom, place, n in (*p, *q):
            both[atom, place] = both.get((atom, place), Fraction(0)) + n
        symbols = tuple(sorted((*key, n) for key, n in both.items() if n))
        total[symbols] = total.get(symbols, Fraction(0)) + c * k
    return total
