"""The values around a counterexample: which are measured, and that both sides are right."""

import numpy as np
import pytest

from certify.refute.cases import LOG_SOFTMAX, TANH
from gradwright.certify import Search, certify_equal, certify_vjp
from gradwright.certify.refute_grid import layout
from gradwright.certify.verdicts import Grid


@pytest.mark.parametrize(
    ("shape", "index", "cells", "split", "rows", "columns"),
    [
        ((), (), 9, 0, (0,), (0,)),
        ((5,), (3,), 9, 0, (0,), (0, 1, 2, 3, 4)),
        ((2, 3), (1, 2), 9, 1, (0, 1), (0, 1, 2)),
        ((2, 2, 3, 4), (0, 0, 0, 0), 99, 2, tuple(range(4)), tuple(range(12))),
        # Too many: evenly spread, the index among them.
        ((10, 10), (7, 1), 9, 1, (0, 3, 7), (1, 3, 6)),
        ((2, 100), (1, 99), 8, 1, (0, 1), (0, 25, 50, 99)),
    ],
)
def test_the_matrix_is_square_as_can_be_and_holds_the_index(
    shape: tuple[int, ...],
    index: tuple[int, ...],
    cells: int,
    split: int,
    rows: tuple[int, ...],
    columns: tuple[int, ...],
) -> None:
    assert layout(shape, index, cells) == (split, rows, columns)


def grid_of(forward: str, backward: str, search: Search) -> Grid | None:
    [claim] = certify_vjp(forward, backward, search=search).claims
    assert claim.counterexample is not None
    return claim.counterexample.grid


@pytest.mark.interpreter
def test_a_gradient_is_measured_beside_what_is_returned_and_the_work_told() -> None:
    told: list[str] = []
    search = Search(cells=64, progress=told.append)
    [claim] = certify_vjp(TANH.forward, TANH.wrong(0), search=search).claims
    found = claim.counterexample
    assert found is not None
    grid = found.grid
    assert grid is not None
    assert (grid.shape, grid.rows, grid.columns) == ((3,), (0,), (0, 1, 2))
    x, g = (np.array(each.values) for each in found.inputs)
    y2 = np.tanh(x) ** 2
    np.testing.assert_allclose(grid.emitted, g - y2, rtol=1e-12)
    np.testing.assert_allclose(grid.wanted, g * (1 - y2), rtol=1e-8)
    assert grid.emitted[found.index[0]] == found.emitted
    # Work was told before it began.
    assert told == [
        "operations denoted: 0 of 4",
        "deriving the cotangents",
        "d/d%x (result 0): proof",
        "d/d%x (result 0): search for a counterexample",
        "d/d%x (result 0): values around the counterexample",
    ]


@pytest.mark.interpreter
def test_equality_is_measured_on_both_texts() -> None:
    [claim] = certify_equal(TANH.backward, TANH.wrong(0), search=Search(cells=64)).claims
    assert claim.counterexample is not None
    grid = claim.counterexample.grid
    assert grid is not None
    [place] = claim.counterexample.index
    assert grid.wanted[place] == claim.counterexample.wanted
    assert grid.emitted[place] == claim.counterexample.emitted


@pytest.mark.interpreter
def test_nothing_is_measured_unasked() -> None:
    assert grid_of(TANH.forward, TANH.wrong(0), Search()) is None


@pytest.mark.interpreter
def test_few_cells_are_kept_to() -> None:
    grid = grid_of(LOG_SOFTMAX.forward, LOG_SOFTMAX.wrong(0), Search(cells=4))
    assert grid is not None
    assert len(grid.rows) * len(grid.columns) == len(grid.wanted) <= 4


def test_claims_name_the_values_that_they_speak_of() -> None:
    [claim] = certify_vjp(TANH.forward, TANH.backward).claims
    anchors = claim.anchors
    assert anchors is not None
    assert (anchors.result.name, anchors.result.line) == ("dx", 7)
    assert [(spot.name, spot.line) for spot in anchors.reference] == [("y", 2)]
    assert anchors.wrt is not None
    assert (anchors.wrt.name, anchors.wrt.line) == ("x", 0)
    [equal] = certify_equal(TANH.forward, TANH.forward).claims
    assert equal.anchors is not None
    assert equal.anchors.wrt is None
    assert equal.anchors.reference == (equal.anchors.result,)
