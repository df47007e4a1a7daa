"""Convolution layers: dense, grouped and depthwise."""

from dataclasses import dataclass
from typing import ClassVar

from gradwright.errors import SpecError
from gradwright.hlo import Shape, Value
from gradwright.layers.convolution_forms import ConvolutionRule, convolve, input_gradient
from gradwright.layers.layer import (
    Layer,
    require_counts,
    require_image,
    require_member,
    require_pair,
)
from gradwright.layers.sites import Primitive, Site
from gradwright.layers.walk import Walk
from gradwright.layers.weight_gradient import weight_gradient
from gradwright.spec import Constant, Decay, HeNormal, Plan, Slot
from gradwright.spec.padding import AnyPadding, Explicit, Padding, Pair, Windows


@dataclass(frozen=True, slots=True)
class Conv2d(Layer):
    """Two-dimensional convolution (cross-correlation), dense or grouped.

    Shapes: x: [B, C, H, W], weight: [O, C / groups, kH, kW], bias: [O], y: [B, O, P, Q] with
    P = (H + low + high - ((kH - 1) dilation + 1)) // stride + 1. Same as PyTorch.
    Math: with dy reversed through the same relation, dx is the convolution of the stride-dilated
    dy with the reversed kernel, dW the correlation of x with dy; dbias = sum dy over B, P, Q.
    Padding has no default where conventions disagree: at a stride, or with an even window.
    """

    kind: ClassVar[str] = "conv"
    out_channels: int
    kernel: int | Pair
    strides: int | Pair = 1
    padding: AnyPadding | None = None
    dilation: int | Pair = 1
    groups: int = 1
    bias: bool = True
    in_channels: int | None = None

    def plan(self, path: str, input: Shape) -> Plan:
        """Return shapes and slots."""
        channels, _, _ = require_image(path, self, input)
        require_counts(path, self, self.out_channels, self.groups)
        require_member(path, self, self.bias, bool)
        windows = self.windows(path, input)
        if self.in_channels not in (None, channels):
            expected = f"{self.in_channels} input channels, as declared"
            raise SpecError(where=path, expected=expected, found=str(channels))
        if channels % self.groups or self.out_channels % self.groups:
            expected = f"channels divisible by {self.groups} groups"
            found = f"{channels} in, {self.out_channels} out"
            raise SpecError(where=path, expected=expected, found=found)
        shape = (self.out_channels, channels // self.groups, *windows.kernel)
        fan_in = shape[1] * windows.kernel[0] * windows.kernel[1]
        slots = [Slot("weight", shape, HeNormal(fan_in), Decay.DECAYS)]
        if self.bias:
            slots.append(Slot("bias", (self.out_channels,), Constant(0), Decay.EXEMPT))
        return Plan(path, self, input, (self.out_channels, *windows.counts), tuple(slots))

    def windows(self, path: str, input: Shape) -> Windows:
        """Return where each output position reads, SpecError where no window fits."""
        return fitting_windows(
            path, self, input, self.kernel, self.strides, self.dilation, self.padding
        )

    def forward(self, walk: Walk, plan: Plan, x: Value) -> Value:
        """Write y and record dx, dW, dbias."""
        rule = ConvolutionRule(self.windows(plan.path, plan.input), self.groups)
        weight = walk.slot(plan, "weight")
        precision = walk.precision
        y = walk.rounded(precision.forward, lambda x, w: convolve(walk, rule, x, w), x, weight)
        inputs = (x, weight)
        if self.bias:
            bias = walk.slot(plan, "bias")
            y = walk.b.add(y, walk.per_channel(bias, y), hint="y")
            inputs = (x, weight, bias)

        def pullback(dy: Value) -> list[Value]:
            dx = walk.rounded(
                precision.input_gradient,
                lambda dy, w: input_gradient(walk, rule, w, dy),
                *(dy, weight),
            )
            dweight = walk.rounded(
                precision.weight_gradient,
                lambda x, dy: weight_gradient(walk, rule, x, weight, dy),
                *(x, dy),
            )
            cotangents = [dx, dweight]
            if self.bias:
                cotangents.append(walk.b.sum(dy, walk.other_axes(dy), hint="dbias"))
            return cotangents

        return walk.record(plan, inputs, y, pullback)

    def site(self, plan: Plan, batch: int) -> Site:
        """Return what is convolved."""
        windows, channels = self.windows(plan.path, plan.input), plan.input[0]
        counts = (batch, channels, self.out_channels, self.groups)
        return Site(Primitive.CONVOLUTION, windows, *counts)

    def meaning(self, plan: Plan) -> str:
        """Return the index notation."""
        windows = self.windows(plan.path, plan.input)
        each, own = plan.slots[0].shape[1], self.out_channels // self.groups
        rows, columns = windows.counts
        ends = f"i<{rows},j<{columns}"
        if self.groups == 1:
            o, c, left = "o", "c", f"n,o,{ends}"
        elif own == 1:
            o, c, left = "o", f"{each}*o + c", f"n,o,{ends}"
        else:
            o, c = f"{own}*g + o", f"{each}*g + c"
            left = f"n,{o},i,j | g<{self.groups},o<{own},{ends}"
        bounds = f"c<{each},u<{windows.kernel[0]},v<{windows.kernel[1]}"
        reads = ",".join(window_reads(windows))
        bias = f" + bias[{o}]" if self.bias else ""
        return f"y[{left}] = sum({bounds}) weight[{o},c,u,v] * x[n,{c},{reads}]{bias}"


@dataclass(frozen=True, slots=True)
class DepthwiseConv2d(Layer):
    """Convolution of each channel with its own kernel.

    Shapes: x: [B, C, H, W], weight: [C, 1, kH, kW], y: [B, C, P, Q]. Same as a PyTorch convolution
    with groups = C. Math: that of `Conv2d`.
    """

    kind: ClassVar[str] = "dwconv"
    kernel: int | Pair
    strides: int | Pair = 1
    padding: AnyPadding | None = None
    dilation: int | Pair = 1
    bias: bool = True

    def plan(self, path: str, input: Shape) -> Plan:
        """Return shapes and slots."""
        channels, _, _ = require_image(path, self, input)
        grouped = self._grouped(channels).plan(path, input)
        return Plan(path, self, input, grouped.output, grouped.slots)

    def forward(self, walk: Walk, plan: Plan, x: Value) -> Value:
        """Write y and record dx, dW, dbias."""
        return self._grouped(plan.input[0]).forward(walk, plan, x)

    def site(self, plan: Plan, batch: int) -> Site:
        """Return what is convolved."""
        return self._grouped(plan.input[0]).site(plan, batch)

    def meaning(self, plan: Plan) -> str:
        """Return the index notation."""
        return self._grouped(plan.input[0]).meaning(plan)

    def _grouped(self, channels: int) -> Conv2d:
        return Conv2d(
            channels,
            self.kernel,
            self.strides,
            self.padding,
            self.dilation,
            groups=channels,
            bias=self.bias,
        )


def fitting_windows(
    path: str,
    layer: Layer,
    input: Shape,
    kernel: int | Pair,
    strides: int | Pair,
    dilation: int | Pair,
    padding: AnyPadding | None,
) -> Windows:
    """Resolve the padding of a layer's windows, SpecError where it is unnamed or none fits."""
    _, height, width = require_image(path, layer, input)
    rule = Padding.SYMMETRIC if padding is None else padding
    require_member(path, layer, rule, Padding, Explicit)
    extents, steps, gaps = (require_pair(path, layer, e) for e in (kernel, strides, dilation))
    windows = Windows.over((height, width), extents, steps, gaps, rule)
    if padding is None and (
        max(windows.strides) > 1 or any(span % 2 == 0 for span in windows.spans)
    ):
        raise SpecError(
            where=path,
            expected="a named padding, since conventions differ at a stride or an even window",
            found=f"none in {layer}",
            remedy="Say Padding.SYMMETRIC, Padding.SAME_UPPER, Padding.VALID or Explicit(...)",
        )
    if min(windows.counts) < 1:
        expected = f"at least one window of {windows.spans} in {input} padded by {windows.padding}"
        counts = tuple(max(0, count) for count in windows.counts)
        raise SpecError(where=path, expected=expected, found=f"{counts} windows")
    return windows


def window_reads(windows: Windows) -> tuple[str, str]:
    """Return the index expressions of height and width that tap (u, v) of window (i, j) reads."""
    row, column = (
        _read(windows.strides[axis], window, windows.dilation[axis], tap, windows.padding[axis][0])
        for axis, (window, tap) in enumerate((("i", "u"), ("j", "v")))
    )
    return row, column


def _read(stride: int, window: str, dilation: int, tap: str, low: int) -> str:
    walks, reaches = (
        name if weight == 1 else f"{weight}*{name}"
        for weight, name in ((stride, window), (dilation, tap))
    )
    return f"{walks} + {reaches}" + (f" - {low}" if low else "")
