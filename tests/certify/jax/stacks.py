"""Norms, recurrences, convolutions and whole blocks, as users of Flax write them.

This module imports JAX: tests import it where they run, not where they are collected.
"""

# JAX annotates its own functions in part only, and traces lambdas.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownParameterType=false

import jax
import jax.numpy as jnp
from jax import lax

from certify.jax.cases import Array, Case, sines, squared_convolution, squares


def fast_group_norm(x: Array, g: Array, b: Array) -> Array:
    """Normalise groups of channels with E[x^2] - E[x]^2 that is not below 0."""
    n, h, w, c = x.shape
    y = x.reshape(n, h, w, 3, c // 3)
    mean = jnp.mean(y, (1, 2, 4), keepdims=True)
    var = jnp.maximum(jnp.mean(y * y, (1, 2, 4), keepdims=True) - mean * mean, 0)
    return sines(((y - mean) * lax.rsqrt(var + 1e-5)).reshape(x.shape) * g + b)


def fast_norm(x: Array, g: Array, b: Array, axes: tuple[int, ...]) -> Array:
    """Normalise as Flax does, in one pass over the batch or the features."""
    mean, mean_of_squares = jnp.mean(x, axes, keepdims=True), jnp.mean(x * x, axes, keepdims=True)
    var = jnp.maximum(0.0, mean_of_squares - lax.square(mean))
    return sines((x - mean) * (lax.rsqrt(var + 1e-6) * g) + b)


def power_iteration(w: Array, u: Array) -> Array:
    """Divide a weight by its norm along directions that are not differentiated."""
    v = w.T @ u
    v = v / (jnp.linalg.norm(v) + 1e-12)
    u = w @ v
    u = lax.stop_gradient(u / (jnp.linalg.norm(u) + 1e-12))
    return squares(w / (u @ (w @ lax.stop_gradient(v))))


def memory_outputs(xs: Array, w: Array, u: Array, b: Array) -> Array:
    """All outputs of a long short-term memory whose forget gate starts open, as a loop."""

    def step(carry: tuple[Array, Array], x: Array) -> tuple[tuple[Array, Array], Array]:
        h, c = carry
        i, f, g, o = jnp.split(x @ w + h @ u + b, 4, -1)
        c = jax.nn.sigmoid(f + 1) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    start = jnp.zeros((xs.shape[1], u.shape[0]))
    return squares(lax.scan(step, (start, start), xs)[1])


def both_ways(xs: Array, w: Array, u: Array) -> Array:
    """A recurrent cell forth and back."""

    def step(h: Array, x: Array) -> tuple[Array, Array]:
        h = jnp.tanh(x @ w + h @ u)
        return h, h

    start = jnp.zeros((xs.shape[1], u.shape[0]))
    sides = [lax.scan(step, start, xs, reverse=each)[1] for each in (False, True)]
    return squares(jnp.concatenate(sides, -1))


def of_lengths(xs: Array, w: Array, u: Array, lengths: Array) -> Array:
    """A recurrent cell over sequences that end before others."""

    def step(carry: tuple[Array, Array], x: Array) -> tuple[tuple[Array, Array], None]:
        h, t = carry
        return (jnp.where((t < lengths)[:, None], jnp.tanh(x @ w + h @ u), h), t + 1), None

    start = jnp.zeros((xs.shape[1], u.shape[0]))
    return squares(lax.scan(step, (start, 0), xs)[0][0])


def computed_again(xs: Array, w: Array, u: Array) -> Array:
    """A recurrent cell whose activations are computed again."""

    @jax.checkpoint
    def step(h: Array, x: Array) -> tuple[Array, None]:
        return jnp.tanh(x @ w + h @ u), None

    return squares(lax.scan(step, jnp.zeros((xs.shape[1], u.shape[0])), xs)[0])


def decayed(x: Array, a: Array) -> Array:
    """A linear recurrent unit with its rate of decay as an argument."""

    def step(h: Array, v: Array) -> tuple[Array, Array]:
        h = jnp.exp(-jnp.exp(a)) * h + v
        return h, h

    return squares(lax.scan(step, jnp.zeros_like(a), x)[1])


def moving_average(x: Array) -> Array:
    """An exponential moving average."""

    def step(h: Array, v: Array) -> tuple[Array, Array]:
        h = 0.9 * h + 0.1 * v
        return h, h

    return squares(lax.scan(step, jnp.zeros(x.shape[1:]), x)[1])


def wide_block(x: Array, d: Array, g: Array, a: Array, b: Array) -> Array:
    """A block of ConvNeXt."""
    y = lax.conv_general_dilated(
        x, d, (1, 1), "SAME", feature_group_count=3, dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    mean, var = jnp.mean(y, -1, keepdims=True), jnp.var(y, -1, keepdims=True)
    return squares(x + jax.nn.gelu(((y - mean) * lax.rsqrt(var + 1e-6)) @ a) @ b * g)


def mixer(x: Array, a: Array, b: Array) -> Array:
    """Mix tokens, then features."""
    return squares(jax.nn.gelu(jnp.swapaxes(jnp.swapaxes(x, 1, 2) @ a, 1, 2)) @ b)


@jax.custom_vjp
def by_hand(x: Array) -> Array:
    """A swish whose derivative is written by hand."""
    return x * jax.nn.sigmoid(x)


def _forth(x: Array) -> tuple[Array, tuple[Array, Array]]:
    s = jax.nn.sigmoid(x)
    return x * s, (x, s)


def _back(kept: tuple[Array, Array], g: Array) -> tuple[Array]:
    x, s = kept
    return (g * (s + x * s * (1 - s)),)


by_hand.defvjp(_forth, _back)


def curvature(x: Array, v: Array) -> Array:
    """The square of a product with a Hessian."""
    product = jax.jvp(jax.grad(lambda x: jnp.sum(jnp.sin(x) * x**2)), (x,), (v,))[1]
    return squares(product)


def along_weights(x: Array, w: Array) -> Array:
    """A layer mapped over a batch of batches, with one weight for each."""
    over_rows = jax.vmap(lambda a, b: jnp.tanh(a @ b), (0, None))
    return sines(jax.vmap(over_rows)(x, w))


STACKS = (
    Case("group-norm-fast", fast_group_norm, ((2, 3, 4, 6), (6,), (6,))),
    Case("layer-norm-flax", lambda x, g, b: fast_norm(x, g, b, (1,)), ((4, 5), (5,), (5,))),
    Case(
        "batch-norm-flax",
        lambda x, g, b: fast_norm(x, g, b, (0, 1, 2)),
        ((2, 3, 4, 5), (5,), (5,)),
    ),
    Case("standardise", lambda x: sines(jax.nn.standardize(x)), ((4, 5),)),
    Case(
        "weight-norm-linalg",
        lambda x, v, g: sines(x @ (g * v / jnp.linalg.norm(v, axis=0))),
        ((4, 3), (3, 5), (5,)),
    ),
    Case("power-iteration-stopped", power_iteration, ((4, 3), (4,))),
    Case("lstm-outputs", memory_outputs, ((2, 2, 3), (3, 8), (2, 8), (8,))),
    Case("rnn-bidirectional", both_ways, ((3, 2, 3), (3, 4), (4, 4))),
    Case("rnn-of-lengths", of_lengths, ((3, 2, 3), (3, 4), (4, 4)), ((2,),)),
    Case("rnn-rematerialised", computed_again, ((3, 2, 3), (3, 4), (4, 4))),
    Case("linear-recurrent-unit", decayed, ((4, 3), (3,))),
    Case("moving-average", moving_average, ((4, 3),)),
    Case(
        "conv-1d-causal-dilated",
        lambda x, w: squares(
            lax.conv_general_dilated(
                x, w, (1,), ((4, 0),), rhs_dilation=(2,), dimension_numbers=("NWC", "WIO", "NWC")
            )
        ),
        ((2, 7, 3), (3, 3, 4)),
    ),
    Case(
        "conv-3d-strided",
        lambda x, w: squares(
            lax.conv_general_dilated(
                x, w, (2, 2, 2), "SAME", dimension_numbers=("NDHWC", "DHWIO", "NDHWC")
            )
        ),
        ((1, 4, 5, 3, 2), (3, 3, 2, 2, 3)),
    ),
    Case(
        "conv-transposed-kernel",
        lambda x, w: squares(
            lax.conv_transpose(
                x,
                w,
                (2, 2),
                ((1, 1), (1, 1)),
                dimension_numbers=("NHWC", "HWIO", "NHWC"),
                transpose_kernel=True,
            )
        ),
        ((2, 3, 4, 3), (3, 3, 2, 3)),
    ),
    Case(
        "conv-transposed-1d",
        lambda x, w: squares(
            lax.conv_transpose(x, w, (3,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"))
        ),
        ((2, 4, 3), (4, 3, 2)),
    ),
    Case(
        "conv-dilated-strided",
        lambda x, w: squared_convolution(
            x, w, stride=(2, 1), rhs_dilation=(1, 2), padding=((1, 2), (2, 2))
        ),
        ((2, 3, 7, 6), (4, 3, 3, 3)),
    ),
    Case("convnext-block", wide_block, ((1, 4, 4, 3), (3, 3, 1, 3), (3,), (3, 4), (4, 3))),
    Case("mlp-mixer", mixer, ((2, 4, 3), (4, 4), (3, 3))),
    Case(
        "gated-mlp",
        lambda x, a, b, c: sines((jax.nn.silu(x @ a) * (x @ b)) @ c),
        ((4, 3), (3, 5), (3, 5), (5, 3)),
    ),
    Case(
        "resize-nearest-odd",
        lambda x: sines(jax.image.resize(x, (2, 5, 7), "nearest")),
        ((2, 3, 4),),
    ),
    Case(
        "resize-lanczos", lambda x: sines(jax.image.resize(x, (1, 5, 7), "lanczos3")), ((1, 3, 4),)
    ),
    Case(
        "pixel-unshuffle",
        lambda x: sines(x.reshape(2, 3, 3, 2, 5, 2).transpose(0, 1, 3, 5, 2, 4)),
        ((2, 3, 6, 10),),
    ),
    Case("roll-2d", lambda x: sines(x * jnp.roll(x, (1, -2), (0, 1))), ((4, 5),)),
    Case("flip-both", lambda x: sines(x * x[::-1, ::-1]), ((4, 5),)),
    Case("custom-vjp", lambda x: squares(by_hand(x)), ((4, 5),)),
    Case("hessian-product", curvature, ((5,), (5,))),
    Case("vmapped-twice", along_weights, ((2, 3, 4), (2, 4, 5))),
)
"""The functions of this kind."""
