"""Residual nets. Source: He et al. 2016, table 1, with torchvision's conventions."""

from collections.abc import Callable, Sequence
from functools import partial

from gradwright.layers import ConvBn, Layer, MaxPool, Padding
from gradwright.layers.blocks import BasicBlock, Bottleneck
from gradwright.spec import Entry, NetSpec
from gradwright.zoo.named import Head, Named, pictures, pooled
from gradwright.zoo.naming import Naming

SYMMETRIC = Padding.SYMMETRIC
STAGES = (64, 128, 256, 512)
"""Widths of the four stages; a bottleneck's output has four times as many."""

TORCH = (
    (r"^stem\.conv\.", "conv1."),
    (r"^stem\.bn\.", "bn1."),
    (r"^layer(\d)_(\d+)\.", r"layer\1.\2."),
    (r"\.sum\.shortcut\.conv\.", ".downsample.0."),
    (r"\.sum\.shortcut\.bn\.", ".downsample.1."),
    (r"\.sum\.body\.conv(\d)\.(conv|bn)\.", r".\2\1."),
    (r"^head\.", "fc."),
)
NAMINGS = (Naming("torchvision or timm", TORCH),)


def basic(width: int, strides: int) -> Layer:
    """Return the block of the 18- and 34-layer nets."""
    return BasicBlock(width, strides, SYMMETRIC)


def bottleneck(width: int, strides: int) -> Layer:
    """Return the block of the deeper nets."""
    return Bottleneck(4 * width, strides, SYMMETRIC)


def resnet(
    name: str, head: Head, *, block: Callable[[int, int], Layer], depths: Sequence[int]
) -> NetSpec:
    """Return a stem, four stages of blocks, and the head."""
    layers: list[Entry] = [
        ("stem", ConvBn(STAGES[0], 7, 2, SYMMETRIC)),
        ("stem_pool", MaxPool(3, 2, SYMMETRIC)),
    ]
    for stage, (width, depth) in enumerate(zip(STAGES, depths, strict=True), 1):
        for unit in range(depth):
            strides = 2 if unit == 0 and stage > 1 else 1
            layers.append((f"layer{stage}_{unit}", block(width, strides)))
    return pictures(name, head, [*layers, *pooled(head.classes)])


NETS = {
    "resnet18": Named(partial(resnet, block=basic, depths=(2, 2, 2, 2)), NAMINGS),
    "resnet34": Named(partial(resnet, block=basic, depths=(3, 4, 6, 3)), NAMINGS),
    "resnet50": Named(partial(resnet, block=bottleneck, depths=(3, 4, 6, 3)), NAMINGS),
    "resnet101": Named(partial(resnet, block=bottleneck, depths=(3, 4, 23, 3)), NAMINGS),
    "resnet152": Named(partial(resnet, block=bottleneck, depths=(3, 8, 36, 3)), NAMINGS),
}
