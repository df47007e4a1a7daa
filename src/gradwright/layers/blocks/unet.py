"""One level of a U-shaped net: what lies deeper, enlarged and joined with what was there before."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from gradwright.hlo import Shape
from gradwright.layers.activation import Activation, Function
from gradwright.layers.batch_norm import BatchNorm
from gradwright.layers.channels import Branches
from gradwright.layers.composition import Block, ConvBn, Sequential
from gradwright.layers.layer import Layer
from gradwright.layers.upsampling import Upsample
from gradwright.spec import Entry
from gradwright.spec.net import require_entries

HALVING = 2
"""Ronneberger et al. 2015, figure 1: each level has half the height and width."""


@dataclass(frozen=True, slots=True)
class UNetLevel(Block):
    """Layers at half the size beside x, enlarged and joined with it; then two 3x3 convolutions.

    Shapes: x: [B, C, H, W], y: [B, out_channels, H, W]; `deeper` takes x to [B, D, H / 2, W / 2],
    by a pool or a stride that it begins with. The convolutions read D + C channels, the deeper
    ones first. Source: Ronneberger et al. 2015, "U-Net", figure 1, with pictures of one size
    throughout, batch norm, and repetition in place of the transposed convolution.
    """

    kind: ClassVar[str] = "level"
    deeper: Sequence[Entry]
    out_channels: int
    activation: Function = Function.RELU
    norm: BatchNorm = field(default_factory=BatchNorm)

    def __post_init__(self) -> None:
        """Freeze the list."""
        require_entries("UNetLevel", self.deeper)
        object.__setattr__(self, "deeper", tuple(self.deeper))

    def body(self, input: Shape) -> Layer:
        """Return both paths and the convolutions."""
        del input
        deep = Sequential([*self.deeper, ("enlarge", Upsample(HALVING))])
        return Sequential(
            [
                ("paths", Branches([("deep", deep), ("past", Activation(Function.IDENTITY))])),
                ("conv1", self._conv()),
                ("conv2", self._conv()),
            ]
        )

    def _conv(self) -> ConvBn:
        return ConvBn(self.out_channels, 3, activation=self.activation, norm=self.norm)

    def __str__(self) -> str:
        """Return a short form for comments."""
        return f"UNetLevel({self.out_channels} above {len(self.deeper)} layers)"
