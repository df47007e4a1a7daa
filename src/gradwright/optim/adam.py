"""Adam and AdamW."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from gradwright.hlo import Builder, Value
from gradwright.optim.optimizer import (
    Clock,
    Correction,
    DecayScale,
    Optimizer,
    Partition,
    check_not_negative,
    check_positive,
    check_rate,
    decays,
    spread,
)
from gradwright.optim.sgd import decayed_gradient, with_decay
from gradwright.spec import Slot
from gradwright.spec.conventions import Convention
from gradwright.spec.decimals import complement
from gradwright.spec.fields import check_fields

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8
"""Kingma and Ba 2015, "Adam", algorithm 1."""
ADAMW_DECAY = 1e-2
"""Default of PyTorch's AdamW."""


class EpsilonPlacement(Convention):
    """Where epsilon is added."""

    OUTSIDE_CORRECTED_ROOT = "outside-corrected-root"
    """mhat / (sqrt(vhat) + epsilon): algorithm 1 of the paper, PyTorch, optax."""
    OUTSIDE_RAW_ROOT = "outside-raw-root"
    """lr sqrt(bc2) / bc1 m / (sqrt(v) + epsilon): the paper's section 2, TensorFlow, Keras."""
    INSIDE_ROOT = "inside-root"
    """mhat / sqrt(vhat + epsilon): optax's eps_root."""


@dataclass(frozen=True, slots=True)
class _Moments:
    """Hyper-parameters of the two moving averages; the rule that Adam and AdamW share.

    Math: m' = beta1 m + (1 - beta1) g; v' = beta2 v + (1 - beta2) g^2; bc_i = 1 - beta_i^t;
    direction = (m' / bc1) / (sqrt(v' / bc2) + epsilon), epsilon as `EpsilonPlacement` says.
    """

    beta1: float
    beta2: float
    epsilon: float
    placement: EpsilonPlacement

    def check(self, owner: str) -> None:
        check_rate(owner, "beta1", self.beta1)
        check_rate(owner, "beta2", self.beta2)
        check_positive(owner, "epsilon", self.epsilon)

    def corrections(self, b: Builder, clock: Clock) -> tuple[Value, Value]:
        """Return bc1 and bc2, written once for all slots."""
        if clock.corrections is not None:
            return clock.corrections
        t = clock.t
        assert t is not None  # a program has either the step or the corrections
        with b.scope("correction", "bias correction"):
            bc1, bc2 = (1 - b.power(b.splat_like(beta, t), t) for beta in (self.beta1, self.beta2))
        return bc1, bc2

    @property
    def constants(self) -> Mapping[str, float]:
        """The numbers of the rule by name."""
        return {
            "b1": self.beta1,
            "ob1": complement(self.beta1),
            "b2": self.beta2,
            "ob2": complement(self.beta2),
            "eps": self.epsilon,
        }

    def direction(
        self, b: Builder, clock: Clock, moments: Sequence[Value], g: Value
    ) -> tuple[Value, tuple[Value, Value]]:
        """Return the direction and (m', v')."""
        m, v = moments
        bc1, bc2 = self.corrections(b, clock)

        def number(name: str) -> Value:
            return clock.number(b, name, self.constants[name], g)

        new_m = b.add(m * number("b1"), g * number("ob1"), hint="new_m")
        new_v = b.add(v * number("b2"), (g * g) * number("ob2"), hint="new_v")
        if self.placement is EpsilonPlacement.OUTSIDE_RAW_ROOT:
            scale = spread(b, b.divide(b.sqrt(bc2), bc1, hint="scale"), g)
            step = b.multiply(scale, new_m / (b.sqrt(new_v) + number("eps")), hint="direction")
            return step, (new_m, new_v)
        mhat, vhat = new_m / spread(b, bc1, g), new_v / spread(b, bc2, g)
        inside = self.placement is EpsilonPlacement.INSIDE_ROOT
        root = b.sqrt(vhat + number("eps")) if inside else b.sqrt(vhat) + number("eps")
        return b.divide(mhat, root, hint="direction"), (new_m, new_v)

    def meaning(self, gradient: str, correction: Correction) -> str:
        """Return the statements of m', v' and d, the direction, in index notation."""
        bc1, bc2 = f"(1 - {self.beta1!r}^t)", f"(1 - {self.beta2!r}^t)"
        if correction is Correction.GIVEN:
            bc1, bc2 = "bc1", "bc2"
        direction = {
            EpsilonPlacement.OUTSIDE_CORRECTED_ROOT: (
                f"m' / {bc1} / (sqrt(v' / {bc2}) + {self.epsilon!r})"
            ),
            EpsilonPlacement.OUTSIDE_RAW_ROOT: (
                f"sqrt({bc2}) / {bc1} * m' / (sqrt(v') + {self.epsilon!r})"
            ),
            EpsilonPlacement.INSIDE_ROOT: f"m' / {bc1} / sqrt(v' / {bc2} + {self.epsilon!r})",
        }[self.placement]
        return (
            f"h = {gradient}; "
            f"m' = {self.beta1!r} * m + {complement(self.beta1)!r} * h; "
            f"v' = {self.beta2!r} * v + {complement(self.beta2)!r} * h^2; "
            f"d = {direction}"
        )


@dataclass(frozen=True, slots=True)
class Adam(Optimizer):
    """theta' = theta - lr direction(g + weight_decay theta). Coupled (L2) decay, as in PyTorch.

    Math: the direction is that of `EpsilonPlacement` with bias correction from the step input t.
    Source: Kingma and Ba 2015, algorithm 1. Same as PyTorch's and optax's adam.
    """

    kind: ClassVar[str] = "adam"
    moments: ClassVar[tuple[str, ...]] = ("m", "v")
    reads_step: ClassVar[bool] = True
    beta1: float = BETA1
    beta2: float = BETA2
    epsilon: float = EPSILON
    placement: EpsilonPlacement = EpsilonPlacement.OUTSIDE_CORRECTED_ROOT
    weight_decay: float = 0.0
    partition: Partition = Partition.KERNELS

    def __post_init__(self) -> None:
        """Check types and ranges."""
        check_fields(self)
        self._rule.check("Adam")
        check_not_negative("Adam", "weight_decay", self.weight_decay)

    @property
    def _rule(self) -> _Moments:
        return _Moments(self.beta1, self.beta2, self.epsilon, self.placement)

    @property
    def constants(self) -> Mapping[str, float]:
        """The numbers of the rule by name."""
        return {**self._rule.constants, "wd": self.weight_decay}

    def update(
        self, b: Builder, clock: Clock, slot: Slot, theta: Value, moments: Sequence[Value], g: Value
    ) -> tuple[Value, tuple[Value, ...]]:
        """Write the rule for one slot."""
        g = with_decay(b, clock, self.weight_decay, self.partition, slot, theta, g)
        direction, new_moments = self._rule.direction(b, clock, moments, g)
        step = spread(b, clock.lr, theta) * direction
        return b.subtract(theta, step, hint="new"), new_moments

    def meaning(self, slot: Slot, correction: Correction = Correction.STEP) -> str:
        """Return the rule for one slot in index notation."""
        gradient = decayed_gradient(self.weight_decay, self.partition, slot)
        return f"{self._rule.meaning(gradient, correction)}; theta' = theta - lr * d"


@dataclass(frozen=True, slots=True)
class AdamW(Optimizer):
    """theta' = theta - lr direction(g) - decay theta: decoupled decay on the old theta.

    Math: decay = lr weight_decay or weight_decay, as `DecayScale` names.
    Source: Loshchilov and Hutter 2019, algorithm 2. Same as PyTorch's and optax's adamw, which
    decay every parameter where `Partition.KERNELS` spares biases and norms.
    """

    kind: ClassVar[str] = "adamw"
    moments: ClassVar[tuple[str, ...]] = ("m", "v")
    reads_step: ClassVar[bool] = True
    beta1: float = BETA1
    beta2: float = BETA2
    epsilon: float = EPSILON
    placement: EpsilonPlacement = EpsilonPlacement.OUTSIDE_CORRECTED_ROOT
    weight_decay: float = ADAMW_DECAY
    decay_scale: DecayScale = DecayScale.LEARNING_RATE
    partition: Partition = Partition.KERNELS

    def __post_init__(self) -> None:
        """Check types and ranges."""
        check_fields(self)
        self._rule.check("AdamW")
        check_not_negative("AdamW", "weight_decay", self.weight_decay)

    @property
    def _rule(self) -> _Moments:
        return _Moments(self.beta1, self.beta2, self.epsilon, self.placement)

    @property
    def constants(self) -> Mapping[str, float]:
        """The numbers of the rule by name."""
        return {**self._rule.constants, "wd": self.weight_decay}

    def update(
        self, b: Builder, clock: Clock, slot: Slot, theta: Value, moments: Sequence[Value], g: Value
    ) -> tuple[Value, tuple[Value, ...]]:
        """Write the rule for one slot."""
        direction, new_moments = self._rule.direction(b, clock, moments, g)
        lr = spread(b, clock.lr, theta)
        step = lr * direction
        if self.weight_decay and decays(slot, self.partition):
            decay = theta * clock.number(b, "wd", self.weight_decay, theta)
            step = step + (lr * decay if self._scaled else decay)
        return b.subtract(theta, step, hint="new"), new_moments

    def meaning(self, slot: Slot, correction: Correction = Correction.STEP) -> str:
        """Return the rule for one slot in index notation."""
        step = "lr * d"
        if self.weight_decay and decays(slot, self.partition):
            scale = "lr * " if self._scaled else ""
            step = f"{step} - {scale}{self.weight_decay!r} * theta"
        return f"{self._rule.meaning('g', correction)}; theta' = theta - {step}"

    @property
    def _scaled(self) -> bool:
        return self.decay_scale is DecayScale.LEARNING_RATE
