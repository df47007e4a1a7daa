"""Every named net, and how to get one."""

from collections.abc import Mapping
from dataclasses import replace

from gradwright.errors import SpecError
from gradwright.spec import NetSpec
from gradwright.zoo import (
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
from gradwright.zoo.named import Named
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
    return [*NETS, *PUBLISHED]


def get(name: str, *, classes: int | None = None, size: int | None = None) -> NetSpec:
    """Return a named net; SpecError names the known ones.

    `classes` is the width of the last layer, by default that of the published net (10 for MNIST,
    digits and CIFAR nets); `size` the height and width of the pictures, where the net takes
    pictures of several sizes.
    """
    if name not in names():
        raise SpecError(where="zoo", expected=f"one of {', '.join(names())}", found=repr(name))
    if name in PUBLISHED:
        named = PUBLISHED[name]
        chosen = {"classes": classes, "size": size}
        given = {field: value for field, value in chosen.items() if value is not None}
        return named.build(name, replace(named.head, **given))
    net = NETS[name](DEFAULT_CLASSES if classes is None else classes)
    if size not in (None, net.input.shape[-1]):
        expected = f"no size, or that of its pictures, {net.input.shape[-1]}"
        raise SpecError(where=f"zoo: {name}", expected=expected, found=str(size))
    return net
