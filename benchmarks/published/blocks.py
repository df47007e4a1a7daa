"""Layers that the published nets are built of, NHWC, and the weights that they ask for."""

# JAX annotates its own functions in part only.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

Array = Any
"""A JAX array or tracer."""
Activation = Callable[[Array], Array]


class Weights:
    """Hands out parameters in the order in which a net asks; without values it notes shapes."""

    def __init__(self, values: Sequence[Array] | None = None) -> None:
        self._values = values
        self.shapes: list[tuple[int, ...]] = []

    def __call__(self, *shape: int) -> Array:
        """Return the next parameter, which has this shape."""
        self.shapes.append(shape)
        return jnp.zeros(shape) if self._values is None else self._values[len(self.shapes) - 1]


def conv(x: Array, w: Array, stride: int = 1, groups: int = 1, padding: str = "SAME") -> Array:
    """Convolve [N, H, W, C] with [KH, KW, C / groups, O]."""
    return lax.conv_general_dilated(
        x,
        w,
        (stride, stride),
        padding,
        feature_group_count=groups,
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
    )


def batch_norm(x: Array, gamma: Array, beta: Array) -> Array:
    """Normalise by the statistics of batch and space."""
    mean = jnp.mean(x, (0, 1, 2))
    variance = jnp.mean(jnp.square(x - mean), (0, 1, 2))
    return (x - mean) * lax.rsqrt(variance + 1e-5) * gamma + beta


def layer_norm(x: Array, gamma: Array, beta: Array) -> Array:
    """Normalise by the statistics of the last dimension."""
    mean = jnp.mean(x, -1, keepdims=True)
    variance = jnp.mean(jnp.square(x - mean), -1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-6) * gamma + beta


def conv_bn(
    p: Weights,
    x: Array,
    out: int,
    kernel: int,
    stride: int = 1,
    groups: int = 1,
    act: Activation | None = None,
) -> Array:
    """Convolve, normalise over the batch, activate."""
    weight = p(kernel, kernel, x.shape[-1] // groups, out)
    y = batch_norm(conv(x, weight, stride, groups), p(out), p(out))
    return y if act is None else act(y)


def dense(p: Weights, x: Array, out: int) -> Array:
    """Return x W + b over the last dimension."""
    return x @ p(x.shape[-1], out) + p(out)


def cross_entropy(logits: Array, labels: Array) -> Array:
    """Return the mean softmax cross-entropy of integer labels."""
    hot = jax.nn.one_hot(labels, logits.shape[-1])
    return -jnp.mean(jnp.sum(hot * jax.nn.log_softmax(logits), -1))
