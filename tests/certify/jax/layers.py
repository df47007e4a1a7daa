"""Layers: convolutions, attention, recurrences, gates, resizing.

This module imports JAX: tests import it where they run, not where they are collected.
"""

# JAX annotates its own functions in part only, and traces lambdas.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownParameterType=false

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from certify.jax.cases import PICTURE, Array, Case, sines, squared_convolution, squares


def separable(x: Array, d: Array, p: Array) -> Array:
    """A depthwise convolution and a pointwise one."""
    y = lax.conv_general_dilated(
        x, d, (1, 1), "SAME", feature_group_count=4, dimension_numbers=("NCHW", "OIHW", "NCHW")
    )
    return squares(
        lax.conv_general_dilated(
            jax.nn.relu6(y), p, (1, 1), "SAME", dimension_numbers=("NCHW", "OIHW", "NCHW")
        )
    )


def local_response(x: Array) -> Array:
    """Normalise by the squares of neighbouring channels."""
    s = lax.reduce_window(x * x, 0.0, lax.add, (1, 5, 1, 1), (1, 1, 1, 1), "SAME")
    return sines(x * (1 + 0.0001 * s) ** (-0.75))


def spectral_step(w: Array, u: Array) -> Array:
    """Divide a weight by its largest singular value, estimated by one step of power iteration."""
    v = w.T @ u
    v = v / jnp.sqrt(jnp.sum(v * v))
    t = w @ v
    s = jnp.dot(u, t) / 1.0
    return squares(w / s)


def scanned_gru(xs: Array, w: Array, u: Array) -> Array:
    """A gated recurrent unit, as a loop."""
    h0 = jnp.zeros((xs.shape[1], u.shape[0]))
    n = u.shape[0]

    def step(h: Array, x: Array) -> tuple[Array, Array]:
        a, b = (x @ w, h @ u)
        r = jax.nn.sigmoid(a[:, :n] + b[:, :n])
        z = jax.nn.sigmoid(a[:, n : 2 * n] + b[:, n : 2 * n])
        new = jnp.tanh(a[:, 2 * n :] + r * b[:, 2 * n :])
        h = (1 - z) * new + z * h
        return (h, h)

    _, hs = lax.scan(step, h0, xs)
    return squares(hs)


def layer_scale(x: Array, g: Array, w: Array) -> Array:
    """A residual branch scaled by channel."""
    return squares(x + g * jnp.tanh(x @ w))


def weight_standardised(x: Array, w: Array) -> Array:
    """A convolution with a standardised weight."""
    m = jnp.mean(w, (1, 2, 3), keepdims=True)
    v = jnp.var(w, (1, 2, 3), keepdims=True)
    return squared_convolution(x, (w - m) * lax.rsqrt(v + 1e-05))


def instance_norm(x: Array, g: Array, b: Array) -> Array:
    """Normalise over space."""
    m = jnp.mean(x, (2, 3), keepdims=True)
    v = jnp.var(x, (2, 3), keepdims=True)
    return sines((x - m) / jnp.sqrt(v + 1e-05) * g[:, None, None] + b[:, None, None])


def alibi(q: Array, k: Array, v: Array) -> Array:
    """Attention with linear biases by distance."""
    s = jnp.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(q.shape[-1]).astype(np.float32)
    n = q.shape[2]
    pos = (jnp.arange(n)[None, :] - jnp.arange(n)[:, None]).astype(jnp.float32)
    sl = 2.0 ** (-jnp.arange(1, q.shape[1] + 1).astype(jnp.float32))
    s = s + sl[:, None, None] * pos
    return sines(jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(s), v))


def grouped_query(q: Array, k: Array, v: Array) -> Array:
    """Attention in which groups of queries share keys."""
    b, h, n, d = q.shape
    g = k.shape[1]
    q = q.reshape(b, g, h // g, n, d)
    s = jnp.einsum("bghqd,bgkd->bghqk", q, k) / 2
    return sines(jnp.einsum("bghqk,bgkd->bghqd", jax.nn.softmax(s), v))


def repeated_keys(q: Array, k: Array, v: Array) -> Array:
    """The same with keys repeated."""
    r = q.shape[1] // k.shape[1]
    k, v = (jnp.repeat(k, r, 1), jnp.repeat(v, r, 1))
    s = jnp.einsum("bhqd,bhkd->bhqk", q, k) / 2
    return sines(jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(s), v))


def padded_attention(q: Array, k: Array, v: Array, mask: Array) -> Array:
    """Attention that leaves padded keys out."""
    s = jnp.einsum("bqd,bkd->bqk", q, k)
    s = jnp.where(mask[:, None, :] > 0, s, -1e30)
    return sines(jnp.einsum("bqk,bkd->bqd", jax.nn.softmax(s), v))


def library_attention(q: Array, k: Array, v: Array) -> Array:
    """Attention as JAX offers it."""
    return sines(jax.nn.dot_product_attention(q, k, v))


def library_causal(q: Array, k: Array, v: Array) -> Array:
    """The same, causal."""
    return sines(jax.nn.dot_product_attention(q, k, v, is_causal=True))


def pixel_shuffle(x: Array) -> Array:
    """Move channels into space."""
    n, c, h, w = x.shape
    return sines(
        x.reshape(n, c // 4, 2, 2, h, w)
        .transpose(0, 1, 4, 2, 5, 3)
        .reshape(n, c // 4, 2 * h, 2 * w)
    )


def experts(x: Array, g: Array, w: Array) -> Array:
    """A soft mixture of experts."""
    p = jax.nn.softmax(x @ g)
    y = jnp.einsum("nd,edf->nef", x, w)
    return squares(jnp.einsum("ne,nef->nf", p, jnp.tanh(y)))


def film(x: Array, s: Array, w: Array, b: Array) -> Array:
    """Scale and shift channels by a condition."""
    return sines(x * (s @ w)[:, :, None, None] + (s @ b)[:, :, None, None])


def skip_concatenation(x: Array, w: Array, u: Array) -> Array:
    """Down, up, and the input beside it."""
    d = jax.nn.relu(
        lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=("NCHW", "OIHW", "NCHW"))
    )
    up = jnp.repeat(jnp.repeat(d, 2, 2), 2, 3)
    c = jnp.concatenate([x, up], 1)
    return squares(
        lax.conv_general_dilated(c, u, (1, 1), "SAME", dimension_numbers=("NCHW", "OIHW", "NCHW"))
    )


def linear_attention(q: Array, k: Array, v: Array) -> Array:
    """Attention with a feature map in place of softmax."""

    def f(a: Array) -> Array:
        return jax.nn.elu(a) + 1

    kv = jnp.einsum("nd,ne->de", f(k), v)
    z = jnp.sum(f(k), 0)
    return sines(f(q) @ kv / (f(q) @ z)[:, None])


def state_space(x: Array, a: Array, b: Array, c: Array) -> Array:
    """A diagonal state space model, as a loop."""

    def step(h: Array, xt: Array) -> tuple[Array, Array]:
        h = jax.nn.sigmoid(a) * h + b * xt
        return (h, jnp.dot(h, c))

    _, y = lax.scan(step, jnp.zeros_like(a), x)
    return squares(y)


def chebyshev(x: Array) -> Array:
    """Chebyshev polynomials by their recurrence."""

    def step(c: Array, _: Array) -> tuple[Array, Array]:
        return ((c[1], 2 * x * c[1] - c[0]), None)

    last, _ = lax.scan(step, (jnp.ones_like(x), x), None, length=3)
    return jnp.sum(last[1])


def counted_loop(x: Array, w: Array) -> Array:
    """One cell, three times over."""
    return squares(lax.fori_loop(0, 3, lambda i, h: jnp.tanh(h @ w), x))


def rematerialised(x: Array, w: Array, u: Array) -> Array:
    """A layer whose activations are computed again."""
    return squares(jax.checkpoint(lambda x: jnp.tanh(x @ w))(x) @ u)


def mapped(x: Array, w: Array) -> Array:
    """A layer mapped over a batch."""
    return sines(jax.vmap(lambda a: jnp.tanh(a @ w))(x))


def dropout(x: Array, m: Array, w: Array) -> Array:
    """A mask that is an input."""
    return squares(x * m / 0.9 @ w)


def maxout(x: Array, w: Array) -> Array:
    """The largest of several projections."""
    return squares(jnp.max(jnp.einsum("nd,dkf->nkf", x, w), 1))


def bilinear_form(x: Array, w: Array, y: Array) -> Array:
    """A bilinear layer."""
    return sines(jnp.einsum("ni,ijk,nj->nk", x, w, y))


def circular(x: Array, k: Array) -> Array:
    """A convolution on a torus."""
    return squares(
        lax.conv_general_dilated(
            jnp.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), mode="wrap"),
            k,
            (1, 1),
            "VALID",
            dimension_numbers=("NCHW", "OIHW", "NCHW"),
        )
    )


LAYERS = (
    Case(
        "conv-1d",
        lambda x, w: squares(
            lax.conv_general_dilated(x, w, (2,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"))
        ),
        ((2, 7, 3), (3, 3, 4)),
    ),
    Case(
        "conv-3d",
        lambda x, w: squares(
            lax.conv_general_dilated(
                x, w, (1, 2, 1), "SAME", dimension_numbers=("NCDHW", "OIDHW", "NCDHW")
            )
        ),
        ((1, 2, 3, 4, 5), (3, 2, 2, 3, 2)),
    ),
    Case(
        "conv-nhwc",
        lambda x, w: squares(
            lax.conv_general_dilated(
                x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
            )
        ),
        ((2, 7, 6, 3), (3, 3, 3, 4)),
    ),
    Case(
        "conv-same-lower",
        lambda x, w: squared_convolution(x, w, stride=(2, 2), padding="SAME_LOWER"),
        (PICTURE, (4, 3, 4, 4)),
    ),
    Case(
        "conv-patchify",
        lambda x, w: squared_convolution(x, w, stride=(4, 4), padding="VALID"),
        ((2, 3, 8, 8), (5, 3, 4, 4)),
    ),
    Case(
        "conv-patchify-crop",
        lambda x, w: squared_convolution(x, w, stride=(3, 3), padding="VALID"),
        ((2, 3, 8, 7), (5, 3, 3, 3)),
    ),
    Case(
        "conv-input-dilated",
        lambda x, w: squared_convolution(x, w, lhs_dilation=(2, 3), padding=((1, 1), (2, 0))),
        ((2, 3, 4, 3), (4, 3, 3, 2)),
    ),
    Case(
        "conv-batch-grouped",
        lambda x, w: squared_convolution(x, w, batch_group_count=2),
        ((4, 3, 5, 4), (6, 3, 3, 2)),
    ),
    Case(
        "conv-transposed-valid",
        lambda x, w: squares(
            lax.conv_transpose(x, w, (3, 2), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        ),
        ((2, 4, 5, 3), (3, 2, 3, 4)),
    ),
    Case("depthwise-separable", separable, ((2, 4, 5, 6), (4, 1, 3, 3), (6, 4, 1, 1))),
    Case("local-response", local_response, ((2, 6, 3, 4),)),
    Case("spectral-step", spectral_step, ((4, 3), (4,))),
    Case("gru-scanned", scanned_gru, ((3, 2, 3), (3, 12), (4, 12))),
    Case("layer-scale", layer_scale, ((4, 5), (5,), (5, 5))),
    Case("weight-standardised", weight_standardised, (PICTURE, (4, 3, 3, 2))),
    Case("instance-norm", instance_norm, (PICTURE, (3,), (3,))),
    Case("alibi", alibi, ((2, 3, 4, 5),) * 3),
    Case("grouped-query", grouped_query, ((2, 6, 4, 5), (2, 3, 4, 5), (2, 3, 4, 5))),
    Case("grouped-query-repeated", repeated_keys, ((2, 6, 4, 5), (2, 3, 4, 5), (2, 3, 4, 5))),
    Case("attention-padded", padded_attention, ((2, 4, 5),) * 3, ((2, 4),)),
    Case("attention-jax", library_attention, ((2, 4, 3, 5),) * 3),
    Case("attention-jax-causal", library_causal, ((2, 4, 3, 5),) * 3),
    Case("pixel-shuffle", pixel_shuffle, ((2, 8, 3, 5),)),
    Case("mixture-of-experts", experts, ((4, 3), (3, 2), (2, 3, 5))),
    Case("film", film, ((2, 3, 4, 5), (2, 6), (6, 3), (6, 3))),
    Case("skip-concat", skip_concatenation, ((1, 3, 4, 6), (2, 3, 3, 3), (4, 5, 3, 3))),
    Case("linear-attention", linear_attention, ((4, 3), (5, 3), (5, 2))),
    Case("ssm-scanned", state_space, ((4,), (3,), (3,), (3,))),
    Case("chebyshev", chebyshev, ((3,),)),
    Case("fori-loop", counted_loop, ((2, 4), (4, 4))),
    Case("rematerialised", rematerialised, ((4, 3), (3, 5), (5, 2))),
    Case("vmapped", mapped, ((2, 4, 3), (3, 5))),
    Case("dropout", dropout, ((4, 3), (4, 3), (3, 5))),
    Case("maxout", maxout, ((4, 3), (3, 2, 5))),
    Case("bilinear-form", bilinear_form, ((4, 3), (3, 5, 2), (4, 5))),
    Case("conv-circular", circular, ((2, 3, 5, 4), (4, 3, 3, 3))),
    Case(
        "upsample-bilinear-odd",
        lambda x: sines(jax.image.resize(x, (1, 2, 5, 7), "bilinear")),
        ((1, 2, 3, 4),),
    ),
    Case(
        "downsample-bilinear",
        lambda x: sines(jax.image.resize(x, (1, 2, 3, 2), "bilinear")),
        ((1, 2, 6, 5),),
    ),
    Case(
        "resize-bicubic", lambda x: sines(jax.image.resize(x, (1, 6, 8), "bicubic")), ((1, 3, 4),)
    ),
    Case("glu-split", lambda x: squares(jax.nn.glu(x)), ((4, 6),)),
    Case("prelu", lambda x, a: squares(jnp.where(x > 0, x, a * x)), ((4, 5), (5,))),
    Case(
        "lp-pool",
        lambda x: squares(
            lax.reduce_window(x * x, 0.0, lax.add, (1, 1, 2, 2), (1, 1, 2, 2), "VALID") ** 0.5
        ),
        ((1, 2, 4, 6),),
    ),
    Case(
        "adaptive-pool",
        lambda x: sines(jnp.mean(x.reshape(2, 3, 2, 3, 3, 2), (3, 5))),
        ((2, 3, 6, 6),),
    ),
    Case(
        "max-pool-overlap",
        lambda x: squares(
            lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 3, 3), (1, 1, 2, 2), "SAME")
        ),
        ((1, 2, 7, 7),),
    ),
    Case(
        "window-attention",
        lambda x, w: sines(
            jnp.einsum("bnwd,bnvd->bnwv", x.reshape(2, 3, 2, 5), x.reshape(2, 3, 2, 5) @ w)
        ),
        ((2, 6, 5), (5, 5)),
    ),
    Case(
        "shifted-window",
        lambda x: sines(
            jnp.roll(x, (-1, -1), (1, 2)).reshape(1, 2, 2, 3, 2, 3).transpose(0, 1, 3, 2, 4, 5)
        ),
        ((1, 4, 6, 3),),
    ),
    Case(
        "cls-token",
        lambda c, x, w: sines(jnp.concatenate([jnp.broadcast_to(c, (2, 1, 4)), x], 1) @ w),
        ((1, 1, 4), (2, 5, 4), (4, 3)),
    ),
    Case(
        "patch-flatten",
        lambda x, w: sines(
            x.reshape(2, 3, 2, 4, 3, 2).transpose(0, 2, 4, 3, 5, 1).reshape(2, 6, 24) @ w
        ),
        ((2, 3, 8, 6), (24, 5)),
    ),
    Case(
        "relative-bias",
        lambda s, t: sines(
            jax.nn.softmax(s + t[jnp.arange(4)[:, None] - jnp.arange(4)[None, :] + 3])
        ),
        ((4, 4), (7,)),
    ),
)
"""The functions of this kind."""
