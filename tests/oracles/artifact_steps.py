"""The published train steps said once more, in JAX and by names of parameters only.

Nothing here knows a layer, a net or a program of the package: a net is the number of convolutions
per pool and of dense layers, read off the names W1, cb1, g1, bt1, ….
"""

# Stubs of jax are partial.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportMissingParameterType=false, reportUntypedFunctionDecorator=false

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

Arrays = Mapping[str, np.ndarray]
EPSILON = 1e-5
RATE, BETA1, BETA2, ADAM_EPSILON, DECAY, MU = 0.1, 0.9, 0.999, 1e-8, 1e-4, 0.9


@dataclass(frozen=True, slots=True)
class Stated:
    """A net: its digits, how many convolutions stand before each pool, what a picture is."""

    digits: str
    stages: Sequence[int]
    picture: tuple[int, int, int]
    bias: str = "b"
    norm: bool = False
    bf16: bool = False

    def logits(self, p: Mapping[str, jax.Array], x: jax.Array) -> jax.Array:
        """Return the outputs for rows x."""
        x = x.reshape(-1, *self.picture)
        digits = iter(self.digits)
        for count in self.stages:
            for digit in [next(digits) for _ in range(count)]:
                x = self._convolution(x, p[f"W{digit}"])
                x = x + p[f"{self.bias}{digit}"][None, :, None, None]
                if self.norm:
                    x = _normalised(x, p[f"g{digit}"], p[f"bt{digit}"])
                x = jnp.maximum(x, 0)
            x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
        x = x.reshape(x.shape[0], -1)
        rest = list(digits)
        for digit in rest:
            x = x @ p[f"W{digit}"] + p[f"b{digit}"]
            x = x if digit == rest[-1] else jnp.maximum(x, 0)
        return x

    def loss(self, p: Mapping[str, jax.Array], x: jax.Array, onehot: jax.Array) -> jax.Array:
        """Return the mean cross-entropy."""
        return -jnp.mean(jnp.sum(onehot * jax.nn.log_softmax(self.logits(p, x)), axis=1))

    def _convolution(self, x: jax.Array, w: jax.Array) -> jax.Array:
        return _rounded_convolution(x, w) if self.bf16 else _convolution(x, w)


def _convolution(x: jax.Array, w: jax.Array) -> jax.Array:
    return lax.conv_general_dilated(
        x, w, (1, 1), "SAME", dimension_numbers=("NCHW", "OIHW", "NCHW")
    )


def _normalised(x: jax.Array, g: jax.Array, bt: jax.Array) -> jax.Array:
    mean = jnp.mean(x, axis=(2, 3), keepdims=True)
    variance = jnp.mean((x - mean) ** 2, axis=(2, 3), keepdims=True)
    shape = (1, -1, 1, 1)
    return g.reshape(shape) * (x - mean) / jnp.sqrt(variance + EPSILON) + bt.reshape(shape)


def _bf16(x: jax.Array) -> jax.Array:
    return lax.reduce_precision(x, 8, 7)


@jax.custom_vjp
def _rounded_convolution(x: jax.Array, w: jax.Array) -> jax.Array:
    """Both operands and the result rounded, forward and in both products of the backward."""
    return _bf16(_convolution(_bf16(x), _bf16(w)))


def _forward(x: jax.Array, w: jax.Array) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
    return _rounded_convolution(x, w), (_bf16(x), _bf16(w))


def _backward(kept: tuple[jax.Array, jax.Array], dy: jax.Array) -> tuple[jax.Array, jax.Array]:
    _, pull = jax.vjp(_convolution, *kept)
    dx, dw = pull(_bf16(dy))
    return _bf16(dx), _bf16(dw)


_rounded_convolution.defvjp(_forward, _backward)


def gradients(net: Stated, given: Arrays, parameters: Sequence[str]) -> tuple[float, Arrays]:
    """Return loss and gradient by parameter."""
    p = {name: jnp.asarray(given[name]) for name in parameters}
    value, found = jax.jit(jax.value_and_grad(net.loss))(
        p, jnp.asarray(given["x"]), jnp.asarray(given["onehot"])
    )
    return float(value), {name: np.asarray(g, np.float64) for name, g in found.items()}


Rule = Callable[[str, Arrays, Arrays], Arrays]


def fused(name: str, given: Arrays, g: Arrays) -> Arrays:
    """Gradient descent at the baked rate."""
    return {name: given[name] - RATE * g[name]}


def sgd(name: str, given: Arrays, g: Arrays) -> Arrays:
    """Gradient descent; m and v pass."""
    new = given[name] - given["lr"] * g[name]
    return {name: new, f"{name}m": given[f"{name}m"], f"{name}v": given[f"{name}v"]}


def mom(name: str, given: Arrays, g: Arrays) -> Arrays:
    """Nesterov; the velocity is in the place of v."""
    v = MU * given[f"{name}v"] + g[name]
    new = given[name] - given["lr"] * (g[name] + MU * v)
    return {name: new, f"{name}m": given[f"{name}m"], f"{name}v": v}


def adam(name: str, given: Arrays, g: Arrays) -> Arrays:
    """AdamW with the decay on everything."""
    m = BETA1 * given[f"{name}m"] + (1 - BETA1) * g[name]
    v = BETA2 * given[f"{name}v"] + (1 - BETA2) * g[name] ** 2
    step = m / given["bc1"] / (np.sqrt(v / given["bc2"]) + ADAM_EPSILON)
    new = given[name] - given["lr"] * step - DECAY * given["lr"] * given[name]
    return {name: new, f"{name}m": m, f"{name}v": v}
