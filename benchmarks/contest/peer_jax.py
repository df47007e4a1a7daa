"""Contestant: JAX as its users write it: jit of value_and_grad, optax's adam, donated state."""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from .recipe import Arrays, Recipe, Stage, channels_last_rows, read
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
    for stage in recipe.stages:
        weight = f"{stage.name}.weight"
        if stage.kind == "conv":
            own[weight] = np.ascontiguousarray(own[weight].transpose(2, 3, 1, 0))
        elif stage.kind == "flatten":
            flattened = stage.shape
        elif stage.kind == "dense" and len(flattened) == 3:
            own[weight] = channels_last_rows(own[weight], flattened)
            flattened = ()
    return own


def forward(
    recipe: Recipe, layout: str, p: Tensor, statistics: Tensor, x: Tensor
) -> tuple[Tensor, Tensor]:
    """Return logits and the new running statistics."""
    new: dict[str, Tensor] = {}
    for stage in recipe.stages:
        x = _apply(recipe, layout, stage, p, statistics, new, x)
    return x, new


def _apply(
    recipe: Recipe, layout: str, stage: Stage, p: Tensor, statistics: Tensor, new: Tensor, x: Tensor
) -> Tensor:
    channel = layout.index("C")
    if stage.kind == "conv":
        kernel = "OIHW" if layout == "NCHW" else "HWIO"
        y = jax.lax.conv_general_dilated(
            x, p[f"{stage.name}.weight"], (1, 1), "SAME", dimension_numbers=(layout, kernel, layout)
        )
        return y + _channels(p[f"{stage.name}.bias"], channel) if stage.has_bias else y
    if stage.kind == "bn":
        return _batch_norm(recipe, channel, stage, p, statistics, new, x)
    if stage.kind == "relu":
        return jax.nn.relu(x)
    if stage.kind == "maxpool":
        window = tuple(stage.kernel if axis in "HW" else 1 for axis in layout)
        return jax.lax.reduce_window(x, -np.inf, jax.lax.max, window, window, "VALID")
    if stage.kind == "flatten":
        return x.reshape(recipe.batch, -1)
    return x @ p[f"{stage.name}.weight"] + p[f"{stage.name}.bias"]


def _channels(vector: Tensor, channel: int) -> Tensor:
    return vector.reshape([-1 if axis == channel else 1 for axis in range(4)])


def _batch_norm(
    recipe: Recipe,
    channel: int,
    stage: Stage,
    p: Tensor,
    statistics: Tensor,
    new: Tensor,
    x: Tensor,
) -> Tensor:
    axes = tuple(axis for axis in range(4) if axis != channel)
    mean, var = x.mean(axes), x.var(axes)
    count = x.size // x.shape[channel]
    for name, value in (("running_mean", mean), ("running_var", var * (count / (count - 1)))):
        old = statistics[f"{stage.name}.{name}"]
        new[f"{stage.name}.{name}"] = recipe.bn_decay * old + (1 - recipe.bn_decay) * value
    xhat = (x - _channels(mean, channel)) * _channels(
        jax.lax.rsqrt(var + recipe.bn_epsilon), channel
    )
    weight, bias = p[f"{stage.name}.weight"], p[f"{stage.name}.bias"]
    return xhat * _channels(weight, channel) + _channels(bias, channel)


def main(folder: Path, layout: str) -> None:
    """Build the step of the recipe and serve."""
    recipe, start = read(folder)
    everything = {n: jnp.array(a) for n, a in parameters(recipe, start, layout).items()}
    statistics = {n: a for n, a in everything.items() if "running_" in n}
    p = {n: a for n, a in everything.items() if n not in statistics}
    adam = optax.adam(recipe.lr, recipe.beta1, recipe.beta2, recipe.epsilon)

    def loss(p: Tensor, statistics: Tensor, x: Tensor, y: Tensor) -> Tensor:
        logits, new = forward(recipe, layout, p, statistics, x)
        losses = optax.softmax_cross_entropy_with_integer_labels(logits, y)
        return losses.mean(), new

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
