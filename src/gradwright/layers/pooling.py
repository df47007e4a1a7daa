"""Pooling over windows and over whole pictures."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gradwright.errors import SpecError
from gradwright.hlo import Shape, Value
from gradwright.hlo.attributes import Window
from gradwright.layers import max_pool_forms
from gradwright.layers.convolution import fitting_windows, window_reads
from gradwright.layers.layer import Layer, require_image, require_member
from gradwright.layers.sites import Primitive, Site
from gradwright.layers.slices import scatter_taps, taps
from gradwright.layers.walk import Walk
from gradwright.spec import Plan
from gradwright.spec.conventions import Convention
from gradwright.spec.padding import AnyPadding, Padding, Pair, Windows


@dataclass(frozen=True, slots=True)
class MaxPool(Layer):
    """Maximum over each window; the border counts as -inf.

    Shapes: x: [B, C, H, W], y: [B, C, P, Q]. `strides` defaults to the kernel.
    Math: dx adds each dy to one maximum of its window. Tie convention: the first maximum in
    row-major order takes it. Same as PyTorch on CPU; JAX's reduce_window gradient: same.
    """

    kind: ClassVar[str] = "maxpool"
    kernel: int | Pair
    strides: int | Pair | None = None
    padding: AnyPadding = Padding.VALID

    def plan(self, path: str, input: Shape) -> Plan:
        """Return shapes."""
        windows = pool_windows(path, self, input, self.kernel, self.strides, self.padding)
        return Plan(path, self, input, (input[0], *windows.counts))

    def forward(self, walk: Walk, plan: Plan, x: Value) -> Value:
        """Write y and record dx."""
        windows = self._windows(plan)
        y, pullback = max_pool_forms.write(walk, windows, x)
        return walk.record(plan, (x,), y, lambda dy: (pullback(dy),))

    def site(self, plan: Plan, batch: int) -> Site:
        """Return what is pooled."""
        channels = plan.input[0]
        return Site(Primitive.MAX_POOL, self._windows(plan), batch, channels, channels)

    def meaning(self, plan: Plan) -> str:
        """Return the index notation."""
        windows = self._windows(plan)
        reads = ",".join(window_reads(windows))
        bounds = f"u<{windows.kernel[0]},v<{windows.kernel[1]}"
        return f"y[n,c,{_ends(windows)}] = max({bounds}) x[n,c,{reads}]"

    def _windows(self, plan: Plan) -> Windows:
        return pool_windows(plan.path, self, plan.input, self.kernel, self.strides, self.padding)


class Divisor(Convention):
    """What an average pool divides the sum of a window by at the border."""

    INCLUDE_PADDING = "include-padding"
    """The window's extent: PyTorch's count_include_pad=True (its default), Flax's default."""
    EXCLUDE_PADDING = "exclude-padding"
    """The number of positions inside the picture: TensorFlow, PyTorch's False."""


@dataclass(frozen=True, slots=True)
class AvgPool(Layer):
    """Mean over each window.

    Shapes: x: [B, C, H, W], y: [B, C, P, Q]. `strides` defaults to the kernel.
    Math: y = sum of the window / divisor; dx adds dy / divisor wherever the window reads.
    """

    kind: ClassVar[str] = "avgpool"
    kernel: int | Pair
    strides: int | Pair | None = None
    padding: AnyPadding = Padding.VALID
    divisor: Divisor = Divisor.INCLUDE_PADDING

    def plan(self, path: str, input: Shape) -> Plan:
        """Return shapes."""
        require_member(path, self, self.divisor, Divisor)
        windows = pool_windows(path, self, input, self.kernel, self.strides, self.padding)
        return Plan(path, self, input, (input[0], *windows.counts))

    def forward(self, walk: Walk, plan: Plan, x: Value) -> Value:
        """Write y and record dx."""
        b = walk.b
        windows = pool_windows(plan.path, self, plan.input, self.kernel, self.strides, self.padding)
        total = b.reduce_window(x, 0, window_attributes(walk, windows), b.adds, hint="total")
        divisors = self._divisors(walk, windows, total)
        y = b.divide(total, divisors, hint="y")

        def pullback(dy: Value) -> tuple[Value]:
            share = b.divide(dy, divisors, hint="share")
            return (scatter_taps(walk, windows, [share for _ in taps(windows)]),)

        return walk.record(plan, (x,), y, pullback)

    def meaning(self, plan: Plan) -> str:
        """Return the index notation."""
        windows = pool_windows(plan.path, self, plan.input, self.kernel, self.strides, self.padding)
        reads = ",".join(window_reads(windows))
        bounds = f"u<{windows.kernel[0]},v<{windows.kernel[1]}"
        total = f"sum({bounds}) x[n,c,{reads}]"
        if self.divisor is Divisor.INCLUDE_PADDING:
            return f"y[n,c,{_ends(windows)}] = ({total}) / {windows.kernel[0] * windows.kernel[1]}"
        count = f"sum({bounds}) inside(x[n,c,{reads}])"
        return f"y[n,c,{_ends(windows)}] = ({total}) / ({count})"

    def _divisors(self, walk: Walk, windows: Windows, like: Value) -> Value:
        """Return the divisor of each window, repeated over examples and channels."""
        b = walk.b
        if self.divisor is Divisor.INCLUDE_PADDING:
            return b.splat_like(windows.kernel[0] * windows.kernel[1], like)
        rows, columns = (_inside(walk, windows, axis, like) for axis in (0, 1))
        return b.multiply(rows, columns, hint="counts")


@dataclass(frozen=True, slots=True)
class GlobalAvgPool(Layer):
    """Mean over the whole picture.

    Shapes: x: [B, C, H, W], y: [B, C]. Math: y = sum x / (H W); dx = dy / (H W).
    """

    kind: ClassVar[str] = "gap"

    def plan(self, path: str, input: Shape) -> Plan:
        """Return shapes."""
        channels, _, _ = require_image(path, self, input)
        return Plan(path, self, input, (channels,))

    def forward(self, walk: Walk, plan: Plan, x: Value) -> Value:
        """Write y and record dx."""
        b, layout = walk.b, walk.formulation.layout
        _, height, width = plan.input
        total = b.sum(x, layout.spatial, hint="total")
        y = b.divide(total, b.splat_like(height * width, total), hint="y")

        def pullback(dy: Value) -> tuple[Value]:
            share = dy / (height * width)
            return (b.broadcast(share, x.shape, (0, layout.channel), hint="dx"),)

        return walk.record(plan, (x,), y, pullback)

    def meaning(self, plan: Plan) -> str:
        """Return the index notation."""
        _, height, width = plan.input
        return f"y[n,c] = (sum(i<{height},j<{width}) x[n,c,i,j]) / {height * width}"


def pool_windows(
    path: str,
    layer: Layer,
    input: Shape,
    kernel: int | Pair,
    strides: int | Pair | None,
    padding: AnyPadding,
) -> Windows:
    """Return where each window reads; every window must touch the picture."""
    steps = kernel if strides is None else strides
    windows = fitting_windows(path, layer, input, kernel, steps, 1, padding)
    if any(
        max(amounts) >= extent
        for amounts, extent in zip(windows.padding, windows.kernel, strict=True)
    ):
        expected = f"padding below the window {windows.kernel}, so that no window lies outside"
        raise SpecError(where=path, expected=expected, found=str(windows.padding))
    return windows


def window_attributes(walk: Walk, windows: Windows) -> Window:
    """Return the attributes of `reduce_window` in this walk's layout."""
    ones = [1] * 4
    extents, strides = list(ones), list(ones)
    padding = [(0, 0)] * 4
    for axis, dimension in enumerate(walk.formulation.layout.spatial):
        extents[dimension] = windows.kernel[axis]
        strides[dimension] = windows.strides[axis]
        padding[dimension] = windows.padding[axis]
    return Window(tuple(extents), tuple(strides), tuple(ones), tuple(ones), tuple(padding))


def _ends(windows: Windows) -> str:
    """Return the indices of the windows with their bounds."""
    return f"i<{windows.counts[0]},j<{windows.counts[1]}"


def _inside(walk: Walk, windows: Windows, axis: int, like: Value) -> Value:
    """Return how many of a window's positions along one axis lie inside the picture."""
    first = np.arange(windows.counts[axis]) * windows.strides[axis] - windows.padding[axis][0]
    last = np.minimum(first + windows.kernel[axis], windows.extents[axis])
    counts = (last - np.maximum(first, 0)).astype(like.type.element.dtype)
    along = (walk.formulation.layout.spatial[axis],)
    return walk.b.broadcast(walk.b.constant(counts), like.shape, along)
