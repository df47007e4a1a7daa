"""The interface of every layer."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, ClassVar

from gradwright.errors import SpecError, UnsupportedError

if TYPE_CHECKING:
    from gradwright.hlo import Shape, Value
    from gradwright.layers.walk import Walk
    from gradwright.spec import Plan


class Layer(abc.ABC):
    """A layer: its shapes and slots (`plan`), its text (`forward`) and its `meaning`.

    Layers are frozen dataclasses; their fields are the whole declaration. `forward` also records
    the hand-derived pullback, so that both stand side by side.
    """

    __slots__ = ()
    kind: ClassVar[str]

    @abc.abstractmethod
    def plan(self, path: str, input: Shape) -> Plan:
        """Return shapes and slots at this place; SpecError where the input does not fit."""

    @abc.abstractmethod
    def forward(self, walk: Walk, plan: Plan, x: Value) -> Value:
        """Write the layer, record its pullback, return its output."""

    @abc.abstractmethod
    def meaning(self, plan: Plan) -> str:
        """Return what the layer computes, in index notation; reads outside x are 0."""


def emitting(plan: Plan) -> Layer:
    """Return the layer of a plan, UnsupportedError where it cannot be written."""
    if not isinstance(plan.layer, Layer):
        raise UnsupportedError(
            where=plan.path,
            expected="a layer with a forward and a backward",
            found=f"{type(plan.layer).__name__}, which has none",
            remedy="Derive it from gradwright.layers.Layer or leave it out",
        )
    return plan.layer


def require_image(path: str, layer: Layer, input: Shape) -> tuple[int, int, int]:
    """Return (channels, height, width), SpecError where the input is no picture."""
    if len(input) != 3:
        found = f"shape {list(input)}"
        raise SpecError(
            where=path, expected=f"a picture [C, H, W] as input of {layer}", found=found
        )
    channels, height, width = input
    return channels, height, width


def require_positive(path: str, layer: Layer, *numbers: int) -> None:
    """SpecError where an extent, stride or count of the declaration is below 1."""
    if min(numbers) < 1:
        raise SpecError(where=path, expected="extents, strides and counts >= 1", found=str(layer))
