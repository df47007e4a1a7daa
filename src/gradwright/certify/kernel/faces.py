"""What a value is at each of its indices, where it may be the same for all inputs.

A hypothesis of a proof must be one that some input meets. Where a value is the same for all inputs,
or between two numbers by its masks, that can be seen.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import floor, prod

from gradwright.certify.kernel.algebra import Poly, variables_of
from gradwright.certify.kernel.atoms import (
    Argument,
    Atoms,
    Base,
    Class,
    Coordinate,
    Dense,
    Exponent,
    Factor,
    Function,
    Mask,
    Pi,
    Sign,
    Sum,
    Terms,
    Uninterpreted,
)
from gradwright.certify.kernel.index import Extents, value_at, variable, variables

STEPS = 100_000
"""Products that are evaluated before a value counts as one of which nothing is known."""

_Entry = tuple[int, tuple[int, ...], Exponent]
"""Atom, indices, exponent."""
_Numbers = dict[tuple[_Entry, ...], Fraction]
"""A polynomial in entries of atoms."""
Span = tuple[Fraction | None, Fraction | None]
"""The least and the greatest number that an entry may be, over all inputs; None: no bound."""


Bounds = tuple[Fraction, Fraction]
"""Such numbers, both known."""
_NOTHING: Bounds = Fraction(0), Fraction(0)
_WHOLE: dict[str, Callable[[Fraction], int]] = {"truncate": int, "floor": floor}
"""Functions that take numbers to integers less than 1 away."""
_UNKNOWN = "a value that no input changes is not known"


class Unspanned(Exception):
    """An entry that no input changes is not known, or there are too many of them."""


def spans(
    atoms: Atoms, reached: Callable[[int], frozenset[int]], p: Poly, box: Extents
) -> Iterator[Span]:
    """Yield what each entry lies between; Unspanned for one that is fixed and not known."""
    faces = _Faces(atoms, reached)
    read = {v: box[v] for v in sorted(variables_of(p))}
    most = len(read) if faces.is_even(tuple(p.items()), box) else STEPS
    for place in product(*(range(min(n, most)) for n in read.values())):
        yield faces.span(tuple(p.items()), dict(zip(read, place, strict=True)))


def fixed(atoms: Atoms, reached: Callable[[int], frozenset[int]], terms: Terms) -> Bounds:
    """Return what the entries that no input changes lie between, with masks of any value.

    There every term in an input cancels or is 0. Unspanned where that is not known.
    """
    low = high = Fraction(0)
    for (factors, guards), c in terms:
        ends = c, c * (not guards)
        for atom, _, q in factors:
            ends = _scaled(ends, _fixed_power(atoms, reached, atom, Fraction(q)))
        low, high = low + min(ends), high + max(ends)
    return low, high


def _fixed_power(
    atoms: Atoms, reached: Callable[[int], frozenset[int]], atom: int, q: Fraction
) -> Bounds:
    if q < 0 or q.denominator > 1:
        if reached(atom):
            return _NOTHING
        raise Unspanned(_UNKNOWN)
    total = base = _fixed(atoms, reached, atom)
    for _ in range(int(q) - 1):
        total = _scaled(total, base)
    return total


def _fixed(atoms: Atoms, reached: Callable[[int], frozenset[int]], atom: int) -> Bounds:
    match atoms.content(atom):
        case Dense(entries=entries):
            return min(entries), max(entries)
        case Coordinate(extent=extent):
            return Fraction(0), Fraction(extent - 1)
        case _ if atoms.is_mask(atom):
            return Fraction(0), Fraction(1)
        case Class(terms=terms):
            return fixed(atoms, reached, terms)
        case Sum(outputs=outputs, extents=extents, factors=factors):
            term = fixed(atoms, reached, (((factors, ()), Fraction(1)),))
            return _scaled(term, (Fraction(0), Fraction(prod(extents[outputs:]))))
        case Function(name=name, inner=int(inner), scale=scale) if name in _WHOLE:
            low, high = _scaled(_fixed(atoms, reached, inner), (scale, scale))
            return min(low - 1, Fraction(0)), max(high + 1, Fraction(0))
        case Uninterpreted(opcode="reduce_maximum" | "reduce_minimum", operands=(terms,)):
            low, high = fixed(atoms, reached, terms)
            return min(low, Fraction(0)), max(high, Fraction(0))
        case _ if reached(atom):
            return _NOTHING
        case _:
            raise Unspanned(_UNKNOWN)


def _scaled(a: Bounds, b: Bounds) -> Bounds:
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


@dataclass(slots=True)
class _Faces:
    atoms: Atoms
    reached: Callable[[int], frozenset[int]]
    left: int = STEPS

    def is_even(self, terms: Terms, extents: Extents) -> bool:
        """Return whether terms are read, deep down, at whole variables only.

        Then indices that are equal where others are have alike entries.
        """
        return not any(guards for (_, guards), _ in terms) and all(
            tuple(extents[v] for e in access for v in variables(e) if e == variable(v))
            == self.atoms.extents(atom)
            and self._is_even_atom(atom)
            for (factors, _), _ in terms
            for atom, access, _ in factors
        )

    def _is_even_atom(self, atom: int) -> bool:
        match self.atoms.content(atom):
            case Argument() | Base() | Pi():
                return True
            case Function(inner=inner) | Mask(inner=inner):
                return inner is None or self._is_even_atom(inner)
            case Class(extents=extents, terms=terms):
                return self.is_even(terms, dict(enumerate(extents)))
            case _:
                return False

    def span(self, terms: Terms, at: Mapping[int, int]) -> Span:
        """Return what a sum of terms lies between at an index."""
        low: Fraction | None = Fraction(0)
        high: Fraction | None = Fraction(0)
        numbers = self._sum(terms, at)
        if any(entries for entries in numbers) and not self._varies(numbers):
            raise Unspanned(_UNKNOWN)
        for entries, c in numbers.items():
            least, greatest = self._reach(entries) if c > 0 else self._reach(entries)[::-1]
            low = None if low is None or least is None else low + c * least
            high = None if high is None or greatest is None else high + c * greatest
        return low, high

    def _reach(self, entries: Iterable[_Entry]) -> tuple[int | None, int | None]:
        """Return what a product lies between: masks are 0 or 1, squares at least 0."""
        if not entries:
            return 1, 1
        if all(self.atoms.is_mask(atom) for atom, _, _ in entries):
            return 0, 1
        signed = (q % 2 and self.atoms.sign(atom) is Sign.ANY for atom, _, q in entries)
        return (None if any(signed) else 0), None

    def _varies(self, numbers: _Numbers) -> bool:
        """Return whether an input enters one of the entries that a polynomial is made of."""
        return any(self._is_free(atom, place) for entries in numbers for atom, place, _ in entries)

    def _is_free(self, atom: int, place: tuple[int, ...]) -> bool:
        match self.atoms.content(atom):
            case Argument():
                return True
            case Function(inner=int(inner)) | Mask(inner=inner):
                return self._varies(self._power(inner, place, 1))
            case Class() | Sum():
                return self._varies(self._power(atom, place, 1))
            case _:
                return bool(self.reached(atom))

    def _sum(self, terms: Terms, at: Mapping[int, int]) -> _Numbers:
        total: _Numbers = {}
        for (factors, guards), c in terms:
            if all(low <= value_at(e, at) < high for e, low, high in guards):
                _add(total, self._product(factors, at), c)
        return total

    def _product(self, factors: Iterable[Factor], at: Mapping[int, int]) -> _Numbers:
        found: _Numbers = {(): Fraction(1)}
        for atom, access, q in factors:
            found = self._times(found, self._power(atom, tuple(value_at(e, at) for e in access), q))
        return found

    def _times(self, a: _Numbers, b: _Numbers) -> _Numbers:
        total: _Numbers = {}
        for (left, c), (right, k) in product(a.items(), b.items()):
            self.left -= 1
            if self.left < 0:
                raise Unspanned("too many entries to look at")
            _add(total, {_joined(left, right): Fraction(1)}, c * k)
        return total

    def _power(self, atom: int, place: tuple[int, ...], q: Exponent) -> _Numbers:
        whole: _Numbers = {((atom, place, q),): Fraction(1)}
        inner = self._opened(atom, place)
        if inner is None or q == 1:
            return whole if inner is None else inner
        if any(inner) or Fraction(q).denominator > 1:
            return whole
        number = inner.get((), Fraction(0))
        return whole if not number and q < 0 else _constant(number ** int(q))

    def _opened(self, atom: int, place: tuple[int, ...]) -> _Numbers | None:
        """Return what an entry of an atom is made of, None where it stands for itself."""
        match self.atoms.content(atom):
            case Dense() | Coordinate():
                return _constant(self.atoms.entry(atom, place) or Fraction(0))
            case Base(value=value):
                return _constant(value)
            case Mask(relation=relation, inner=inner):
                found = self._power(inner, place, 1)
                known = not any(found)
                return (
                    _constant(Fraction(relation.holds(found.get((), Fraction(0)))))
                    if known
                    else None
                )
            case Function(name=name, inner=int(inner), scale=scale) if name in _WHOLE:
                found = self._power(inner, place, 1)
                number = scale * found.get((), Fraction(0))
                return None if any(found) else _constant(Fraction(_WHOLE[name](number)))
            case Class(terms=terms):
                return self._sum(terms, dict(enumerate(place)))
            case Sum() as content:
                return self._summed(content, place)
            case _:
                return None

    def _summed(self, content: Sum, place: Sequence[int]) -> _Numbers:
        total: _Numbers = {}
        term: Terms = (((content.factors, content.guards), Fraction(1)),)
        for rest in product(*map(range, content.extents[content.outputs :])):
            _add(total, self._sum(term, dict(enumerate((*place, *rest)))), Fraction(1))
        return total


def _constant(c: Fraction) -> _Numbers:
    return {(): c} if c else {}


def _add(total: _Numbers, more: _Numbers, c: Fraction) -> None:
    for entries, k in more.items():
        value = total.get(entries, Fraction(0)) + c * k
        if value:
            total[entries] = value
        else:
            total.pop(entries, None)


def _joined(left: tuple[_Entry, ...], right: tuple[_Entry, ...]) -> tuple[_Entry, ...]:
    exponents: dict[tuple[int, tuple[int, ...]], Exponent] = {}
    for atom, place, q in (*left, *right):
        exponents[atom, place] = exponents.get((atom, place), 0) + q
    return tuple((*key, q) for key, q in sorted(exponents.items()) if q)
