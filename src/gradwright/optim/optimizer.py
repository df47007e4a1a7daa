"""The interface of every optimizer, and the rules that they share."""

import abc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from gradwright.errors import SpecError
from gradwright.hlo import Builder, Value
from gradwright.spec import Decay, Slot
from gradwright.spec.conventions import Convention
from gradwright.spec.numbers import BELOW_ONE, LARGEST_REAL, SMALLEST_REAL


class Correction(Convention):
    """Where the bias corrections bc_i = 1 - beta_i^t of Adam come from."""

    STEP = "step"
    """From the step number t, an argument of the program."""
    GIVEN = "given"
    """They are arguments of the program themselves, bc1 and bc2."""


class Constants(Convention):
    """How the numbers of a rule are written."""

    SPLAT = "splat"
    """A constant of the parameter's shape at each use."""
    NAMED = "named"
    """A scalar with a name of its own, written once and repeated to each shape."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The runtime scalars of one step. Shapes: lr, t, corrections: []; t counts steps from 1.

    Where `corrections` (bc1, bc2) are given, no rule reads t.
    """

    lr: Value
    t: Value | None = None
    corrections: tuple[Value, Value] | None = None
    constants: Constants = Constants.SPLAT

    def number(self, b: Builder, name: str, number: float, like: Value) -> Value:
        """Return a constant of a rule at the type of `like`."""
        if self.constants is Constants.SPLAT:
            return b.splat_like(number, like)
        return spread(b, b.splat(number, like.type.with_shape(()), hint=name), like)


class DecayScale(Convention):
    """What decoupled weight decay is multiplied by."""

    LEARNING_RATE = "learning-rate"
    """theta' = … - lr weight_decay theta: PyTorch's and optax's AdamW."""
    NONE = "none"
    """theta' = … - weight_decay theta, whatever lr: Loshchilov and Hutter 2019 with eta folded."""


class Partition(Convention):
    """Which slots weight decay acts on."""

    KERNELS = "kernels"
    """Slots that are declared to decay: kernels and matrices, no bias, no norm."""
    ALL = "all"
    """Every parameter."""


class Optimizer(abc.ABC):
    """An update rule. Fields are the whole declaration; `moments` names its state per slot."""

    __slots__ = ()
    kind: ClassVar[str]
    moments: ClassVar[tuple[str, ...]] = ()
    reads_step: ClassVar[bool] = False
    """Whether the rule reads t."""

    @abc.abstractmethod
    def update(
        self, b: Builder, clock: Clock, slot: Slot, theta: Value, moments: Sequence[Value], g: Value
    ) -> tuple[Value, tuple[Value, ...]]:
        """Write the rule for one slot and return (theta', moments')."""

    @property
    def constants(self) -> Mapping[str, float]:
        """The numbers of the rule by the names that `Constants.NAMED` gives them."""
        return {}

    @abc.abstractmethod
    def meaning(self, slot: Slot, correction: Correction = Correction.STEP) -> str:
        """Return the rule for one slot in index notation.

        Statements over theta, g, lr, t (or bc1, bc2) and the moments, which define theta' and the
        new moments.
        """


def decays(slot: Slot, partition: Partition) -> bool:
    """Return whether weight decay acts on a slot."""
    return partition is Partition.ALL or slot.decay is Decay.DECAYS


def spread(b: Builder, scalar: Value, like: Value) -> Value:
    """Return a scalar repeated to the shape of a parameter."""
    return b.broadcast(scalar, like.shape)


def check_rate(owner: str, name: str, value: float) -> None:
    """SpecError unless 0 <= value < 1, in f32 too."""
    if not 0 <= value <= BELOW_ONE:
        expected = "0 <= value < 1, rounded to f32"
        raise SpecError(where=f"{owner}.{name}", expected=expected, found=str(value))


def check_not_negative(owner: str, name: str, value: float) -> None:
    """SpecError unless value >= 0 and finite, in f32 too."""
    if not 0 <= value <= LARGEST_REAL:
        expected = "a number >= 0 that f32 holds"
        raise SpecError(where=f"{owner}.{name}", expected=expected, found=str(value))


def check_positive(owner: str, name: str, value: float) -> None:
    """SpecError unless value > 0, in f32 too."""
    if not SMALLEST_REAL <= value <= LARGEST_REAL:
        expected = "a number > 0 that f32 holds"
        raise SpecError(where=f"{owner}.{name}", expected=expected, found=str(value))
