"""What each kind of layer of the catalogue stands for."""

from collections.abc import Callable, Mapping, Sequence

from gradwright.layers import (
    Activation,
    BatchNorm,
    Conv2d,
    ConvBn,
    Dense,
    Flatten,
    Function,
    GlobalAvgPool,
    Layer,
    MaxPool,
    Upsample,
    blocks,
)
from gradwright.zoo.catalogue import units
from gradwright.zoo.catalogue.call import RELU, SAME, Call

RATES = (6, 12, 18)
"""Chen et al. 2017, "Rethinking Atrous Convolution", section 4: at an output stride of 16."""

Maker = Callable[[Call, tuple[int, ...]], Sequence[Layer]]


def _activated(call: Call, layer: Layer) -> Sequence[Layer]:
    function = call.activation
    return [layer] if function is Function.IDENTITY else [layer, Activation(function)]


def _conv_bn(call: Call, numbers: tuple[int, ...]) -> Sequence[Layer]:
    out, kernel, strides = (*numbers, 1)[:3]
    return [ConvBn(out, kernel, strides, call.padding)]


def _conv_bias_bn(call: Call, numbers: tuple[int, ...]) -> Sequence[Layer]:
    out, kernel = numbers
    return [ConvBn(out, kernel, 1, call.padding, bias=True)]


def _conv(call: Call, numbers: tuple[int, ...]) -> Sequence[Layer]:
    out, kernel, strides = (*numbers, 1)[:3]
    return _activated(call, Conv2d(out, kernel, strides, call.padding))


def _dense(call: Call, numbers: tuple[int, ...]) -> Sequence[Layer]:
    (out,) = numbers
    return _activated(call, Dense(out))


def _max_pool(call: Call, numbers: tuple[int, ...]) -> Sequence[Layer]:
    kernel, strides = numbers
    return [MaxPool(kernel, strides, call.padding)]


def _csp(call: Call, numbers: tuple[int, ...]) -> Sequence[Layer]:
    del call
    out, count = numbers
    return [blocks.CspBlock(out, count, RELU)]


def _fire(call: Call, numbers: tuple[int, ...]) -> Sequence[Layer]:
    del call
    squeeze, narrow, wide = numbers
    return [blocks.Fire(squeeze, narrow, wide, RELU, BatchNorm())]


def _inception(call: Call, numbers: tuple[int, ...]) -> Sequence[Layer]:
    del call
    first, second, second_out, third, third_out, fourth = numbers
    return [blocks.Inception(first, (second, second_out), (third, third_out), fourth, 5)]


def _separable(call: Call, numbers: tuple[int, ...]) -> Sequence[Layer]:
    del call
    out, strides = (*numbers, 1)[:2]
    return [blocks.SeparableConv(out, strides, SAME, RELU, Function.IDENTITY)]


def _only(layer: Callable[..., Layer], **settings: object) -> Maker:
    """Return what makes one layer of the numbers as they stand."""

    def make(call: Call, numbers: tuple[int, ...]) -> Sequence[Layer]:
        del call
        return [layer(*numbers, **settings)]

    return make


KINDS: Mapping[str, Maker] = {
    "aspp": _only(blocks.Aspp, rates=RATES, bias=True),
    "basic": units.basic,
    "bottleneck": units.bottleneck,
    "conv": _conv,
    "conv-bias-bn": _conv_bias_bn,
    "conv-bn": _conv_bn,
    "convnext": units.convnext,
    "convnext-down": _only(blocks.ConvNeXtDownsample, norm=units.NORM),
    "csp": _csp,
    "darknet": units.darknet,
    "dense": _dense,
    "dense-block": units.dense_block,
    "fire": _fire,
    "flatten": _only(Flatten),
    "fused": units.fused,
    "inception": _inception,
    "inverted": units.inverted,
    "max-pool": _max_pool,
    "mbconv": units.mbconv,
    "mbconv-v3": units.mbconv_v3,
    "mean": _only(GlobalAvgPool),
    "separable": _separable,
    "shuffle": units.shuffle,
    "shuffle-v2": units.shuffle_v2,
    "transition": _only(blocks.DenseTransition, bias=True),
    "uib": units.universal,
    "upsample": _only(Upsample),
}
"""Every kind that a layer here has, by its word."""
