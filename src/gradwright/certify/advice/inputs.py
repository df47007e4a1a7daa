"""Inputs at which a function may be seen not to be 0: any will do where it is not."""

from collections.abc import Iterator, Sequence

Input = tuple[frozenset[int], frozenset[int] | None]
"""The arguments that are not 0 everywhere, and the indices at which they are not (None: all)."""


def suggested_inputs(real: frozenset[int], place: Sequence[int]) -> Iterator[Input]:
    """Yield inputs to try, where a function of some real arguments is read at an index."""
    choices = (frozenset[int](), real, *(real - {each} for each in sorted(real)))
    for near in (frozenset((0, 1, *place)), None):
        yield from ((not_0, near) for not_0 in choices)


def suggested_entry(atom: int, place: Sequence[int]) -> int:
    """Return a number for an entry of an argument; different ones tell more apart."""
    number = 2 + atom
    for i in place:
        number = 3 * number + 2 * i + 1
    return number % 7 + 1
