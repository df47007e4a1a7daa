"""Larger pictures by repetition."""

from dataclasses import dataclass
from typing import ClassVar

from gradwright.hlo import Shape, Value
from gradwright.layers.layer import Layer, require_counts, require_image
from gradwright.layers.walk import Walk
from gradwright.spec import Plan


@dataclass(frozen=True, slots=True)
class Upsample(Layer):
    """Every position repeated `factor` times in height and in width.

    Shapes: x: [B, C, H, W], y: [B, C, factor H, factor W].
    Math: y[factor i + u, factor j + v] = x[i, j] for u, v < factor; dx = sum of dy over u, v.
    Same as PyTorch's Upsample(mode="nearest") and jax.image.resize with "nearest" at this factor.
    """

    kind: ClassVar[str] = "upsample"
    factor: int

    def plan(self, path: str, input: Shape) -> Plan:
        """Return shapes."""
        channels, height, width = require_image(path, self, input)
        require_counts(path, self, self.factor)
        return Plan(path, self, input, (channels, self.factor * height, self.factor * width))

    def forward(self, walk: Walk, plan: Plan, x: Value) -> Value:
        """Write y and record dx."""
        b, spatial = walk.b, walk.formulation.layout.spatial
        split: list[int] = []
        kept: list[int] = []
        for axis, extent in enumerate(x.shape):
            kept.append(len(split))
            split += [extent, self.factor] if axis in spatial else [extent]
        repeated = [axis for axis in range(len(split)) if axis not in kept]
        y = b.reshape(b.broadcast(x, tuple(split), tuple(kept)), walk.shape(plan.output), hint="y")

        def pullback(dy: Value) -> tuple[Value]:
            return (b.sum(b.reshape(dy, tuple(split)), repeated, hint="dx"),)

        return walk.record(plan, (x,), y, pullback)

    def meaning(self, plan: Plan) -> str:
        """Return the index notation."""
        _, height, width = plan.input
        f = self.factor
        bounds = f"i<{height},u<{f},j<{width},v<{f}"
        return f"y[n,c,{f}*i + u,{f}*j + v | {bounds}] = x[n,c,i,j]"
