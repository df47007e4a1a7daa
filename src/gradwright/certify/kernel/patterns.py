"""Constant tensors of 0 and one other number as bounds on their indices, where they are that.

A literal causal mask and one that compares coordinates are then the same polynomial. What is found
is tested at every index.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import prod

from gradwright.certify.kernel.algebra import Algebra, Poly, add, number, scaled
from gradwright.certify.kernel.atoms import Dense
from gradwright.certify.kernel.index import (
    Affine,
    combine,
    conjunction,
    value_at,
    variable,
)

PATTERN_LIMIT = 1 << 16
"""Entries of a constant up to which it is looked at."""


def constant_poly(algebra: Algebra, shape: Sequence[int], entries: Sequence[Fraction]) -> Poly:
    """Return a constant tensor over variables 0, 1 …, one per dimension of more than one entry."""
    if len({*entries}) == 1:
        return number(entries[0])
    extents = tuple(n for n in shape if n != 1)
    found = pattern(extents, entries)
    if found is not None:
        return found
    atom = algebra.atoms.intern(Dense(tuple(shape), tuple(entries)), extents)
    return {(((atom, tuple(map(variable, range(len(extents)))), 1),), ()): Fraction(1)}


def pattern(shape: Sequence[int], entries: Sequence[Fraction]) -> Poly | None:
    """Return c [low <= e < high], or c minus that, for a constant of 0 and c; e one index or two.

    Variables 0, 1 … are the indices of the shape. None for any other constant.
    """
    values = {*entries} - {0}
    if len(values) != 1 or 0 not in entries or prod(shape) > PATTERN_LIMIT:
        return None
    [c] = values
    box = dict(enumerate(shape))
    places = [dict(enumerate(place)) for place in product(*map(range, shape))]
    for e in _expressions(len(shape)):
        levels = [value_at(e, place) for place in places]
        on = {level for level, x in zip(levels, entries, strict=True) if x}
        off = {level for level, x in zip(levels, entries, strict=True) if not x}
        if on & off:
            continue
        for held, rest in ((on, off), (off, on)):
            low, high = min(held), max(held)
            if any(low < level < high for level in rest):
                continue
            guards = conjunction(((e, low, high + 1),), box)
            assert guards is not None  # some entry has a level in it
            inside: Poly = {((), guards): Fraction(1)}
            return scaled(inside if held is on else add(number(1), inside, -1), c)
    return None


def _expressions(rank: int) -> Iterator[Affine]:
    """Yield each index, and the sum and the difference of each two."""
    yield from map(variable, range(rank))
    for a, b in combinations(range(rank), 2):
        yield from (combine(((1, variable(a)), (k, variable(b)))) for k in (-1, 1))
