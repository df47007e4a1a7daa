"""Turn one of our nets into the recipe and the start that every contestant receives."""

from pathlib import Path

import numpy as np

from gradwright import layers, optim, programs, zoo
from gradwright.errors import UnsupportedError
from gradwright.spec import NetSpec, Plan

from .recipe import Recipe, Stage

LEARNING_RATE = 1e-3
SEED = 0
KINDS = ("bn", "flatten", "dense")
"""Layers that a recipe holds under our own names and without further fields."""


def write_entry(name: str, batch: int, folder: Path) -> None:
    """Write recipe, initial parameters and one batch of normal pixels and uniform labels."""
    net = zoo.get(name)
    adam = optim.Adam()
    norm = layers.BatchNorm()
    recipe = Recipe(
        net=name,
        batch=batch,
        lr=LEARNING_RATE,
        beta1=adam.beta1,
        beta2=adam.beta2,
        epsilon=adam.epsilon,
        bn_epsilon=norm.epsilon,
        bn_decay=norm.decay,
        stages=stages_of(net),
    )
    random = np.random.default_rng(SEED)
    x = random.standard_normal((batch, *net.input.shape)).astype(np.float32)
    y = random.integers(0, net.output[-1], (batch,)).astype(np.int32)
    recipe.write(folder, {**programs.init(net, SEED), "x": x, "y": y})


def stages_of(net: NetSpec) -> tuple[Stage, ...]:
    """Return the layers of a chain; UnsupportedError for one that no recipe can hold."""
    return tuple(_stage(plan) for plan in net.walk() if not plan.children)


def _stage(plan: Plan) -> Stage:
    layer = plan.layer
    if isinstance(layer, layers.Conv2d):
        (kernel, _) = plan.slots[0].shape[2:]
        return Stage("conv", plan.path, plan.input, kernel, layer.bias)
    if isinstance(layer, layers.MaxPool) and isinstance(layer.kernel, int):
        return Stage("maxpool", plan.path, plan.input, layer.kernel)
    if layer == layers.Activation(layers.Function.RELU):
        return Stage("relu", plan.path, plan.input)
    if layer.kind not in KINDS:
        expected = "a layer that recipes know"
        raise UnsupportedError(where=plan.path, expected=expected, found=str(layer))
    return Stage(layer.kind, plan.path, plan.input)
