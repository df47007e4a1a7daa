"""The interface of every layer."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from gradwright.errors import SpecError, UnsupportedError
from gradwright.spec.numbers import COUNTS, is_count

if TYPE_CHECKING:
    from gradwright.hlo import Shape, Value
    from gradwright.layers.sites import Site
    from gradwright.layers.walk import Walk
    from gradwright.spec import Plan
    from gradwright.spec.padding import Pair


class Layer(abc.ABC):
    """A layer: its shapes and slots (`plan`), its text (`forward`) and its `meaning`.

    Layers are frozen dataclasses; their fields are the whole declaration. `forward` also records
    the hand-derived pullback, so that both stand side by side.
    """

    __slots__ = ()
    kind: ClassVar[str]
    reads_tokens: ClassVar[bool] = False
    """Whether the input is token ids rather than floating-point numbers."""

    @abc.abstractmethod
    def plan(self, path: str, input: Shape) -> Plan:
        """Return shapes and slots at this place; SpecError where the input does not fit."""

    @abc.abstractmethod
    def forward(self, walk: Walk, plan: Plan, x: Value) -> Value:
        """Write the layer, record its pullback, return its output."""

    @abc.abstractmethod
    def meaning(self, plan: Plan) -> str:
        """Return what the layer computes in training, in index notation.

        Statements over `x`, the slots, the masks and the parts (by their paths) that define `y`;
        the notation is that of `gradwright.certify.notation`. No index is called `x`, `y` or like
        a slot.
        """

    def evaluation_meaning(self, plan: Plan) -> str:
        """Return what the layer computes in evaluation, where that differs."""
        return self.meaning(plan)

    def example_meaning(self, plan: Plan) -> str:
        """Return what the layer computes from each example alone, where it reads the batch."""
        del plan
        return ""

    def statistics(self, plan: Plan) -> str:
        """Return how training moves the running statistics, over what `meaning` defines."""
        del plan
        return ""

    def site(self, plan: Plan, batch: int) -> Site | None:
        """Return what the layer computes, where that has several forms."""
        del plan, batch
        return None

    def wiring(self, plan: Plan) -> Sequence[tuple[Plan, str]]:
        """Return the parts, each with what it reads: `x`, or the path of an earlier part."""
        return [(child, "x") for child in plan.children]


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


def require_counts(path: str, layer: Layer, *numbers: object) -> None:
    """SpecError where an extent, stride or count of the declaration is not one."""
    if not all(is_count(number) for number in numbers):
        raise SpecError(
            where=path, expected=f"extents, strides and counts {COUNTS}", found=str(layer)
        )


def require_pair(path: str, layer: Layer, extent: int | Pair) -> Pair:
    """Return (height, width), an integer standing for both; SpecError for anything else."""
    pair = extent if isinstance(extent, tuple) else (extent, extent)
    require_counts(path, layer, *pair)
    if len(pair) != 2:
        raise SpecError(where=path, expected="an integer or a pair of them", found=str(layer))
    return pair


def require_member(path: str, layer: Layer, value: object, *kinds: type) -> None:
    """SpecError where a choice of the declaration is not of one of its types."""
    if type(value) not in kinds:
        expected = f"{' or '.join(kind.__name__ for kind in kinds)} in {layer}"
        raise SpecError(where=path, expected=expected, found=repr(value))
