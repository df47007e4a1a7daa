"""Inverted residuals: the MobileNets' and EfficientNets' blocks."""

from dataclasses import dataclass, field
from typing import ClassVar

from gradwright.errors import SpecError
from gradwright.hlo import Shape
from gradwright.layers.activation import Activation, Function
from gradwright.layers.batch_norm import BatchNorm
from gradwright.layers.composition import Block, ConvBn, Gate, Residual, Sequential
from gradwright.layers.dense import Dense
from gradwright.layers.layer import Layer
from gradwright.layers.pooling import GlobalAvgPool
from gradwright.spec import Entry
from gradwright.spec.padding import AnyPadding


@dataclass(frozen=True, slots=True)
class SqueezeExcite(Block):
    """A factor per channel from the mean of the picture: dense, activation, dense, gate.

    Shapes: x, y: [B, C, H, W]; inside `width` numbers. Libraries disagree on the width: a quarter
    of the block's input (EfficientNet) or of the channels gated (MobileNetV3), so it is given.
    Source: Hu et al. 2018, section 3.
    """

    kind: ClassVar[str] = "se"
    width: int
    activation: Function
    gate: Function

    def body(self, input: Shape) -> Layer:
        """Return the gate."""
        squeeze: list[Entry] = [
            ("pool", GlobalAvgPool()),
            ("reduce", Dense(self.width)),
            ("act", Activation(self.activation)),
            ("expand", Dense(input[0])),
            ("gate", Activation(self.gate)),
        ]
        return Sequential([("scale", Gate(Sequential(squeeze)))])


@dataclass(frozen=True, slots=True)
class InvertedResidual(Block):
    """Widen by 1x1, depthwise convolution, optional gate, project by 1x1; a sum where shapes agree.

    Shapes: x: [B, C, H, W], y: [B, out_channels, P, Q]; inside `hidden` channels, not widened where
    hidden = C. The depthwise convolution carries the stride; nothing follows the projection.
    Sources: Sandler et al. 2018 (MobileNetV2, ReLU6), Howard et al. 2019 (V3: h-swish, gate of
    h-sigmoid), Tan and Le 2019 (MBConv: swish, gate of sigmoid). Same as torchvision and timm.
    """

    kind: ClassVar[str] = "ir"
    out_channels: int
    hidden: int
    kernel: int
    strides: int
    padding: AnyPadding | None
    activation: Function
    squeeze: SqueezeExcite | None = None
    norm: BatchNorm = field(default_factory=BatchNorm)

    def body(self, input: Shape) -> Layer:
        """Return the path, summed with its input where shapes agree."""
        layers: list[Entry] = []
        if self.hidden != input[0]:
            widen = ConvBn(self.hidden, 1, activation=self.activation, norm=self.norm)
            layers.append(("expand", widen))
        depthwise = ConvBn(
            self.hidden,
            self.kernel,
            self.strides,
            self.padding,
            self.activation,
            groups=self.hidden,
            norm=self.norm,
        )
        layers.append(("depthwise", depthwise))
        if self.squeeze is not None:
            layers.append(("se", self.squeeze))
        layers.append(("project", projection(self.out_channels, self.norm)))
        return added(layers, keeps=self.strides == 1 and input[0] == self.out_channels)


@dataclass(frozen=True, slots=True)
class FusedInvertedResidual(Block):
    """Widen by a full convolution, optional gate, project by 1x1; a sum where shapes agree.

    Shapes as in `InvertedResidual`; the first convolution carries the stride. Where hidden = C it
    goes to out_channels at once and there is no projection (EfficientNetV2 at
    expansion 1). Source: Tan and Le 2021, "EfficientNetV2", figure 2.
    """

    kind: ClassVar[str] = "fused"
    out_channels: int
    hidden: int
    kernel: int
    strides: int
    padding: AnyPadding | None
    activation: Function
    squeeze: SqueezeExcite | None = None
    norm: BatchNorm = field(default_factory=BatchNorm)

    def body(self, input: Shape) -> Layer:
        """Return the path, summed with its input where shapes agree."""
        projects = self.hidden != input[0]
        first = ConvBn(
            self.hidden if projects else self.out_channels,
            self.kernel,
            self.strides,
            self.padding,
            self.activation,
            norm=self.norm,
        )
        layers: list[Entry] = [("expand", first)]
        if self.squeeze is not None:
            layers.append(("se", self.squeeze))
        if projects:
            layers.append(("project", projection(self.out_channels, self.norm)))
        return added(layers, keeps=self.strides == 1 and input[0] == self.out_channels)


@dataclass(frozen=True, slots=True)
class UniversalInvertedBottleneck(Block):
    """Optional depthwise, widen, optional depthwise, project; a sum where shapes agree.

    Shapes as in `InvertedResidual`; a depthwise kernel of 0 leaves that convolution out. The second
    depthwise carries the stride where there is one, else the first, which has no activation.
    Source: Qin et al. 2024, "MobileNetV4", figure 4, with the stride where timm has it.
    Errors: SpecError for a stride that no convolution carries.
    """

    kind: ClassVar[str] = "uib"
    out_channels: int
    expansion: int
    first_kernel: int
    second_kernel: int
    strides: int
    padding: AnyPadding | None
    activation: Function
    norm: BatchNorm = field(default_factory=BatchNorm)

    def body(self, input: Shape) -> Layer:
        """Return the path, summed with its input where shapes agree."""
        if self.strides != 1 and not (self.first_kernel or self.second_kernel):
            expected = "a depthwise convolution to carry the stride"
            raise SpecError(where=self.kind, expected=expected, found=str(self))
        channels, hidden = input[0], input[0] * self.expansion
        layers: list[Entry] = []
        if self.first_kernel:
            strides = 1 if self.second_kernel else self.strides
            first = self._depthwise(channels, self.first_kernel, strides, Function.IDENTITY)
            layers.append(("first", first))
        layers.append(("expand", ConvBn(hidden, 1, activation=self.activation, norm=self.norm)))
        if self.second_kernel:
            second = self._depthwise(hidden, self.second_kernel, self.strides, self.activation)
            layers.append(("second", second))
        layers.append(("project", projection(self.out_channels, self.norm)))
        return added(layers, keeps=self.strides == 1 and channels == self.out_channels)

    def _depthwise(self, channels: int, kernel: int, strides: int, activation: Function) -> ConvBn:
        return ConvBn(
            channels, kernel, strides, self.padding, activation, groups=channels, norm=self.norm
        )


@dataclass(frozen=True, slots=True)
class SeparableConv(Block):
    """Depthwise 3x3 and 1x1 convolution, each with batch norm; an activation behind the second.

    Shapes: x: [B, C, H, W], y: [B, out_channels, P, Q]. Source: Chollet 2017, "Xception", which
    has no activation between the two; MobileNetV1 has one: `between`.
    """

    kind: ClassVar[str] = "separable"
    out_channels: int
    strides: int
    padding: AnyPadding | None
    activation: Function
    between: Function
    norm: BatchNorm = field(default_factory=BatchNorm)

    def body(self, input: Shape) -> Layer:
        """Return both convolutions."""
        depthwise = ConvBn(
            input[0], 3, self.strides, self.padding, self.between, groups=input[0], norm=self.norm
        )
        pointwise = ConvBn(self.out_channels, 1, activation=self.activation, norm=self.norm)
        return Sequential([("depthwise", depthwise), ("pointwise", pointwise)])


def projection(channels: int, norm: BatchNorm) -> ConvBn:
    """Return a 1x1 convolution with batch norm and nothing after it."""
    return ConvBn(channels, 1, activation=Function.IDENTITY, norm=norm)


def added(layers: list[Entry], *, keeps: bool) -> Layer:
    """Return layers in sequence, summed with their input where that is asked for."""
    path = Sequential(layers)
    return Residual(path) if keeps else path
