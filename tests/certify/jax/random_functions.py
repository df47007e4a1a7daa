"""Random functions in jax.numpy: a list of steps, each on two values drawn from those so far.

This module imports JAX: tests import it where they run, not where they are collected.
"""

# JAX annotates its own functions in part only, and traces lambdas.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownParameterType=false

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp

from certify.jax.cases import Array, Case, sines

Step = tuple[int, int, int]
"""Which of STEPS, and the places of its two operands among the values so far, modulo their number.
"""
SIDE = 4
SHAPE = (3, SIDE)
STEPS: Sequence[Callable[[Array, Array], Array]] = (
    lambda x, y: x + y,
    lambda x, y: x - y,
    lambda x, y: x * y,
    lambda x, y: x / (1 + y * y),
    lambda x, y: x @ (y.T @ x),
    lambda x, y: jnp.sin(x),
    lambda x, y: jnp.tanh(x),
    lambda x, y: jax.nn.sigmoid(x),
    lambda x, y: jnp.exp(-x * x),
    lambda x, y: jax.nn.relu(x),
    lambda x, y: jax.nn.softmax(x),
    lambda x, y: x - jnp.mean(x, 1, keepdims=True),
    lambda x, y: x * jnp.sum(y, 0),
    lambda x, y: jnp.log1p(x * x),
    lambda x, y: jnp.sqrt(x * x + 1),
    lambda x, y: jnp.where(x > 0, y, x),
    lambda x, y: jnp.concatenate([x[:, 1:], y[:, :1]], 1),
    lambda x, y: x[::-1, ::-1] * 0.5,
    lambda x, y: jnp.cumsum(x, 1),
    lambda x, y: x.T.reshape(SHAPE),
    lambda x, y: jnp.pad(x[1:, :], ((0, 1), (0, 0))),
)
"""What a step may compute from two arrays of one shape."""


def random_case(steps: Sequence[Step]) -> Case:
    """Return the function of two arguments that the steps compute, summed up by sines."""

    def function(x: Array, y: Array) -> Array:
        values = [x, y]
        for kind, left, right in steps:
            step = STEPS[kind % len(STEPS)]
            values.append(step(values[left % len(values)], values[right % len(values)]))
        return sines(values[-1])

    return Case("random", function, (SHAPE, SHAPE))
