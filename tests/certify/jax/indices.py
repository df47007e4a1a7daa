"""Gathers, scatters, segments, and scans that go by halves.

This module imports JAX: tests import it where they run, not where they are collected.
"""

# JAX annotates its own functions in part only, and traces lambdas.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownParameterType=false

import jax
import jax.numpy as jnp
from jax import lax

from certify.jax.cases import Array, Case, sines, squares


def mean_by_segment(x: Array, i: Array) -> Array:
    """Average the rows of each segment, those of an empty one to 0."""
    count = jax.ops.segment_sum(jnp.ones(x.shape[:1]), i, 3)
    return sines(jax.ops.segment_sum(x, i, 3) / jnp.maximum(count, 1.0)[:, None])


def messages(x: Array, w: Array, source: Array, target: Array) -> Array:
    """Sum what the nodes of a graph send along its edges."""
    return sines(jax.ops.segment_sum(jnp.tanh(x @ w)[source], target, 4))


def halves(a: Array, b: Array) -> Array:
    """A linear recurrence by a scan that goes by halves."""

    def join(left: tuple[Array, Array], right: tuple[Array, Array]) -> tuple[Array, Array]:
        return left[0] * right[0], left[1] * right[0] + right[1]

    return sines(lax.associative_scan(join, (a, b), axis=0)[1])


def ignored(logits: Array, labels: Array) -> Array:
    """Cross-entropy that leaves the label -1 out."""
    counted = labels != -1
    logs = jax.nn.log_softmax(logits)[jnp.arange(len(labels)), jnp.where(counted, labels, 0)]
    return -jnp.sum(jnp.where(counted, logs, 0)) / jnp.maximum(jnp.sum(counted), 1)


def masked_mean(x: Array, mask: Array) -> Array:
    """Average what a mask keeps."""
    return jnp.sum(jnp.where(mask > 0, jnp.sin(x), 0)) / jnp.maximum(jnp.sum(mask > 0), 1)


def margins(x: Array, i: Array) -> Array:
    """Hinge loss of several classes."""
    right = x[jnp.arange(len(i)), i][:, None]
    return jnp.mean(jnp.sum(jnp.maximum(0, 1 + x - right), 1) - 1)


_ROWS, _PICK = ((6, 2), (3, 2)), ((3,),)

LONG_SCAN = Case("long-scan", lambda x: sines(lax.cumlogsumexp(x, 1)), ((1, 17),))
"""A scan of seventeen pieces, which takes several seconds."""

INDICES = (
    Case("cumulative-product-5", lambda x: sines(jnp.cumprod(x, 1)), ((2, 5),)),
    Case("cumulative-maximum", lambda x: sines(lax.cummax(x, 1)), ((3, 4),)),
    Case("cumulative-logsumexp", lambda x: sines(lax.cumlogsumexp(x, 1)), ((3, 4),)),
    Case("cumulative-logsumexp-3", lambda x: squares(lax.cumlogsumexp(x, 1)), ((2, 3),)),
    Case("cumulative-logsumexp-8", lambda x: sines(lax.cumlogsumexp(x, 1)), ((1, 8),)),
    Case(
        "cumulative-logsumexp-reversed",
        lambda x: sines(lax.cumlogsumexp(x, 0, reverse=True)),
        ((5, 2),),
    ),
    Case("associative-scan", halves, ((4, 3), (4, 3))),
    Case("cumulative-sum-2d", lambda x: sines(jnp.cumsum(jnp.cumsum(x, 0), 1)), ((3, 4),)),
    Case("segment-mean", mean_by_segment, ((6, 4),), ((6,),)),
    Case("segment-max", lambda x, i: sines(jax.ops.segment_max(x, i, 3)), ((6, 4),), ((6,),)),
    Case("message-passing", messages, ((4, 3), (3, 5)), ((6,), (6,))),
    Case("scatter-add-drop", lambda x, y, i: sines(x.at[i].add(y, mode="drop")), _ROWS, _PICK),
    Case(
        "scatter-add-inside",
        lambda x, y, i: sines(x.at[i].add(y, mode="promise_in_bounds")),
        _ROWS,
        _PICK,
    ),
    Case("scatter-add-2d", lambda x, y, i, j: sines(x.at[i, j].add(y)), ((5, 6), (3,)), _PICK * 2),
    Case("scatter-add-fixed", lambda x, y: sines(x.at[jnp.array([0, 2, 5])].add(y)), _ROWS),
    Case("scatter-set-fixed", lambda x, y: sines(x.at[jnp.array([0, 2, 5])].set(y)), _ROWS),
    Case("scatter-set-one", lambda x, y, i: sines(x.at[i].set(y)), ((6, 2), (2,)), ((),)),
    Case("scatter-multiply", lambda x, y: sines(x.at[1:3].multiply(y)), ((6, 2), (2, 2))),
    Case("scatter-max", lambda x, y, i: sines(x.at[i].max(y)), _ROWS, _PICK),
    Case(
        "take-along-axis-clipped",
        lambda x, i: sines(jnp.take_along_axis(x, i, axis=1, mode="clip")),
        ((4, 5),),
        ((4, 2),),
    ),
    Case("take-columns", lambda x, i: sines(jnp.take(x, i, axis=1)), ((4, 6),), _PICK),
    Case("take-clipped", lambda x, i: sines(jnp.take(x, i, axis=0, mode="clip")), ((6, 4),), _PICK),
    Case("gather-outer", lambda x, i, j: sines(x[i[:, None], j[None]]), ((5, 6),), ((3,), (2,))),
    Case("index-one", lambda x, i: sines(x[i]), ((6, 4),), ((),)),
    Case(
        "dynamic-index",
        lambda x, i: sines(lax.dynamic_index_in_dim(x, i, 0, keepdims=False)),
        ((6, 4),),
        ((),),
    ),
    Case(
        "dynamic-update-in-dim",
        lambda x, y, i: sines(lax.dynamic_update_slice_in_dim(x, y, i, 1)),
        ((3, 6), (3, 2)),
        ((),),
    ),
    Case("top-k", lambda x: sines(lax.top_k(x, 2)[0]), ((4, 5),)),
    Case(
        "greater-than-others",
        lambda x: sines(jnp.sum(x[:, :, None] * (x[:, :, None] > x[:, None, :]), 2)),
        ((3, 4),),
    ),
    Case("cross-entropy-ignored", ignored, ((4, 5),), ((4,),)),
    Case("masked-mean", masked_mean, ((4, 5),), ((4, 5),)),
    Case("multi-class-hinge", margins, ((4, 5),), ((4,),)),
    Case(
        "one-hot-squares",
        lambda x, i: squares(jax.nn.sigmoid(x) - jax.nn.one_hot(i, 5)),
        ((4, 5),),
        ((4,),),
    ),
)
"""The functions of this kind."""
