"""What a function to differentiate is, and the sums that make a scalar of a tensor.

This module imports JAX: tests import it where they run, not where they are collected.
"""

# JAX annotates its own functions in part only, and traces lambdas.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownParameterType=false

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

Array = Any
"""A JAX array or tracer."""


@dataclass(frozen=True, slots=True)
class Case:
    """A scalar function and the shapes of its arguments, floats first, then integers."""

    name: str
    function: Callable[..., Array]
    shapes: tuple[tuple[int, ...], ...]
    integers: tuple[tuple[int, ...], ...] = ()

    def text(self) -> str:
        """Return the text of value and gradients with respect to the float arguments."""
        places = tuple(range(len(self.shapes)))
        floats = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in self.shapes]
        integers = [jax.ShapeDtypeStruct(shape, jnp.int32) for shape in self.integers]
        graded = jax.value_and_grad(self.function, argnums=places)
        return jax.jit(graded, keep_unused=True).lower(*floats, *integers).as_text()


def squared_convolution(x: Array, w: Array, **options: Array) -> Array:
    """Return the sum of squares of a convolution, NCHW and OIHW."""
    stride = options.pop("stride", (1, 1))
    padding = options.pop("padding", "SAME")
    y = lax.conv_general_dilated(
        x, w, stride, padding, dimension_numbers=("NCHW", "OIHW", "NCHW"), **options
    )
    return jnp.sum(jnp.square(y))


def summed(function: Callable[..., Array]) -> Callable[..., Array]:
    """Return the sum of squares of a pointwise function."""
    return lambda *x: jnp.sum(jnp.square(function(*x)))


def squares(x: Array) -> Array:
    """Return the sum of squares."""
    return jnp.sum(jnp.square(x))


def sines(x: Array) -> Array:
    """Return the sum of sines."""
    return jnp.sum(jnp.sin(x))


PICTURE = (2, 3, 7, 6)
"""Extents of a batch of pictures, NCHW."""
PAIR = ((4, 5), (4, 5))
"""Shapes of two arguments that are alike."""
