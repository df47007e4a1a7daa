"""Residual blocks of He et al.: basic and bottleneck."""

from dataclasses import dataclass, field
from typing import ClassVar

from gradwright.hlo import Shape
from gradwright.layers.activation import Activation, Function
from gradwright.layers.batch_norm import BatchNorm
from gradwright.layers.composition import Block, ConvBn, Residual, Sequential
from gradwright.layers.layer import Layer
from gradwright.spec.padding import AnyPadding

BOTTLENECK_RATIO = 4
"""He et al. 2016, "Deep Residual Learning", table 1: the inner width is a quarter of the outer."""


@dataclass(frozen=True, slots=True)
class BasicBlock(Block):
    """Two 3x3 convolutions with batch norm beside a shortcut, an activation after the sum.

    Shapes: x: [B, C, H, W], y: [B, out_channels, P, Q]. The first convolution carries the stride.
    The shortcut is the identity, or a 1x1 convolution with batch norm where shapes differ
    (option B). Source: He et al. 2016, figure 5 left. Same as torchvision's BasicBlock.
    """

    kind: ClassVar[str] = "block"
    out_channels: int
    strides: int = 1
    padding: AnyPadding | None = None
    activation: Function = Function.RELU
    norm: BatchNorm = field(default_factory=BatchNorm)

    def body(self, input: Shape) -> Layer:
        """Return the sum and the activation."""
        main = Sequential(
            [
                ("conv1", self._conv(3, self.strides, self.activation)),
                ("conv2", self._conv(3, 1, Function.IDENTITY)),
            ]
        )
        shortcut = None
        if self.strides != 1 or input[0] != self.out_channels:
            shortcut = self._conv(1, self.strides, Function.IDENTITY)
        return summed(main, shortcut, self.activation)

    def _conv(self, kernel: int, strides: int, activation: Function) -> ConvBn:
        return ConvBn(self.out_channels, kernel, strides, self.padding, activation, norm=self.norm)


@dataclass(frozen=True, slots=True)
class Bottleneck(Block):
    """1x1, 3x3, 1x1 convolutions with batch norm beside a shortcut, an activation after the sum.

    Shapes: x: [B, C, H, W], y: [B, out_channels, P, Q]; inside out_channels / 4 channels (or
    `width`). The 3x3 carries the stride (and the dilation, the groups). Shortcut as in
    `BasicBlock`. Source: He et al. 2016, figure 5 right, with the stride moved as in torchvision
    ("ResNet V1.5"); the paper has it on the first 1x1.
    """

    kind: ClassVar[str] = "block"
    out_channels: int
    strides: int = 1
    padding: AnyPadding | None = None
    activation: Function = Function.RELU
    dilation: int = 1
    groups: int = 1
    width: int | None = None
    norm: BatchNorm = field(default_factory=BatchNorm)

    def body(self, input: Shape) -> Layer:
        """Return the sum and the activation."""
        inner = self.out_channels // BOTTLENECK_RATIO if self.width is None else self.width
        middle = ConvBn(
            inner,
            3,
            self.strides,
            self.padding,
            self.activation,
            self.groups,
            self.norm,
            self.dilation,
        )
        main = Sequential(
            [
                ("conv1", ConvBn(inner, 1, activation=self.activation, norm=self.norm)),
                ("conv2", middle),
                ("conv3", self._projection(1)),
            ]
        )
        keeps = self.strides == 1 and input[0] == self.out_channels
        shortcut = None if keeps else self._projection(self.strides)
        return summed(main, shortcut, self.activation)

    def _projection(self, strides: int) -> ConvBn:
        return ConvBn(
            self.out_channels, 1, strides, self.padding, Function.IDENTITY, norm=self.norm
        )


def summed(main: Layer, shortcut: Layer | None, activation: Function) -> Sequential:
    """Return the sum of a path and its shortcut, then an activation."""
    return Sequential([("sum", Residual(main, shortcut)), ("act", Activation(activation))])
