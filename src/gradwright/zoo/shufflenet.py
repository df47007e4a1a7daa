"""ShuffleNet V1 (3 groups) and V2.

Sources: Zhang et al. 2018, table 1; Ma et al. 2018, table 5, with torchvision's conventions.
"""

from collections.abc import Sequence
from functools import partial

from gradwright.layers import ConvBn, MaxPool, Padding
from gradwright.layers.blocks import ShuffleUnit, ShuffleV2Unit
from gradwright.spec import Entry, NetSpec
from gradwright.zoo.named import Head, Named, pictures, pooled
from gradwright.zoo.naming import Naming

SYMMETRIC = Padding.SYMMETRIC
STEM, DEPTHS, GROUPS = 24, (4, 8, 4), 3

VISION_V2 = Naming(
    "torchvision",
    (
        (r"\.halves\.first\.depthwise\.conv\.", ".branch1.0."),
        (r"\.halves\.first\.depthwise\.bn\.", ".branch1.1."),
        (r"\.halves\.first\.expand\.conv\.", ".branch1.2."),
        (r"\.halves\.first\.expand\.bn\.", ".branch1.3."),
        (r"\.halves\.second\.reduce\.conv\.", ".branch2.0."),
        (r"\.halves\.second\.reduce\.bn\.", ".branch2.1."),
        (r"\.halves\.second\.depthwise\.conv\.", ".branch2.3."),
        (r"\.halves\.second\.depthwise\.bn\.", ".branch2.4."),
        (r"\.halves\.second\.expand\.conv\.", ".branch2.5."),
        (r"\.halves\.second\.expand\.bn\.", ".branch2.6."),
        (r"^stage(\d)_(\d+)\.", r"stage\1.\2."),
        (r"^stem\.conv\.", "conv1.0."),
        (r"^stem\.bn\.", "conv1.1."),
        (r"^top\.conv\.", "conv5.0."),
        (r"^top\.bn\.", "conv5.1."),
        (r"^head\.", "fc."),
    ),
)


def _stem() -> list[Entry]:
    stem = ConvBn(STEM, 3, 2, SYMMETRIC)
    return [("stem", stem), ("stem_pool", MaxPool(3, 2, SYMMETRIC))]


def shufflenet(name: str, head: Head, *, widths: Sequence[int]) -> NetSpec:
    """Return stem, three stages of units with grouped convolutions, and the head."""
    layers = _stem()
    for stage, (width, depth) in enumerate(zip(widths, DEPTHS, strict=True), 2):
        for unit in range(depth):
            first = 1 if (stage, unit) == (2, 0) else GROUPS
            strides = 2 if unit == 0 else 1
            block = ShuffleUnit(width, GROUPS, first, strides, SYMMETRIC)
            layers.append((f"stage{stage}_{unit}", block))
    return pictures(name, head, [*layers, *pooled(head.classes)])


def shufflenet_v2(name: str, head: Head, *, widths: Sequence[int], top: int) -> NetSpec:
    """Return stem, three stages of units that split, a 1x1 convolution, and the head."""
    layers = _stem()
    for stage, (width, depth) in enumerate(zip(widths, DEPTHS, strict=True), 2):
        layers += [
            (f"stage{stage}_{unit}", ShuffleV2Unit(width, 2 if unit == 0 else 1, SYMMETRIC))
            for unit in range(depth)
        ]
    return pictures(name, head, [*layers, ("top", ConvBn(top, 1)), *pooled(head.classes)])


NETS = {
    "shufflenet-0.5": Named(partial(shufflenet, widths=(120, 240, 480))),
    "shufflenet-1.0": Named(partial(shufflenet, widths=(240, 480, 960))),
    "shufflenet-2.0": Named(partial(shufflenet, widths=(480, 960, 1920))),
    **{
        f"shufflenetv2-{factor}": Named(
            partial(shufflenet_v2, widths=widths, top=top), (VISION_V2,)
        )
        for factor, widths, top in (
            ("0.5", (48, 96, 192), 1024),
            ("1.0", (116, 232, 464), 1024),
            ("1.5", (176, 352, 704), 1024),
            ("2.0", (244, 488, 976), 2048),
        )
    },
}
