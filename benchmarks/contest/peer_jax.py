"""Contestant: JAX as its users write it: jit of value_and_grad, optax's adam, donated state."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from .recipe import Arrays, Recipe, Stage, channels_last_rows, every, read
from .slices import serve

# Untyped at this edge; nothing but this file looks inside.
jax: Any = import_module("jax")
jnp: Any = import_module("jax.numpy")
optax: Any = import_module("optax")
Tensor = Any


def parameters(recipe: Recipe, start: Arrays, layout: str) -> Arrays:
    """Return parameters and statistics in the layout's own order."""
    own = {name: array for name, array in start.items() if name not in ("x", "y")}
    if layout == "NCHW":
        return own
    flattened: tuple[int, ...] = ()
    for stage in every(recipe.stages):
        weight = f"{stage.name}.weight"
        if stage.kind == "conv":
            own[weight] = np.ascontiguousarray(own[weight].transpose(2, 3, 1, 0))
        elif stage.kind == "flatten":
            flattened = stage.shape
        elif stage.kind == "dense" and len(flattened) == 3:
            own[weight] = channels_last_rows(own[weight], flattened)
            flattened = ()
    return own


ACTIVATIONS = {
    "relu": jax.nn.relu,
    "relu6": jax.nn.relu6,
    "swish": jax.nn.swish,
    "sigmoid": jax.nn.sigmoid,
    "hard-swish": jax.nn.hard_swish,
    "hard-sigmoid": jax.nn.hard_sigmoid,
    "gelu-erf": partial(jax.nn.gelu, approximate=False),
}


@dataclass(frozen=True, slots=True)
class Forward:
    """One forward pass: parameters, statistics, and the new statistics as they are found."""

    layout: str
    p: Tensor
    statistics: Tensor
    new: Tensor

    def chain(self, stages: Sequence[Stage], x: Tensor) -> Tensor:
        """Return what stages make of x."""
        for stage in stages:
            x = self._apply(stage, x)
        return x

    def _apply(self, stage: Stage, x: Tensor) -> Tensor:
        match stage.kind:
            case "conv":
                return self._convolution(stage, x)
            case "bn":
                return self._batch_norm(stage, x)
            case "ln":
                axis = self.layout.index("C")
                mean, var = x.mean(axis, keepdims=True), x.var(axis, keepdims=True)
                xhat = (x - mean) * jax.lax.rsqrt(var + stage.epsilon)
                return xhat * self._channels(stage, "weight") + self._channels(stage, "bias")
            case "scale":
                return x * self._channels(stage, "weight")
            case "act":
                return ACTIVATIONS[stage.function](x)
            case "maxpool":
                return self._max_pool(stage, x)
            case "gap":
                return x.mean(tuple(self.layout.index(axis) for axis in "HW"))
            case "residual":
                left, right = (self.chain(branch, x) for branch in stage.branches)
                return left + right
            case "gate":
                return x * self._spread(self.chain(stage.branches[0], x))
            case "flatten":
                return x.reshape(x.shape[0], -1)
            case _:
                return x @ self.p[f"{stage.name}.weight"] + self.p[f"{stage.name}.bias"]

    def _convolution(self, stage: Stage, x: Tensor) -> Tensor:
        y = jax.lax.conv_general_dilated(
            x,
            self.p[f"{stage.name}.weight"],
            stage.reads.strides,
            stage.reads.padding,
            dimension_numbers=(
                self.layout,
                "OIHW" if self.layout == "NCHW" else "HWIO",
                self.layout,
            ),
            feature_group_count=stage.groups,
        )
        return y + self._channels(stage, "bias") if stage.has_bias else y

    def _max_pool(self, stage: Stage, x: Tensor) -> Tensor:
        window, strides, padding = (
            tuple(outer if axis in "NC" else inner["HW".index(axis)] for axis in self.layout)
            for outer, inner in (
                (1, stage.reads.kernel),
                (1, stage.reads.strides),
                ((0, 0), stage.reads.padding),
            )
        )
        return jax.lax.reduce_window(x, -np.inf, jax.lax.max, window, strides, padding)

    def _batch_norm(self, stage: Stage, x: Tensor) -> Tensor:
        channel = self.layout.index("C")
        axes = tuple(axis for axis in range(4) if axis != channel)
        mean, var = x.mean(axes), x.var(axes)
        count = x.size // x.shape[channel]
        for name, value in (("running_mean", mean), ("running_var", var * (count / (count - 1)))):
            old = self.statistics[f"{stage.name}.{name}"]
            self.new[f"{stage.name}.{name}"] = stage.decay * old + (1 - stage.decay) * value
        xhat = (x - self._spread(mean)) * self._spread(jax.lax.rsqrt(var + stage.epsilon))
        return xhat * self._channels(stage, "weight") + self._channels(stage, "bias")

    def _channels(self, stage: Stage, name: str) -> Tensor:
        return self._spread(self.p[f"{stage.name}.{name}"])

    def _spread(self, vectors: Tensor) -> Tensor:
        """Return numbers per channel [C], or per picture and channel [B, C], at rank 4."""
        places = {"C": vectors.shape[-1], "N": vectors.shape[0] if vectors.ndim == 2 else 1}
        return vectors.reshape([places.get(axis, 1) for axis in self.layout])


def main(folder: Path, layout: str) -> None:
    """Build the step of the recipe and serve."""
    recipe, start = read(folder)
    everything = {n: jnp.array(a) for n, a in parameters(recipe, start, layout).items()}
    statistics = {n: a for n, a in everything.items() if "running_" in n}
    p = {n: a for n, a in everything.items() if n not in statistics}
    adam = optax.adam(recipe.lr, recipe.beta1, recipe.beta2, recipe.epsilon)

    def loss(p: Tensor, statistics: Tensor, x: Tensor, y: Tensor) -> Tensor:
        walk = Forward(layout, p, statistics, {})
        losses = optax.softmax_cross_entropy_with_integer_labels(walk.chain(recipe.stages, x), y)
        return losses.mean(), walk.new

    def update(p: Tensor, moments: Tensor, statistics: Tensor, x: Tensor, y: Tensor) -> Tensor:
        graded = jax.value_and_grad(loss, has_aux=True)(p, statistics, x, y)
        (value, new_statistics), gradients = graded
        changes, moments = adam.update(gradients, moments, p)
        return optax.apply_updates(p, changes), moments, new_statistics, value

    jitted = jax.jit(update, donate_argnums=(0, 1, 2))
    state: Tensor = (p, adam.init(p), statistics)
    x = start["x"]
    if layout == "NHWC" and x.ndim == 4:
        x = np.ascontiguousarray(x.transpose(0, 2, 3, 1))

    def step() -> float:
        nonlocal state
        *state, value = jitted(*state, x, start["y"])
        return float(value)

    serve(f"jax-{layout.lower()}", f"jax {jax.__version__}", step)
