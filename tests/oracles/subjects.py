"""One table of nets that holds every layer and every composition; it drives the families of tests.

Extents are distinct and mostly odd, so that no axis can be taken for another.
"""

from gradwright.layers import (
    Activation,
    AvgPool,
    BatchNorm,
    Branches,
    ChannelShuffle,
    ChannelSlice,
    Conv2d,
    ConvBn,
    Dense,
    DepthwiseConv2d,
    Divisor,
    Dropout,
    DropPath,
    Explicit,
    Flatten,
    Function,
    Gate,
    GlobalAvgPool,
    LayerNorm,
    LayerScale,
    MaxPool,
    OneHot,
    Padding,
    Residual,
    Sequential,
    Spread,
    Upsample,
)
from gradwright.spec import Flat, Image, Tokens
from oracles.subject import Subject

SAME = Padding.SAME_UPPER
SQUEEZE = Sequential(
    [
        ("pool", GlobalAvgPool()),
        ("reduce", Dense(2)),
        ("swish", Activation(Function.SWISH)),
        ("expand", Dense(3)),
        ("sigmoid", Activation(Function.SIGMOID)),
    ]
)
BOTTLENECK = Residual(
    Sequential(
        [
            ("expand", ConvBn(6, 1, activation=Function.SWISH)),
            ("depthwise", DepthwiseConv2d(3, 2, SAME, bias=False)),
            ("project", ConvBn(4, 1, activation=Function.IDENTITY)),
            ("path", DropPath(0.25)),
        ]
    ),
    Sequential([("pool", AvgPool(2, 2, SAME, Divisor.EXCLUDE_PADDING)), ("conv", Conv2d(4, 1))]),
)

SUBJECTS: dict[str, Subject] = {
    "dense": Subject([Dense(4)], Flat(5), 3),
    "dense without bias": Subject([Dense(4, bias=False), Dense(3)], Flat(5), 2),
    "flatten": Subject([Flatten(), Dense(4)], Image(2, 3, 5)),
    "one-hot": Subject([OneHot(3), Flatten(), Dense(4)], Tokens(5, 3), 3),
    "convolution": Subject([Conv2d(5, (3, 2), (2, 1), Explicit((0, 2), (1, 0)), (1, 2))]),
    "grouped": Subject([Conv2d(6, 3, 2, SAME, groups=2)], Image(4, 7, 6)),
    "depthwise": Subject([DepthwiseConv2d(5, 2, SAME)], Image(3, 8, 5)),
    "depthwise with multiplier": Subject([Conv2d(6, 3, 1, groups=3, bias=False)]),
    "ceiling pool": Subject([MaxPool((3, 2), 2, Padding.CEILING)], Image(2, 8, 7)),
    "max pool": Subject([MaxPool(3, 2, Padding.SYMMETRIC)]),
    "average pool": Subject([AvgPool((2, 3), (1, 2), SAME, Divisor.EXCLUDE_PADDING)]),
    "global average": Subject([GlobalAvgPool()]),
    "batch norm": Subject([BatchNorm(1e-3)], batch=3),
    "batch norm of features": Subject([BatchNorm()], Flat(4), 5),
    "layer norm": Subject([LayerNorm(1e-3)]),
    "layer norm of features": Subject([LayerNorm(1e-3)], Flat(4), 3),
    "layer scale": Subject([LayerScale(0.5)]),
    "layer scale of features": Subject([Dense(4), LayerScale(0.5)], Flat(3)),
    "shuffle": Subject([ChannelShuffle(2)], Image(6, 5, 3)),
    "channel slice": Subject([ChannelSlice(1, 3)], Image(5, 4, 3)),
    "branches": Subject([Branches([Conv2d(4, 3), ("same", Activation(Function.IDENTITY))])]),
    "spread": Subject([GlobalAvgPool(), Spread(5, 4)]),
    "upsampling": Subject([Upsample(3), Conv2d(2, 2, 2, SAME)], Image(2, 3, 2)),
    "swish": Subject([Activation(Function.SWISH)]),
    "dropout": Subject([Dropout(0.4)]),
    "dropout of features": Subject([Dense(4), Dropout(0.5), Dense(3)], Flat(5), 3),
    "drop path": Subject([DropPath(0.5)], batch=4),
    "conv, norm, activation": Subject([ConvBn(4, 3, 2, SAME, Function.GELU_TANH)]),
    "residual": Subject([Residual(Conv2d(3, 3))]),
    "identity twice": Subject([Residual(Activation(Function.IDENTITY))], Flat(5)),
    "nested": Subject([Sequential([Sequential([Dense(4)]), Activation(Function.TANH)])], Flat(5)),
    "gate": Subject([Gate(SQUEEZE)], batch=3),
    "bottleneck": Subject([BOTTLENECK, GlobalAvgPool()], batch=3),
}
