"""Bounds on an index, or on the sum or difference of two, that a constant of 0 and c may be."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import prod

from gradwright.certify.kernel.index import Affine, variable

PATTERN_LIMIT = 1 << 16
"""Entries of a constant up to which it is looked at."""


def suggested_bound(
    shape: Sequence[int], entries: Sequence[Fraction]
) -> tuple[Affine, int, int] | None:
    """Return (e, low, high) where low <= e < high holds for the entries that are 0, or for others.

    Variables 0, 1 … are the indices of the shape. None for any other constant.
    """
    if prod(shape) > PATTERN_LIMIT:
        return None
    places = [dict(enumerate(place)) for place in product(*map(range, shape))]
    for e in _expressions(len(shape)):
        levels = [e.value(place) for place in places]
        on = {level for level, x in zip(levels, entries, strict=True) if x}
        off = {level for level, x in zip(levels, entries, strict=True) if not x}
        for held, rest in ((on, off), (off, on)):
            if not any(min(held) <= level <= max(held) for level in rest):
                return e, min(held), max(held) + 1
    return None


def _expressions(rank: int) -> Iterator[Affine]:
    """Yield each index, and the sum and the difference of each two."""
    yield from map(variable, range(rank))
    for a, b in combinations(range(rank), 2):
        yield from (variable(a) - variable(b), variable(a) + variable(b))
