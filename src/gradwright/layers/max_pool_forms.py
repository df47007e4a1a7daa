"""Two forms of the max pool with one tie convention: the first maximum in row-major order."""

import math
from collections.abc import Callable

from gradwright.hlo import ElementType, Value
from gradwright.hlo.attributes import Direction, ScatterWindow, Window
from gradwright.layers.forms import MaxPoolForm
from gradwright.layers.slices import padded, scatter_taps, tap_slice, taps
from gradwright.layers.walk import Walk
from gradwright.spec.padding import Windows

Written = tuple[Value, Callable[[Value], Value]]


def write(walk: Walk, windows: Windows, x: Value) -> Written:
    """Return (y, pullback) in the walk's form."""
    if walk.formulation.max_pool is MaxPoolForm.SCATTER:
        return _scatter(walk, windows, x)
    return _winner(walk, windows, x)


def _scatter(walk: Walk, windows: Windows, x: Value) -> Written:
    """reduce_window, and select_and_scatter over the picture padded with -inf explicitly.

    The explicit padding avoids backends' padded select_and_scatter, which has had defects.
    """
    b = walk.b
    inside = padded(walk, windows, x, -math.inf, hint="bordered")
    extents, strides = [1] * 4, [1] * 4
    for axis, dimension in enumerate(walk.formulation.layout.spatial):
        extents[dimension] = windows.kernel[axis]
        strides[dimension] = windows.strides[axis]
    ones, none = (1,) * 4, ((0, 0),) * 4
    window = Window(tuple(extents), tuple(strides), ones, ones, none)
    y = b.reduce_window(inside, -math.inf, window, b.maxima, hint="y")

    def pullback(dy: Value) -> Value:
        scatter = ScatterWindow(window.dimensions, window.strides, none)
        routed = b.select_and_scatter(inside, dy, scatter, hint="routed")
        start, limit = [0] * 4, list(routed.shape)
        for axis, dimension in enumerate(walk.formulation.layout.spatial):
            start[dimension] = windows.padding[axis][0]
            limit[dimension] = start[dimension] + windows.extents[axis]
        return b.slice(routed, start, limit, hint="dx")

    return y, pullback


def _winner(walk: Walk, windows: Windows, x: Value) -> Written:
    """Running maxima: over tiles at once, else along each row, then over the rows.

    The first row that holds a window's maximum, and in it the first column, is the first holder in
    row-major order, so both ways route dy alike.
    """
    if _tile(windows):
        return _indexed(walk, windows, x)
    along, across = _separated(windows)
    rows, to_x = _chain(walk, along, x)
    y, to_rows = _chain(walk, across, rows)
    return y, lambda dy: to_x(to_rows(dy))


def _separated(windows: Windows) -> tuple[Windows, Windows]:
    """Return the windows along the rows of the picture, and those across what they leave."""
    none = (0, 0)
    (height, width), (up, over) = windows.extents, windows.padding
    along = Windows(
        (height, width), (1, windows.kernel[1]), (1, windows.strides[1]), (1, 1), (none, over)
    )
    left = (height, along.counts[1])
    return along, Windows(left, (windows.kernel[0], 1), (windows.strides[0], 1), (1, 1), (up, none))


def _chain(walk: Walk, windows: Windows, x: Value) -> Written:
    """Running maximum over the taps of windows in one direction, a bit kept per comparison."""
    b = walk.b
    best, *others = _bordered_taps(walk, windows, x)
    if not others and windows.counts == windows.extents:
        return x, lambda dy: dy
    beaten: list[Value] = []
    for challenger in others:
        beaten.append(b.compare(Direction.GT, challenger, best, hint="beats"))
        best = b.maximum(best, challenger, hint="y")
    # Kept from here to the backward: bits instead of the whole input once more.
    best, *beaten = b.optimization_barrier(best, *beaten, hint="kept")

    def pullback(dy: Value) -> Value:
        """Return dx: the last tap that beat those before it takes dy, read from the last back."""
        zero, parts = b.splat_like(0, dy), list[Value]()
        for beats in reversed(beaten):
            parts.append(b.select(beats, dy, zero, hint="part"))
            dy = b.select(beats, zero, dy, hint="rest")
        return scatter_taps(walk, windows, [dy, *reversed(parts)])

    return best, pullback


def _bordered_taps(walk: Walk, windows: Windows, x: Value) -> list[Value]:
    """Return what each tap of every window reads, -inf outside the picture."""
    inside = padded(walk, windows, x, -math.inf, hint="bordered")
    return [tap_slice(walk, windows, inside, tap) for tap in taps(windows)]


def _indexed(walk: Walk, windows: Windows, x: Value) -> Written:
    """Running maximum with the index of its first holder, kept as a byte per window.

    Domain: windows that tile the picture, so that dx is dy spread over them.
    """
    b = walk.b
    slices = _bordered_taps(walk, windows, x)
    index = ElementType.I8 if len(slices) <= 128 else ElementType.I32
    best = slices[0]
    numbers = [b.splat(n, best.type.with_element(index)) for n in range(len(slices))]
    winner = numbers[0]
    for number, challenger in zip(numbers[1:], slices[1:], strict=True):
        beats = b.compare(Direction.GT, challenger, best, hint="beats")
        winner = b.select(beats, number, winner, hint="winner")
        best = b.maximum(best, challenger, hint="y")
    best, winner = b.optimization_barrier(best, winner, hint="kept")
    return best, lambda dy: _spread_over_tiles(walk, windows, winner, dy)


def _tile(windows: Windows) -> bool:
    """Whether the windows cover the picture once: no overlap, no gap, no border."""
    return windows.kernel == windows.strides and windows.extents == tuple(
        kernel * count for kernel, count in zip(windows.kernel, windows.counts, strict=True)
    )


def _spread_over_tiles(walk: Walk, windows: Windows, winner: Value, dy: Value) -> Value:
    """Return dy at each window's winner and 0 beside it, in one pass over the picture.

    Every window is given two axes of its own, [.., P, kH, Q, kW, ..], along which positions count.
    """
    b, layout = walk.b, walk.formulation.layout
    rows, columns = layout.spatial[0] + 1, layout.spatial[1] + 2
    apart = list(dy.shape)
    apart.insert(rows, windows.kernel[0])
    apart.insert(columns, windows.kernel[1])
    shape = tuple(apart)
    kept = [axis for axis in range(len(shape)) if axis not in (rows, columns)]
    counters = winner.type.with_shape(shape)
    row = b.multiply(b.iota(counters, rows), b.splat(windows.kernel[1], counters))
    position = b.add(row, b.iota(counters, columns), hint="position")
    wins = b.compare(Direction.EQ, b.broadcast(winner, shape, kept), position, hint="wins")
    spread = b.broadcast(dy, shape, kept)
    routed = b.select(wins, spread, b.splat_like(0, spread), hint="routed")
    whole = list(dy.shape)
    for axis, dimension in enumerate(layout.spatial):
        whole[dimension] = windows.extents[axis]
    return b.reshape(routed, tuple(whole), hint="dx")
