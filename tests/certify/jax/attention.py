"""Attention of many kinds.

This module imports JAX: tests import it where they run, not where they are collected.
"""

# JAX annotates its own functions in part only, and traces lambdas.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownParameterType=false

import jax
import jax.numpy as jnp
import numpy as np

from certify.jax.cases import Array, Case, sines


def weighed(scores: Array, v: Array) -> Array:
    """Return the sum of sines of values averaged by the softmax of scores."""
    return sines(jnp.einsum("bqk,bkd->bqd", jax.nn.softmax(scores), v))


def products(q: Array, k: Array) -> Array:
    """Return the scores of one head."""
    return jnp.einsum("bqd,bkd->bqk", q, k)


def grouped_causal(q: Array, k: Array, v: Array) -> Array:
    """Causal attention in which groups of queries share keys, heads last."""
    s = jnp.einsum("bngrd,bmgd->bgrnm", q, k) / np.float32(np.sqrt(q.shape[-1]))
    causal = jnp.tril(jnp.ones((q.shape[1], k.shape[1]), bool))
    s = jnp.where(causal, s, jnp.finfo(jnp.float32).min)
    return sines(jnp.einsum("bgrnm,bmgd->bngrd", jax.nn.softmax(s), v))


def multi_query(q: Array, k: Array, v: Array) -> Array:
    """Attention in which all heads share keys and values."""
    s = jnp.einsum("bhqd,bkd->bhqk", q, k) * 0.5
    return sines(jnp.einsum("bhqk,bkd->bhqd", jax.nn.softmax(s), v))


def apart(n: int) -> Array:
    """Return the distances i - j."""
    i = jnp.arange(n)
    return i[:, None] - i[None, :]


def sliding(q: Array, k: Array, v: Array) -> Array:
    """Causal attention to the last two positions."""
    d = apart(q.shape[1])
    return weighed(jnp.where((d >= 0) & (d < 2), products(q, k), -1e9), v)


def local(q: Array, k: Array, v: Array) -> Array:
    """Attention to neighbours, all others at minus infinity."""
    return weighed(jnp.where(jnp.abs(apart(q.shape[1])) < 2, products(q, k), -jnp.inf), v)


def literal_mask(q: Array, k: Array, v: Array) -> Array:
    """Causal attention with a mask that is a literal."""
    mask = np.tril(np.ones((q.shape[1], k.shape[1]), bool))
    return weighed(jnp.where(mask, products(q, k), -1e9), v)


def biased(q: Array, k: Array, v: Array) -> Array:
    """Attention with biases by distance to both sides."""
    slopes = jnp.array([0.5, 0.25, 0.125])
    bias = -jnp.abs(apart(q.shape[2])) * slopes[:, None, None]
    s = jnp.einsum("bhqd,bhkd->bhqk", q, k) / np.float32(np.sqrt(q.shape[-1])) + bias
    return sines(jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(s), v))


def crossing(x: Array, y: Array, wq: Array, wk: Array, wv: Array, wo: Array) -> Array:
    """Attention of one sequence to another, with projections and two heads."""

    def heads(t: Array) -> Array:
        return t.reshape(t.shape[0], t.shape[1], 2, -1).transpose(0, 2, 1, 3)

    q, k, v = heads(x @ wq), heads(y @ wk), heads(y @ wv)
    p = jax.nn.softmax(q @ k.transpose(0, 1, 3, 2) / np.float32(np.sqrt(q.shape[-1])))
    return sines((p @ v).transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[1], -1) @ wo)


def capped(q: Array, k: Array, v: Array) -> Array:
    """Attention whose scores are bounded by a hyperbolic tangent."""
    return weighed(30.0 * jnp.tanh(products(q, k) / 30.0), v)


def normalised(q: Array, k: Array, v: Array, g: Array) -> Array:
    """Attention of queries and keys of one size."""

    def scaled(x: Array) -> Array:
        return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * g

    return weighed(products(scaled(q), scaled(k)), v)


def sink(q: Array, k: Array, v: Array, score: Array) -> Array:
    """Attention that may look at nothing."""
    first = jnp.broadcast_to(score, (q.shape[0], q.shape[1], 1))
    p = jax.nn.softmax(jnp.concatenate([first, products(q, k)], -1))[..., 1:]
    return sines(jnp.einsum("bqk,bkd->bqd", p, v))


def interleaved(x: Array) -> Array:
    """Rotate pairs of neighbouring features by their positions."""
    angle = jnp.arange(float(x.shape[-2]))[:, None] * jnp.array([1.0, 0.1])
    a, b, cos, sin = x[..., ::2], x[..., 1::2], jnp.cos(angle), jnp.sin(angle)
    return sines(jnp.stack([a * cos - b * sin, b * cos + a * sin], -1).reshape(x.shape))


_THREE = ((2, 5, 3),) * 3

ATTENTION = (
    Case("gqa-causal-einsum", grouped_causal, ((2, 4, 2, 3, 5), (2, 4, 2, 5), (2, 4, 2, 5))),
    Case("multi-query", multi_query, ((2, 3, 4, 5), (2, 4, 5), (2, 4, 5))),
    Case("sliding-window", sliding, _THREE),
    Case("local-attention-infinite", local, _THREE),
    Case("attention-literal-mask", literal_mask, _THREE),
    Case("alibi-symmetric", biased, ((2, 3, 4, 5),) * 3),
    Case("cross-attention", crossing, ((2, 3, 4), (2, 5, 4), (4, 6), (4, 6), (4, 6), (6, 4))),
    Case("attention-capped", capped, _THREE),
    Case("attention-normalised", normalised, (*_THREE, (3,))),
    Case("attention-sink", sink, (*_THREE, (1,))),
    Case("rotary-interleaved", interleaved, ((2, 5, 4),)),
    Case(
        "softmax-where",
        lambda x: sines(jax.nn.softmax(x, where=jnp.tril(jnp.ones((5, 5), bool)))),
        ((5, 5),),
    ),
)
"""The functions of this kind."""
