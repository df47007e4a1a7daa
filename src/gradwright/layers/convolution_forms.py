"""Forms of a convolution and of its input gradient."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from gradwright.hlo import Value
from gradwright.hlo.attributes import Convolution, ConvolutionDims
from gradwright.layers import depthwise, row_tiles, winograd
from gradwright.layers.domains import TILES, has_channel_dots, has_gradient_pairs, has_pairs
from gradwright.layers.forms import ConvolutionForm, DepthwiseForm, InputGradient, Layout
from gradwright.layers.slices import tap_slice
from gradwright.layers.walk import Walk
from gradwright.spec.padding import Pair, Windows

MAX_PAIR_COEFFICIENTS, MAX_PAIR_CHANNELS = 27, 16
"""Kernel coefficients per output channel, and output channels, up to which pairs of columns pay.
Measured on 32 x 32 pictures: 3 -> 16 channels 9.0 -> 5.0 ms; 16 -> 16 no gain."""


PAIRED = (ConvolutionForm.COLUMN_PAIRS, ConvolutionForm.BY_SHAPE, ConvolutionForm.FASTEST)
"""Forms that may take columns in pairs."""


@dataclass(frozen=True, slots=True)
class ConvolutionRule:
    """Where a convolution reads, and its number of channel groups."""

    windows: Windows
    groups: int

    def is_depthwise(self, weight: Value) -> bool:
        """Whether every group has one input and one output channel."""
        return weight.shape[0] == self.groups and weight.shape[1] == 1


def convolve(walk: Walk, rule: ConvolutionRule, x: Value, weight: Value) -> Value:
    """Return the convolution of x [batch in this walk's layout] with weight [O, C/g, kH, kW]."""
    if uses_products(walk, rule, weight):
        return depthwise.convolve(walk, rule.windows, x, weight)
    if uses_pairs(walk, rule, weight):
        return _column_pairs(walk, rule.windows, x, weight)
    if uses_tiles(walk, rule):
        tile = TILES[walk.formulation.convolution]
        return winograd.convolve(walk, rule.windows, x, weight, tile=tile)
    if uses_row_tiles(walk, rule):
        return row_tiles.convolve(walk, rule.windows, x, weight)
    if uses_dots(walk, rule):
        pieces = tap_slice(walk, rule.windows, x, (0, 0))
        return walk.b.dot(pieces, _matrix(walk, weight), ((3,), (1,)), hint="xw")
    windows = rule.windows
    kernel, kernel_dims = _kernel(walk, weight)
    attributes = Convolution(
        _dims(walk.formulation.layout, kernel_dims),
        strides=windows.strides,
        padding=_read_padding(windows),
        lhs_dilation=(1, 1),
        rhs_dilation=windows.dilation,
        window_reversal=(False, False),
        feature_group_count=rule.groups,
        batch_group_count=1,
    )
    return walk.b.convolution(x, kernel, attributes, hint="xw")


def _read_padding(windows: Windows) -> tuple[Pair, Pair]:
    """Return the padding without what the only window of an axis leaves unread.

    IREE 3.13 refuses a strided convolution with one window that does not reach its padding's end.
    """
    height, width = (
        (low, high - min(high, rest)) if count == 1 else (low, high)
        for (low, high), rest, count in zip(
            windows.padding, windows.remainder, windows.counts, strict=True
        )
    )
    return height, width


def _column_pairs(walk: Walk, windows: Windows, x: Value, weight: Value) -> Value:
    """Columns 2j and 2j + 1 of the result as one window, one column wider than each of theirs.

    Math: the kernel of channel o of the left column is w[o] with a zero column at its right, that
    of the right column w[o] with one at its left.
    """
    b = walk.b
    left, right = (
        b.pad(weight, 0, (0, 0, 0, before), (0, 0, 0, 1 - before), hint=hint)
        for before, hint in ((0, "left"), (1, "right"))
    )
    kernel, kernel_dims = _kernel(walk, b.concatenate((left, right), 0, hint="pair"))
    attributes = Convolution(
        _dims(walk.formulation.layout, kernel_dims),
        strides=(1, 2),
        padding=windows.padding,
        lhs_dilation=(1, 1),
        rhs_dilation=(1, 1),
        window_reversal=(False, False),
        feature_group_count=1,
        batch_group_count=1,
    )
    pairs = b.convolution(x, kernel, attributes, hint="pairs")
    return b.reshape(pairs, (x.shape[0], *windows.counts, weight.shape[0]), hint="xw")


def uses_pairs(walk: Walk, rule: ConvolutionRule, weight: Value) -> bool:
    """Whether the walk's formulation computes two columns of this convolution at once."""
    form = walk.formulation.convolution
    possible = has_pairs(rule.windows, rule.groups, walk.formulation.layout)
    if not possible or form not in PAIRED:
        return False
    out, channels, height, width = weight.shape
    few = channels * height * width <= MAX_PAIR_COEFFICIENTS and out <= MAX_PAIR_CHANNELS
    return form is ConvolutionForm.COLUMN_PAIRS or (few and width > 1)


def uses_dots(walk: Walk, rule: ConvolutionRule) -> bool:
    """Whether the walk's formulation writes this convolution as a product over the channels."""
    wanted = walk.formulation.convolution in (ConvolutionForm.CHANNEL_DOTS, *PAIRED)
    return wanted and has_channel_dots(rule.windows, rule.groups, walk.formulation.layout)


def input_gradient_form(walk: Walk, rule: ConvolutionRule) -> InputGradient:
    """Return the form in which the walk's formulation writes this input gradient, in its domain."""
    form, layout = walk.formulation.input_gradient, walk.formulation.layout
    in_tiles = winograd.possible(walk, rule.windows, rule.groups)
    possible = {
        InputGradient.WINOGRAD: in_tiles,
        InputGradient.WINOGRAD_4X4: in_tiles,
        InputGradient.ROW_TILES: row_tiles.possible(walk, rule.windows, rule.groups),
        InputGradient.CHANNEL_DOTS: has_channel_dots(rule.windows, rule.groups, layout),
        InputGradient.COLUMN_PAIRS: has_gradient_pairs(rule.windows, rule.groups, layout),
    }
    if form in (InputGradient.AS_FORWARD, InputGradient.FASTEST):
        if uses_tiles(walk, rule):
            return InputGradient[walk.formulation.convolution.name]
        used = {
            InputGradient.ROW_TILES: uses_row_tiles(walk, rule),
            InputGradient.CHANNEL_DOTS: uses_dots(walk, rule),
        }
        return next((each for each, is_used in used.items() if is_used), InputGradient.DIRECT)
    return form if possible.get(form, False) else InputGradient.DIRECT


def _matrix(walk: Walk, weight: Value) -> Value:
    """Return a kernel [O, C, 1, 1] as [O, C]."""
    return walk.b.reshape(weight, weight.shape[:2])


def _spread(walk: Walk, windows: Windows, pieces: Value) -> Value:
    """Return the picture of which every stride-th row and column are `pieces`, the others zero."""
    interior, high = [0] * 4, [0] * 4
    for axis, dimension in enumerate(walk.formulation.layout.spatial):
        interior[dimension] = windows.strides[axis] - 1
        high[dimension] = windows.remainder[axis]
    return walk.b.pad(pieces, 0, [0] * 4, high, interior, hint="dx")


def input_gradient(walk: Walk, rule: ConvolutionRule, weight: Value, dy: Value) -> Value:
    """Return the cotangent of x: dy, dilated by the stride, with the reversed kernel."""
    if uses_products(walk, rule, weight):
        return depthwise.input_gradient(walk, rule.windows, weight, dy)
    windows, form = rule.windows, input_gradient_form(walk, rule)
    if form is InputGradient.CHANNEL_DOTS:
        pieces = walk.b.dot(dy, _matrix(walk, weight), ((3,), (0,)), hint="dpieces")
        return _spread(walk, windows, pieces)
    reversed_kernel = walk.b.reverse(_swap(walk, weight, rule.groups), (2, 3), hint="flipped")
    if form is not InputGradient.DIRECT:
        back = replace(windows, extents=windows.counts, padding=transposed_padding(windows))
        return _PLAIN[form](walk, back, dy, reversed_kernel)
    kernel, kernel_dims = _kernel(walk, reversed_kernel)
    attributes = Convolution(
        _dims(walk.formulation.layout, kernel_dims),
        strides=(1, 1),
        padding=transposed_padding(windows),
        lhs_dilation=windows.strides,
        rhs_dilation=windows.dilation,
        window_reversal=(False, False),
        feature_group_count=rule.groups,
        batch_group_count=1,
    )
    return walk.b.convolution(dy, kernel, attributes, hint="dx")


def uses_products(walk: Walk, rule: ConvolutionRule, weight: Value) -> bool:
    """Whether the walk's formulation writes this convolution as shifted products.

    Not where convolutions are rounded: every sum of two products would be.
    """
    products = walk.formulation.depthwise is DepthwiseForm.SHIFTED_PRODUCTS
    return products and walk.precision.is_full and rule.is_depthwise(weight)


def uses_tiles(walk: Walk, rule: ConvolutionRule) -> bool:
    """Whether the walk's formulation computes this convolution in square tiles."""
    wanted = walk.formulation.convolution in TILES
    return wanted and winograd.possible(walk, rule.windows, rule.groups)


def uses_row_tiles(walk: Walk, rule: ConvolutionRule) -> bool:
    """Whether the walk's formulation computes this convolution in tiles along rows."""
    wanted = walk.formulation.convolution is ConvolutionForm.ROW_TILES
    return wanted and row_tiles.possible(walk, rule.windows, rule.groups)


def transposed_padding(windows: Windows) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the padding with which stride-dilated dy becomes dx: exact at every size."""
    height, width = (
        (span - 1 - low, span - 1 - high + remainder)
        for span, (low, high), remainder in zip(
            windows.spans, windows.padding, windows.remainder, strict=True
        )
    )
    return height, width


def _kernel(walk: Walk, weight: Value) -> tuple[Value, tuple[int, int, tuple[int, int]]]:
    """Return an OIHW kernel in the layout that suits, and its (I, O, spatial) dimensions."""
    if walk.formulation.layout is Layout.NCHW:
        return weight, (1, 0, (2, 3))
    return walk.b.transpose(weight, (2, 3, 1, 0), hint="hwio"), (2, 3, (0, 1))


def _dims(layout: Layout, kernel: tuple[int, int, tuple[int, int]]) -> ConvolutionDims:
    return ConvolutionDims(
        0, layout.channel, layout.spatial, *kernel, 0, layout.channel, layout.spatial
    )


def _swap(walk: Walk, weight: Value, groups: int) -> Value:
    """Return [O, C/g, kH, kW] as [C, O/g, kH, kW]: input and output swapped within each group."""
    out, per_group, *kernel = weight.shape
    split = walk.b.reshape(weight, (groups, out // groups, per_group, *kernel))
    swapped = walk.b.transpose(split, (0, 2, 1, 3, 4))
    shape = (groups * per_group, out // groups, *kernel)
    return walk.b.reshape(swapped, shape, hint="swapped")


_PLAIN: dict[InputGradient, Callable[[Walk, Windows, Value, Value], Value]] = {
    InputGradient.COLUMN_PAIRS: _column_pairs,
    InputGradient.WINOGRAD: partial(winograd.convolve, tile=TILES[InputGradient.WINOGRAD]),
    InputGradient.WINOGRAD_4X4: partial(winograd.convolve, tile=TILES[InputGradient.WINOGRAD_4X4]),
    InputGradient.ROW_TILES: row_tiles.convolve,
}
"""Forms of plain convolutions, of which the input gradient is another one."""
