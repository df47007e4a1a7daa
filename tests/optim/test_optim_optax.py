"""Update rules over several steps against optax, in float64."""

import importlib
from typing import Any, TypeAlias

import pytest

from gradwright.optim import (
    Adam,
    AdamW,
    EpsilonPlacement,
    Momentum,
    Nesterov,
    Optimizer,
    Partition,
    Sgd,
)
from losses.closeness import CHAINED, assert_ulps
from optim.steps import GRADIENTS, START, steps

pytestmark = [pytest.mark.jax, pytest.mark.interpreter]
Jax: TypeAlias = Any
"""Modules and objects of jax and optax: this checkout need not have them."""

LR = 0.1
ROWS: dict[str, tuple[Optimizer, str, dict[str, Any]]] = {
    "sgd": (Sgd(), "sgd", {}),
    "momentum": (Momentum(0.8), "sgd", {"momentum": 0.8}),
    "nesterov": (Nesterov(0.8), "sgd", {"momentum": 0.8, "nesterov": True}),
    "adam": (Adam(0.8, 0.95, 1e-3), "adam", {"b1": 0.8, "b2": 0.95, "eps": 1e-3}),
    "adam, epsilon inside": (
        Adam(epsilon=1e-3, placement=EpsilonPlacement.INSIDE_ROOT),
        "adam",
        {"eps": 0.0, "eps_root": 1e-3},
    ),
    "adamw": (
        AdamW(weight_decay=0.1, partition=Partition.ALL),
        "adamw",
        {"weight_decay": 0.1},
    ),
}


@pytest.mark.parametrize(("optimizer", "name", "settings"), ROWS.values(), ids=ROWS.keys())
def test_the_steps_are_those_of_optax(
    optimizer: Optimizer, name: str, settings: dict[str, Any]
) -> None:
    jax: Jax = importlib.import_module("jax")
    optax: Jax = importlib.import_module("optax")
    found = steps(optimizer, rates=[LR] * len(GRADIENTS))
    with jax.enable_x64(True):
        rule = getattr(optax, name)(LR, **settings)
        theta: Jax = {k: jax.numpy.asarray(v) for k, v in START.items()}
        state = rule.init(theta)
        for step, gradients in zip(found, GRADIENTS, strict=True):
            g = {k: jax.numpy.asarray(v) for k, v in gradients.items()}
            updates, state = rule.update(g, state, theta)
            theta = optax.apply_updates(theta, updates)
            for key, value in theta.items():
                assert_ulps(step[key], value, CHAINED)
