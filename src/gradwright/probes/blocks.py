"""The probes of blocks: each block alone, small, in each of the shapes that it takes."""

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
from gradwright.probes.probe import LayerProbe
from gradwright.spec import Image

SAME, SYMMETRIC = Padding.SAME_UPPER, Padding.SYMMETRIC
SWISH, RELU = Function.SWISH, Function.RELU
SE = blocks.SqueezeExcite(2, SWISH, Function.SIGMOID)
HARD_SE = blocks.SqueezeExcite(2, RELU, Function.HARD_SIGMOID)
NORM = LayerNorm(1e-3)

BLOCKS: dict[str, LayerProbe] = {
    "basic-projected": LayerProbe([blocks.BasicBlock(6, 2, SYMMETRIC)]),
    "basic-identity": LayerProbe([blocks.BasicBlock(4)]),
    "bottleneck": LayerProbe([blocks.Bottleneck(8, 2, SAME, Function.SWISH)]),
    "bottleneck-grouped-and-dilated": LayerProbe(
        [blocks.Bottleneck(4, 1, None, dilation=2, groups=2, width=2)],
    ),
    "inverted-residual": LayerProbe(
        [blocks.InvertedResidual(4, 6, 3, 1, None, Function.RELU6)],
    ),
    "inverted-residual-not-widened": LayerProbe(
        [blocks.InvertedResidual(3, 4, 3, 2, SYMMETRIC, Function.RELU6)],
    ),
    "mbconv": LayerProbe([blocks.InvertedResidual(4, 8, 5, 1, SAME, SWISH, SE)]),
    "mbconv-v3": LayerProbe(
        [blocks.InvertedResidual(6, 8, 5, 2, SYMMETRIC, Function.HARD_SWISH, HARD_SE)],
    ),
    "fused-mbconv": LayerProbe(
        [blocks.FusedInvertedResidual(4, 8, 3, 1, None, SWISH, SE)],
    ),
    "fused-mbconv-not-widened": LayerProbe(
        [blocks.FusedInvertedResidual(6, 4, 3, 2, SAME, SWISH)],
    ),
    "universal": LayerProbe(
        [blocks.UniversalInvertedBottleneck(5, 2, 3, 5, 2, SYMMETRIC, RELU)],
    ),
    "universal-first-only": LayerProbe(
        [blocks.UniversalInvertedBottleneck(5, 2, 3, 0, 2, SYMMETRIC, RELU)],
    ),
    "universal-none": LayerProbe(
        [blocks.UniversalInvertedBottleneck(4, 2, 0, 0, 1, None, RELU)],
    ),
    "separable": LayerProbe([blocks.SeparableConv(5, 2, SAME, RELU, Function.IDENTITY)]),
    "convnext-stem": LayerProbe([blocks.ConvNeXtStem(4, 2, NORM)], Image(2, 8, 12)),
    "convnext-block": LayerProbe(
        [blocks.ConvNeXtBlock(NORM, Function.GELU_ERF, 0.5)], Image(4, 4, 6)
    ),
    "convnext-downsample": LayerProbe([blocks.ConvNeXtDownsample(3, NORM)], Image(4, 4, 6)),
    "convnext-with-batch-norm": LayerProbe(
        [blocks.ConvNeXtBlock(BatchNorm(), RELU, 0.5)], Image(2, 4, 6)
    ),
    "fire": LayerProbe([blocks.Fire(2, 3, 4, RELU)]),
    "fire-with-batch-norm": LayerProbe([blocks.Fire(2, 3, 4, RELU, BatchNorm())]),
    "inception": LayerProbe([blocks.Inception(2, (2, 3), (2, 4), 1, 5)]),
    "dense-block": LayerProbe(
        [blocks.DenseLayer(2), blocks.DenseLayer(2), blocks.DenseTransition(3)], Image(3, 6, 4)
    ),
    "shuffle-strided": LayerProbe([blocks.ShuffleUnit(16, 2, 1, 2, SYMMETRIC)]),
    "shuffle": LayerProbe([blocks.ShuffleUnit(16, 4, 4, 1, None)], Image(16, 3, 2)),
    "shuffle-v2": LayerProbe(
        [blocks.ShuffleV2Unit(6, 2, SYMMETRIC), blocks.ShuffleV2Unit(6, 1, None)],
    ),
    "aspp": LayerProbe([blocks.Aspp(3, (2, 3)), GlobalAvgPool()], Image(4, 6, 5), 3),
    "darknet": LayerProbe([blocks.DarknetUnit(RELU)]),
    "csp": LayerProbe([blocks.CspBlock(5, 2, SWISH)]),
    "unet": LayerProbe([blocks.UNetLevel([MaxPool(2), ConvBn(3, 3)], 2, SWISH)], Image(2, 6, 4)),
}
"""Every block alone, in each of its shapes, by the name of its probe."""
