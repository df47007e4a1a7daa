"""SqueezeNets. Source: Iandola et al. 2016, table 1, with torchvision's conventions.

Its dropout is left out: it has no parameters, and evaluation has none.
"""

from collections.abc import Sequence
from functools import partial

from gradwright.layers import Activation, Conv2d, Function, GlobalAvgPool, MaxPool, Padding
from gradwright.layers.blocks import Fire
from gradwright.spec import Entry, NetSpec
from gradwright.zoo.named import Head, Named, pictures
from gradwright.zoo.naming import Naming

RELU = Function.RELU
FIRES = ((16, 64), (16, 64), (32, 128), (32, 128), (48, 192), (48, 192), (64, 256), (64, 256))
"""Widths of the squeeze and of each expansion."""


def squeezenet(name: str, head: Head, *, stem: tuple[int, int], pools: Sequence[int]) -> NetSpec:
    """Return a stem (channels, kernel), fire modules with pools in front of some, a 1x1 head."""
    channels, kernel = stem
    layers: list[Entry] = [
        ("stem", Conv2d(channels, kernel, 2, Padding.VALID)),
        ("stem_act", Activation(RELU)),
    ]
    for number, (squeeze, expand) in enumerate(FIRES, 2):
        if number in pools:
            layers.append((f"pool{number}", MaxPool(3, 2, Padding.CEILING)))
        layers.append((f"fire{number}", Fire(squeeze, expand, expand, RELU)))
    layers += [
        ("head", Conv2d(head.classes, 1)),
        ("head_act", Activation(RELU)),
        ("pool", GlobalAvgPool()),
    ]
    return pictures(name, head, layers)


def _named(stem: tuple[int, int], pools: Sequence[int]) -> Named:
    places = {n: n + sum(pool <= n for pool in pools) for n in range(2, 10)}
    naming = Naming(
        "torchvision",
        (
            (r"^stem\.", "features.0."),
            (r"^head\.", "classifier.1."),
            (r"^fire(\d)\.", lambda m: f"features.{places[int(m[1])]}."),
            (r"\.squeeze\.conv\.", ".squeeze."),
            (r"\.expand\.one\.conv\.", ".expand1x1."),
            (r"\.expand\.three\.conv\.", ".expand3x3."),
        ),
    )
    return Named(partial(squeezenet, stem=stem, pools=pools), (naming,))


NETS = {
    "squeezenet1.0": _named((96, 7), (2, 5, 9)),
    "squeezenet1.1": _named((64, 3), (2, 4, 6)),
}
