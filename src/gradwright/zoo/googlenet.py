"""GoogLeNet. Source: Szegedy et al. 2015, table 1, as torchvision has it.

That is with batch norm, 3x3 where the paper has 5x5, and here without the auxiliary heads and the
dropout, which evaluation does not use.
"""

from gradwright.layers import BatchNorm, ConvBn, MaxPool, Padding
from gradwright.layers.blocks import Inception
from gradwright.spec import Entry, NetSpec
from gradwright.zoo.named import Head, Named, pictures, pooled
from gradwright.zoo.naming import Naming

NORM = BatchNorm(epsilon=1e-3)
THIRD_KERNEL = 3
MODULES = (
    ("3a", 64, (96, 128), (16, 32), 32),
    ("3b", 128, (128, 192), (32, 96), 64),
    ("4a", 192, (96, 208), (16, 48), 64),
    ("4b", 160, (112, 224), (24, 64), 64),
    ("4c", 128, (128, 256), (24, 64), 64),
    ("4d", 112, (144, 288), (32, 64), 64),
    ("4e", 256, (160, 320), (32, 128), 128),
    ("5a", 256, (160, 320), (32, 128), 128),
    ("5b", 384, (192, 384), (48, 128), 128),
)
POOLS = {"4a": 3, "5a": 2}
"""Kernel of the max pool at stride 2 in front of a module."""

VISION = Naming(
    "torchvision",
    (
        (r"^conv(\d)\.(conv|bn)\.", r"conv\1.\2."),
        (r"\.path1\.", ".branch1."),
        (r"\.path([23])\.inner\.", r".branch\1.0."),
        (r"\.path([23])\.outer\.", r".branch\1.1."),
        (r"\.path4\.outer\.", ".branch4.1."),
        (r"^head\.", "fc."),
    ),
)


def googlenet(name: str, head: Head) -> NetSpec:
    """Return stem, nine Inception modules, and the head."""
    layers: list[Entry] = [
        ("conv1", ConvBn(64, 7, 2, Padding.SYMMETRIC, norm=NORM)),
        ("pool1", MaxPool(3, 2, Padding.CEILING)),
        ("conv2", ConvBn(64, 1, norm=NORM)),
        ("conv3", ConvBn(192, 3, norm=NORM)),
        ("pool2", MaxPool(3, 2, Padding.CEILING)),
    ]
    for place, first, second, third, fourth in MODULES:
        if place in POOLS:
            layers.append((f"pool_{place}", MaxPool(POOLS[place], 2, Padding.CEILING)))
        module = Inception(first, second, third, fourth, THIRD_KERNEL, NORM)
        layers.append((f"inception{place}", module))
    return pictures(name, head, [*layers, *pooled(head.classes)])


NETS = {"googlenet": Named(googlenet, (VISION,))}
