"""The nets that race, by name: those of the zoo, and stacks of blocks at their feature size."""

from gradwright import layers, zoo
from gradwright.layers import blocks
from gradwright.spec import Image, NetSpec

LARGE = {"resnet34", "resnet50", "mobilenetv2", "efficientnet-b0", "convnext-blocks"}
"""Nets for pictures of 224 x 224, which race with few pictures at a time."""
CHANNELS, FEATURES, DEPTH = 96, 56, 3
"""Width, extent and number of blocks of the first stage of ConvNeXt-T at 224 x 224: Liu et al.
2022, table 9."""
SCALE, EPSILON = 1e-6, 1e-6
"""Where LayerScale starts, and the epsilon of the norm: Liu et al. 2022, table 5 and their code."""


def get(name: str) -> NetSpec:
    """Return a net; SpecError where no net has the name."""
    return convnext_blocks() if name == "convnext-blocks" else zoo.get(name)


def batch_of(name: str) -> int:
    """Return the number of pictures of one step."""
    return 8 if name in LARGE else 128


def convnext_blocks() -> NetSpec:
    """Return the first stage of ConvNeXt-T on its own, with a classifier for ten classes."""
    block = blocks.ConvNeXtBlock(layers.LayerNorm(EPSILON), layers.Function.GELU_ERF, SCALE)
    return NetSpec(
        "convnext-blocks",
        Image(CHANNELS, FEATURES, FEATURES),
        [*([block] * DEPTH), layers.GlobalAvgPool(), layers.Dense(10)],
    )
