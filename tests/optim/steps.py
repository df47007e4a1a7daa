"""Several steps of an optimizer on its own, interpreted, and the same steps by definition."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gradwright.hlo import Builder, ElementType, Value, evaluate
from gradwright.layers import BatchNorm, Dense
from gradwright.optim import (
    Adam,
    AdamW,
    Clock,
    Correction,
    DecayScale,
    EpsilonPlacement,
    Momentum,
    Nesterov,
    NesterovForm,
    Optimizer,
    Partition,
    Sgd,
)
from gradwright.programs import optimizer_step
from gradwright.spec import Flat, NetSpec, Slot
from losses.closeness import CHAINED, Array, assert_ulps

Arrays = dict[str, Array]
NET = NetSpec("tiny", Flat(3), [("dense", Dense(2)), ("bn", BatchNorm())])
DECAYING = {"dense.weight"}
RATES = (0.1, 0.02, 0.3, 0.05)
"""A rate that moves tells apart what agrees while it stands still."""
RNG = np.random.default_rng(11)
START: Arrays = {slot.name: RNG.normal(size=slot.shape) for slot in NET.parameters}
GRADIENTS: list[Arrays] = [{k: RNG.normal(size=v.shape) for k, v in START.items()} for _ in RATES]

OPTIMIZERS: dict[str, Optimizer] = {
    "sgd": Sgd(),
    "sgd, decay": Sgd(weight_decay=0.1),
    "sgd, decay of all": Sgd(weight_decay=0.1, partition=Partition.ALL),
    "momentum": Momentum(0.8),
    "momentum, decay": Momentum(weight_decay=0.1),
    "nesterov": Nesterov(0.8),
    "nesterov, decay": Nesterov(weight_decay=0.1),
    "nesterov, sutskever": Nesterov(0.8, form=NesterovForm.SUTSKEVER),
    "nesterov, sutskever, decay": Nesterov(weight_decay=0.1, form=NesterovForm.SUTSKEVER),
    "adam": Adam(0.8, 0.95),
    "adam, decay": Adam(weight_decay=0.1),
    "adam, epsilon on the raw root": Adam(
        epsilon=1e-3, placement=EpsilonPlacement.OUTSIDE_RAW_ROOT
    ),
    "adam, epsilon inside": Adam(epsilon=1e-3, placement=EpsilonPlacement.INSIDE_ROOT),
    "adam without memory": Adam(0.0, 0.0),
    "adamw": AdamW(0.8, 0.95, 1e-3, weight_decay=0.1),
    "adamw of all": AdamW(weight_decay=0.1, partition=Partition.ALL),
    "adamw, decay whatever the rate": AdamW(weight_decay=0.1, decay_scale=DecayScale.NONE),
    "adamw, epsilon on the raw root": AdamW(
        epsilon=1e-3, weight_decay=0.1, placement=EpsilonPlacement.OUTSIDE_RAW_ROOT
    ),
    "adamw, epsilon inside": AdamW(
        epsilon=1e-3, weight_decay=0.1, placement=EpsilonPlacement.INSIDE_ROOT
    ),
}


@dataclass(frozen=True, slots=True)
class Seen:
    """What an optimizer is given for one slot."""

    clock: Clock
    slot: Slot
    g: Value


Change = Callable[[Builder, Seen], Seen]


@dataclass(frozen=True, slots=True)
class Mutant(Optimizer):
    """An optimizer with a defect: it sees another clock, slot or gradient than it should."""

    kind: ClassVar[str] = "mutant"
    optimizer: Optimizer
    change: Change

    def update(
        self, b: Builder, clock: Clock, slot: Slot, theta: Value, moments: Sequence[Value], g: Value
    ) -> tuple[Value, tuple[Value, ...]]:
        seen = self.change(b, Seen(clock, slot, g))
        return self.optimizer.update(b, seen.clock, seen.slot, theta, moments, seen.g)

    def meaning(self, slot: Slot, correction: Correction = Correction.STEP) -> str:
        return self.optimizer.meaning(slot, correction)


@dataclass(frozen=True, slots=True)
class MutantAdam(Mutant):
    """The same with the state of Adam."""

    moments: ClassVar[tuple[str, ...]] = ("m", "v")
    reads_step: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class MutantMomentum(Mutant):
    """The same with the state of a velocity."""

    moments: ClassVar[tuple[str, ...]] = ("u",)


def steps(
    optimizer: Optimizer,
    *,
    start: Mapping[str, Array] = START,
    gradients: Sequence[Mapping[str, Array]] = GRADIENTS,
    rates: Sequence[float] = RATES,
    element: ElementType = ElementType.F64,
    net: NetSpec = NET,
) -> list[Arrays]:
    """Return parameters and moments after each step, from moments of zero."""
    program = optimizer_step(net, optimizer=optimizer, element=element)
    state = {port.name: np.zeros(port.shape) for port in program.outputs} | dict(start)
    trajectory: list[Arrays] = []
    for t, (lr, g) in enumerate(zip(rates, gradients, strict=True), 1):
        given = state | {f"d.{name}": value for name, value in g.items()}
        given |= {"lr": np.array(lr), "t": np.array(float(t))}
        arrays = [np.asarray(given[port.name]).astype(port.dtype) for port in program.inputs]
        names = (port.name for port in program.outputs)
        state = dict(zip(names, evaluate(program.text, arrays), strict=True))
        trajectory.append(state)
    return trajectory


def one(optimizer: Optimizer, theta: float, g: float, lr: float, count: int = 1) -> list[float]:
    """Return the first weight after each of `count` steps from `theta` with the gradient `g`."""
    trajectory = steps(
        optimizer,
        start={name: np.full_like(value, theta) for name, value in START.items()},
        gradients=[{name: np.full_like(v, g) for name, v in START.items()}] * count,
        rates=[lr] * count,
    )
    return [float(state["dense.weight"][0, 0]) for state in trajectory]


def check_rule(optimizer: Optimizer, declared: Optimizer) -> None:
    """Fail unless `optimizer` walks where the definition of `declared` says."""
    found = steps(optimizer)
    for name, start in START.items():
        decays = name in DECAYING or getattr(declared, "partition", None) is Partition.ALL
        gradients = [g[name] for g in GRADIENTS]
        for state, theta in zip(found, walk(declared, start, gradients, decays), strict=True):
            assert_ulps(state[name], theta, CHAINED)


def walk(optimizer: Optimizer, theta: Array, gradients: list[Array], decays: object) -> list[Array]:
    """Return a parameter after each step, element by element as the papers write it."""
    path: list[Array] = []
    kept = [np.zeros_like(theta), np.zeros_like(theta)]
    for t, (lr, g) in enumerate(zip(RATES, gradients, strict=True), 1):
        wd = float(getattr(optimizer, "weight_decay", 0)) if decays else 0.0
        theta = _step(optimizer, theta, kept, g, lr, t, wd)
        path.append(theta)
    return path


def _step(
    rule: Optimizer, theta: Array, kept: list[Array], g: Array, lr: float, t: int, wd: float
) -> Array:
    if isinstance(rule, AdamW):
        shrink = lr * wd if rule.decay_scale is DecayScale.LEARNING_RATE else wd
        return theta - lr * _adam(rule, kept, g, t) - shrink * theta
    g = g + wd * theta
    if isinstance(rule, Adam):
        return theta - lr * _adam(rule, kept, g, t)
    if isinstance(rule, Momentum):
        kept[0] = rule.momentum * kept[0] + g
        return theta - lr * kept[0]
    if isinstance(rule, Nesterov) and rule.form is NesterovForm.TORCH:
        kept[0] = rule.momentum * kept[0] + g
        return theta - lr * (g + rule.momentum * kept[0])
    if isinstance(rule, Nesterov):
        kept[0] = rule.momentum * kept[0] - lr * g
        return theta + rule.momentum * kept[0] - lr * g
    return theta - lr * g


def _adam(rule: Adam | AdamW, kept: list[Array], g: Array, t: int) -> Array:
    kept[0] = rule.beta1 * kept[0] + (1 - rule.beta1) * g
    kept[1] = rule.beta2 * kept[1] + (1 - rule.beta2) * g**2
    bc1, bc2 = 1 - rule.beta1**t, 1 - rule.beta2**t
    if rule.placement is EpsilonPlacement.OUTSIDE_RAW_ROOT:
        return math.sqrt(bc2) / bc1 * kept[0] / (np.sqrt(kept[1]) + rule.epsilon)
    if rule.placement is EpsilonPlacement.INSIDE_ROOT:
        return kept[0] / bc1 / np.sqrt(kept[1] / bc2 + rule.epsilon)
    return kept[0] / bc1 / (np.sqrt(kept[1] / bc2) + rule.epsilon)
