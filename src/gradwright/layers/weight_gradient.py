"""Forms of the weight gradient of a convolution."""

from gradwright.hlo import Value
from gradwright.hlo.attributes import Convolution, ConvolutionDims
from gradwright.layers import depthwise
from gradwright.layers.convolution_forms import ConvolutionRule, uses_products
from gradwright.layers.formulation import WeightGradient
from gradwright.layers.slices import padded, tap_slice, taps
from gradwright.layers.walk import Walk


def weight_gradient(walk: Walk, rule: ConvolutionRule, x: Value, weight: Value, dy: Value) -> Value:
    """Return the cotangent of weight [O, C/g, kH, kW]: x correlated with dy."""
    if uses_products(walk, rule, weight):
        return depthwise.weight_gradient(walk, rule.windows, x, dy)
    shifted = walk.formulation.weight_gradient is WeightGradient.SHIFTED_DOTS
    if shifted and rule.groups == 1:
        return _shifted_dots(walk, rule, x, dy)
    return _convolution(walk, rule, x, dy)


def _convolution(walk: Walk, rule: ConvolutionRule, x: Value, dy: Value) -> Value:
    """One convolution: batch and channels of x change places, dy dilated is the kernel."""
    layout, windows = walk.formulation.layout, rule.windows
    dims = ConvolutionDims(
        input_batch=layout.channel,
        input_feature=0,
        input_spatial=layout.spatial,
        kernel_input_feature=0,
        kernel_output_feature=layout.channel,
        kernel_spatial=layout.spatial,
        output_batch=1,
        output_feature=0,
        output_spatial=(2, 3),
    )
    padding = tuple(
        (low, high - remainder)
        for (low, high), remainder in zip(windows.padding, windows.remainder, strict=True)
    )
    attributes = Convolution(
        dims,
        strides=windows.dilation,
        padding=padding,
        lhs_dilation=(1, 1),
        rhs_dilation=windows.strides,
        window_reversal=(False, False),
        feature_group_count=1,
        batch_group_count=rule.groups,
    )
    return walk.b.convolution(x, dy, attributes, hint="dweight")


def _shifted_dots(walk: Walk, rule: ConvolutionRule, x: Value, dy: Value) -> Value:
    """For each tap, [O, positions] @ [positions, C] over what the tap reads."""
    b, layout, windows = walk.b, walk.formulation.layout, rule.windows
    inside = padded(walk, windows, x, 0)
    positions = (0, *layout.spatial)
    dots = [
        b.dot(dy, tap_slice(walk, windows, inside, tap), (positions, positions), hint="tap")
        for tap in taps(windows)
    ]
    out, channels = dots[0].shape
    columns = [b.reshape(dot, (out, channels, 1)) for dot in dots]
    joined = b.concatenate(columns, 2)
    return b.reshape(joined, (out, channels, *windows.kernel), hint="dweight")
