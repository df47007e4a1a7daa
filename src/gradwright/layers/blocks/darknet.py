"""Darknet's residual unit and the cross-stage-partial block made of it."""

from dataclasses import dataclass, field
from typing import ClassVar

from gradwright.hlo import Shape
from gradwright.layers.activation import Function
from gradwright.layers.batch_norm import BatchNorm
from gradwright.layers.channels import Branches
from gradwright.layers.composition import Block, ConvBn, Residual, Sequential
from gradwright.layers.layer import Layer
from gradwright.spec import Entry


@dataclass(frozen=True, slots=True)
class DarknetUnit(Block):
    """1x1 to half the channels, 3x3 back, plus x.

    Shapes: x, y: [B, C, H, W]. Source: Redmon and Farhadi 2018, "YOLOv3", table 1 (with leaky
    ReLU there); YOLOv5's Bottleneck has the same form with an inner width of C.
    """

    kind: ClassVar[str] = "darknet"
    activation: Function
    norm: BatchNorm = field(default_factory=BatchNorm)

    def body(self, input: Shape) -> Layer:
        """Return the sum."""
        channels = input[0]
        reduce = ConvBn(channels // 2, 1, activation=self.activation, norm=self.norm)
        expand = ConvBn(channels, 3, activation=self.activation, norm=self.norm)
        return Residual(Sequential([("reduce", reduce), ("expand", expand)]))


@dataclass(frozen=True, slots=True)
class CspBlock(Block):
    """Half the width through several units, half past them, joined by a 1x1 convolution.

    Shapes: x: [B, C, H, W], y: [B, out_channels, H, W]; both paths have C // 2 channels. Source:
    Wang et al. 2020, "CSPNet", figure 2; the form of YOLOv5's C3 with `DarknetUnit` inside.
    """

    kind: ClassVar[str] = "csp"
    out_channels: int
    units: int
    activation: Function
    norm: BatchNorm = field(default_factory=BatchNorm)

    def body(self, input: Shape) -> Layer:
        """Return the paths and what joins them."""
        half = max(1, input[0] // 2)
        units = [
            (f"unit{index}", DarknetUnit(self.activation, self.norm)) for index in range(self.units)
        ]
        deep: list[Entry] = [("enter", self._point(half)), *units]
        paths = Branches([("deep", Sequential(deep)), ("past", self._point(half))])
        return Sequential([("paths", paths), ("join", self._point(self.out_channels))])

    def _point(self, channels: int) -> ConvBn:
        return ConvBn(channels, 1, activation=self.activation, norm=self.norm)
