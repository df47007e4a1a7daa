"""Losses and similarities.

This module imports JAX: tests import it where they run, not where they are collected.
"""

# JAX annotates its own functions in part only, and traces lambdas.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownParameterType=false

import jax
import jax.numpy as jnp
import numpy as np

from certify.jax.cases import PAIR, Array, Case, sines, squares


def kullback_leibler(a: Array, b: Array) -> Array:
    """Kullback-Leibler divergence of two softmaxes."""
    p = jax.nn.softmax(a)
    return jnp.sum(p * (jax.nn.log_softmax(a) - jax.nn.log_softmax(b)))


def jensen_shannon(a: Array, b: Array) -> Array:
    """Jensen-Shannon divergence of two softmaxes."""
    p, q = (jax.nn.softmax(a), jax.nn.softmax(b))
    m = (p + q) / 2
    return jnp.sum(p * (jnp.log(p) - jnp.log(m)) + q * (jnp.log(q) - jnp.log(m))) / 2


def triplet(a: Array, p: Array, n: Array) -> Array:
    """Margin loss of anchor, positive and negative."""
    return jnp.mean(jax.nn.relu(jnp.sum((a - p) ** 2, -1) - jnp.sum((a - n) ** 2, -1) + 0.2))


def hinge(x: Array, y: Array) -> Array:
    """Hinge loss."""
    return jnp.mean(jax.nn.relu(1 - x * y))


def mixture(x: Array, mu: Array, ls: Array, lw: Array) -> Array:
    """Negative log-likelihood of a mixture of Gaussians."""
    lp = (
        -0.5 * ((x[:, None] - mu) / jnp.exp(ls)) ** 2
        - ls
        - 0.5 * np.log(2 * np.pi).astype(np.float32)
    )
    return -jnp.mean(jax.nn.logsumexp(lp + jax.nn.log_softmax(lw), -1))


def gaussian_likelihood(m: Array, lv: Array, y: Array) -> Array:
    """Negative log-likelihood of a Gaussian with a predicted variance."""
    return jnp.mean(0.5 * (lv + (y - m) ** 2 * jnp.exp(-lv)))


def autoencoder(x: Array, w: Array, v: Array, u: Array, eps: Array) -> Array:
    """A linear variational autoencoder."""
    mu, lv = (x @ w, x @ v)
    z = mu + jnp.exp(0.5 * lv) * eps
    return jnp.sum((z @ u - x) ** 2) - 0.5 * jnp.sum(1 + lv - mu**2 - jnp.exp(lv))


def label_smoothing(x: Array, t: Array) -> Array:
    """Softmax cross-entropy with smoothed labels."""
    hot = jax.nn.one_hot(t, x.shape[1]) * 0.9 + 0.1 / x.shape[1]
    return -jnp.mean(jnp.sum(hot * jax.nn.log_softmax(x), -1))


def quantisation(x: Array, c: Array) -> Array:
    """Distance to the nearest code."""
    d = jnp.sum((x[:, None] - c) ** 2, -1)
    return jnp.mean(jnp.min(d, 1))


def safe_norm(x: Array) -> Array:
    """Norm by rows, 0 at 0."""
    s = jnp.sum(x * x, -1)
    ok = s > 0
    return jnp.sum(jnp.where(ok, jnp.sqrt(jnp.where(ok, s, 1.0)), 0.0))


def pairwise(x: Array, y: Array) -> Array:
    """Distances of all pairs."""
    return sines(jnp.sqrt(jnp.sum((x[:, None] - y[None]) ** 2, -1) + 1e-06))


def gaussian_kernel(x: Array, y: Array) -> Array:
    """Gaussian kernel of all pairs."""
    return jnp.sum(jnp.exp(-0.5 * jnp.sum((x[:, None] - y[None]) ** 2, -1)))


def total_variation(x: Array) -> Array:
    """Total variation, absolute along one axis and squared along the other."""
    return jnp.sum(jnp.abs(x[..., 1:] - x[..., :-1])) + jnp.sum((x[:, :, 1:] - x[:, :, :-1]) ** 2)


def orthogonality(w: Array) -> Array:
    """Distance of a Gram matrix from the identity."""
    return squares(w.T @ w - jnp.eye(w.shape[1]))


def barlow_twins(x: Array, y: Array) -> Array:
    """Cross-correlation of two standardised views against the identity."""

    def n(a: Array) -> Array:
        return (a - jnp.mean(a, 0)) / jnp.sqrt(jnp.var(a, 0) + 1e-05)

    c = n(x).T @ n(y) / x.shape[0]
    return jnp.sum((c - jnp.eye(c.shape[0])) ** 2)


def self_contrastive(x: Array) -> Array:
    """Contrastive loss among the rows of one batch."""
    z = x / jnp.sqrt(jnp.sum(x * x, -1, keepdims=True) + 1e-08)
    s = z @ z.T / 0.5
    n = x.shape[0]
    s = jnp.where(jnp.eye(n, dtype=bool), -1000000000.0, s)
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(s) * jnp.roll(jnp.eye(n), n // 2, 1), 1))


LOSSES = (
    Case("kl", kullback_leibler, PAIR),
    Case("jensen-shannon", jensen_shannon, PAIR),
    Case("triplet", triplet, ((4, 5),) * 3),
    Case("hinge", hinge, PAIR),
    Case("mixture", mixture, ((6,), (3,), (3,), (3,))),
    Case("gaussian-nll", gaussian_likelihood, ((4, 5),) * 3),
    Case("vae", autoencoder, ((4, 5), (5, 3), (5, 3), (3, 5), (4, 3))),
    Case("label-smoothing", label_smoothing, ((4, 5),), ((4,),)),
    Case("vector-quantised", quantisation, ((4, 3), (5, 3))),
    Case("safe-norm", safe_norm, ((4, 5),)),
    Case("pairwise", pairwise, ((4, 3), (5, 3))),
    Case("rbf", gaussian_kernel, ((4, 3), (5, 3))),
    Case("total-variation", total_variation, ((2, 3, 4, 5),)),
    Case("orthogonality", orthogonality, ((5, 3),)),
    Case("barlow", barlow_twins, ((4, 3), (4, 3))),
    Case("nt-xent", self_contrastive, ((4, 3),)),
    Case(
        "logcosh",
        lambda x, y: jnp.sum(jnp.logaddexp(x - y, y - x) - np.log(2).astype(np.float32)),
        PAIR,
    ),
    Case(
        "smooth-l1",
        lambda x, y: jnp.sum(
            jnp.where(jnp.abs(x - y) < 1, 0.5 * (x - y) ** 2, jnp.abs(x - y) - 0.5)
        ),
        PAIR,
    ),
    Case("l1", lambda x, y: jnp.mean(jnp.abs(x - y)), PAIR),
    Case("rmse", lambda x, y: jnp.sqrt(jnp.mean((x - y) ** 2)), PAIR),
    Case("msle", lambda x, y: jnp.mean((jnp.log1p(x * x) - jnp.log1p(y * y)) ** 2), PAIR),
    Case("poisson", lambda x, y: jnp.mean(jnp.exp(x) - y * x), PAIR),
    Case("charbonnier", lambda x, y: jnp.sum(jnp.sqrt((x - y) ** 2 + 0.001)), PAIR),
    Case(
        "tversky",
        lambda x, y: (
            1
            - (jnp.sum(jax.nn.sigmoid(x) * y) + 1)
            / (
                jnp.sum(jax.nn.sigmoid(x) * y)
                + 0.3 * jnp.sum((1 - y) * jax.nn.sigmoid(x))
                + 0.7 * jnp.sum(y * (1 - jax.nn.sigmoid(x)))
                + 1
            )
        ),
        PAIR,
    ),
    Case(
        "focal-logits",
        lambda x, y: jnp.mean(
            (1 - jnp.exp(-(jnp.logaddexp(0.0, x) - x * y))) ** 2 * (jnp.logaddexp(0.0, x) - x * y)
        ),
        PAIR,
    ),
    Case(
        "cosine-norm",
        lambda x, y: jnp.sum(
            jnp.sum(x * y, -1) / (jnp.linalg.norm(x, axis=-1) * jnp.linalg.norm(y, axis=-1))
        ),
        PAIR,
    ),
    Case(
        "l2-normalise", lambda x: sines(x / jnp.linalg.norm(x, axis=-1, keepdims=True)), ((4, 5),)
    ),
    Case("entropy", lambda x: -jnp.sum(jax.nn.softmax(x) * jax.nn.log_softmax(x)), ((4, 5),)),
    Case("gumbel-softmax", lambda x, g: sines(jax.nn.softmax((x + g) / 0.5)), PAIR),
)
"""The functions of this kind."""
