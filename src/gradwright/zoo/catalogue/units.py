"""Kinds of the catalogue that stand for several units, or for one with a hidden width."""

from collections.abc import Sequence

from gradwright.layers import (
    Branches,
    ChannelShuffle,
    ChannelSlice,
    ConvBn,
    Function,
    Layer,
    LayerNorm,
    LayerScale,
    Sequential,
    blocks,
)
from gradwright.zoo.catalogue.call import RELU, SAME, SWISH, Call

NORM, SCALE = LayerNorm(1e-5), 1e-6
"""lean4-mlir's epsilon (the published ConvNeXt has 1e-6) and Liu et al.'s first LayerScale."""
INNER = 4
"""Zhang et al. 2018, "ShuffleNet", section 3.2, and Hu et al. 2018: widths of a quarter."""


def basic(call: Call, numbers: tuple[int, ...]) -> Sequence[Layer]:
    """Return basic residual blocks, the first at a stride."""
    del call
    out, count, first = numbers
    return [blocks.BasicBlock(out, first if unit == 0 else 1, SAME) for unit in range(count)]


def bottleneck(call: Call, numbers: tuple[int, ...]) -> Sequence[Layer]:
    """Return bottlenecks, the first at a stride."""
    del call
    out, count, first = numbers
    return [blocks.Bottleneck(out, first if unit == 0 else 1, SAME) for unit in range(count)]


def inverted(call: Call, numbers: tuple[int, ...]) -> Sequence[Layer]:
    """Return MobileNetV2's blocks, the first at a stride."""
    out, expansion, first, count = numbers
    widths = [call.channels, *(count - 1) * [out]]
    return [
        blocks.InvertedResidual(
            out, expansion * width, 3, first if unit == 0 else 1, SAME, Function.RELU6
        )
        for unit, width in enumerate(widths)
    ]


def mbconv(call: Call, numbers: tuple[int, ...]) -> Sequence[Layer]:
    """Return EfficientNet's blocks, gated by a quarter of their input's width."""
    out, expansion, kernel, first, count = numbers
    widths = [call.channels, *(count - 1) * [out]]
    return [
        blocks.InvertedResidual(
            out,
            expansion * width,
            kernel,
            first if unit == 0 else 1,
            SAME,
            SWISH,
            blocks.SqueezeExcite(max(1, width // INNER), SWISH, Function.SIGMOID),
        )
        for unit, width in enumerate(widths)
    ]


def mbconv_v3(call: Call, numbers: tuple[int, ...]) -> Sequence[Layer]:
    """Return one block of MobileNetV3, gated by a quarter of its inner width or not."""
    out, hidden, kernel, strides = numbers
    gate = blocks.SqueezeExcite(max(1, hidden // INNER), RELU, Function.HARD_SIGMOID)
    squeeze = gate if "gated" in call.word.marks else None
    return [blocks.InvertedResidual(out, hidden, kernel, strides, SAME, call.activation, squeeze)]


def fused(call: Call, numbers: tuple[int, ...]) -> Sequence[Layer]:
    """Return EfficientNetV2's fused blocks, the first at a stride."""
    out, expansion, kernel, first, count = numbers
    widths = [call.channels, *(count - 1) * [out]]
    return [
        blocks.FusedInvertedResidual(
            out, expansion * width, kernel, first if unit == 0 else 1, SAME, SWISH
        )
        for unit, width in enumerate(widths)
    ]


def universal(call: Call, numbers: tuple[int, ...]) -> Sequence[Layer]:
    """Return one block of MobileNetV4."""
    del call
    out, expansion, strides, first, second = numbers
    return [blocks.UniversalInvertedBottleneck(out, expansion, first, second, strides, SAME, RELU)]


def convnext(call: Call, numbers: tuple[int, ...]) -> Sequence[Layer]:
    """Return ConvNeXt's blocks."""
    del call
    (count,) = numbers
    return count * [blocks.ConvNeXtBlock(NORM, Function.GELU_TANH, SCALE)]


def shuffle(call: Call, numbers: tuple[int, ...]) -> Sequence[Layer]:
    """Return units of ShuffleNet; the first has no shortcut, and all its channels from the path."""
    del call
    out, groups, count = numbers
    inner = out // INNER
    path = [
        ConvBn(inner, 1, groups=groups),
        ChannelShuffle(groups),
        ConvBn(inner, 3, 2, SAME, Function.IDENTITY, inner),
        ConvBn(out, 1, groups=groups),
    ]
    return [*path, *(count - 1) * [blocks.ShuffleUnit(out, groups, groups, 1, SAME)]]


def dense_block(call: Call, numbers: tuple[int, ...]) -> Sequence[Layer]:
    """Return DenseNet's layers; their convolutions have biases."""
    del call
    growth, count = numbers
    return count * [blocks.DenseLayer(growth, bias=True)]


def darknet(call: Call, numbers: tuple[int, ...]) -> Sequence[Layer]:
    """Return Darknet's residual units."""
    del call
    (count,) = numbers
    return count * [blocks.DarknetUnit(RELU)]


def shuffle_v2(call: Call, numbers: tuple[int, ...]) -> Sequence[Layer]:
    """Return units of ShuffleNet V2, the first at stride 2.

    The count that is published for a unit has a bias at every convolution, and one number more for
    each channel of the second half than its convolutions and norms have: a LayerScale here.
    """
    out, count = numbers
    half = out // 2
    first = [_shifted(call.channels, 2), ConvBn(half, 1, bias=True)]
    joined = [Branches([Sequential(first), Sequential(_second(half, 2))]), ChannelShuffle(2)]
    kept, changed = ChannelSlice(0, half), [ChannelSlice(half, out), *_second(half, 1)]
    unit = [Branches([kept, Sequential(changed)]), ChannelShuffle(2)]
    return [*joined, *(count - 1) * unit]


def _second(half: int, strides: int) -> list[Layer]:
    reduce, expand = ConvBn(half, 1, bias=True), ConvBn(half, 1, bias=True)
    return [reduce, _shifted(half, strides), expand, LayerScale(1.0)]


def _shifted(channels: int, strides: int) -> ConvBn:
    """Return a depthwise convolution with a bias, batch norm and no activation."""
    return ConvBn(channels, 3, strides, SAME, Function.IDENTITY, channels, bias=True)
