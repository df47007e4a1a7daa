"""Forms of the weight gradient of a convolution."""

import math
from collections.abc import Callable, Sequence

from gradwright.hlo import Value
from gradwright.hlo.attributes import Convolution, ConvolutionDims
from gradwright.layers import depthwise, row_tiles, winograd
from gradwright.layers.accumulation import accumulate, block, block_size
from gradwright.layers.convolution_forms import ConvolutionRule, uses_products
from gradwright.layers.domains import TILES
from gradwright.layers.forms import WeightGradient
from gradwright.layers.slices import padded, tap_slice, taps
from gradwright.layers.walk import Walk
from gradwright.spec.padding import Windows

BLOCK_BYTES = 800 * 1024
"""Input and cotangent of one block together: what fits a second-level cache of 1 MiB. Measured on
two cores: 400 KiB cost 8 to 15 % more per step, 3,200 KiB 3 to 11 %; 1,600 KiB the same or more."""
MIN_BLOCKS = 4
"""Fewer are not worth a loop: all of them fit the last cache."""
FEW_CHANNELS = 16
"""Channels of the result up to which blocks of pictures do not pay: XLA has its faster convolution
only for more channels in or out, and a block has few pictures. Measured: 9.2 -> 5.2 ms whole."""
MAX_ROW_COEFFICIENTS = 27
"""Kernel coefficients per output channel up to which patches are cheaper than one product per tap:
3 x 3 over 3 channels. Measured: 1 and 3 channels gain 9 and 2 times, 16 lose."""

Writer = Callable[[Walk, Windows, Value, Value], Value]
"""(walk, windows, x, dy) to sums over their pictures, in an order of its own."""


def weight_gradient(walk: Walk, rule: ConvolutionRule, x: Value, weight: Value, dy: Value) -> Value:
    """Return the cotangent of weight [O, C/g, kH, kW]: x correlated with dy.

    In the type of x and dy; where that is narrower than the weight's, by one convolution, so that
    there is one rounding of the result.
    """
    if uses_products(walk, rule, weight):
        return depthwise.weight_gradient(walk, rule.windows, x, dy)
    form = walk.formulation.weight_gradient
    is_rounded = x.type.element is not weight.type.element
    if form is WeightGradient.CONVOLUTION or rule.groups > 1 or is_rounded:
        return _convolution(walk, rule, x, dy)
    windows, groups = rule.windows, rule.groups
    if form in (WeightGradient.BY_SHAPE, WeightGradient.FASTEST):
        form = fastest(walk, windows, x, dy)
    if form is WeightGradient.ROW_TILES:
        if row_tiles.possible(walk, windows, groups):
            return _kernel(walk, windows, row_tiles.tap_products(walk, windows, x, dy))
        form = WeightGradient.SHIFTED_DOTS
    if form in TILES:
        if winograd.possible(walk, windows, groups):
            products = winograd.tap_products(walk, windows, x, dy, tile=TILES[form])
            return _kernel(walk, windows, products)
        form = WeightGradient.SHIFTED_DOTS
    return _WRITERS[form](walk, windows, x, dy)


def fastest(walk: Walk, windows: Windows, x: Value, dy: Value) -> WeightGradient:
    """Return the form that these shapes want on a CPU (docs/speed.md has the measurements)."""
    taps_per_window = math.prod(windows.kernel)
    if taps_per_window == 1:
        return WeightGradient.SHIFTED_DOTS
    if _channels(walk, x) * taps_per_window <= MAX_ROW_COEFFICIENTS:
        return WeightGradient.PATCH_ROWS
    blocks = x.shape[0] // block_size((x, dy), BLOCK_BYTES)
    return WeightGradient.BLOCKED_DOTS if blocks >= MIN_BLOCKS else WeightGradient.SHIFTED_DOTS


def _convolution(walk: Walk, rule: ConvolutionRule, x: Value, dy: Value) -> Value:
    """One convolution: batch and channels of x change places, dy dilated is the kernel.

    Its output is [C/g, O, kH, kW], transposed afterwards: given other output dimensions, the
    interpreter of jaxlib 0.10 mixes up the extents and ends the process.
    """
    layout = walk.formulation.layout
    dims = ConvolutionDims(
        input_batch=layout.channel,
        input_feature=0,
        input_spatial=layout.spatial,
        kernel_input_feature=0,
        kernel_output_feature=layout.channel,
        kernel_spatial=layout.spatial,
        output_batch=0,
        output_feature=1,
        output_spatial=(2, 3),
    )
    swapped = walk.b.convolution(x, dy, _correlation(rule.windows, dims, rule.groups), hint="xdy")
    return walk.b.transpose(swapped, (1, 0, 2, 3), hint="dweight")


def _correlation(windows: Windows, dims: ConvolutionDims, groups: int) -> Convolution:
    """Return the convolution of x with dy dilated, as far as taps go."""
    padding = tuple(
        (low, high - remainder)
        for (low, high), remainder in zip(windows.padding, windows.remainder, strict=True)
    )
    return Convolution(
        dims,
        strides=windows.dilation,
        padding=padding,
        lhs_dilation=(1, 1),
        rhs_dilation=windows.strides,
        window_reversal=(False, False),
        feature_group_count=1,
        batch_group_count=groups,
    )


def _blocked_convolution(walk: Walk, windows: Windows, x: Value, dy: Value) -> Value:
    """`_pictures_last` of a few pictures at a time, added up by a loop."""
    channels, out = _channels(walk, x), _channels(walk, dy)
    size = x.shape[0] if out <= FEW_CHANNELS else block_size((x, dy), BLOCK_BYTES)
    if size == x.shape[0]:
        total = _pictures_last(walk, windows, x, dy)
    else:
        shape = (channels, *windows.kernel, out)
        total = _over_blocks(walk, windows, (x, dy), (size, shape), _pictures_last)
    return walk.b.transpose(total, (3, 0, 1, 2), hint="dweight")


def _pictures_last(walk: Walk, windows: Windows, x: Value, dy: Value) -> Value:
    """Return [C, kH, kW, O] by one convolution: channels are its batch, pictures its channels.

    The barrier keeps the compiler from reading its operands as they lie.
    """
    layout = walk.formulation.layout
    x = walk.b.transpose(x, (layout.channel, *layout.spatial, 0), hint="pictures_last")
    dy = walk.b.transpose(dy, (*layout.spatial, 0, layout.channel), hint="kernel")
    x, dy = walk.b.optimization_barrier(x, dy)
    dims = ConvolutionDims(
        input_batch=0,
        input_feature=3,
        input_spatial=(1, 2),
        kernel_input_feature=2,
        kernel_output_feature=3,
        kernel_spatial=(0, 1),
        output_batch=0,
        output_feature=3,
        output_spatial=(1, 2),
    )
    return walk.b.convolution(x, dy, _correlation(windows, dims, 1), hint="xdy")


def _shifted_dots(walk: Walk, windows: Windows, x: Value, dy: Value) -> Value:
    """For each tap, [O, positions] @ [positions, C] over what the tap reads."""
    if windows.kernel == (1, 1):
        return _one_tap(walk, windows, x, dy)
    return _kernel(walk, windows, _tap_products(walk, windows, x, dy))


def _tap_products(walk: Walk, windows: Windows, x: Value, dy: Value) -> Value:
    """Return [taps, O, C].

    dy is transposed once; the barriers keep the compiler from computing what it transposes or
    slices anew inside every product, element by element.
    """
    b = walk.b
    (inside,) = b.optimization_barrier(padded(walk, windows, x, 0), hint="inside")
    columns = b.transpose(_rows(walk, dy), (1, 0))
    (columns,) = b.optimization_barrier(columns, hint="dy_columns")
    pieces = [_rows(walk, tap_slice(walk, windows, inside, tap)) for tap in taps(windows)]
    dots = [b.dot(columns, piece, ((1,), (0,)), hint="tap") for piece in pieces]
    return b.concatenate([b.reshape(dot, (1, *dot.shape)) for dot in dots], 0)


def _one_tap(walk: Walk, windows: Windows, x: Value, dy: Value) -> Value:
    """Return [O, C, 1, 1] by one product, the narrower operand first; neither is transposed.

    Measured on 112 x 112 x 16 -> 96 channels: 84 ms with dy laid out anew, 9 with dy first, 7 with
    x first; narrow x last is the slowest at every shape tried. The barrier keeps the compiler from
    making that of it, by the transposition.
    """
    b, layout = walk.b, walk.formulation.layout
    piece = tap_slice(walk, windows, padded(walk, windows, x, 0), (0, 0))
    positions = (0, *layout.spatial)
    contract = (positions, positions)
    if _channels(walk, dy) <= _channels(walk, x):
        product = b.dot(dy, piece, contract, hint="tap")
    else:
        (first,) = b.optimization_barrier(b.dot(piece, dy, contract, hint="tap"))
        product = b.transpose(first, (1, 0))
    return b.reshape(product, (*product.shape, 1, 1), hint="dweight")


def _blocked_dots(walk: Walk, windows: Windows, x: Value, dy: Value) -> Value:
    """`_tap_products` of a few pictures at a time, added up by a loop."""
    size = block_size((x, dy), BLOCK_BYTES)
    shape = (math.prod(windows.kernel), _channels(walk, dy), _channels(walk, x))
    total = _over_blocks(walk, windows, (x, dy), (size, shape), _tap_products)
    return _kernel(walk, windows, total)


def _over_blocks(
    walk: Walk,
    windows: Windows,
    pictures: tuple[Value, Value],
    block_of: tuple[int, tuple[int, ...]],
    write: Writer,
) -> Value:
    """Return what `write` makes of blocks of pictures, added up; so many a block, of this shape."""
    (x, _), (size, shape) = pictures, block_of
    zeros = walk.b.splat(0, x.type.with_shape(shape), hint="zeros")

    def add_block(start: Value, read: Sequence[Value], totals: Sequence[Value]) -> list[Value]:
        part_x, part_dy = (block(walk, whole, start, size) for whole in read)
        return [walk.b.add(totals[0], write(walk, windows, part_x, part_dy), hint="total")]

    (total,) = accumulate(walk, x.shape[0], size, pictures, (zeros,), add_block, hint="blocks")
    return total


def _patch_rows(walk: Walk, windows: Windows, x: Value, dy: Value) -> Value:
    """[taps C, positions] @ [positions, O]: of few channels, it is x that is laid out anew.

    The channels go first, then the taps in front of them, so that rows of pictures are copied
    whole; joining the pieces at five dimensions keeps the compiler from going element by element.
    """
    b, layout = walk.b, walk.formulation.layout
    first = b.transpose(padded(walk, windows, x, 0), (layout.channel, 0, *layout.spatial))
    (inside,) = b.optimization_barrier(first, hint="channels_first")
    pieces = [tap_slice(walk, windows, inside, tap, (2, 3)) for tap in taps(windows)]
    joined = b.concatenate([b.reshape(piece, (1, *piece.shape)) for piece in pieces], 0)
    rows = _rows(walk, dy)
    count, channels = len(pieces), inside.shape[0]
    (patches,) = b.optimization_barrier(b.reshape(joined, (count * channels, rows.shape[0])))
    product = b.dot(patches, rows, ((1,), (0,)), hint="taps")
    split = b.reshape(product, (count, channels, rows.shape[1]))
    return _kernel(walk, windows, b.transpose(split, (0, 2, 1)))


def _rows(walk: Walk, picture: Value) -> Value:
    """Return a batch of pictures as [positions, channels]."""
    layout = walk.formulation.layout
    last = walk.b.transpose(picture, (0, *layout.spatial, layout.channel))
    return walk.b.reshape(last, (math.prod(last.shape[:3]), last.shape[3]))


def _channels(walk: Walk, picture: Value) -> int:
    return picture.shape[walk.formulation.layout.channel]


def _kernel(walk: Walk, windows: Windows, products: Value) -> Value:
    """Return [taps, O, C] as a kernel [O, C, kH, kW]."""
    _, out, channels = products.shape
    last = walk.b.transpose(products, (1, 2, 0))
    return walk.b.reshape(last, (out, channels, *windows.kernel), hint="dweight")


_WRITERS: dict[WeightGradient, Writer] = {
    WeightGradient.SHIFTED_DOTS: _shifted_dots,
    WeightGradient.BLOCKED_DOTS: _blocked_dots,
    WeightGradient.BLOCKED_CONVOLUTION: _blocked_convolution,
    WeightGradient.PATCH_ROWS: _patch_rows,
}
