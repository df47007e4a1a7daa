"""Depthwise convolution as sums of products of shifted slices.

Pictures are padded behind a barrier, so that the border is not asked for again at every product.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from gradwright.hlo import Value
from gradwright.layers.accumulation import accumulate
from gradwright.layers.joined_rows import JoinedRows, Tap, can_join, joined, pays
from gradwright.layers.slices import (
    Shifts,
    by_phases,
    empty_phase,
    padded,
    phase_extents,
    tap_slice,
    taps,
)
from gradwright.layers.walk import Walk
from gradwright.spec.padding import Windows

FEW_CHANNELS = 32
"""Channels up to which a row of a picture is taken as one dimension. Measured, weight gradients:
32 at 112 x 112 takes 29 ms by channels and 3 by rows, 24 at 56 x 56 and 5 x 5 14 and 1; 40 and more
the same either way, or by channels less."""


def convolve(walk: Walk, windows: Windows, x: Value, weight: Value) -> Value:
    """Return sum over taps of slice * weight[:, 0, u, v].

    A barrier after it keeps the sum together: as a part of what follows, every slice would be
    copied first.
    """
    inside = _bordered(walk, windows, x)
    if not (can_join(walk, windows) and pays(windows.counts[1], weight.shape[0])):
        pieces = {tap: tap_slice(walk, windows, inside, tap) for tap in taps(windows)}
        (whole,) = walk.b.optimization_barrier(_weighted(walk, weight, pieces), hint="xw")
        return whole
    rows, whole = JoinedRows.of(walk, windows.counts[1], weight), joined(walk, inside)
    height = (windows.counts[0] - 1) * windows.strides[0] + 1

    def piece(tap: Tap) -> Value:
        down, right = (n * gap for n, gap in zip(tap, windows.dilation, strict=True))
        return rows.piece(whole, (down, down + height, windows.strides[0]), right)

    return rows.weighted({tap: piece(tap) for tap in taps(windows)})


def input_gradient(walk: Walk, windows: Windows, weight: Value, dy: Value) -> Value:
    """Return for each position the sum over the taps that read it of dy * weight[:, 0, u, v]."""
    b, spatial = walk.b, walk.formulation.layout.spatial
    extents = phase_extents(windows)
    before = [(n - 1) * gap // stride for n, gap, stride in _axes(windows)]
    low, high = [0] * 4, [0] * 4
    for axis, dimension in enumerate(spatial):
        low[dimension] = before[axis]
        high[dimension] = extents[axis] - windows.counts[axis]
    (inside,) = b.optimization_barrier(b.pad(dy, 0, low, high), hint="dy_inside")

    def phase(read: Shifts) -> Value:
        if not read:
            return empty_phase(walk, windows, dy)
        pieces: dict[Tap, Value] = {}
        for tap, shift in read.items():
            start, limit = [0] * 4, list(inside.shape)
            for axis, dimension in enumerate(spatial):
                start[dimension] = before[axis] - shift[axis]
                limit[dimension] = start[dimension] + extents[axis]
            pieces[tap] = b.slice(inside, start, limit)
        return _weighted(walk, weight, pieces)

    height, width = windows.extents
    if windows.strides != (1, 1) or not can_join(walk, windows) or not pays(width, weight.shape[0]):
        return by_phases(walk, windows, phase)
    rows, whole = JoinedRows.of(walk, width, weight), joined(walk, inside)
    first = [n + pad for n, (pad, _) in zip(before, windows.padding, strict=True)]

    def piece(tap: Tap) -> Value:
        down, right = (n - k * d for n, k, d in zip(first, tap, windows.dilation, strict=True))
        return rows.piece(whole, (down, down + height, 1), right)

    return rows.weighted({tap: piece(tap) for tap in taps(windows)})


def _weighted(walk: Walk, weight: Value, pieces: Mapping[Tap, Value]) -> Value:
    """Return the sum of pieces, each times the weight of its tap."""
    total: Value | None = None
    for tap, piece in pieces.items():
        product = piece * walk.per_channel(_tap_weight(walk, weight, tap), piece)
        total = product if total is None else walk.b.add(total, product, hint="xw")
    assert total is not None  # a kernel has at least one tap: Conv2d.plan checks
    return total


def weight_gradient(walk: Walk, windows: Windows, x: Value, dy: Value) -> Value:
    """Return [C, 1, kH, kW]: for each tap the sum of slice * dy over batch and positions.

    Picture by picture and row by row: the products of a row are added, for each tap, to a row of
    sums, which stays in the cache; the rows of sums are reduced at the end.
    """
    b, axis = walk.b, walk.formulation.layout.spatial[0]
    inside = _bordered(walk, windows, x)
    by_rows = can_join(walk, windows) and dy.shape[3] <= FEW_CHANNELS
    pictures, cotangents = (joined(walk, whole) if by_rows else whole for whole in (inside, dy))
    row = _part_of(cotangents.shape, axis, 1)
    reach = _part_of(pictures.shape, axis, windows.spans[0])
    zeros = b.splat(0, dy.type.with_shape(row), hint="zeros")

    def add_picture(number: Value, read: Sequence[Value], totals: Sequence[Value]) -> list[Value]:
        operands = (*read, number)
        rows = windows.counts[0]
        return list(accumulate(walk, rows, 1, operands, totals, add_row, hint="rows"))

    def add_row(start: Value, read: Sequence[Value], totals: Sequence[Value]) -> list[Value]:
        whole, cotangents, number = read
        first = b.multiply(start, b.splat_like(windows.strides[0], start))
        lines = b.dynamic_slice(whole, _corner(walk, whole, number, first), reach)
        line = b.dynamic_slice(cotangents, _corner(walk, cotangents, number, start), row)
        pieces = [piece(lines, tap) for tap in taps(windows)]
        return [b.add(total, part * line) for total, part in zip(totals, pieces, strict=True)]

    def piece(lines: Value, tap: tuple[int, int]) -> Value:
        if not by_rows:
            one = replace(
                windows,
                extents=(windows.spans[0], inside.shape[walk.formulation.layout.spatial[1]]),
                padding=((0, 0), (0, 0)),
            )
            return tap_slice(walk, one, lines, tap)
        down, right = tap[0] * windows.dilation[0], tap[1] * windows.dilation[1] * dy.shape[3]
        return b.slice(lines, (0, down, right), (1, down + 1, right + row[2]))

    batch = dy.shape[0]
    starts = [zeros] * math.prod(windows.kernel)
    sums = accumulate(walk, batch, 1, (pictures, cotangents), starts, add_picture, hint="pictures")
    totals = [b.reshape(total, _part_of(dy.shape, axis, 1)) if by_rows else total for total in sums]
    columns = [b.sum(total, walk.other_axes(total), hint="tap") for total in totals]
    channels = columns[0].shape[0]
    in_order = b.concatenate([b.reshape(column, (channels, 1)) for column in columns], 1)
    return b.reshape(in_order, (channels, 1, *windows.kernel), hint="dweight")


def _axes(windows: Windows) -> list[tuple[int, int, int]]:
    """Return (taps, dilation, stride) of height and width."""
    return list(zip(windows.kernel, windows.dilation, windows.strides, strict=True))


def _bordered(walk: Walk, windows: Windows, x: Value) -> Value:
    """Return x padded, once for forward and backward."""
    if (x, windows) not in walk.bordered:
        (inside,) = walk.b.optimization_barrier(padded(walk, windows, x, 0), hint="inside")
        walk.bordered[x, windows] = inside
    return walk.bordered[x, windows]


def _part_of(whole: tuple[int, ...], axis: int, rows: int) -> tuple[int, ...]:
    """Return the shape of some rows of one picture."""
    shape = [1, *whole[1:]]
    shape[axis] = rows
    return tuple(shape)


def _corner(walk: Walk, whole: Value, number: Value, row: Value) -> list[Value]:
    """Return the first index of a row of a picture in a batch."""
    corner = [walk.b.splat_like(0, row)] * whole.type.rank
    corner[0], corner[walk.formulation.layout.spatial[0]] = number, row
    return corner


def _tap_weight(walk: Walk, weight: Value, tap: tuple[int, int]) -> Value:
    channels = weight.shape[0]
    u, v = tap
    one = walk.b.slice(weight, (0, 0, u, v), (channels, 1, u + 1, v + 1))
    return walk.b.reshape(one, (channels,))
