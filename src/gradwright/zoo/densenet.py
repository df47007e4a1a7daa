"""DenseNets. Source: Huang et al. 2017, table 1, with torchvision's conventions."""

from collections.abc import Sequence
from functools import partial

from gradwright.layers import Activation, BatchNorm, ConvBn, Function, MaxPool, Padding
from gradwright.layers.blocks import DenseLayer, DenseTransition
from gradwright.spec import Entry, NetSpec
from gradwright.zoo.named import Head, Named, pictures, pooled
from gradwright.zoo.naming import Naming

GROWTH, STEM = 32, 64

NAMINGS = (
    Naming(
        "torchvision or timm",
        (
            (r"^stem\.conv\.", "features.conv0."),
            (r"^stem\.bn\.", "features.norm0."),
            (r"^dense(\d)_(\d+)\.new\.", r"features.denseblock\1.denselayer\2."),
            (r"^transition(\d)\.", r"features.transition\1."),
            (r"^norm\.", "features.norm5."),
            (r"^head\.", "classifier."),
        ),
    ),
)


def densenet(name: str, head: Head, *, depths: Sequence[int]) -> NetSpec:
    """Return stem, dense blocks with transitions that halve the channels, norm, and the head."""
    layers: list[Entry] = [
        ("stem", ConvBn(STEM, 7, 2, Padding.SYMMETRIC)),
        ("stem_pool", MaxPool(3, 2, Padding.SYMMETRIC)),
    ]
    channels = STEM
    for stage, depth in enumerate(depths, 1):
        if stage > 1:
            channels //= 2
            layers.append((f"transition{stage - 1}", DenseTransition(channels)))
        layers += [(f"dense{stage}_{unit}", DenseLayer(GROWTH)) for unit in range(1, depth + 1)]
        channels += depth * GROWTH
    layers += [("norm", BatchNorm()), ("act", Activation(Function.RELU)), *pooled(head.classes)]
    return pictures(name, head, layers)


NETS = {
    "densenet121": Named(partial(densenet, depths=(6, 12, 24, 16)), NAMINGS),
    "densenet169": Named(partial(densenet, depths=(6, 12, 32, 32)), NAMINGS),
    "densenet201": Named(partial(densenet, depths=(6, 12, 48, 32)), NAMINGS),
}
