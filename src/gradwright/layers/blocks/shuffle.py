"""Units of both ShuffleNets."""

from dataclasses import dataclass, field
from typing import ClassVar

from gradwright.errors import SpecError
from gradwright.hlo import Shape
from gradwright.layers.activation import Activation, Function
from gradwright.layers.batch_norm import BatchNorm
from gradwright.layers.channels import Branches, ChannelShuffle, ChannelSlice
from gradwright.layers.composition import Block, ConvBn, Residual, Sequential
from gradwright.layers.layer import Layer
from gradwright.layers.pooling import AvgPool
from gradwright.spec import Entry
from gradwright.spec.padding import AnyPadding

RATIO = 4
"""Zhang et al. 2018, "ShuffleNet", section 3.2: inner channels are a quarter of the outer."""


@dataclass(frozen=True, slots=True)
class ShuffleUnit(Block):
    """Grouped 1x1, shuffle, depthwise 3x3, grouped 1x1; summed with x, or beside a pool of x.

    Shapes: x: [B, C, H, W], y: [B, out_channels, P, Q]. At stride 1 the sum (C = out_channels); at
    a stride the path makes out_channels - C channels beside a 3x3 average pool. relu at the end.
    The first convolution has `first_groups` groups: the paper's very first unit has 1 there.
    Source: Zhang et al. 2018, figure 2.
    """

    kind: ClassVar[str] = "unit"
    out_channels: int
    groups: int
    first_groups: int
    strides: int
    padding: AnyPadding | None
    norm: BatchNorm = field(default_factory=BatchNorm)

    def body(self, input: Shape) -> Layer:
        """Return the unit."""
        joins = self.strides != 1
        made = self.out_channels - input[0] if joins else self.out_channels
        inner = self.out_channels // RATIO
        depthwise = ConvBn(
            inner, 3, self.strides, self.padding, Function.IDENTITY, inner, self.norm
        )
        path: list[Entry] = [
            ("reduce", ConvBn(inner, 1, groups=self.first_groups, norm=self.norm)),
            ("shuffle", ChannelShuffle(self.groups)),
            ("depthwise", depthwise),
            ("expand", _linear(made, self.groups, self.norm)),
        ]
        both: Layer = Residual(Sequential(path))
        if joins:
            pool = AvgPool(3, self.strides, _required(self.padding))
            both = Branches([("pool", pool), ("path", Sequential(path))])
        return Sequential([("both", both), ("act", Activation(Function.RELU))])


@dataclass(frozen=True, slots=True)
class ShuffleV2Unit(Block):
    """Half the channels pass, the other half go through 1x1, depthwise 3x3, 1x1; then a shuffle.

    Shapes: x: [B, C, H, W], y: [B, out_channels, P, Q]. At a stride both halves are made of all of
    x, the first by depthwise 3x3 and 1x1. Source: Ma et al. 2018, "ShuffleNet V2", figure 3c, d.
    Same as torchvision's InvertedResidual of shufflenetv2.
    """

    kind: ClassVar[str] = "unit"
    out_channels: int
    strides: int
    padding: AnyPadding | None
    norm: BatchNorm = field(default_factory=BatchNorm)

    def body(self, input: Shape) -> Layer:
        """Return both halves and the shuffle."""
        half, channels = self.out_channels // 2, input[0]
        second: list[Entry] = [
            ("reduce", ConvBn(half, 1, norm=self.norm)),
            ("depthwise", self._depthwise(half)),
            ("expand", ConvBn(half, 1, norm=self.norm)),
        ]
        if self.strides == 1:
            first: Layer = ChannelSlice(0, channels // 2)
            second.insert(0, ("half", ChannelSlice(channels // 2, channels)))
        else:
            expand = ConvBn(half, 1, norm=self.norm)
            first = Sequential([("depthwise", self._depthwise(channels)), ("expand", expand)])
        halves = Branches([("first", first), ("second", Sequential(second))])
        return Sequential([("halves", halves), ("shuffle", ChannelShuffle(2))])

    def _depthwise(self, channels: int) -> ConvBn:
        return ConvBn(
            channels, 3, self.strides, self.padding, Function.IDENTITY, channels, self.norm
        )


def _linear(channels: int, groups: int, norm: BatchNorm) -> ConvBn:
    return ConvBn(channels, 1, activation=Function.IDENTITY, groups=groups, norm=norm)


def _required(padding: AnyPadding | None) -> AnyPadding:
    if padding is None:
        expected = "a named padding, since conventions differ at a stride"
        raise SpecError(where=ShuffleUnit.kind, expected=expected, found="none")
    return padding
