"""Programs of one to three blocks or layers, drawn by a seed."""

import random
from collections.abc import Callable

import gradwright as gw
from gradwright import layers as ly
from gradwright import losses
from gradwright.errors import GradwrightError
from gradwright.layers import Layer, blocks
from gradwright.programs import Program
from gradwright.spec import Image, NetSpec

F, P = ly.Function, ly.Padding
FUNCTIONS = (F.RELU, F.TANH, F.SWISH, F.SIGMOID, F.HARD_SWISH)
PADDINGS = (P.SYMMETRIC, P.SAME_UPPER, P.VALID)
DRAWS = 40
"""Draws of a program until one fits."""
Draw = random.Random


def _strided(draw: Draw) -> tuple[int, ly.Padding]:
    return draw.choice((1, 1, 2)), draw.choice((P.SYMMETRIC, P.SAME_UPPER))


LAYERS: tuple[Callable[[Draw], Layer], ...] = (
    lambda d: ly.Conv2d(d.randint(1, 4), d.choice((1, 2, 3)), 1, d.choice(PADDINGS)),
    lambda d: ly.Conv2d(d.randint(1, 4), 3, *_strided(d)),
    lambda d: ly.ConvBn(d.randint(1, 3), 3, 1, P.SYMMETRIC, activation=d.choice(FUNCTIONS)),
    lambda d: ly.DepthwiseConv2d(3, *_strided(d)),
    lambda d: ly.MaxPool(d.choice((2, 3)), d.choice((1, 2)), d.choice(PADDINGS)),
    lambda d: ly.AvgPool(
        d.choice((2, 3)), d.choice((1, 2)), d.choice(PADDINGS), d.choice(list(ly.Divisor))
    ),
    lambda _: ly.BatchNorm(),
    lambda d: ly.Activation(d.choice(FUNCTIONS)),
    lambda d: ly.ChannelShuffle(d.choice((1, 2))),
    lambda _: ly.Upsample(2),
    lambda d: blocks.BasicBlock(d.randint(1, 3), *_strided(d), d.choice(FUNCTIONS)),
    lambda d: blocks.Bottleneck(4, *_strided(d), d.choice(FUNCTIONS)),
    lambda d: blocks.InvertedResidual(
        d.randint(1, 3), d.randint(1, 4), 3, *_strided(d), d.choice(FUNCTIONS)
    ),
    lambda d: blocks.FusedInvertedResidual(2, 3, 3, *_strided(d), d.choice(FUNCTIONS)),
    lambda d: blocks.UniversalInvertedBottleneck(
        2, 2, d.choice((0, 3)), 3, *_strided(d), d.choice(FUNCTIONS)
    ),
    lambda d: blocks.SeparableConv(2, *_strided(d), d.choice(FUNCTIONS), d.choice(FUNCTIONS)),
    lambda d: blocks.SqueezeExcite(2, d.choice(FUNCTIONS), F.SIGMOID),
    lambda d: blocks.Fire(2, 1, 2, d.choice(FUNCTIONS)),
    lambda _: blocks.Inception(1, (1, 2), (1, 1), 1, 3),
    lambda _: blocks.DenseLayer(2),
    lambda _: blocks.DenseTransition(2),
    lambda _: blocks.Aspp(2, (1, 2)),
    lambda d: blocks.DarknetUnit(d.choice(FUNCTIONS)),
    lambda d: blocks.CspBlock(4, 1, d.choice(FUNCTIONS)),
    lambda d: blocks.ConvNeXtBlock(ly.LayerNorm(0.01), d.choice(FUNCTIONS), 0.5),
    lambda _: blocks.ConvNeXtDownsample(2, ly.LayerNorm(0.01)),
    lambda _: blocks.ConvNeXtStem(2, 2, ly.BatchNorm()),
    lambda d: blocks.ShuffleV2Unit(4, d.choice((1, 2)), P.SYMMETRIC),
    lambda _: ly.Residual(ly.Activation(F.TANH)),
)
"""Layers and blocks by what is drawn of them."""


def drawn(seed: int) -> Program:
    """Return the program of a seed: a forward, its vector-Jacobian product, or a train step."""
    draw = Draw(seed)
    for _ in range(DRAWS):
        image = Image(draw.randint(1, 4), draw.randint(3, 6), draw.randint(3, 6))
        layers = [draw.choice(LAYERS)(draw) for _ in range(draw.randint(1, 3))]
        kind = draw.choice(("forward", "vjp", "train", "classes"))
        batch, form = draw.randint(1, 3), draw.choice((ly.PORTABLE, ly.TEXTBOOK))
        try:
            return _program(image, layers, kind, batch, form)
        except GradwrightError:
            continue
    raise ValueError(f"seed {seed} gives no net that fits")


def _program(
    image: Image, layers: list[Layer], kind: str, batch: int, form: ly.Formulation
) -> Program:
    if kind == "classes":
        layers = [*layers, ly.GlobalAvgPool(), ly.Dense(3)]
    net = NetSpec("drawn", image, layers)
    if kind == "forward":
        return gw.programs.forward(net, batch=batch, formulation=form)
    if kind == "vjp":
        return gw.programs.vjp(net, batch=batch, formulation=form)
    loss = losses.SoftmaxCrossEntropy() if kind == "classes" else losses.MeanSquaredError()
    optimizer = gw.optim.Sgd()
    return gw.programs.train_step(
        net, batch=batch, loss=loss, optimizer=optimizer, formulation=form
    )
