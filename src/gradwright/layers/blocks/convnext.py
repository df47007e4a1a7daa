"""ConvNeXt: stem, block, downsampling."""

from dataclasses import dataclass
from typing import ClassVar

from gradwright.hlo import Shape
from gradwright.layers.activation import Activation, Function
from gradwright.layers.batch_norm import BatchNorm
from gradwright.layers.composition import Block, Residual, Sequential
from gradwright.layers.convolution import Conv2d, DepthwiseConv2d
from gradwright.layers.layer import Layer
from gradwright.layers.layer_norm import LayerNorm
from gradwright.layers.scaling import LayerScale
from gradwright.spec.padding import Padding

KERNEL, EXPANSION = 7, 4
"""Liu et al. 2022, "A ConvNet for the 2020s", sections 2.4 and 2.5."""
DOWNSAMPLING = 2
"""Liu et al. 2022, section 2.6."""

Norm = LayerNorm | BatchNorm


@dataclass(frozen=True, slots=True)
class ConvNeXtBlock(Block):
    """Depthwise 7x7, norm, 1x1 to four times the width, activation, 1x1 back, scale; plus x.

    Shapes: x, y: [B, C, H, W]. `scale` is where the factor per channel starts. Source: Liu et al.
    2022, figure 4. Same as torchvision's CNBlock and timm's ConvNeXtBlock, with 1x1 convolutions
    for their linear layers.
    """

    kind: ClassVar[str] = "convnext"
    norm: Norm
    activation: Function
    scale: float

    def body(self, input: Shape) -> Layer:
        """Return the sum."""
        channels = input[0]
        path = Sequential(
            [
                ("depthwise", DepthwiseConv2d(KERNEL)),
                ("norm", self.norm),
                ("expand", Conv2d(EXPANSION * channels, 1)),
                ("act", Activation(self.activation)),
                ("project", Conv2d(channels, 1)),
                ("scale", LayerScale(self.scale)),
            ]
        )
        return Residual(path)


@dataclass(frozen=True, slots=True)
class ConvNeXtDownsample(Block):
    """Norm, then a 2x2 convolution at stride 2 without padding.

    Shapes: x: [B, C, H, W], y: [B, out_channels, H // 2, W // 2].
    """

    kind: ClassVar[str] = "down"
    out_channels: int
    norm: Norm

    def body(self, input: Shape) -> Layer:
        """Return norm and convolution."""
        del input
        conv = Conv2d(self.out_channels, DOWNSAMPLING, DOWNSAMPLING, Padding.VALID)
        return Sequential([("norm", self.norm), ("conv", conv)])


@dataclass(frozen=True, slots=True)
class ConvNeXtStem(Block):
    """A convolution whose windows tile the picture, then norm.

    Shapes: x: [B, C, H, W], y: [B, out_channels, H // patch, W // patch].
    """

    kind: ClassVar[str] = "stem"
    out_channels: int
    patch: int
    norm: Norm

    def body(self, input: Shape) -> Layer:
        """Return convolution and norm."""
        del input
        conv = Conv2d(self.out_channels, self.patch, self.patch, Padding.VALID)
        return Sequential([("conv", conv), ("norm", self.norm)])
