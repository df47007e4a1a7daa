"""Every named net, and how to get one."""

from collections.abc import Mapping

from gradwright.errors import SpecError, perhaps
from gradwright.kinds import shown
from gradwright.spec import NetSpec
from gradwright.spec.numbers import COUNTS, is_count
from gradwright.spec.padding import Pair
from gradwright.zoo import (
    catalogue,
    convnext,
    densenet,
    efficientnet,
    googlenet,
    mobilenet,
    resnet,
    shufflenet,
    squeezenet,
    vgg,
)
from gradwright.zoo.named import Head, Named
from gradwright.zoo.nets import DEFAULT_CLASSES, NETS

PUBLISHED: Mapping[str, Named] = {
    **resnet.NETS,
    **vgg.NETS,
    **mobilenet.NETS,
    **efficientnet.NETS,
    **convnext.NETS,
    **squeezenet.NETS,
    **googlenet.NETS,
    **densenet.NETS,
    **shufflenet.NETS,
}
"""Nets of papers, as their reference implementations have them."""


def names() -> list[str]:
    """Return every name that `get` knows."""
    return [*NETS, *PUBLISHED, *catalogue.NAMES]


def get(name: str, *, classes: int | None = None, size: int | Pair | None = None) -> NetSpec:
    """Return a named net; SpecError names those with similar names.

    `classes` is the width of the last layer, by default that of the published net (10 for MNIST,
    digits and CIFAR nets); `size` height and width of the pictures, one number for both, where the
    net takes pictures of several sizes.
    """
    if name not in [*names(), *catalogue.ROWS]:
        raise _unknown(name)
    if classes is not None and not is_count(classes):
        expected = f"a number of classes {COUNTS}"
        raise SpecError(where=f"zoo: {name}", expected=expected, found=shown(classes))
    extents = None if size is None else _extents(name, size)
    if name in PUBLISHED or name in catalogue.ROWS:
        return _sized(name, classes, extents)
    net = NETS[name](DEFAULT_CLASSES if classes is None else classes)
    own = net.input.shape[1:]
    if extents not in (None, own):
        expected = f"no size, or that of its pictures, {own[0]}x{own[1]}"
        raise SpecError(where=f"zoo: {name}", expected=expected, found=f"{extents}")
    return net


def _unknown(name: object) -> SpecError:
    return SpecError(
        where="zoo",
        expected="a name that `gradwright nets` or gw.zoo.names() lists",
        found=repr(name),
        remedy=perhaps(name, names()) if isinstance(name, str) else "",
    )


def _extents(name: str, size: int | Pair) -> Pair:
    """Return (height, width); SpecError for what is neither a count nor two."""
    pair = size if isinstance(size, tuple) else (size, size)
    if len(pair) != 2 or not all(map(is_count, pair)):
        expected = f"a size that is one number or a pair of numbers {COUNTS}"
        raise SpecError(where=f"zoo: {name}", expected=expected, found=repr(size))
    return pair


def _sized(name: str, classes: int | None, extents: Pair | None) -> NetSpec:
    """Return a net that takes pictures of several sizes; an error of a layer names both."""
    try:
        if name in catalogue.ROWS:
            return catalogue.build(name, classes=classes, size=extents)
        head = PUBLISHED[name].head
        return PUBLISHED[name].build(
            name,
            Head(
                head.classes if classes is None else classes,
                head.size if extents is None else extents,
            ),
        )
    except SpecError as error:
        if extents is None or error.where.startswith("zoo: "):
            raise
        remedy = f"Take {'larger pictures' if 'window' in error.expected else 'another size'}"
        where = f"{name} of {extents[0]}x{extents[1]}, {error.where}"
        raise error.at(where, remedy=remedy) from None
