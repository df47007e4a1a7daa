"""Small nets that between them hold every kind of layer, state and input."""

from gradwright.layers import (
    Activation,
    AvgPool,
    BatchNorm,
    Conv2d,
    ConvBn,
    Dense,
    DepthwiseConv2d,
    Dropout,
    DropPath,
    Flatten,
    Function,
    Gate,
    GlobalAvgPool,
    MaxPool,
    OneHot,
    Padding,
    Residual,
    Sequential,
)
from gradwright.spec import Flat, Image, NetSpec, Tokens

CLASSES = 3
SAME = Padding.SYMMETRIC


def tanh() -> Activation:
    """Return an activation without kinks, so that differences meet none."""
    return Activation(Function.TANH)


LINEAR = NetSpec("linear", Flat(4), [Dense(CLASSES)])
MASKED = NetSpec(
    "masked", Flat(5), [Dense(4), BatchNorm(), tanh(), Dropout(0.25), ("top", Dense(CLASSES))]
)
TOKENS = NetSpec("tokens", Tokens(4, 7), [OneHot(7), Flatten(), Dense(5), tanh(), Dense(CLASSES)])
PLAIN = NetSpec(
    "plain-conv",
    Image(2, 6, 7),
    [Conv2d(3, 3, padding=SAME), tanh(), MaxPool(3, 2), Flatten(), Dense(CLASSES)],
)
BLOCKS = NetSpec(
    "blocks",
    Image(2, 7, 6),
    [
        ConvBn(4, 3, 2, padding=SAME, activation=Function.TANH),
        Residual(
            Sequential(
                [
                    DepthwiseConv2d(3, padding=SAME, bias=False),
                    BatchNorm(),
                    ("squeeze", Gate(Sequential([GlobalAvgPool(), Dense(4), tanh()]))),
                    DropPath(0.5),
                ]
            )
        ),
        AvgPool(2, 1),
        ConvBn(5, 1, activation=Function.SWISH),
        GlobalAvgPool(),
        Dropout(0.5),
        ("head", Dense(CLASSES)),
    ],
)
NETS = {net.name: net for net in (LINEAR, MASKED, TOKENS, PLAIN, BLOCKS)}
