"""Arithmetic of indices: affine expressions over index variables, and guards on them.

An affine expression is (constant, ((variable, coefficient), …)) with variables in increasing
order and no coefficient 0. A guard (e, low, high) is the indicator of low <= e < high; its
expression has no constant, a positive first coefficient, and coefficients without common divisor.
"""

from collections.abc import Iterable, Mapping
from math import gcd

Affine = tuple[int, tuple[tuple[int, int], ...]]
Guard = tuple[Affine, int, int]
Guards = tuple[Guard, ...]
Extents = Mapping[int, int]
"""Extent n of each variable: it ranges over 0 … n - 1."""


def variable(v: int) -> Affine:
    """Return the expression v."""
    return 0, ((v, 1),)


def constant(c: int) -> Affine:
    """Return the expression c."""
    return c, ()


def combine(parts: Iterable[tuple[int, Affine]], offset: int = 0) -> Affine:
    """Return offset + sum of coefficient * expression."""
    coefficients: dict[int, int] = {}
    for k, (c, terms) in parts:
        offset += k * c
        for v, q in terms:
            coefficients[v] = coefficients.get(v, 0) + k * q
    return offset, tuple(sorted((v, q) for v, q in coefficients.items() if q))


def substitute(e: Affine, mapping: Mapping[int, Affine]) -> Affine:
    """Return e with variables replaced by expressions."""
    if not any(v in mapping for v, _ in e[1]):
        return e
    if len(e[1]) == 1 and e[0] == 0 and e[1][0][1] == 1:
        return mapping[e[1][0][0]]
    return combine(((k, mapping.get(v, variable(v))) for v, k in e[1]), e[0])


def read_at(access: Iterable[Affine], mapping: Mapping[int, Affine]) -> tuple[Affine, ...]:
    """Return expressions with variables replaced."""
    return tuple([substitute(e, mapping) for e in access])


def guards_at(guards: Iterable[Guard], mapping: Mapping[int, Affine]) -> list[Guard]:
    """Return guards with variables replaced, not in normal form."""
    return [(substitute(e, mapping), low, high) for e, low, high in guards]


def is_whole(e: Affine, extent: int, extents: Extents) -> bool:
    """Return whether an expression is a number, or a variable over a whole extent."""
    return not e[1] or (e == variable(e[1][0][0]) and extents[e[1][0][0]] == extent)


def bounds(e: Affine, extents: Extents) -> tuple[int, int]:
    """Return the least and the greatest value of e over the box."""
    low = high = e[0]
    for v, k in e[1]:
        reach = k * (extents[v] - 1)
        low, high = (low, high + reach) if k > 0 else (low + reach, high)
    return low, high


def value_at(e: Affine, point: Mapping[int, int]) -> int:
    """Return e at a point."""
    return e[0] + sum(k * point[v] for v, k in e[1])


def variables(e: Affine) -> Iterable[int]:
    """Return the variables of e."""
    return (v for v, _ in e[1])


def radix(digits: Iterable[tuple[int, Affine]]) -> Affine:
    """Return the number whose digits, most significant first, are (extent, expression)."""
    value: Affine = constant(0)
    for extent, digit in digits:
        value = combine(((extent, value), (1, digit)))
    return value


def conjunction(guards: Iterable[Guard], extents: Extents) -> Guards | None:
    """Return the product of guards in normal form; None where it is 0 everywhere.

    Guards on one expression are intersected; one that holds on the whole box is dropped; one that
    only bounds a leading digit is rewritten as a bound on that digit.
    """
    pending = list(guards)
    if not pending:
        return ()
    known: dict[tuple[tuple[int, int], ...], tuple[int, int]] = {}
    while pending:
        (c, terms), low, high = pending.pop()
        low, high = low - c, high - c
        if not terms:
            if low <= 0 < high:
                continue
            return None
        terms, low, high = _primitive(terms, low, high)
        low, high = _clip(terms, *_meet(known.get(terms), low, high), extents)
        if low >= high:
            return None
        split = _digits_apart(terms, low, high, extents)
        if split is not None:
            known.pop(terms, None)
            pending.extend(split)
            continue
        known[terms] = low, high
    guarded = (((0, terms), low, high) for terms, (low, high) in known.items())
    return tuple(sorted(g for g in guarded if not always(g, extents)))


def _primitive(
    terms: tuple[tuple[int, int], ...], low: int, high: int
) -> tuple[tuple[tuple[int, int], ...], int, int]:
    """Divide by the common divisor and make the first coefficient positive."""
    divisor = gcd(*(k for _, k in terms))
    if terms[0][1] < 0:
        low, high, divisor = 1 - high, 1 - low, -divisor
    size = abs(divisor)
    # low <= size * u < high means ceil(low / size) <= u < ceil(high / size)
    return tuple((v, k // divisor) for v, k in terms), -(-low // size), -(-high // size)


def _meet(known: tuple[int, int] | None, low: int, high: int) -> tuple[int, int]:
    return (low, high) if known is None else (max(low, known[0]), min(high, known[1]))


def _clip(
    terms: tuple[tuple[int, int], ...], low: int, high: int, extents: Extents
) -> tuple[int, int]:
    least, greatest = bounds((0, terms), extents)
    return max(low, least), min(high, greatest + 1)


def always(guard: Guard, extents: Extents) -> bool:
    """Return whether a guard holds on the whole box."""
    e, low, high = guard
    least, greatest = bounds(e, extents)
    return low <= least and greatest < high


def _digits_apart(
    terms: tuple[tuple[int, int], ...], low: int, high: int, extents: Extents
) -> tuple[Guard, ...] | None:
    """Return equivalent guards on u and w where the guard is low <= g * u + w < high.

    Either every w is admitted with every admitted u: then w does not matter. Or the guard is an
    equation, and w takes a single value that leaves a multiple of g: then both are determined.
    """
    sizes = sorted({abs(k) for _, k in terms}, reverse=True)
    for g in sizes[:-1]:
        u = (0, tuple((v, k // g) for v, k in terms if k % g == 0))
        w = (0, tuple((v, k) for v, k in terms if k % g))
        if not w[1] or not u[1]:
            continue
        least, greatest = bounds(w, extents)
        first, last = -(-(low - greatest) // g), (high - 1 - least) // g
        if g * first + least >= low and g * last + greatest < high:
            return ((u, first, last + 1),)
        lowest = least + (low - least) % g
        if high == low + 1 and lowest <= greatest < lowest + g:
            multiple = (low - lowest) // g
            return (w, lowest, lowest + 1), (u, multiple, multiple + 1)
    return None
