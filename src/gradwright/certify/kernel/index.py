"""Arithmetic of indices: affine expressions over index variables, and guards on them.

A guard (e, low, high) is the indicator of low <= e < high; in normal form its expression has no
offset, a positive first coefficient, and coefficients without common divisor.
"""

from collections.abc import Iterable, Mapping
from math import gcd
from typing import NamedTuple

Extents = Mapping[int, int]
"""Extent n of each variable: it ranges over 0 … n - 1."""


class Affine(NamedTuple):
    """offset + sum of coefficient * variable; variables in increasing order, no coefficient 0."""

    offset: int
    terms: tuple[tuple[int, int], ...] = ()

    # No one joins or repeats an expression as a tuple: + and * are those of numbers.
    def __add__(self, other: "Affine | int") -> "Affine":  # pyright: ignore[reportIncompatibleMethodOverride]
        if isinstance(other, int):
            return Affine(self.offset + other, self.terms)
        return _combined(((1, self), (1, other)))

    def __sub__(self, other: "Affine | int") -> "Affine":
        return self + -1 * other

    def __rmul__(self, k: int) -> "Affine":  # pyright: ignore[reportIncompatibleMethodOverride]
        return _combined(((k, self),))

    @property
    def variables(self) -> list[int]:
        """The variables that occur."""
        return [v for v, _ in self.terms]

    @property
    def lone(self) -> int | None:
        """The variable that the expression is, None where it is more or another."""
        if self.offset or len(self.terms) != 1:
            return None
        [(v, k)] = self.terms
        return v if k == 1 else None

    def at(self, mapping: Mapping[int, "Affine"]) -> "Affine":
        """Return the expression with variables replaced by expressions."""
        lone = self.lone
        if lone is not None:
            return mapping.get(lone, self)
        if mapping.keys().isdisjoint(self.variables):
            return self
        return _combined(((k, mapping.get(v, variable(v))) for v, k in self.terms), self.offset)

    def value(self, point: Mapping[int, int]) -> int:
        """Return the value at a point."""
        return self.offset + sum(k * point[v] for v, k in self.terms)

    def bounds(self, extents: Extents) -> tuple[int, int]:
        """Return the least and the greatest value over the box."""
        low = high = self.offset
        for v, k in self.terms:
            reach = k * (extents[v] - 1)
            low, high = (low, high + reach) if k > 0 else (low + reach, high)
        return low, high

    def is_whole(self, extent: int, extents: Extents) -> bool:
        """Return whether this is a number, or a variable over a whole extent."""
        return not self.terms or (self.lone is not None and extents[self.lone] == extent)


Guard = tuple[Affine, int, int]
Guards = tuple[Guard, ...]


def variable(v: int) -> Affine:
    """Return the expression v."""
    return Affine(0, ((v, 1),))


def _combined(parts: Iterable[tuple[int, Affine]], offset: int = 0) -> Affine:
    """Return offset + sum of coefficient * expression."""
    coefficients: dict[int, int] = {}
    for k, (c, terms) in parts:
        offset += k * c
        for v, q in terms:
            coefficients[v] = coefficients.get(v, 0) + k * q
    return Affine(offset, tuple(sorted((v, q) for v, q in coefficients.items() if q)))


def radix(digits: Iterable[tuple[int, Affine]]) -> Affine:
    """Return the number whose digits, most significant first, are (extent, expression)."""
    value = Affine(0)
    for extent, digit in digits:
        value = extent * value + digit
    return value


def read_at(access: Iterable[Affine], mapping: Mapping[int, Affine]) -> tuple[Affine, ...]:
    """Return expressions with variables replaced."""
    return tuple([e.at(mapping) for e in access])


def guards_at(guards: Iterable[Guard], mapping: Mapping[int, Affine]) -> list[Guard]:
    """Return guards with variables replaced, not in normal form."""
    return [(e.at(mapping), low, high) for e, low, high in guards]


def unused(extents: Extents) -> int:
    """Return the number of a variable that is not there."""
    return max((-1, *extents)) + 1


def equation(a: Affine, b: Affine) -> Guard:
    """Return the guard a = b, not in normal form."""
    return a - b, 0, 1


def guarded(guards: Iterable[Guard]) -> set[int]:
    """Return the variables that guards bound."""
    return {v for e, _, _ in guards for v in e.variables}


def hold(guards: Iterable[Guard], point: Mapping[int, int]) -> bool:
    """Return whether all guards hold at a point."""
    return all(low <= e.value(point) < high for e, low, high in guards)


def conjunction(guards: Iterable[Guard], extents: Extents) -> Guards | None:
    """Return the product of guards in normal form; None where it is 0 everywhere.

    Guards on one expression are intersected; one that holds on the whole box is dropped; one that
    only bounds a leading digit is rewritten as a bound on that digit.
    """
    pending = list(guards)
    if not pending:
        return ()
    known: dict[Affine, tuple[int, int]] = {}
    while pending:
        e, low, high = _primitive(*pending.pop())
        least, greatest = e.bounds(extents)
        first, end = known.get(e, (least, greatest + 1))
        low, high = max(low, first), min(high, end)
        if low >= high:
            return None
        split = _digits_apart(e, low, high, extents)
        if split is not None:
            known.pop(e, None)
            pending.extend(split)
        elif least < low or high <= greatest:
            known[e] = low, high
    return tuple(sorted([(e, *ends) for e, ends in known.items()]))


def _primitive(e: Affine, low: int, high: int) -> Guard:
    """Leave out the offset and the common divisor, and make the first coefficient positive."""
    low, high = low - e.offset, high - e.offset
    size = divisor = gcd(*[k for _, k in e.terms]) or 1
    if e.terms and e.terms[0][1] < 0:
        low, high, divisor = 1 - high, 1 - low, -divisor
    # low <= size * u < high means ceil(low / size) <= u < ceil(high / size)
    terms = tuple((v, k // divisor) for v, k in e.terms)
    return Affine(0, terms), -(-low // size), -(-high // size)


def always(guard: Guard, extents: Extents) -> bool:
    """Return whether a guard holds on the whole box."""
    e, low, high = guard
    least, greatest = e.bounds(extents)
    return low <= least and greatest < high


def _digits_apart(e: Affine, low: int, high: int, extents: Extents) -> tuple[Guard, ...] | None:
    """Return equivalent guards on u and w where the guard is low <= g * u + w < high.

    Either every w is admitted with every admitted u: then w does not matter. Or the guard is an
    equation, and w takes a single value that leaves a multiple of g: then both are determined.
    """
    sizes = sorted({abs(k) for _, k in e.terms}, reverse=True)
    for g in sizes[:-1]:
        u = Affine(0, tuple((v, k // g) for v, k in e.terms if k % g == 0))
        w = Affine(0, tuple((v, k) for v, k in e.terms if k % g))
        if not w.terms or not u.terms:
            continue
        least, greatest = w.bounds(extents)
        first, last = -(-(low - greatest) // g), (high - 1 - least) // g
        if g * first + least >= low and g * last + greatest < high:
            return ((u, first, last + 1),)
        lowest = least + (low - least) % g
        if high == low + 1 and lowest <= greatest < lowest + g:
            multiple = (low - lowest) // g
            return (w, lowest, lowest + 1), (u, multiple, multiple + 1)
    return None
