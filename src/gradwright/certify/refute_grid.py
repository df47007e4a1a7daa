"""More of a counterexample than its one element: both sides at many, for whoever draws them."""

from collections.abc import Mapping, Sequence
from math import isqrt, prod

import numpy as np

from gradwright.certify.refute import LAWS, Question
from gradwright.certify.refute_points import Point, texts_of
from gradwright.certify.verdicts import Counterexample, Distribution, Grid
from gradwright.certify.witness_process import Evaluator, Unevaluated
from gradwright.hlo import Function


def measured(
    found: Counterexample,
    emitted: Function,
    value: Function,
    question: Question,
    evaluate: Evaluator,
    *,
    seeds: Sequence[int | None],
    laws: Mapping[int, Distribution] | None,
    cells: int,
) -> Grid | None:
    """Return both sides at up to `cells` elements at the counterexample's input.

    Where the budget of the evaluator ends before, the rows nearest to the index are returned; None
    where there is none.
    """
    law = LAWS[found.seed % len(LAWS)]
    try:
        point = Point(texts_of(emitted, value, seeds), evaluate, found.seed, law, laws or {})
    except Unevaluated:
        return None
    shape = point.returned[question.k].shape
    split, rows, columns = layout(shape, found.index, cells)
    row = _flat(shape[:split], found.index[:split])
    sides: dict[int, list[tuple[float, float]]] = {}
    for r in sorted(rows, key=lambda each: abs(each - row)):
        try:
            sides[r] = [question.both(point, _index(shape, split, r, c)) for c in columns]
        except Unevaluated:
            break
    pairs = [pair for r in sorted(sides) for pair in sides[r]]
    wanted, returned = tuple(w for _, w in pairs), tuple(e for e, _ in pairs)
    return Grid(shape, split, tuple(sorted(sides)), columns, returned, wanted) if pairs else None


def layout(
    shape: tuple[int, ...], index: tuple[int, ...], cells: int
) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Return where a shape is split into rows and columns, and which of both are measured.

    The matrix is as square as the dimensions allow. Where it has more than `cells` elements, rows
    and columns are spread evenly, those of the index among them.
    """
    splits = range(1, len(shape)) if len(shape) > 1 else [0]
    split = min(splits, key=lambda s: (max(prod(shape[:s]), prod(shape[s:])), s))
    height, width = prod(shape[:split]), prod(shape[split:])
    count = min(height, max(isqrt(cells), cells // width))
    row, column = _flat(shape[:split], index[:split]), _flat(shape[split:], index[split:])
    return split, _spread(height, count, row), _spread(width, cells // count, column)


def _flat(shape: tuple[int, ...], index: tuple[int, ...]) -> int:
    return int(np.ravel_multi_index(index, shape)) if shape else 0


def _spread(extent: int, count: int, place: int) -> tuple[int, ...]:
    """Return `count` of the numbers below an extent, evenly spread and with a place among them."""
    if extent <= count:
        return tuple(range(extent))
    chosen = [i * extent // count for i in range(count)]
    chosen[min(range(count), key=lambda i: abs(chosen[i] - place))] = place
    return tuple(chosen)


def _index(shape: tuple[int, ...], split: int, row: int, column: int) -> tuple[int, ...]:
    first = np.unravel_index(row, shape[:split]) if split else ()
    rest = np.unravel_index(column, shape[split:]) if shape[split:] else ()
    return tuple(int(i) for i in (*first, *rest))
