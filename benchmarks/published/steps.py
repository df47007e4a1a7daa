"""Train steps of the nets as JAX lowers them, and AdamW as its paper states it."""

# JAX annotates its own functions in part only.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp

from published.blocks import Array, Weights, cross_entropy

Net = Callable[[Weights, Array], Array]
BETA1, BETA2, EPSILON, DECAY = 0.9, 0.999, 1e-8, 0.05
SIDE = 224


@dataclass(frozen=True, slots=True)
class Step:
    """A text that returns the loss, a gradient per parameter, then what its rule returns."""

    text: str
    parameters: int
    rule: str = ""
    """A text of what (gradients, parameters, moments, rate, step) are updated to; "": nothing."""


def gradients(net: Net, batch: int) -> Step:
    """Return value and gradients of the mean cross-entropy."""
    shapes = _shapes(net, batch)
    text = jax.jit(jax.value_and_grad(_loss(net))).lower(shapes, *_batch(batch)).as_text()
    return Step(text, len(shapes))


def adamw_step(net: Net, batch: int) -> Step:
    """Return value, gradients, new parameters and new moments of one step of AdamW."""
    shapes = _shapes(net, batch)

    def step(
        theta: list[Array], x: Array, y: Array, m: list[Array], v: list[Array], lr: Array, t: Array
    ) -> tuple[Array, ...]:
        loss, grads = jax.value_and_grad(_loss(net))(theta, x, y)
        m = [BETA1 * a + (1 - BETA1) * g for a, g in zip(m, grads, strict=True)]
        v = [BETA2 * a + (1 - BETA2) * g * g for a, g in zip(v, grads, strict=True)]
        first, second = 1 - BETA1**t, 1 - BETA2**t
        new = [
            p * (1 - lr * DECAY) - lr / first * a / (jnp.sqrt(b / second) + EPSILON)
            for p, a, b in zip(theta, m, v, strict=True)
        ]
        return loss, grads, new, m, v

    scalar = jax.ShapeDtypeStruct((), jnp.float32)
    lowered = jax.jit(step).lower(shapes, *_batch(batch), shapes, shapes, scalar, scalar)
    return Step(lowered.as_text(), len(shapes), _adamw_rule(shapes))


def _adamw_rule(arrays: Sequence[Array]) -> str:
    """Return the text of algorithm 2 of Loshchilov and Hutter, 2019: (g, theta, m, v, lr, t)."""

    def rule(
        g: list[Array], theta: list[Array], m: list[Array], v: list[Array], lr: Array, t: Array
    ) -> tuple[list[Array], ...]:
        m = [BETA1 * a + (1 - BETA1) * d for a, d in zip(m, g, strict=True)]
        v = [BETA2 * a + (1 - BETA2) * d**2 for a, d in zip(v, g, strict=True)]
        new: list[Array] = []
        for p, a, b in zip(theta, m, v, strict=True):
            unbiased, size = a / (1 - BETA1**t), jnp.sqrt(b / (1 - BETA2**t))
            new.append(p - lr * (unbiased / (size + EPSILON) + DECAY * p))
        return new, m, v

    scalar = jax.ShapeDtypeStruct((), jnp.float32)
    return jax.jit(rule).lower(*(arrays,) * 4, scalar, scalar).as_text()


def _loss(net: Net) -> Callable[[list[Array], Array, Array], Array]:
    return lambda theta, x, y: cross_entropy(net(Weights(theta), x), y)


def _batch(batch: int) -> tuple[Array, Array]:
    pictures = jax.ShapeDtypeStruct((batch, SIDE, SIDE, 3), jnp.float32)
    return pictures, jax.ShapeDtypeStruct((batch,), jnp.int32)


def _shapes(net: Net, batch: int) -> list[Array]:
    weights = Weights()
    jax.eval_shape(partial(net, weights), _batch(batch)[0])
    return [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in weights.shapes]
