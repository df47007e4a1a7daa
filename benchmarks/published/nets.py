"""Five published image classifiers at 224 x 224 pixels and 1000 classes, trained from one batch."""

# JAX annotates its own functions in part only.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import jax
import jax.numpy as jnp
from jax import lax

from published.blocks import Array, Weights, conv, conv_bn, dense, layer_norm

CLASSES = 1000


def resnet34(p: Weights, x: Array) -> Array:
    """He et al., 2015, table 1."""
    relu = jax.nn.relu
    x = conv_bn(p, x, 64, 7, 2, act=relu)
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    for count, out, first in ((3, 64, 1), (4, 128, 2), (6, 256, 2), (3, 512, 2)):
        for i in range(count):
            stride = first if i == 0 else 1
            y = conv_bn(p, conv_bn(p, x, out, 3, stride, act=relu), out, 3)
            if x.shape != y.shape:
                x = conv_bn(p, x, out, 1, stride)
            x = relu(x + y)
    return dense(p, jnp.mean(x, (1, 2)), CLASSES)


def vit_tiny(p: Weights, x: Array) -> Array:
    """Touvron et al., 2021: 12 blocks of 3 heads, width 192, patches of 16, a class token."""
    width, heads = 192, 3
    x = conv(x, p(16, 16, 3, width), 16, padding="VALID") + p(width)
    x = x.reshape(x.shape[0], -1, width)
    token = jnp.broadcast_to(p(1, 1, width), (x.shape[0], 1, width))
    x = jnp.concatenate([token, x], 1)
    x = x + p(1, x.shape[1], width)
    split = (*x.shape[:2], heads, width // heads)
    for _ in range(12):
        y = dense(p, layer_norm(x, p(width), p(width)), 3 * width)
        q, k, v = (part.reshape(split) for part in jnp.split(y, 3, -1))
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / 8.0
        y = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v).reshape(x.shape)
        x = x + dense(p, y, width)
        y = dense(p, layer_norm(x, p(width), p(width)), 4 * width)
        x = x + dense(p, jax.nn.gelu(y), width)
    return dense(p, layer_norm(x, p(width), p(width))[:, 0], CLASSES)


def convnext_tiny(p: Weights, x: Array) -> Array:
    """Liu et al., 2022, with layer scale."""
    widths = (96, 192, 384, 768)
    for stage, (width, count) in enumerate(zip(widths, (3, 3, 9, 3), strict=True)):
        before, size = x.shape[-1], 4 if stage == 0 else 2
        if stage:
            x = layer_norm(x, p(before), p(before))
        x = conv(x, p(size, size, before, width), size, padding="VALID") + p(width)
        if not stage:
            x = layer_norm(x, p(width), p(width))
        for _ in range(count):
            y = conv(x, p(7, 7, 1, width), groups=width) + p(width)
            y = dense(p, layer_norm(y, p(width), p(width)), 4 * width)
            x = x + p(width) * dense(p, jax.nn.gelu(y), width)
    return dense(p, layer_norm(jnp.mean(x, (1, 2)), p(widths[-1]), p(widths[-1])), CLASSES)


def efficientnet_b0(p: Weights, x: Array) -> Array:
    """Tan and Le, 2019, table 1, with squeeze-and-excitation."""
    swish = jax.nn.silu
    x = conv_bn(p, x, 32, 3, 2, act=swish)
    stages = (
        (1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3),
        (6, 112, 3, 1, 5), (6, 192, 4, 2, 5), (6, 320, 1, 1, 3),
    )  # fmt: skip
    for expansion, out, count, first, kernel in stages:
        for i in range(count):
            stride, width = first if i == 0 else 1, x.shape[-1]
            y = conv_bn(p, x, expansion * width, 1, act=swish) if expansion > 1 else x
            inner = y.shape[-1]
            y = conv_bn(p, y, inner, kernel, stride, inner, act=swish)
            gate = dense(p, swish(dense(p, jnp.mean(y, (1, 2)), max(1, width // 4))), inner)
            y = conv_bn(p, y * jax.nn.sigmoid(gate)[:, None, None], out, 1)
            x = x + y if x.shape == y.shape else y
    return dense(p, jnp.mean(conv_bn(p, x, 1280, 1, act=swish), (1, 2)), CLASSES)


def mobilenetv4(p: Weights, x: Array) -> Array:
    """Qin et al., 2024: the convolutional net of medium size, 21 universal inverted bottlenecks."""
    relu = jax.nn.relu
    x = conv_bn(p, x, 32, 3, 2, act=relu)
    x = conv_bn(p, conv_bn(p, x, 128, 3, 2, act=relu), 48, 1)
    blocks = (
        (3, 5, 2, 80, 4), (3, 3, 1, 80, 2), (3, 5, 2, 160, 6), (3, 3, 1, 160, 4),
        (3, 3, 1, 160, 4), (3, 5, 1, 160, 4), (3, 3, 1, 160, 4), (3, 0, 1, 160, 4),
        (0, 0, 1, 160, 2), (3, 0, 1, 160, 4), (5, 5, 2, 256, 6), (5, 5, 1, 256, 4),
        (3, 5, 1, 256, 4), (3, 5, 1, 256, 4), (0, 0, 1, 256, 4), (3, 0, 1, 256, 4),
        (3, 5, 1, 256, 2), (5, 5, 1, 256, 4), (0, 0, 1, 256, 4), (0, 0, 1, 256, 4),
        (5, 0, 1, 256, 2),
    )  # fmt: skip
    for start, middle, stride, out, expansion in blocks:
        width = x.shape[-1]
        y = x
        if start:
            y = conv_bn(p, y, width, start, 1 if middle else stride, width)
        inner = width * expansion
        y = conv_bn(p, y, inner, 1, act=relu)
        if middle:
            y = conv_bn(p, y, inner, middle, stride, inner, act=relu)
        y = conv_bn(p, y, out, 1)
        x = x + y if x.shape == y.shape else y
    x = jnp.mean(conv_bn(p, x, 960, 1, act=relu), (1, 2), keepdims=True)
    return dense(p, conv_bn(p, x, 1280, 1, act=relu)[:, 0, 0], CLASSES)
