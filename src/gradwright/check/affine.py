"""Affine index expressions, and guards: the indicator of low <= expression < high.

An expression is (constant, ((variable, coefficient), …)), variables in increasing order. The guards
of a term are kept without constants, without common divisors, first coefficient positive.
"""

from collections.abc import Iterable, Mapping
from itertools import product
from math import gcd, prod

POINTS = 1_000_000
"""Points of windows along one dimension that are looked at."""

Affine = tuple[int, tuple[tuple[int, int], ...]]
Guard = tuple[Affine, int, int]
Guards = tuple[Guard, ...]
Box = Mapping[int, int]
"""Extent n of each variable, which takes the values 0 … n - 1."""
Places = Mapping[int, Affine]


def variable(v: int) -> Affine:
    """Return the expression v."""
    return 0, ((v, 1),)


def linear(parts: Iterable[tuple[int, Affine]], offset: int = 0) -> Affine:
    """Return offset + the sum of coefficient * expression."""
    found: dict[int, int] = {}
    for k, (constant, terms) in parts:
        offset += k * constant
        for v, q in terms:
            found[v] = found.get(v, 0) + k * q
    return offset, tuple(sorted((v, q) for v, q in found.items() if q))


def counted(v: int, low: int, high: int) -> Affine:
    """Return what takes the values low … high - 1 as v counts from 0; the number if it is one."""
    return (low, ()) if high == low + 1 else (low, ((v, 1),))


def placed(e: Affine, places: Places) -> Affine:
    """Return an expression with variables replaced."""
    if all(v not in places for v, _ in e[1]):
        return e
    return linear(((k, places.get(v, variable(v))) for v, k in e[1]), e[0])


def value_at(e: Affine, here: Mapping[int, int]) -> int:
    """Return an expression where variables are numbers."""
    return e[0] + sum(k * here[v] for v, k in e[1])


def span(e: Affine, box: Box) -> tuple[int, int]:
    """Return the least and the greatest value over a box."""
    reach = [k * (box[v] - 1) for v, k in e[1]]
    return e[0] + sum(r for r in reach if r < 0), e[0] + sum(r for r in reach if r > 0)


def within(e: Affine, low: int, high: int, guards: Guards, box: Box) -> bool:
    """Return whether low <= e < high wherever the guards hold: by intervals, no search.

    Besides the box, one guard at a time is used, added or subtracted.
    """
    if _inside(span(e, box), low, high):
        return True
    for g, first, last in guards:
        for sign in (1, -1):
            least, greatest = span(linear(((1, e), (-sign, g))), box)
            ends = sorted((sign * first, sign * (last - 1)))
            if _inside((least + ends[0], greatest + ends[1]), low, high):
                return True
    return False


def _inside(ends: tuple[int, int], low: int, high: int) -> bool:
    return low <= ends[0] and ends[1] < high


def conjunction(guards: Iterable[Guard], box: Box) -> Guards | None:
    """Return the product of guards in normal form; None where it is 0 on the whole box."""
    known: dict[tuple[tuple[int, int], ...], tuple[int, int]] = {}
    pending = list(guards)
    while pending:
        (constant, terms), low, high = pending.pop()
        low, high = low - constant, high - constant
        if not terms:
            if low <= 0 < high:
                continue
            return None
        divisor = gcd(*(k for _, k in terms))
        if terms[0][1] < 0:
            low, high, divisor = 1 - high, 1 - low, -divisor
        terms = tuple((v, k // divisor) for v, k in terms)
        low, high = -(-low // abs(divisor)), -(-high // abs(divisor))
        before = known.pop(terms, (low, high))
        least, greatest = span((0, terms), box)
        low, high = max(low, before[0], least), min(high, before[1], greatest + 1)
        if low >= high:
            return None
        parts = _by_digits(terms, low, high, box)
        if parts is not None:
            pending += parts
        elif low > least or high <= greatest:
            known[terms] = low, high
    return tuple(sorted(((0, terms), low, high) for terms, (low, high) in known.items()))


def _by_digits(
    terms: tuple[tuple[int, int], ...], low: int, high: int, box: Box
) -> list[Guard] | None:
    """Return guards on u and w that say the same as low <= g * u + w < high; None if none do."""
    for g in sorted({abs(k) for _, k in terms}, reverse=True)[:-1]:
        u = (0, tuple((v, k // g) for v, k in terms if k % g == 0))
        w = (0, tuple((v, k) for v, k in terms if k % g))
        if not u[1] or not w[1]:
            continue
        least, greatest = span(w, box)
        first, last = -(-(low - greatest) // g), (high - 1 - least) // g
        if first > last:
            return [((0, ()), 1, 2)]  # no u admits any w
        if g * first + least >= low and g * last + greatest < high:
            return [(u, first, last + 1)]  # each such u admits every w, any other none
        lowest = least + (low - least) % g
        if high == low + 1 and lowest <= greatest < lowest + g:
            return [(w, lowest, lowest + 1), (u, (low - lowest) // g, (low - lowest) // g + 1)]
    return None


def hold(guards: Iterable[Guard], here: Mapping[int, int]) -> bool:
    """Return whether guards hold where variables are numbers."""
    return all(low <= value_at(e, here) < high for e, low, high in guards)


def filled(guards: Guards, outputs: int, box: Box) -> bool:
    """Return whether at each value of the first variables some of the others meet the guards.

    Each part of the guards that shares variables is gone through; False where that is too much.
    """
    parts: list[tuple[set[int], list[Guard]]] = []
    for guard in guards:
        reach, members = {v for v, _ in guard[0][1]}, [guard]
        for other in [part for part in parts if part[0] & reach]:
            parts.remove(other)
            reach, members = reach | other[0], members + other[1]
        parts.append((reach, members))
    for reach, members in parts:
        order = sorted(reach)
        if prod(box[v] for v in order) > POINTS:
            return False
        count = sum(v < outputs for v in order)
        points = product(*(range(box[v]) for v in order))
        met = {at[:count] for at in points if hold(members, dict(zip(order, at, strict=True)))}
        if len(met) < prod(box[v] for v in order[:count]):
            return False
    return True
