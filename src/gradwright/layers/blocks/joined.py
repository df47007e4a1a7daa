"""Blocks that join paths along the channels: fire, Inception, dense block, ASPP."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from gradwright.hlo import Shape
from gradwright.layers.activation import Activation, Function
from gradwright.layers.batch_norm import BatchNorm
from gradwright.layers.channels import Branches, Spread
from gradwright.layers.composition import Block, ConvBn, Sequential
from gradwright.layers.convolution import Conv2d
from gradwright.layers.dense import Dense
from gradwright.layers.layer import Layer
from gradwright.layers.pooling import AvgPool, GlobalAvgPool, MaxPool
from gradwright.spec import Entry
from gradwright.spec.padding import Padding

BOTTLENECK = 4
"""Huang et al. 2017, "Densely Connected Convolutional Networks", section 3: 4 k inner channels."""


@dataclass(frozen=True, slots=True)
class Fire(Block):
    """A 1x1 convolution to few channels; 1x1 and 3x3 convolutions of those side by side.

    Shapes: x: [B, C, H, W], y: [B, narrow + wide, H, W], `narrow` from 1x1, `wide` from 3x3.
    Convolutions have biases, or batch norm where `norm` is given. Source: Iandola et al. 2016,
    "SqueezeNet", section 3.2. Same as torchvision's Fire.
    """

    kind: ClassVar[str] = "fire"
    squeeze: int
    narrow: int
    wide: int
    activation: Function
    norm: BatchNorm | None = None

    def body(self, input: Shape) -> Layer:
        """Return the squeeze and the two expansions."""
        del input
        expand = Branches(
            [("one", self._conv(self.narrow, 1)), ("three", self._conv(self.wide, 3))]
        )
        return Sequential([("squeeze", self._conv(self.squeeze, 1)), ("expand", expand)])

    def _conv(self, channels: int, kernel: int) -> Layer:
        if self.norm is not None:
            return ConvBn(channels, kernel, activation=self.activation, norm=self.norm)
        return Sequential(
            [("conv", Conv2d(channels, kernel)), ("act", Activation(self.activation))]
        )


@dataclass(frozen=True, slots=True)
class Inception(Block):
    """Four paths: 1x1; 1x1, 3x3; 1x1, `third_kernel`; 3x3 max pool, 1x1; each with batch norm.

    Shapes: x: [B, C, H, W], y: [B, first + second[1] + third[1] + fourth, H, W]; second and third
    are (inner, outer) widths. Source: Szegedy et al. 2015, "Going deeper with convolutions",
    figure 2b, with a third kernel of 5; torchvision's GoogLeNet has 3 there and adds batch norm.
    """

    kind: ClassVar[str] = "inception"
    first: int
    second: tuple[int, int]
    third: tuple[int, int]
    fourth: int
    third_kernel: int
    norm: BatchNorm = field(default_factory=BatchNorm)

    def body(self, input: Shape) -> Layer:
        """Return the paths."""
        del input
        pool = MaxPool(3, 1, Padding.SYMMETRIC)
        return Branches(
            [
                ("path1", self._conv(self.first, 1)),
                ("path2", self._two(self.second, 3)),
                ("path3", self._two(self.third, self.third_kernel)),
                ("path4", Sequential([("pool", pool), ("outer", self._conv(self.fourth, 1))])),
            ]
        )

    def _two(self, widths: tuple[int, int], kernel: int) -> Layer:
        inner, outer = widths
        return Sequential([("inner", self._conv(inner, 1)), ("outer", self._conv(outer, kernel))])

    def _conv(self, channels: int, kernel: int) -> ConvBn:
        return ConvBn(channels, kernel, norm=self.norm)


@dataclass(frozen=True, slots=True)
class DenseLayer(Block):
    """x beside new channels: norm, relu, 1x1 to 4 growth, norm, relu, 3x3 to growth.

    Shapes: x: [B, C, H, W], y: [B, C + growth, H, W]. Source: Huang et al. 2017, section 3
    (DenseNet-B). Same as torchvision's _DenseLayer, whose convolutions have no bias.
    """

    kind: ClassVar[str] = "dense_layer"
    growth: int
    norm: BatchNorm = field(default_factory=BatchNorm)
    bias: bool = False

    def body(self, input: Shape) -> Layer:
        """Return x and the new channels."""
        del input
        new: list[Entry] = [
            ("norm1", self.norm),
            ("act1", Activation(Function.RELU)),
            ("conv1", Conv2d(BOTTLENECK * self.growth, 1, bias=self.bias)),
            ("norm2", self.norm),
            ("act2", Activation(Function.RELU)),
            ("conv2", Conv2d(self.growth, 3, bias=self.bias)),
        ]
        return Branches([("kept", Activation(Function.IDENTITY)), ("new", Sequential(new))])


@dataclass(frozen=True, slots=True)
class DenseTransition(Block):
    """Norm, relu, 1x1 convolution, 2x2 average pool.

    Shapes: x: [B, C, H, W], y: [B, out_channels, H // 2, W // 2]. Source: Huang et al. 2017.
    """

    kind: ClassVar[str] = "transition"
    out_channels: int
    norm: BatchNorm = field(default_factory=BatchNorm)
    bias: bool = False

    def body(self, input: Shape) -> Layer:
        """Return the four layers."""
        del input
        return Sequential(
            [
                ("norm", self.norm),
                ("act", Activation(Function.RELU)),
                ("conv", Conv2d(self.out_channels, 1, bias=self.bias)),
                ("pool", AvgPool(2)),
            ]
        )


@dataclass(frozen=True, slots=True)
class Aspp(Block):
    """Atrous spatial pyramid pooling: 1x1, 3x3 at several rates, the picture's mean; then 1x1.

    Shapes: x: [B, C, H, W], y: [B, out_channels, H, W]. Every convolution has batch norm and relu.
    Source: Chen et al. 2017, "Rethinking Atrous Convolution", section 3.3. Same as torchvision's
    ASPP without its dropout; the mean goes through a dense layer, the 1x1 convolution of a 1x1
    picture.
    """

    kind: ClassVar[str] = "aspp"
    out_channels: int
    rates: Sequence[int]
    norm: BatchNorm = field(default_factory=BatchNorm)
    bias: bool = False

    def body(self, input: Shape) -> Layer:
        """Return the paths and what joins them."""
        _, height, width = input
        pooled: list[Entry] = [
            ("pool", GlobalAvgPool()),
            ("conv", Dense(self.out_channels, bias=self.bias)),
            ("bn", self.norm),
            ("act", Activation(Function.RELU)),
            ("spread", Spread(height, width)),
        ]
        paths: list[Entry] = [("point", self._conv(1, 1))]
        paths += [(f"rate{rate}", self._conv(3, rate)) for rate in self.rates]
        return Sequential(
            [
                ("paths", Branches([*paths, ("picture", Sequential(pooled))])),
                ("project", self._conv(1, 1)),
            ]
        )

    def _conv(self, kernel: int, rate: int) -> ConvBn:
        return ConvBn(self.out_channels, kernel, norm=self.norm, dilation=rate, bias=self.bias)
