"""Sets with coefficients add up to nothing where they do at every point, and nowhere else."""

from fractions import Fraction
from itertools import pairwise, permutations

import islpy as isl
import pytest

from gradwright.certify.advice.points import holds, sample
from gradwright.certify.kernel.atoms import Atoms
from gradwright.certify.kernel.index import Affine, variable
from gradwright.certify.kernel.pieces import Piece, met_once
from gradwright.certify.kernel.reading import Reading, add_up_to_nothing

Part = tuple[int, int, int]
"""A range of integers and its coefficient."""
BALANCED: list[Part] = [(0, 4, 1), (2, 6, 1), (0, 2, -1), (2, 4, -2), (4, 6, -1)]


def nothing(parts: list[Part]) -> bool:
    return add_up_to_nothing(
        (isl.Set(f"{{ [i] : {low} <= i < {high} }}"), Fraction(c)) for low, high, c in parts
    )


def test_overlaps_count_with_their_coefficients() -> None:
    assert all(nothing(list(order)) for order in permutations(BALANCED))
    assert nothing([])
    assert nothing([(3, 3, 5)])


@pytest.mark.parametrize("place", range(len(BALANCED)))
@pytest.mark.parametrize("change", [(0, 0, 1), (0, 1, 0), (-1, 0, 0)])
def test_one_part_changed_is_noticed(place: int, change: Part) -> None:
    low, high, c = (a + b for a, b in zip(BALANCED[place], change, strict=True))
    changed = [*BALANCED[:place], (low, high, c), *BALANCED[place + 1 :]]
    assert not nothing(changed)


def test_parts_at_other_coefficients_do_not_cancel() -> None:
    assert not any(nothing([a, b]) for a, b in pairwise(BALANCED))


def reading(read: Affine, low: int, high: int) -> Reading:
    """Return x read at an expression of output 0 and summed 1, where low <= v0 - 2 v1 < high."""
    guard = (Affine(0, ((0, 1), (1, -2))), low, high)
    return Reading((((read, 5),),), (guard,), (0,), (1,), {0: 8, 1: 5})


def test_a_place_is_told_from_the_others() -> None:
    one = reading(variable(1), 0, 2)
    places = [({0: i}, (j,)) for i in range(8) for j in range(5)]
    held = [place for place in places if holds(one, place)]
    assert held == [({0: i}, (i // 2,)) for i in range(8)]
    found = sample(one, 3)
    assert found is not None
    assert holds(one, found)
    assert not holds(reading(variable(1), 2, 4), found)


def test_entries_that_are_met_twice_count_twice() -> None:
    """The sum over v1 of [0 <= v0 - 2 v1 < 4] is 2 for even v0 from 2 on: two pieces hold it."""
    guard = (Affine(0, ((0, 1), (1, -2))), 0, 4)
    piece = Piece(Fraction(1), (), (guard,), {0: 8, 1: 5}, (1,))
    pieces = list(met_once(Atoms(), piece))
    readings = [each.reading(Atoms(), ()) for each in pieces]
    times = [sum(bool(holds(r, ({0: i}, ()))) for r in readings) for i in range(8)]
    assert times == [1, 1, 2, 2, 2, 2, 2, 2]


def test_a_variable_that_nothing_reads_counts_its_places() -> None:
    [piece] = met_once(Atoms(), Piece(Fraction(1, 2), (), (), {0: 8, 1: 5}, (1,)))
    assert piece.coefficient == Fraction(5, 2)
    assert piece.summed == ()
