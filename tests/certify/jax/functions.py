"""Small functions of every kind that people differentiate, with arguments of distinct extents.

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

from certify.jax.attention import ATTENTION
from certify.jax.cases import PAIR, PICTURE, Array, Case, squared_convolution, summed
from certify.jax.indices import INDICES
from certify.jax.layers import LAYERS
from certify.jax.losses import LOSSES
from certify.jax.objectives import OBJECTIVES
from certify.jax.operations import OPERATIONS
from certify.jax.stacks import STACKS


def transposed(x: Array, w: Array) -> Array:
    """Return the sum of squares of a transposed convolution."""
    y = lax.conv_transpose(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return jnp.sum(jnp.square(y))


def pooled(x: Array, kind: str, padding: str = "VALID") -> Array:
    """Return the sum of squares of a pool of 3 x 2 windows, stride 2 x 1."""
    window, stride = (1, 1, 3, 2), (1, 1, 2, 1)
    if kind == "max":
        y = lax.reduce_window(x, -jnp.inf, lax.max, window, stride, padding)
    elif kind == "min":
        y = lax.reduce_window(x, jnp.inf, lax.min, window, stride, padding)
    else:
        y = lax.reduce_window(x, 0.0, lax.add, window, stride, padding) / 6
    return jnp.sum(jnp.square(y))


def counted_average(x: Array) -> Array:
    """Return a 3 x 3 average pool that does not count its padding."""
    window, stride = (1, 1, 3, 3), (1, 1, 2, 2)
    total = lax.reduce_window(x, 0.0, lax.add, window, stride, "SAME")
    count = lax.reduce_window(jnp.ones_like(x), 0.0, lax.add, window, stride, "SAME")
    return jnp.sum(jnp.square(total / count))


def batch_norm(x: Array, gamma: Array, beta: Array) -> Array:
    """Normalise over batch and space."""
    mean = jnp.mean(x, (0, 2, 3), keepdims=True)
    var = jnp.var(x, (0, 2, 3), keepdims=True)
    y = (x - mean) * lax.rsqrt(var + 1e-5) * gamma[:, None, None] + beta[:, None, None]
    return jnp.sum(jnp.sin(y))


def one_pass_norm(x: Array, gamma: Array) -> Array:
    """Normalise with E[x^2] - E[x]^2."""
    mean = jnp.mean(x, 1, keepdims=True)
    var = jnp.mean(x * x, 1, keepdims=True) - mean * mean
    return jnp.sum(jnp.cos((x - mean) / jnp.sqrt(var + 1e-5) * gamma))


def layer_norm(x: Array, gamma: Array, beta: Array) -> Array:
    """Normalise over features."""
    mean = jnp.mean(x, -1, keepdims=True)
    var = jnp.mean(jnp.square(x - mean), -1, keepdims=True)
    return jnp.sum(jnp.sin((x - mean) * lax.rsqrt(var + 1e-6) * gamma + beta))


def group_norm(x: Array, gamma: Array) -> Array:
    """Normalise over groups of channels."""
    n, c, h, w = x.shape
    g = x.reshape(n, 2, c // 2, h, w)
    mean = jnp.mean(g, (2, 3, 4), keepdims=True)
    var = jnp.var(g, (2, 3, 4), keepdims=True)
    y = ((g - mean) * lax.rsqrt(var + 1e-5)).reshape(x.shape)
    return jnp.sum(jnp.sin(y * gamma[:, None, None]))


def rms_norm(x: Array, gamma: Array) -> Array:
    """Normalise by the root mean square."""
    return jnp.sum(jnp.sin(x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * gamma))


def attention(q: Array, k: Array, v: Array, mask: str) -> Array:
    """Scaled dot-product attention of several heads."""
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(q.shape[-1]).astype(np.float32)
    causal = jnp.tril(jnp.ones(scores.shape[-2:], dtype=bool))
    if mask == "finite":
        scores = jnp.where(causal, scores, -1e9)
    elif mask == "infinite":
        scores = jnp.where(causal, scores, -jnp.inf)
    return jnp.sum(jnp.sin(jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores), v)))


def cell(h: Array, x: Array, w: Array, u: Array) -> Array:
    """One step of a plain recurrent cell."""
    return jnp.tanh(x @ w + h @ u)


def unrolled(xs: Array, w: Array, u: Array) -> Array:
    """A recurrent cell over a sequence, written out."""
    h = jnp.zeros((xs.shape[1], u.shape[0]))
    for x in xs:
        h = cell(h, x, w, u)
    return jnp.sum(h * h)


def scanned(xs: Array, w: Array, u: Array) -> Array:
    """The same as a loop."""
    start = jnp.zeros((xs.shape[1], u.shape[0]))
    h, _ = lax.scan(lambda h, x: (cell(h, x, w, u), None), start, xs)
    return jnp.sum(h * h)


def lstm(xs: Array, w: Array, u: Array, b: Array) -> Array:
    """A long short-term memory, as a loop."""

    def step(carry: tuple[Array, Array], x: Array) -> tuple[tuple[Array, Array], None]:
        h, c = carry
        i, f, g, o = jnp.split(x @ w + h @ u + b, 4, axis=-1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

    start = jnp.zeros((xs.shape[1], u.shape[0]))
    (h, _), _ = lax.scan(step, (start, start), xs)
    return jnp.sum(h * h)


def gru(x: Array, h: Array, w: Array, u: Array) -> Array:
    """One step of a gated recurrent unit."""
    a, b = x @ w, h @ u
    n = h.shape[-1]
    r, z = jax.nn.sigmoid(a[:, :n] + b[:, :n]), jax.nn.sigmoid(a[:, n : 2 * n] + b[:, n : 2 * n])
    new = jnp.tanh(a[:, 2 * n :] + r * b[:, 2 * n :])
    return jnp.sum(jnp.square((1 - z) * new + z * h))


def embedding(table: Array, w: Array, ids: Array) -> Array:
    """Look rows up and project them."""
    return jnp.sum(jnp.square(table[ids] @ w))


def rope(x: Array) -> Array:
    """Rotate pairs of features by their positions."""
    half = x.shape[-1] // 2
    angle = jnp.arange(x.shape[-2])[:, None] * (0.1 ** jnp.arange(half))[None, :]
    a, b = x[..., :half], x[..., half:]
    turned = [a * jnp.cos(angle) - b * jnp.sin(angle), a * jnp.sin(angle) + b * jnp.cos(angle)]
    return jnp.sum(jnp.sin(jnp.concatenate(turned, -1)))


def nearest(x: Array) -> Array:
    """Repeat every pixel."""
    return jnp.sum(jnp.sin(jnp.repeat(jnp.repeat(x, 2, 2), 2, 3)))


def bilinear(x: Array) -> Array:
    """Resize bilinearly."""
    return jnp.sum(jnp.sin(jax.image.resize(x, (2, 3, 8, 10), "bilinear")))


def cross_entropy(logits: Array, labels: Array) -> Array:
    """Softmax cross-entropy with integer labels."""
    return -jnp.mean(jax.nn.log_softmax(logits)[jnp.arange(len(labels)), labels])


def filled_entropy(logits: Array, labels: Array) -> Array:
    """The same, NaN where a label is out of range."""
    picked = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)
    return -jnp.mean(picked)


def one_hot_entropy(logits: Array, labels: Array) -> Array:
    """Softmax cross-entropy through one-hot labels."""
    hot = jax.nn.one_hot(labels, logits.shape[1])
    return -jnp.mean(jnp.sum(hot * jax.nn.log_softmax(logits), -1))


def smoothed_entropy(logits: Array, targets: Array) -> Array:
    """Softmax cross-entropy with soft labels."""
    return -jnp.mean(jnp.sum(targets * (logits - jax.nn.logsumexp(logits, 1, keepdims=True)), 1))


def binary_entropy(logits: Array, targets: Array) -> Array:
    """Logistic loss in its stable form."""
    stable = jnp.maximum(logits, 0) - logits * targets + jnp.log1p(jnp.exp(-jnp.abs(logits)))
    return jnp.mean(stable)


def focal(logits: Array, targets: Array) -> Array:
    """Focal loss with exponent 2."""
    p = jax.nn.sigmoid(logits)
    right = targets * jnp.log(p) * (1 - p) ** 2
    return -jnp.mean(right + (1 - targets) * jnp.log(1 - p) * p**2)


def dice(logits: Array, targets: Array) -> Array:
    """Soft dice loss."""
    p = jax.nn.sigmoid(logits)
    return 1 - (2 * jnp.sum(p * targets) + 1) / (jnp.sum(p) + jnp.sum(targets) + 1)


def huber(x: Array, y: Array) -> Array:
    """Quadratic near 0, linear far away."""
    d = jnp.abs(x - y)
    return jnp.sum(jnp.where(d < 1, 0.5 * d * d, d - 0.5))


def cosine(x: Array, y: Array) -> Array:
    """Cosine similarity by rows."""
    norms = jnp.sqrt(jnp.sum(x * x, -1) + 1e-8) * jnp.sqrt(jnp.sum(y * y, -1) + 1e-8)
    return jnp.sum(jnp.sum(x * y, -1) / norms)


def contrastive(x: Array, y: Array) -> Array:
    """Softmax over all pairs of normalised rows."""
    a = x * lax.rsqrt(jnp.sum(x * x, -1, keepdims=True) + 1e-8)
    b = y * lax.rsqrt(jnp.sum(y * y, -1, keepdims=True) + 1e-8)
    logits = a @ b.T / 0.07
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(logits) * jnp.eye(x.shape[0]), 1))


def squeeze_excite(x: Array, w: Array, u: Array) -> Array:
    """Scale channels by a gate computed from their means."""
    gate = jax.nn.sigmoid(jax.nn.relu(jnp.mean(x, (2, 3)) @ w) @ u)
    return jnp.sum(jnp.sin(x * gate[:, :, None, None]))


def glu(x: Array, w: Array, u: Array) -> Array:
    """A gated linear unit with swish."""
    return jnp.sum(jnp.square(jax.nn.silu(x @ w) * (x @ u)))


def mlp(x: Array, w: Array, b: Array, u: Array) -> Array:
    """Two dense layers with relu."""
    return jnp.sum(jnp.square(jax.nn.relu(x @ w + b) @ u))


_CASES = (
    Case("dense", lambda x, w, b: jnp.sum(jnp.sin(x @ w + b)), ((4, 3), (3, 5), (5,))),
    Case("mlp", mlp, ((4, 3), (3, 5), (5,), (5, 2))),
    Case("conv", squared_convolution, (PICTURE, (4, 3, 3, 2))),
    Case(
        "conv-strided",
        lambda x, w: squared_convolution(x, w, stride=(2, 1)),
        (PICTURE, (4, 3, 3, 2)),
    ),
    Case(
        "conv-valid",
        lambda x, w: squared_convolution(x, w, padding=((0, 1), (2, 0))),
        (PICTURE, (4, 3, 3, 2)),
    ),
    Case(
        "conv-dilated",
        lambda x, w: squared_convolution(x, w, rhs_dilation=(2, 1)),
        (PICTURE, (4, 3, 3, 2)),
    ),
    Case(
        "conv-grouped",
        lambda x, w: squared_convolution(x, w, feature_group_count=2),
        ((2, 4, 5, 6), (6, 2, 3, 2)),
    ),
    Case(
        "conv-depthwise",
        lambda x, w: squared_convolution(x, w, feature_group_count=4, stride=(2, 2)),
        ((2, 4, 5, 6), (4, 1, 3, 3)),
    ),
    Case("conv-transposed", transposed, ((2, 4, 5, 3), (3, 2, 3, 4))),
    Case("max-pool", lambda x: pooled(x, "max"), (PICTURE,)),
    Case("max-pool-padded", lambda x: pooled(x, "max", "SAME"), (PICTURE,)),
    Case("min-pool", lambda x: pooled(x, "min"), (PICTURE,)),
    Case("average-pool", lambda x: pooled(x, "average", "SAME"), (PICTURE,)),
    Case("average-pool-counted", counted_average, (PICTURE,)),
    Case("global-pool", lambda x: jnp.sum(jnp.sin(jnp.mean(x, (2, 3)))), (PICTURE,)),
    Case("batch-norm", batch_norm, (PICTURE, (3,), (3,))),
    Case("one-pass-norm", one_pass_norm, ((4, 5), (5,))),
    Case("layer-norm", layer_norm, ((4, 3, 5), (5,), (5,))),
    Case("group-norm", group_norm, ((2, 4, 3, 5), (4,))),
    Case("rms-norm", rms_norm, ((4, 5), (5,))),
    Case("attention", lambda q, k, v: attention(q, k, v, ""), ((2, 3, 4, 5),) * 3),
    Case("attention-causal", lambda q, k, v: attention(q, k, v, "finite"), ((2, 3, 4, 5),) * 3),
    Case("attention-infinite", lambda q, k, v: attention(q, k, v, "infinite"), ((2, 3, 4, 5),) * 3),
    Case("rnn-unrolled", unrolled, ((3, 2, 4), (4, 5), (5, 5))),
    Case("rnn-scanned", scanned, ((3, 2, 4), (4, 5), (5, 5))),
    Case("lstm-scanned", lstm, ((2, 2, 3), (3, 8), (2, 8), (8,))),
    Case("gru", gru, ((2, 3), (2, 4), (3, 12), (4, 12))),
    Case("embedding", embedding, ((7, 3), (3, 2)), ((4,),)),
    Case("rope", rope, ((2, 5, 6),)),
    Case("resize-nearest", nearest, ((2, 3, 4, 5),)),
    Case("resize-bilinear", bilinear, ((2, 3, 4, 5),)),
    Case("cross-entropy", cross_entropy, ((4, 5),), ((4,),)),
    Case("cross-entropy-filled", filled_entropy, ((4, 5),), ((4,),)),
    Case("one-hot-entropy", one_hot_entropy, ((4, 5),), ((4,),)),
    Case("soft-entropy", smoothed_entropy, PAIR),
    Case("binary-entropy", binary_entropy, PAIR),
    Case("focal", focal, PAIR),
    Case("dice", dice, PAIR),
    Case("huber", huber, PAIR),
    Case("cosine-similarity", cosine, PAIR),
    Case("contrastive", contrastive, PAIR),
    Case("squeeze-excite", squeeze_excite, ((2, 4, 3, 5), (4, 2), (2, 4))),
    Case("glu", glu, ((4, 3), (3, 5), (3, 5))),
    Case("relu", summed(jax.nn.relu), ((4, 5),)),
    Case("relu6", summed(jax.nn.relu6), ((4, 5),)),
    Case("leaky-relu", summed(jax.nn.leaky_relu), ((4, 5),)),
    Case("elu", summed(jax.nn.elu), ((4, 5),)),
    Case("selu", summed(jax.nn.selu), ((4, 5),)),
    Case("gelu-tanh", summed(jax.nn.gelu), ((4, 5),)),
    Case(
        "gelu-erf",
        summed(lambda x: jax.nn.gelu(x, approximate=False)),
        ((4, 5),),
    ),
    Case("silu", summed(jax.nn.silu), ((4, 5),)),
    Case("mish", summed(jax.nn.mish), ((4, 5),)),
    Case("softplus", summed(jax.nn.softplus), ((4, 5),)),
    Case("hard-swish", summed(jax.nn.hard_swish), ((4, 5),)),
    Case("hard-sigmoid", summed(jax.nn.hard_sigmoid), ((4, 5),)),
    Case("soft-sign", summed(jax.nn.soft_sign), ((4, 5),)),
    Case("log-sigmoid", summed(jax.nn.log_sigmoid), ((4, 5),)),
    Case("sigmoid-by-hand", summed(lambda x: 1 / (1 + jnp.exp(-x))), ((4, 5),)),
    Case("logsumexp", lambda x: jnp.sum(jax.nn.logsumexp(x, 1)), ((4, 5),)),
    Case("cumulative-sum", lambda x: jnp.sum(jnp.sin(jnp.cumsum(x, 1))), ((4, 5),)),
    Case("maximum", summed(jnp.maximum), PAIR),
    Case("clip", summed(lambda x: jnp.clip(x, -1, 1)), ((4, 5),)),
    Case("max-over", lambda x: jnp.sum(jnp.square(jnp.max(x, 1))), ((4, 5),)),
    Case("cbrt", summed(jnp.cbrt), ((4, 5),)),
    Case("arctan2", summed(jnp.arctan2), PAIR),
    Case("expm1-log1p", summed(lambda x: jnp.expm1(x) + jnp.log1p(x * x)), ((4, 5),)),
    Case("power", summed(lambda x, y: jnp.exp(x) ** y), PAIR),
    Case("tan-floor", summed(lambda x: jnp.tan(x) * jnp.floor(x)), ((4, 5),)),
    Case(
        "sort",
        lambda x: jnp.sum(jnp.square(jnp.sort(x, 1)) * jnp.arange(5)),
        ((4, 5),),
    ),
)
CASES = {
    case.name: case
    for case in (
        *(*_CASES, *LAYERS, *LOSSES, *OPERATIONS),
        *(*ATTENTION, *INDICES, *OBJECTIVES, *STACKS),
    )
}
"""The functions by name."""
