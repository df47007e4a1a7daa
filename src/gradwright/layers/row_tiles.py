"""Tiles of four results in a row: minimal filtering along the columns, a few pictures at a time.

The rows of a kernel stay taps: a product with all three of them is one matrix product that reads
each tile once, and what it gives is added up at the three rows that it belongs to. What is wanted
of the cache is the picture, the tiles and the products of one block.
"""

import math
from collections.abc import Sequence

from gradwright.hlo import Value
from gradwright.layers.accumulation import accumulate, add_block, block, block_size
from gradwright.layers.domains import has_row_tiles
from gradwright.layers.walk import Walk
from gradwright.layers.winograd import (
    TAPS,
    Filtering,
    combined,
    divided,
    every,
    filtering,
    part,
    tiles,
)
from gradwright.spec.padding import Windows

TILE = 4
"""Results of a tile: six products instead of twelve. Two would take four instead of six."""
MAP_BLOCK_BYTES = 800 * 1024
"""Input and result of one block of a convolution. Measured at 28 x 28 x 32, 32 x 32 x 16 and
14 x 14 x 64: from 2 to 16 pictures the same within 6 %, all 128 at once half as long again."""
SUM_BLOCK_BYTES = 400 * 1024
"""Input and cotangent of one block of a weight gradient: twice as many cost 3 to 12 %."""


def possible(walk: Walk, windows: Windows, groups: int) -> bool:
    """Whether a convolution is in the domain: that of `winograd` with channels last."""
    return has_row_tiles(windows, groups, walk.formulation.layout) and walk.precision.is_full


def convolve(walk: Walk, windows: Windows, x: Value, weight: Value) -> Value:
    """Return the convolution of x [N, H, W, C] with weight [O, C, 3, 3].

    Domain: where `possible` says so.
    """
    rule, batch = filtering(TILE), x.shape[0]
    kernels = _kernels(walk, rule, weight)
    shape = (batch, *windows.counts, weight.shape[0])
    empty = walk.b.splat(0, x.type.with_shape(shape), hint="zeros")
    size = block_size((x, empty), MAP_BLOCK_BYTES)
    if size == batch:
        return _filtered(walk, rule, windows, x, kernels)

    def fill(start: Value, read: Sequence[Value], totals: Sequence[Value]) -> list[Value]:
        pictures = block(walk, read[0], start, size)
        part = _filtered(walk, rule, windows, pictures, read[1])
        return [add_block(walk, totals[0], start, part)]

    (y,) = accumulate(walk, batch, size, (x, kernels), (empty,), fill, hint="xw")
    return y


def tap_products(walk: Walk, windows: Windows, x: Value, dy: Value) -> Value:
    """Return [taps, O, C]: the transpose of `convolve` in its kernel.

    Math: with V = input x and Q = output^T dy of a tile's columns,
    dw[u] = kernel^T (sum over tiles Q V[row + u]^T / divisors).
    """
    rule, batch = filtering(TILE), x.shape[0]
    size = block_size((x, dy), SUM_BLOCK_BYTES)
    if size == batch:
        return _taps(walk, rule, _products(walk, rule, windows, x, dy))
    shape = (TILE + TAPS - 1, dy.shape[3], TAPS * x.shape[3])
    zeros = walk.b.splat(0, x.type.with_shape(shape), hint="zeros")

    def add_products(start: Value, read: Sequence[Value], totals: Sequence[Value]) -> list[Value]:
        pictures, cotangents = (block(walk, whole, start, size) for whole in read)
        products = _products(walk, rule, windows, pictures, cotangents)
        return [walk.b.add(totals[0], products, hint="total")]

    (total,) = accumulate(walk, batch, size, (x, dy), (zeros,), add_products, hint="blocks")
    return _taps(walk, rule, total)


def _kernels(walk: Walk, rule: Filtering, weight: Value) -> Value:
    """Return [places, C, 3 O]: kernel w / divisors along the columns, beside each other per row."""
    b = walk.b
    taps = b.transpose(weight, (3, 1, 2, 0), hint="whio")
    columns = [part(walk, taps, 0, v) for v in range(TAPS)]
    places = [
        divided(walk, combined(walk, row, columns), divisor)
        for row, divisor in zip(rule.kernel, rule.divisors, strict=True)
    ]
    _, channels, rows, out = taps.shape
    return b.reshape(b.concatenate(places, 0), (len(places), channels, rows * out))


def _input(walk: Walk, rule: Filtering, windows: Windows, x: Value) -> Value:
    """Return input x of all tiles, [places, N, rows, tiles, C], the padded rows included."""
    b, count = walk.b, rule.tile + TAPS - 1
    _, wide = tiles(windows, rule.tile)
    (up, down), (left, _) = windows.padding
    right = wide * rule.tile + TAPS - 1 - windows.extents[1] - left
    padded = b.pad(x, 0, (0, up, left, 0), (0, down, right, 0))
    (inside,) = b.optimization_barrier(padded, hint="inside")
    columns = [every(walk, inside, 2, start, rule.tile, count) for start in range(count)]
    return _places(walk, [combined(walk, row, columns) for row in rule.input], "tiles")


def _filtered(walk: Walk, rule: Filtering, windows: Windows, x: Value, kernels: Value) -> Value:
    """Return the convolution of a block of pictures."""
    b, (rows, columns) = walk.b, windows.counts
    read = _input(walk, rule, windows, x)
    places, pictures, height, wide, channels = read.shape
    flat = b.reshape(read, (places, pictures * height * wide, channels))
    products = b.dot(flat, kernels, ((2,), (1,)), ((0,), (0,)), hint="product")
    split = b.reshape(products, (places, pictures, height, wide, kernels.shape[2]))
    (kept,) = b.optimization_barrier(split)
    out = kernels.shape[2] // TAPS
    shape = (pictures, rows, wide, 1, out)
    taps = [
        b.reshape(_tap(walk, kept, place, u, rows, out), shape)
        for u in range(TAPS)
        for place in range(places)
    ]
    results = [combined(walk, TAPS * row, taps) for row in rule.output]
    whole = b.reshape(b.concatenate(results, 3), (pictures, rows, wide * rule.tile, out))
    return b.slice(whole, (0,) * 4, (pictures, rows, columns, out), (1,) * 4, hint="xw")


def _tap(walk: Walk, products: Value, place: int, u: int, rows: int, out: int) -> Value:
    """Return what kernel row u adds to each row of the result at one place of the tiles."""
    _, pictures, _, wide, _ = products.shape
    limit = (place + 1, pictures, u + rows, wide, (u + 1) * out)
    return walk.b.slice(products, (place, 0, u, 0, u * out), limit, (1,) * 5)


def _products(walk: Walk, rule: Filtering, windows: Windows, x: Value, dy: Value) -> Value:
    """Return [places, O, 3 C]: cotangents times what each kernel row reads, over all tiles."""
    b, rows = walk.b, windows.counts[0]
    read, cotangents = _input(walk, rule, windows, x), _cotangents(walk, rule, windows, dy)
    limit, (places, *_, channels) = list(read.shape), read.shape
    taps: list[Value] = []
    for u in range(TAPS):
        limit[2] = u + rows
        taps.append(b.slice(read, (0, 0, u, 0, 0), limit, (1,) * 5))
    joined = b.concatenate(taps, 4)
    flat = b.reshape(joined, (places, math.prod(joined.shape[1:4]), TAPS * channels))
    (flat,) = b.optimization_barrier(flat)
    return b.dot(cotangents, flat, ((1,), (1,)), ((0,), (0,)), hint="product")


def _cotangents(walk: Walk, rule: Filtering, windows: Windows, dy: Value) -> Value:
    """Return output^T dy of all tiles, [places, positions, O]."""
    b, tile = walk.b, rule.tile
    _, wide = tiles(windows, tile)
    whole = b.pad(dy, 0, (0,) * 4, (0, 0, wide * tile - windows.counts[1], 0))
    columns = [every(walk, whole, 2, start, tile, tile) for start in range(tile)]
    back = zip(*rule.output, strict=True)
    places = _places(walk, [combined(walk, row, columns) for row in back], "cotangents")
    return b.reshape(places, (places.shape[0], math.prod(places.shape[1:4]), places.shape[4]))


def _taps(walk: Walk, rule: Filtering, products: Value) -> Value:
    """Return kernel^T (products / divisors), [taps, O, C], of [places, O, 3 C]."""
    b = walk.b
    count, out, joined = products.shape
    places = [
        divided(walk, part(walk, products, 0, place), divisor)
        for place, divisor in zip(range(count), rule.divisors, strict=True)
    ]
    columns = [combined(walk, row, places) for row in zip(*rule.kernel, strict=True)]
    split = b.reshape(b.concatenate(columns, 0), (TAPS, out, TAPS, joined // TAPS))
    by_row = b.transpose(split, (2, 0, 1, 3))
    return b.reshape(by_row, (TAPS * TAPS, out, joined // TAPS))


def _places(walk: Walk, values: Sequence[Value], hint: str) -> Value:
    """Return values along a new first dimension, kept in memory for the products."""
    b = walk.b
    joined = b.concatenate([b.reshape(value, (1, *value.shape)) for value in values], 0)
    (kept,) = b.optimization_barrier(joined, hint=hint)
    return kept
