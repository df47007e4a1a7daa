"""Forms of a convolution and of its input gradient."""

from dataclasses import dataclass

from gradwright.hlo import Value
from gradwright.hlo.attributes import Convolution, ConvolutionDims
from gradwright.layers import depthwise
from gradwright.layers.formulation import DepthwiseForm, Layout
from gradwright.layers.walk import Walk
from gradwright.spec.padding import Windows


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
    windows = rule.windows
    kernel, kernel_dims = _kernel(walk, weight)
    attributes = Convolution(
        _dims(walk.formulation.layout, kernel_dims),
        strides=windows.strides,
        padding=windows.padding,
        lhs_dilation=(1, 1),
        rhs_dilation=windows.dilation,
        window_reversal=(False, False),
        feature_group_count=rule.groups,
        batch_group_count=1,
    )
    return walk.b.convolution(x, kernel, attributes, hint="xw")


def input_gradient(walk: Walk, rule: ConvolutionRule, weight: Value, dy: Value) -> Value:
    """Return the cotangent of x: dy, dilated by the stride, with the reversed kernel."""
    if uses_products(walk, rule, weight):
        return depthwise.input_gradient(walk, rule.windows, weight, dy)
    windows = rule.windows
    reversed_kernel = walk.b.reverse(_swap(walk, weight, rule.groups), (2, 3), hint="flipped")
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
    """Whether the walk's formulation writes this convolution as shifted products."""
    products = walk.formulation.depthwise is DepthwiseForm.SHIFTED_PRODUCTS
    return products and rule.is_depthwise(weight)


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
