"""The interface of every loss: label ABI, value, seed cotangent, metrics."""

import abc
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from gradwright.hlo import Builder, Shape, TensorType, Value


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What a loss writes: its value, the cotangent of the net's output, and metrics.

    Shapes: value: scalar; seed, summed: that of the output; metrics: scalars by name.
    `summed` writes the cotangent of B times the value, for a batch of B.
    """

    value: Value
    seed: Value
    summed: Callable[[], Value]
    metrics: Mapping[str, Value] = field(default_factory=dict[str, Value])


class Loss(abc.ABC):
    """A loss; the reported value is the differentiated one. Fields are the whole declaration."""

    __slots__ = ()
    kind: ClassVar[str]
    metrics: ClassVar[tuple[str, ...]] = ()

    @abc.abstractmethod
    def label(self, output: TensorType) -> TensorType:
        """Return the type of the labels for an output [B, …]; SpecError where they do not fit."""

    @abc.abstractmethod
    def write(self, b: Builder, output: Value, label: Value) -> Evaluated:
        """Write value and seed."""

    @abc.abstractmethod
    def meaning(self, output: Shape) -> str:
        """Return what the loss and its metrics are, in index notation.

        Statements over `x`, the output of the net, and `y`, the labels, that define `loss` and each
        metric; the notation is that of `gradwright.certify.notation`.
        """
