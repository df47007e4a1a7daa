"""What the zoo knows of a named net: how to build it, its sizes, whose weights it takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from gradwright.layers import Dense, Flatten, GlobalAvgPool
from gradwright.spec import Entry, Image, NetSpec
from gradwright.spec.padding import Pair
from gradwright.zoo.naming import Naming

IMAGENET_CLASSES = 1000
"""Russakovsky et al. 2015, "ImageNet Large Scale Visual Recognition Challenge"."""
IMAGENET_SIZE = (224, 224)
"""Height and width at which most of these nets were published."""


@dataclass(frozen=True, slots=True)
class Head:
    """What a user may choose of a named net: the classes, and (height, width) of pictures."""

    classes: int
    size: Pair


class Build(Protocol):
    """Builds a net under a name."""

    def __call__(self, name: str, head: Head) -> NetSpec:
        """Return the net."""
        ...


@dataclass(frozen=True, slots=True)
class Named:
    """A named net; `namings` are the libraries whose state dicts fit it."""

    build: Build
    namings: Sequence[Naming] = ()
    head: Head = Head(IMAGENET_CLASSES, IMAGENET_SIZE)


def pictures(name: str, head: Head, layers: Sequence[Entry]) -> NetSpec:
    """Return a net of RGB pictures."""
    return NetSpec(name, Image(3, *head.size), layers)


def pooled(classes: int) -> list[Entry]:
    """Return a global average pool and a dense layer `head`."""
    return [("pool", GlobalAvgPool()), ("head", Dense(classes))]


def flattened(*layers: Entry) -> list[Entry]:
    """Return layers behind a flattening."""
    return [("flatten", Flatten()), *layers]
