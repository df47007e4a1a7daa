"""Losses, likelihoods and functions of numbers.

This module imports JAX: tests import it where they run, not where they are collected.
"""

# JAX annotates its own functions in part only, and traces lambdas.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownParameterType=false

import jax
import jax.numpy as jnp

from certify.jax.cases import PAIR, Array, Case, sines, summed


def overlap(p: Array, q: Array) -> Array:
    """One minus the intersection of boxes over their union."""
    low, high = jnp.maximum(p[:, :2], q[:, :2]), jnp.minimum(p[:, 2:], q[:, 2:])
    sides = jnp.maximum(high - low, 0)
    both = sides[:, 0] * sides[:, 1]
    areas = [(r[:, 2] - r[:, 0]) * (r[:, 3] - r[:, 1]) for r in (p, q)]
    return jnp.mean(1 - both / (areas[0] + areas[1] - both))


def deviation(x: Array) -> Array:
    """The mean absolute deviation from the mean, by rows."""
    return jnp.sum(jnp.mean(jnp.abs(x - jnp.mean(x, 1, keepdims=True)), 1))


def distant(a: Array, p: Array, n: Array) -> Array:
    """Triplet loss of distances that are smooth at 0."""

    def distance(x: Array, y: Array) -> Array:
        return jnp.sqrt(jnp.sum((x - y) ** 2, -1) + 1e-12)

    return jnp.mean(jnp.maximum(distance(a, p) - distance(a, n) + 0.2, 0))


def symmetric_contrast(a: Array, b: Array, t: Array) -> Array:
    """Contrastive loss over rows and over columns, with its temperature as an argument."""
    a, b = (x / jnp.linalg.norm(x, axis=-1, keepdims=True) for x in (a, b))
    logits, i = a @ b.T * jnp.exp(t), jnp.arange(len(a))
    rows, columns = (jax.nn.log_softmax(logits, axis)[i, i] for axis in (1, 0))
    return -(jnp.mean(rows) + jnp.mean(columns)) / 2


def floored_cosine(x: Array, y: Array) -> Array:
    """Cosine distance with norms that are not below a bound."""
    norms = jnp.linalg.norm(x, axis=-1) * jnp.linalg.norm(y, axis=-1)
    return jnp.mean(1 - jnp.sum(x * y, -1) / jnp.maximum(norms, 1e-8))


def bound(x: Array, m: Array, s: Array, d: Array, noise: Array) -> Array:
    """The evidence lower bound of an autoencoder, noise as an argument."""
    mean, log_variance = x @ m, x @ s
    logits = (mean + jnp.exp(0.5 * log_variance) * noise) @ d
    binary = jnp.maximum(logits, 0) - logits * x + jnp.log1p(jnp.exp(-jnp.abs(logits)))
    divergence = -0.5 * jnp.sum(1 + log_variance - mean**2 - jnp.exp(log_variance), -1)
    return jnp.mean(jnp.sum(binary, -1) + divergence)


def mixture_density(x: Array, w: Array, m: Array, s: Array, y: Array) -> Array:
    """The likelihood of a mixture whose parameters are computed."""
    scale = x @ s
    logs = -0.5 * ((y[:, None] - x @ m) / jnp.exp(scale)) ** 2 - scale - 0.5 * jnp.log(2 * jnp.pi)
    return -jnp.mean(jax.nn.logsumexp(jax.nn.log_softmax(x @ w) + logs, -1))


def stable(x: Array) -> Array:
    """The logarithm of a sum of exponentials with its maximum taken out."""
    top = jnp.max(x, 1, keepdims=True)
    return jnp.sum(jnp.log(jnp.sum(jnp.exp(x - top), 1)) + top[:, 0])


def penalty(x: Array, w: Array) -> Array:
    """How far the norm of a gradient is from 1."""
    slope = jax.grad(lambda x: jnp.sum(jnp.tanh(x @ w)))(x)
    return jnp.mean((jnp.sqrt(jnp.sum(slope**2, -1) + 1e-8) - 1) ** 2)


def lopsided(x: Array, y: Array) -> Array:
    """Tversky loss."""
    p = jax.nn.sigmoid(x)
    hits, false, missed = jnp.sum(p * y), jnp.sum(p * (1 - y)), jnp.sum((1 - p) * y)
    return 1 - (hits + 1) / (hits + 0.3 * false + 0.7 * missed + 1)


def focussed(x: Array, y: Array) -> Array:
    """Focal loss from logits."""
    p = jax.nn.sigmoid(x)
    entropy = -y * jax.nn.log_sigmoid(x) - (1 - y) * jax.nn.log_sigmoid(-x)
    return jnp.mean(entropy * (1 - (p * y + (1 - p) * (1 - y))) ** 2)


def correlation(x: Array, y: Array) -> Array:
    """Pearson's coefficient."""
    a, b = x - jnp.mean(x), y - jnp.mean(y)
    return jnp.sum(a * b) / jnp.sqrt(jnp.sum(a * a) * jnp.sum(b * b))


OBJECTIVES = (
    Case("iou", overlap, ((3, 4), (3, 4))),
    Case("mean-absolute-deviation", deviation, ((4, 5),)),
    Case("triplet-distance", distant, ((4, 5),) * 3),
    Case("contrastive-both-ways", symmetric_contrast, ((4, 3), (4, 3), ())),
    Case("cosine-floored", floored_cosine, PAIR),
    Case("evidence-lower-bound", bound, ((4, 5), (5, 3), (5, 3), (3, 5), (4, 3))),
    Case("mixture-density", mixture_density, ((4, 3), (3, 2), (3, 2), (3, 2), (4,))),
    Case("logsumexp-by-hand", stable, ((4, 5),)),
    Case("gradient-penalty", penalty, ((4, 3), (3, 5))),
    Case("tversky", lopsided, PAIR),
    Case("focal-logits", focussed, PAIR),
    Case("correlation", correlation, ((5,), (5,))),
    Case("log-cosh-stable", lambda x, y: jnp.mean(jnp.logaddexp(x - y, y - x)), PAIR),
    Case("pinball", lambda x, y: jnp.mean(jnp.maximum(0.9 * (y - x), -0.1 * (y - x))), PAIR),
    Case("kl-gaussian", lambda m, s: jnp.mean(s - m**2 - jnp.exp(s)), PAIR),
    Case(
        "normalise-floored",
        lambda x: sines(x * jax.lax.rsqrt(jnp.maximum(jnp.sum(x * x, -1, keepdims=True), 1e-12))),
        ((4, 5),),
    ),
    Case("polynomial", lambda c, x: sines(jnp.polyval(c, x)), ((4,), (5,))),
    Case("vandermonde", lambda c, x: sines(jnp.vander(x, 4) @ c), ((4,), (5,))),
    Case(
        "matrix-chain",
        lambda a, b, c, d: jnp.sin(jnp.trace(a @ b @ c @ d)),
        ((2, 3), (3, 4), (4, 5), (5, 2)),
    ),
    Case("matrix-power", lambda a: sines(jnp.linalg.matrix_power(a, 3)), ((3, 3),)),
    Case(
        "tensor-train",
        lambda a, b, c: sines(jnp.einsum("iab,jbc,kca->ijk", a, b, c)),
        ((2, 3, 4), (3, 4, 2), (2, 2, 3)),
    ),
    Case("hypot", lambda x, y: jnp.sum(jnp.hypot(x, y)), PAIR),
    Case("asinh", summed(jnp.arcsinh), ((4, 5),)),
    Case("acosh", summed(jnp.arccosh), ((4, 5),)),
    Case("atanh", summed(jnp.arctanh), ((4, 5),)),
    Case("asin-acos", summed(lambda x: jnp.arcsin(x) * jnp.arccos(x)), ((4, 5),)),
    Case("norm-logcdf", lambda x: jnp.sum(jax.scipy.stats.norm.logcdf(x)), ((4, 5),)),
)
"""The functions of this kind."""
