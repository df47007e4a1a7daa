"""One table of nets that holds every block, small, with distinct extents."""

from gradwright.layers import (
    BatchNorm,
    ConvBn,
    Function,
    GlobalAvgPool,
    LayerNorm,
    MaxPool,
    Padding,
    blocks,
)
from gradwright.spec import Image
from oracles.subject import Subject

SAME, SYMMETRIC = Padding.SAME_UPPER, Padding.SYMMETRIC
SWISH, RELU = Function.SWISH, Function.RELU
SE = blocks.SqueezeExcite(2, SWISH, Function.SIGMOID)
HARD_SE = blocks.SqueezeExcite(2, RELU, Function.HARD_SIGMOID)
PICTURE = Image(4, 6, 5)

BLOCKS: dict[str, Subject] = {
    "basic, projected": Subject([blocks.BasicBlock(6, 2, SYMMETRIC)], PICTURE),
    "basic, identity": Subject([blocks.BasicBlock(4)], PICTURE),
    "bottleneck": Subject([blocks.Bottleneck(8, 2, SAME, Function.SWISH)], PICTURE),
    "bottleneck, grouped and dilated": Subject(
        [blocks.Bottleneck(4, 1, None, dilation=2, groups=2, width=2)], PICTURE
    ),
    "inverted residual": Subject(
        [blocks.InvertedResidual(4, 6, 3, 1, None, Function.RELU6)], PICTURE
    ),
    "inverted residual, not widened": Subject(
        [blocks.InvertedResidual(3, 4, 3, 2, SYMMETRIC, Function.RELU6)], PICTURE
    ),
    "mbconv": Subject([blocks.InvertedResidual(4, 8, 5, 1, SAME, SWISH, SE)], PICTURE),
    "mbconv v3": Subject(
        [blocks.InvertedResidual(6, 8, 5, 2, SYMMETRIC, Function.HARD_SWISH, HARD_SE)], PICTURE
    ),
    "fused mbconv": Subject([blocks.FusedInvertedResidual(4, 8, 3, 1, None, SWISH, SE)], PICTURE),
    "fused mbconv, not widened": Subject(
        [blocks.FusedInvertedResidual(6, 4, 3, 2, SAME, SWISH)], PICTURE
    ),
    "universal": Subject(
        [blocks.UniversalInvertedBottleneck(5, 2, 3, 5, 2, SYMMETRIC, RELU)], PICTURE
    ),
    "universal, first only": Subject(
        [blocks.UniversalInvertedBottleneck(5, 2, 3, 0, 2, SYMMETRIC, RELU)], PICTURE
    ),
    "universal, none": Subject(
        [blocks.UniversalInvertedBottleneck(4, 2, 0, 0, 1, None, RELU)], PICTURE
    ),
    "separable": Subject([blocks.SeparableConv(5, 2, SAME, RELU, Function.IDENTITY)], PICTURE),
    "convnext": Subject(
        [
            blocks.ConvNeXtStem(4, 2, LayerNorm(1e-3)),
            blocks.ConvNeXtBlock(LayerNorm(1e-3), Function.GELU_ERF, 0.5),
            blocks.ConvNeXtDownsample(3, LayerNorm(1e-3)),
        ],
        Image(2, 8, 12),
    ),
    "convnext with batch norm": Subject(
        [blocks.ConvNeXtBlock(BatchNorm(), RELU, 0.5)], Image(2, 4, 6)
    ),
    "fire": Subject([blocks.Fire(2, 3, 4, RELU)], PICTURE),
    "fire with batch norm": Subject([blocks.Fire(2, 3, 4, RELU, BatchNorm())], PICTURE),
    "inception": Subject([blocks.Inception(2, (2, 3), (2, 4), 1, 5)], PICTURE),
    "dense block": Subject(
        [blocks.DenseLayer(2), blocks.DenseLayer(2), blocks.DenseTransition(3)], Image(3, 6, 4)
    ),
    "shuffle": Subject(
        [blocks.ShuffleUnit(16, 2, 1, 2, SYMMETRIC), blocks.ShuffleUnit(16, 4, 4, 1, None)],
        PICTURE,
    ),
    "shuffle v2": Subject(
        [blocks.ShuffleV2Unit(6, 2, SYMMETRIC), blocks.ShuffleV2Unit(6, 1, None)], PICTURE
    ),
    "aspp": Subject([blocks.Aspp(3, (2, 3)), GlobalAvgPool()], Image(4, 6, 5), 3),
    "csp": Subject([blocks.CspBlock(5, 2, SWISH)], PICTURE),
    "unet": Subject([blocks.UNetLevel([MaxPool(2), ConvBn(3, 3)], 2, SWISH)], Image(2, 6, 4)),
}
"""Every block alone, in each of its shapes."""
