"""Minimal filtering: convolutions in fewer products, with sums before and after them.

Source: Winograd 1980, Arithmetic Complexity of Computations; in nets: Lavin & Gray 2016, Fast
Algorithms for Convolutional Neural Networks. The matrices are those of Toom and Cook: a tile of the
result is a product of polynomials, found from its values at a few points and at infinity.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from gradwright.hlo import Value
from gradwright.layers.domains import TILED_KERNEL, has_tiles
from gradwright.layers.walk import Walk
from gradwright.spec.padding import Windows

POINTS = (0, 1, -1, 2, -2)
"""Where the polynomials are evaluated: the integers with the smallest powers."""
TAPS, _ = TILED_KERNEL
"""Extent of the kernels that tiles pay for."""

Matrix = tuple[tuple[int, ...], ...]
Places = list[Value]
"""The places of a tile: one value per column, the rows along its dimension 0."""


@dataclass(frozen=True, slots=True)
class Filtering:
    """F(tile, 3) of one axis: y = output ((kernel w / divisors) * (input x)), exact over the reals.

    Shapes: x: tile + 2 neighbours, w: 3 taps, y: tile results; input: [tile + 2, tile + 2],
    kernel: [tile + 2, 3], divisors: [tile + 2], output: [tile, tile + 2].
    """

    tile: int
    input: Matrix
    kernel: Matrix
    divisors: tuple[int, ...]
    output: Matrix


@cache
def filtering(tile: int) -> Filtering:
    """Return F(tile, 3), which takes tile + 2 products for 3 tile of the definition.

    Domain: tile + 1 points, so tiles of 2, 3 and 4.
    """
    count = tile + TAPS - 1
    points = POINTS[: count - 1]
    everywhere = _with_roots(points)
    rows = [(*_with_roots(points[:j] + points[j + 1 :]), 0) for j in range(count - 1)]
    return Filtering(
        tile,
        (*rows, everywhere),
        (*(tuple(p**k for k in range(TAPS)) for p in points), _last(TAPS)),
        (*(math.prod(p - q for q in points if q != p) for p in points), 1),
        tuple((*(p**i for p in points), int(i == tile - 1)) for i in range(tile)),
    )


def _with_roots(roots: Sequence[int]) -> tuple[int, ...]:
    """Return the coefficients, the constant first, of the product of (x - root)."""
    found = [1]
    for root in roots:
        found = [a - root * b for a, b in zip([0, *found], [*found, 0], strict=True)]
    return tuple(found)


def _last(length: int) -> tuple[int, ...]:
    return (*[0] * (length - 1), 1)


def possible(walk: Walk, windows: Windows, groups: int) -> bool:
    """Whether a convolution is in the domain: 3 x 3, neither strided, dilated nor grouped.

    Never with rounded operands: the sums would round them once more.
    """
    return has_tiles(windows, groups) and walk.precision.is_full


def convolve(walk: Walk, windows: Windows, x: Value, weight: Value, *, tile: int) -> Value:
    """Return the convolution of x [batch in this walk's layout] with weight [O, C, 3, 3].

    `tile` are the results per axis of a tile: four take fewer products than two, with larger sums.
    Domain: where `possible` says so.
    """
    b, rule = walk.b, filtering(tile)
    inputs, kernels = _input(walk, rule, windows, x), _kernel(walk, rule, weight)
    products = [
        b.dot(piece, kernel, ((2,), (1,)), ((0,), (0,)), hint="product")
        for piece, kernel in zip(inputs, kernels, strict=True)
    ]
    grid = _both(walk, rule.output, products)
    return _untile(walk, windows, grid, x.shape[0])


def tap_products(walk: Walk, windows: Windows, x: Value, dy: Value, *, tile: int) -> Value:
    """Return [taps, O, C]: the transpose of `convolve` in its kernel, in as few products.

    Math: with V = input x and Q = output^T dy, dw = kernel^T (sum over tiles Q V^T / divisors).
    """
    b, rule = walk.b, filtering(tile)
    inputs, cotangents = _input(walk, rule, windows, x), _cotangent(walk, rule, windows, dy)
    products = [
        b.dot(cotangent, piece, ((2,), (1,)), ((0,), (0,)), hint="product")
        for piece, cotangent in zip(inputs, cotangents, strict=True)
    ]
    grid = _both(walk, _transposed(rule.kernel), products, rule.divisors)
    return _stack(walk, [each for row in grid for each in row])


def tiles(windows: Windows, tile: int) -> tuple[int, int]:
    """Return how many tiles cover the result along each axis."""
    height, width = (-(-count // tile) for count in windows.counts)
    return height, width


def _input(walk: Walk, rule: Filtering, windows: Windows, x: Value) -> Places:
    """Return input x input^T of all tiles, [tiles, C] at each place of a tile."""
    b, layout, count = walk.b, walk.formulation.layout, rule.tile + TAPS - 1
    last = b.transpose(x, (0, *layout.spatial, layout.channel))
    low, high = [0] * 4, [0] * 4
    for axis, number in enumerate(tiles(windows, rule.tile)):
        low[axis + 1] = windows.padding[axis][0]
        high[axis + 1] = number * rule.tile + TAPS - 1 - windows.extents[axis] - low[axis + 1]
    (inside,) = b.optimization_barrier(b.pad(last, 0, low, high), hint="inside")
    rows = [every(walk, inside, 1, start, rule.tile, count) for start in range(count)]
    mixed = _stack(walk, [combined(walk, row, rows) for row in rule.input])
    columns = [every(walk, mixed, 3, start, rule.tile, count) for start in range(count)]
    pieces = [combined(walk, row, columns) for row in rule.input]
    flat = (count, math.prod(pieces[0].shape[1:4]), last.shape[3])
    return list(b.optimization_barrier(*(b.reshape(piece, flat) for piece in pieces)))


def _kernel(walk: Walk, rule: Filtering, weight: Value) -> Places:
    """Return kernel w kernel^T / divisors, [C, O] at each place of a tile."""
    b = walk.b
    taps = b.transpose(weight, (2, 3, 1, 0), hint="hwio")
    rows = [part(walk, taps, 0, u) for u in range(TAPS)]
    mixed = [
        divided(walk, combined(walk, row, rows), divisor)
        for row, divisor in zip(rule.kernel, rule.divisors, strict=True)
    ]
    joined = b.concatenate(mixed, 0)
    columns = [part(walk, joined, 1, v) for v in range(TAPS)]
    pieces = [
        divided(walk, combined(walk, row, columns), divisor)
        for row, divisor in zip(rule.kernel, rule.divisors, strict=True)
    ]
    return [b.reshape(piece, (len(mixed), *taps.shape[2:])) for piece in pieces]


def _cotangent(walk: Walk, rule: Filtering, windows: Windows, dy: Value) -> Places:
    """Return output^T dy output of all tiles, [O, tiles] at each place of a tile."""
    b, layout, tile = walk.b, walk.formulation.layout, rule.tile
    first = b.transpose(dy, (layout.channel, 0, *layout.spatial))
    numbers = tiles(windows, tile)
    high = [number * tile - count for number, count in zip(numbers, windows.counts, strict=True)]
    (whole,) = b.optimization_barrier(b.pad(first, 0, (0,) * 4, (0, 0, *high)), hint="dy_columns")
    back = _transposed(rule.output)
    rows = [every(walk, whole, 2, start, tile, tile) for start in range(tile)]
    mixed = _stack(walk, [combined(walk, row, rows) for row in back])
    columns = [every(walk, mixed, 4, start, tile, tile) for start in range(tile)]
    pieces = [combined(walk, row, columns) for row in back]
    flat = (len(back), whole.shape[0], whole.shape[1] * math.prod(numbers))
    return list(b.optimization_barrier(*(b.reshape(piece, flat) for piece in pieces)))


def every(walk: Walk, whole: Value, axis: int, start: int, tile: int, count: int) -> Value:
    """Return the positions of an axis that are `start` from the beginning of a tile."""
    first, limit, strides = [0] * whole.type.rank, list(whole.shape), [1] * whole.type.rank
    first[axis], limit[axis], strides[axis] = start, whole.shape[axis] - count + start + 1, tile
    return walk.b.slice(whole, first, limit, strides)


def part(walk: Walk, whole: Value, axis: int, place: int) -> Value:
    """Return one position of an axis, which stays."""
    return every(walk, whole, axis, place, 1, whole.shape[axis])


def _both(
    walk: Walk, matrix: Matrix, places: Places, divisors: Sequence[int] | None = None
) -> list[list[Value]]:
    """Return matrix (places / divisors) matrix^T, row by row."""
    by = divisors or (1,) * len(places)
    scaled = [divided(walk, place, divisor) for place, divisor in zip(places, by, strict=True)]
    columns = [combined(walk, row, scaled) for row in matrix]
    grid: list[list[Value]] = []
    for column in columns:
        parts = [part(walk, column, 0, r) for r in range(len(by))]
        rows = [
            divided(walk, walk.b.reshape(each, each.shape[1:]), divisor)
            for each, divisor in zip(parts, by, strict=True)
        ]
        grid.append([combined(walk, row, rows) for row in matrix])
    return [list(row) for row in zip(*grid, strict=True)]


def _stack(walk: Walk, values: Sequence[Value]) -> Value:
    """Return values of one shape along a new first dimension."""
    return walk.b.concatenate([walk.b.reshape(v, (1, *v.shape)) for v in values], 0)


def _untile(walk: Walk, windows: Windows, grid: list[list[Value]], batch: int) -> Value:
    """Return the result in this walk's layout from [tiles, O] for each place of a tile."""
    b, tile = walk.b, len(grid)
    high, wide = tiles(windows, tile)
    out = grid[0][0].shape[1]
    shape = (batch, high, 1, wide, 1, out)
    rows = [b.concatenate([b.reshape(each, shape) for each in row], 4) for row in grid]
    whole = b.reshape(b.concatenate(rows, 2), (batch, high * tile, wide * tile, out))
    inside = b.slice(whole, (0,) * 4, (batch, *windows.counts, out), (1,) * 4, hint="xw")
    layout, order = walk.formulation.layout, [0] * 4
    order[layout.channel], order[layout.spatial[0]], order[layout.spatial[1]] = 3, 1, 2
    return b.transpose(inside, order, hint="xw")


def combined(walk: Walk, row: Sequence[int], values: Sequence[Value]) -> Value:
    """Return the sum of coefficients times values; a zero writes nothing, a one no product."""
    b, total = walk.b, None
    for coefficient, value in sorted(zip(row, values, strict=True), key=lambda t: -t[0]):
        if coefficient == 0:
            continue
        size = abs(coefficient)
        term = value if size == 1 else b.multiply(value, b.splat_like(size, value))
        if total is None:
            total = term if coefficient > 0 else b.negate(term)
        else:
            total = (b.add if coefficient > 0 else b.subtract)(total, term)
    assert total is not None, "a row of zeros"
    return total


def divided(walk: Walk, value: Value, divisor: int) -> Value:
    """Return value / divisor: a third is no number of a format, three is."""
    return value if divisor == 1 else walk.b.divide(value, walk.b.splat_like(divisor, value))


def _transposed(matrix: Matrix) -> Matrix:
    return tuple(zip(*matrix, strict=True))
