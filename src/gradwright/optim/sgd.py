"""Gradient descent: plain, with heavy-ball momentum, with Nesterov's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from gradwright.hlo import Builder, Value
from gradwright.optim.optimizer import (
    Clock,
    Correction,
    Optimizer,
    Partition,
    check_not_negative,
    check_rate,
    decays,
    spread,
)
from gradwright.spec import Slot
from gradwright.spec.conventions import Convention
from gradwright.spec.fields import check_fields

MOMENTUM = 0.9
"""Customary weight on the old velocity: Sutskever et al. 2013, section 2; torchvision's recipes."""


@dataclass(frozen=True, slots=True)
class Sgd(Optimizer):
    """theta' = theta - lr (g + weight_decay theta). Coupled (L2) decay, same as PyTorch's SGD."""

    kind: ClassVar[str] = "sgd"
    weight_decay: float = 0.0
    partition: Partition = Partition.KERNELS

    def __post_init__(self) -> None:
        """Check types and ranges."""
        check_fields(self)
        check_not_negative("Sgd", "weight_decay", self.weight_decay)

    @property
    def constants(self) -> Mapping[str, float]:
        """The weight decay."""
        return {"wd": self.weight_decay}

    def update(
        self, b: Builder, clock: Clock, slot: Slot, theta: Value, moments: Sequence[Value], g: Value
    ) -> tuple[Value, tuple[Value, ...]]:
        """Write the rule for one slot."""
        del moments
        g = with_decay(b, clock, self.weight_decay, self.partition, slot, theta, g)
        return b.subtract(theta, g * spread(b, clock.lr, g), hint="new"), ()

    def meaning(self, slot: Slot, correction: Correction = Correction.STEP) -> str:
        """Return the rule for one slot in index notation."""
        del correction
        gradient = decayed_gradient(self.weight_decay, self.partition, slot)
        return f"theta' = theta - lr * ({gradient})"


@dataclass(frozen=True, slots=True)
class Momentum(Optimizer):
    """Heavy ball: u' = momentum u + g; theta' = theta - lr u'.

    Same as PyTorch's SGD(momentum=…, dampening=0); u starts at 0, so the first step uses g itself.
    """

    kind: ClassVar[str] = "momentum"
    moments: ClassVar[tuple[str, ...]] = ("u",)
    momentum: float = MOMENTUM
    weight_decay: float = 0.0
    partition: Partition = Partition.KERNELS

    def __post_init__(self) -> None:
        """Check types and ranges."""
        check_fields(self)
        check_rate("Momentum", "momentum", self.momentum)
        check_not_negative("Momentum", "weight_decay", self.weight_decay)

    @property
    def constants(self) -> Mapping[str, float]:
        """The momentum and the weight decay."""
        return {"wd": self.weight_decay, "mu": self.momentum}

    def update(
        self, b: Builder, clock: Clock, slot: Slot, theta: Value, moments: Sequence[Value], g: Value
    ) -> tuple[Value, tuple[Value, ...]]:
        """Write the rule for one slot."""
        (u,) = moments
        g = with_decay(b, clock, self.weight_decay, self.partition, slot, theta, g)
        new_u = b.add(u * clock.number(b, "mu", self.momentum, u), g, hint="new_u")
        return b.subtract(theta, new_u * spread(b, clock.lr, u), hint="new"), (new_u,)

    def meaning(self, slot: Slot, correction: Correction = Correction.STEP) -> str:
        """Return the rule for one slot in index notation."""
        del correction
        gradient = decayed_gradient(self.weight_decay, self.partition, slot)
        return f"u' = {self.momentum!r} * u + {gradient}; theta' = theta - lr * u'"


class NesterovForm(Convention):
    """Where the look-ahead is evaluated."""

    TORCH = "torch"
    """u' = momentum u + g; theta' = theta - lr (g + momentum u'): PyTorch, optax."""
    SUTSKEVER = "sutskever"
    """u' = momentum u - lr g; theta' = theta + momentum u' - lr g: Sutskever 2013, Keras.

    The same iterates as TORCH while lr is constant; the velocity is scaled by -lr.
    """


@dataclass(frozen=True, slots=True)
class Nesterov(Optimizer):
    """Nesterov's accelerated gradient in the form that `form` names.

    Source: Sutskever et al. 2013, "On the importance of initialization and momentum", eqs. 3-4,
    rewritten for parameters at the look-ahead point (Bengio et al. 2013, section 3.5).
    """

    kind: ClassVar[str] = "nesterov"
    moments: ClassVar[tuple[str, ...]] = ("u",)
    momentum: float = MOMENTUM
    weight_decay: float = 0.0
    form: NesterovForm = NesterovForm.TORCH
    partition: Partition = Partition.KERNELS

    def __post_init__(self) -> None:
        """Check types and ranges."""
        check_fields(self)
        check_rate("Nesterov", "momentum", self.momentum)
        check_not_negative("Nesterov", "weight_decay", self.weight_decay)

    @property
    def constants(self) -> Mapping[str, float]:
        """The momentum and the weight decay."""
        return {"wd": self.weight_decay, "mu": self.momentum}

    def update(
        self, b: Builder, clock: Clock, slot: Slot, theta: Value, moments: Sequence[Value], g: Value
    ) -> tuple[Value, tuple[Value, ...]]:
        """Write the rule for one slot."""
        (u,) = moments
        lr = spread(b, clock.lr, g)
        g = with_decay(b, clock, self.weight_decay, self.partition, slot, theta, g)
        mu = clock.number(b, "mu", self.momentum, u)
        if self.form is NesterovForm.TORCH:
            new_u = b.add(u * mu, g, hint="new_u")
            ahead = g + new_u * mu
            return b.subtract(theta, lr * ahead, hint="new"), (new_u,)
        new_u = b.subtract(u * mu, lr * g, hint="new_u")
        return b.add(theta, new_u * mu - lr * g, hint="new"), (new_u,)

    def meaning(self, slot: Slot, correction: Correction = Correction.STEP) -> str:
        """Return the rule for one slot in index notation."""
        del correction
        h = f"h = {decayed_gradient(self.weight_decay, self.partition, slot)}"
        mu = f"{self.momentum!r}"
        if self.form is NesterovForm.TORCH:
            return f"{h}; u' = {mu} * u + h; theta' = theta - lr * (h + {mu} * u')"
        return f"{h}; u' = {mu} * u - lr * h; theta' = theta + {mu} * u' - lr * h"


def decayed_gradient(weight_decay: float, partition: Partition, slot: Slot) -> str:
    """Return what `with_decay` computes, in index notation."""
    if not weight_decay or not decays(slot, partition):
        return "g"
    return f"g + {weight_decay!r} * theta"


def with_decay(
    b: Builder,
    clock: Clock,
    weight_decay: float,
    partition: Partition,
    slot: Slot,
    theta: Value,
    g: Value,
) -> Value:
    """Return g + weight_decay theta on slots that decay, else g."""
    if not weight_decay or not decays(slot, partition):
        return g
    return g + theta * clock.number(b, "wd", weight_decay, theta)
