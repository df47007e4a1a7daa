"""VGG nets. Source: Simonyan and Zisserman 2015, table 1, with torchvision's conventions.

Dropout, which the published nets have in their head, is left out: it has no parameters and the
references' gradients are compared without it.
"""

from collections.abc import Sequence
from functools import partial

from gradwright.layers import Activation, Conv2d, ConvBn, Dense, Flatten, Function, MaxPool
from gradwright.spec import Entry, NetSpec
from gradwright.zoo.named import Head, Named, pictures, pooled
from gradwright.zoo.naming import Naming, Rules

WIDTHS = (64, 128, 256, 512, 512)
HIDDEN = 4096
DEPTHS = {11: (1, 1, 2, 2, 2), 13: (2, 2, 2, 2, 2), 16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}


def vgg(name: str, head: Head, *, depths: Sequence[int]) -> NetSpec:
    """Return five stages of 3x3 convolutions with biases, and three dense layers."""
    relu = Activation(Function.RELU)
    layers: list[Entry] = []
    for stage, (width, depth) in enumerate(zip(WIDTHS, depths, strict=True), 1):
        for unit in range(1, depth + 1):
            layers += [(f"conv{stage}_{unit}", Conv2d(width, 3)), (f"act{stage}_{unit}", relu)]
        layers.append((f"pool{stage}", MaxPool(2)))
    return pictures(name, head, [*layers, *_dense_head(head.classes)])


def vgg_bn(name: str, head: Head, *, depths: Sequence[int]) -> NetSpec:
    """Return the same with batch norm behind each convolution, which keeps its bias."""
    return pictures(name, head, [*_normed(depths, bias=True), *_dense_head(head.classes)])


def vgg_bn_pooled(name: str, head: Head, *, depths: Sequence[int]) -> NetSpec:
    """Return the stages with batch norm, without biases, and a pooled head.

    The parameter count is that published for lean4-mlir's training runs.
    """
    return pictures(name, head, [*_normed(depths, bias=False), *pooled(head.classes)])


def _normed(depths: Sequence[int], *, bias: bool) -> list[Entry]:
    layers: list[Entry] = []
    for stage, (width, depth) in enumerate(zip(WIDTHS, depths, strict=True), 1):
        for unit in range(1, depth + 1):
            layers.append((f"conv{stage}_{unit}", ConvBn(width, 3, bias=bias)))
        layers.append((f"pool{stage}", MaxPool(2)))
    return layers


def _dense_head(classes: int) -> list[Entry]:
    relu = Activation(Function.RELU)
    return [
        ("flatten", Flatten()),
        ("hidden1", Dense(HIDDEN)),
        ("hidden1_act", relu),
        ("hidden2", Dense(HIDDEN)),
        ("hidden2_act", relu),
        ("head", Dense(classes)),
    ]


def _naming(depths: Sequence[int], *, per_unit: int) -> Naming:
    """Return torchvision's naming: positions in one list of convolutions, norms, relus, pools."""

    def place(stage: str, unit: str) -> int:
        before = sum(per_unit * depth + 1 for depth in depths[: int(stage) - 1])
        return before + per_unit * (int(unit) - 1)

    rules: Rules = (
        (r"^conv(\d)_(\d)\.bn\.", lambda m: f"features.{place(m[1], m[2]) + 1}."),
        (r"^conv(\d)_(\d)\.(?:conv\.)?", lambda m: f"features.{place(m[1], m[2])}."),
        (r"^hidden1\.", "classifier.0."),
        (r"^hidden2\.", "classifier.3."),
        (r"^head\.", "classifier.6."),
    )
    return Naming("torchvision", rules)


NETS = {
    **{
        f"vgg{layers}": Named(partial(vgg, depths=depths), (_naming(depths, per_unit=2),))
        for layers, depths in DEPTHS.items()
    },
    "vgg16-bn": Named(partial(vgg_bn, depths=DEPTHS[16]), (_naming(DEPTHS[16], per_unit=3),)),
    "vgg16-bn-pooled": Named(partial(vgg_bn_pooled, depths=DEPTHS[16])),
}
