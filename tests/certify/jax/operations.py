"""Einsums, reductions, indexing, padding and pointwise functions.

This module imports JAX: tests import it where they run, not where they are collected.
"""

# JAX annotates its own functions in part only, and traces lambdas.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownParameterType=false

import jax
import jax.numpy as jnp
from jax import lax

from certify.jax.cases import PAIR, Array, Case, sines, squares, summed


def cumulative_product(x: Array) -> Array:
    """Cumulative product."""
    return sines(jnp.cumprod(x, 1))


def segment_sum(x: Array, s: Array) -> Array:
    """Sum rows by segment."""
    return sines(jax.ops.segment_sum(x, s, 3))


def dynamic_slice(x: Array, i: Array) -> Array:
    """Rows from a computed place on."""
    return sines(lax.dynamic_slice_in_dim(x, i, 2, 0))


def dynamic_update(x: Array, y: Array, i: Array) -> Array:
    """Rows overwritten from a computed place on."""
    return sines(lax.dynamic_update_slice_in_dim(x, y, i, 0))


def winners(x: Array) -> Array:
    """Keep the largest entry of each row."""
    return squares(jnp.where(x == jnp.max(x, 1, keepdims=True), x, 0))


OPERATIONS = (
    Case("cumulative-product", cumulative_product, ((3, 4),)),
    Case("segment-sum", segment_sum, ((6, 4),), ((6,),)),
    Case("dynamic-slice", dynamic_slice, ((6, 4),), ((),)),
    Case("dynamic-update", dynamic_update, ((6, 4), (2, 4)), ((),)),
    Case("top-1", winners, ((4, 5),)),
    Case("outer", lambda a, b: sines(jnp.outer(a, b)), ((4,), (5,))),
    Case("einsum-trace", lambda a: jnp.sin(jnp.einsum("ii->", a)), ((4, 4),)),
    Case("einsum-diagonal", lambda a: sines(jnp.einsum("ii->i", a)), ((4, 4),)),
    Case(
        "einsum-chain",
        lambda a, b, c: sines(jnp.einsum("ij,jk,kl->il", a, b, c)),
        ((2, 3), (3, 4), (4, 5)),
    ),
    Case(
        "einsum-hadamard",
        lambda a, b: sines(jnp.einsum("bij,bij->bi", a, b)),
        ((2, 3, 4), (2, 3, 4)),
    ),
    Case("einsum-permute", lambda a: sines(jnp.einsum("abc->cab", a)), ((2, 3, 4),)),
    Case("kron", lambda a, b: sines(jnp.kron(a, b)), ((2, 3), (4, 5))),
    Case("batched-matmul", lambda a, b: sines(a @ b), ((2, 3, 4), (2, 4, 5))),
    Case(
        "quadratic-form", lambda x, a: sines(jnp.einsum("ni,ij,nj->n", x, a, x)), ((4, 3), (3, 3))
    ),
    Case("std", lambda x: jnp.sum(jnp.std(x, 1)), ((4, 5),)),
    Case("variance-ddof", lambda x: sines(jnp.var(x, 1, ddof=1)), ((4, 5),)),
    Case("logsumexp-axes", lambda x: sines(jax.nn.logsumexp(x, axis=(0, 2))), ((2, 3, 4),)),
    Case("softmax-axis0", lambda x: sines(jax.nn.softmax(x, axis=0)), ((4, 5),)),
    Case("softmax-temperature", lambda x, t: sines(jax.nn.softmax(x / t[0])), ((4, 5), (1,))),
    Case("prod", lambda x: sines(jnp.prod(x, 1)), ((4, 3),)),
    Case("min-over", lambda x: squares(jnp.min(x, 0)), ((4, 5),)),
    Case("minimum", summed(jnp.minimum), PAIR),
    Case("roll", lambda x: sines(x * jnp.roll(x, 2, 1)), ((4, 5),)),
    Case("flip", lambda x: sines(x * jnp.flip(x, 1)), ((4, 5),)),
    Case("strided-slice", lambda x: sines(x[:, 1::2] * x[::-1, ::2][:, :2]), ((4, 5),)),
    Case("pad-reflect", lambda x: sines(jnp.pad(x, ((1, 1), (2, 1)), mode="reflect")), ((4, 5),)),
    Case("pad-edge", lambda x: sines(jnp.pad(x, ((1, 1), (2, 1)), mode="edge")), ((4, 5),)),
    Case("pad-wrap", lambda x: sines(jnp.pad(x, ((1, 1), (2, 1)), mode="wrap")), ((4, 5),)),
    Case(
        "pad-symmetric", lambda x: sines(jnp.pad(x, ((1, 1), (2, 1)), mode="symmetric")), ((4, 5),)
    ),
    Case(
        "pad-constant",
        lambda x: sines(jnp.pad(x, ((1, 1), (2, 1)), constant_values=2.0)),
        ((4, 5),),
    ),
    Case("tile", lambda x: sines(jnp.tile(x, (2, 3))), ((2, 3),)),
    Case("stack-split", lambda x, y: sines(jnp.stack(jnp.split(x, 2, 1)) * y), ((4, 6), (2, 4, 3))),
    Case("concatenate", lambda x, y: sines(jnp.concatenate([x, y], 1)), ((4, 2), (4, 3))),
    Case(
        "take-along-axis",
        lambda x, i: sines(jnp.take_along_axis(x, i, 1, mode="clip")),
        ((4, 5),),
        ((4, 2),),
    ),
    Case("gather-nd", lambda x, i, j: sines(x[i, j]), ((4, 5),), ((3,), (3,))),
    Case("scatter-add", lambda x, y, i: sines(x.at[i].add(y)), ((6, 2), (3, 2)), ((3,),)),
    Case("scatter-set", lambda x, y: sines(x.at[1:3].set(y)), ((6, 2), (2, 2))),
    Case("one-hot-embed", lambda t, i: sines(jax.nn.one_hot(i, 7) @ t), ((7, 3),), ((4,),)),
    Case("tril", lambda x: sines(jnp.tril(x) @ x.T), ((4, 5),)),
    Case("triu", lambda x: sines(jnp.triu(x, 1)), ((4, 5),)),
    Case("diag", lambda x: sines(jnp.diag(x)), ((4,),)),
    Case(
        "where-guard",
        lambda x: jnp.sum(jnp.where(x > 0, jnp.log(jnp.where(x > 0, x, 1.0)), 0.0)),
        ((4, 5),),
    ),
    Case(
        "double-where-sqrt",
        lambda x: jnp.sum(jnp.where(x > 0, jnp.sqrt(jnp.where(x > 0, x, 1.0)), x)),
        ((4, 5),),
    ),
    Case("squareplus", summed(jax.nn.squareplus), ((4, 5),)),
    Case("celu", summed(jax.nn.celu), ((4, 5),)),
    Case("hard-tanh", summed(jax.nn.hard_tanh), ((4, 5),)),
    Case("soft-shrink", summed(lambda x: jnp.sign(x) * jax.nn.relu(jnp.abs(x) - 0.5)), ((4, 5),)),
    Case("tanh-shrink", summed(lambda x: x - jnp.tanh(x)), ((4, 5),)),
    Case("snake", summed(lambda x: x + jnp.sin(x) ** 2), ((4, 5),)),
    Case("gelu-quick", summed(lambda x: x * jax.nn.sigmoid(1.702 * x)), ((4, 5),)),
    Case("relu-squared", lambda x: jnp.sum(jax.nn.relu(x) ** 2), ((4, 5),)),
    Case("log-softmax", lambda x: sines(jax.nn.log_softmax(x)), ((4, 5),)),
    Case("sinc-free", summed(lambda x: jnp.sin(x) / (x * x + 1)), ((4, 5),)),
    Case("sinh-cosh", summed(lambda x: jnp.sinh(x) + jnp.cosh(x)), ((4, 5),)),
    Case("arctan", summed(jnp.arctan), ((4, 5),)),
    Case("exp2", summed(jnp.exp2), ((4, 5),)),
    Case("log2", summed(lambda x: jnp.log2(x * x + 1)), ((4, 5),)),
    Case("logaddexp", summed(jnp.logaddexp), PAIR),
    Case("reciprocal", summed(lambda x: 1 / (1 + x * x)), ((4, 5),)),
    Case("integer-power", summed(lambda x: x**3 - x**5), ((4, 5),)),
    Case("real-power", summed(lambda x: (x * x + 1) ** 1.7), ((4, 5),)),
    Case("sqrt-abs", summed(lambda x: jnp.sqrt(jnp.abs(x) + 1)), ((4, 5),)),
    Case(
        "polynomial", summed(lambda x: jnp.polyval(jnp.array([1.0, 2.0, -3.0, 0.5]), x)), ((4, 5),)
    ),
    Case("cumsum-reverse", lambda x: sines(lax.cumsum(x, 1, reverse=True)), ((3, 4),)),
    Case("cross", lambda a, b: sines(jnp.cross(a, b)), ((4, 3), (4, 3))),
    Case("convolve", lambda a, b: sines(jnp.convolve(a, b)), ((6,), (3,))),
    Case("correlate", lambda a, b: sines(jnp.correlate(a, b, mode="same")), ((6,), (3,))),
    Case("interp-mix", lambda a, b, t: sines(a * t + b * (1 - t)), ((4, 5), (4, 5), (5,))),
    Case("dot-scalar", lambda a, b: jnp.sin(jnp.vdot(a, b)), ((4,), (4,))),
    Case(
        "tensordot",
        lambda a, b: sines(jnp.tensordot(a, b, ((1, 2), (0, 1)))),
        ((2, 3, 4), (3, 4, 5)),
    ),
    Case("broadcast-add", lambda a, b: sines(a[:, None] + b[None]), ((4,), (5,))),
    Case("mean-all", lambda x: jnp.sin(jnp.mean(x)), ((4, 5),)),
    Case("cond-select", lambda x, p: squares(lax.select(p > 0, x, 2 * x)), ((4,),), ((4,),)),
    Case("cond", lambda x, p: squares(lax.cond(p > 0, jnp.sin, jnp.cos, x)), ((4,),), ((),)),
    Case("erf", summed(jax.scipy.special.erf), ((4, 5),)),
    Case("norm-logpdf", lambda x: jnp.sum(jax.scipy.stats.norm.logpdf(x)), ((4, 5),)),
    Case("det2", lambda a: jnp.sin(a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]), ((2, 2),)),
    Case("solve", lambda a, b: squares(jnp.linalg.solve(a, b)), ((3, 3), (3,))),
)
"""The functions of this kind."""
