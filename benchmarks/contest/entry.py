"""Turn one of our nets into the recipe and the start that every contestant receives."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from gradwright import layers, optim, programs
from gradwright.errors import UnsupportedError
from gradwright.layers.composition import Block, Gate, Residual, Sequential
from gradwright.layers.convolution import fitting_windows
from gradwright.layers.pooling import pool_windows
from gradwright.spec import NetSpec, Plan

from . import nets
from .recipe import Recipe, Stage, Window

LEARNING_RATE = 1e-3
SEED = 0
KINDS = ("flatten", "dense", "gap", "scale")
"""Layers that a recipe holds under our own names and without further fields."""


def write_entry(name: str, batch: int, folder: Path) -> None:
    """Write recipe, initial parameters and one batch of normal pixels and uniform labels."""
    net = nets.get(name)
    adam = optim.Adam()
    recipe = Recipe(
        net=name,
        batch=batch,
        lr=LEARNING_RATE,
        beta1=adam.beta1,
        beta2=adam.beta2,
        epsilon=adam.epsilon,
        stages=stages_of(net),
    )
    random = np.random.default_rng(SEED)
    x = random.standard_normal((batch, *net.input.shape)).astype(np.float32)
    y = random.integers(0, net.output[-1], (batch,)).astype(np.int32)
    recipe.write(folder, {**programs.init(net, SEED), "x": x, "y": y})


def stages_of(net: NetSpec) -> tuple[Stage, ...]:
    """Return the layers of a net; UnsupportedError for one that no recipe can hold."""
    return tuple(_stages(net.plans))


def _stages(plans: Sequence[Plan]) -> Iterator[Stage]:
    for plan in plans:
        layer = plan.layer
        while isinstance(layer, Block):
            layer = layer.body(plan.input)
        if isinstance(layer, Sequential):
            yield from _stages(plan.children)
        elif isinstance(layer, Residual | Gate):
            branches = tuple(tuple(_stages([child])) for child in plan.children)
            both = (*branches, ()) if len(branches) == 1 else branches
            yield Stage(layer.kind, plan.path, plan.input, branches=both)
        else:
            yield _stage(plan)


def _stage(plan: Plan) -> Stage:
    match plan.layer:
        case layers.Conv2d(groups=groups, bias=bias) as conv:
            return Stage("conv", plan.path, plan.input, _window(plan, conv), groups, bias)
        case layers.DepthwiseConv2d(bias=bias) as conv:
            return Stage("conv", plan.path, plan.input, _window(plan, conv), plan.input[0], bias)
        case layers.MaxPool() as pool:
            return Stage("maxpool", plan.path, plan.input, _window(plan, pool))
        case layers.Activation(function=function):
            return Stage("act", plan.path, plan.input, function=function.value)
        case layers.BatchNorm(epsilon=epsilon, decay=decay):
            return Stage("bn", plan.path, plan.input, epsilon=epsilon, decay=decay)
        case layers.LayerNorm(epsilon=epsilon):
            return Stage("ln", plan.path, plan.input, epsilon=epsilon)
        case layer if layer.kind in KINDS:
            return Stage(layer.kind, plan.path, plan.input)
        case layer:
            expected = "a layer that recipes know"
            raise UnsupportedError(where=plan.path, expected=expected, found=str(layer))


def _window(plan: Plan, layer: layers.Conv2d | layers.DepthwiseConv2d | layers.MaxPool) -> Window:
    path, input, kernel = plan.path, plan.input, layer.kernel
    if isinstance(layer, layers.MaxPool):
        windows = pool_windows(path, layer, input, kernel, layer.strides, layer.padding)
    else:
        windows = fitting_windows(
            path, layer, input, kernel, layer.strides, layer.dilation, layer.padding
        )
    if windows.dilation != (1, 1):
        found = f"dilation {windows.dilation}"
        raise UnsupportedError(where=plan.path, expected="no dilation in a recipe", found=found)
    return Window(windows.kernel, windows.strides, windows.padding)
