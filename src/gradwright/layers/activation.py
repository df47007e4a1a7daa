"""Activations: pointwise functions with the derivative stated at every kink."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from gradwright.hlo import Builder, Shape, Value
from gradwright.hlo.attributes import Direction
from gradwright.layers.layer import Layer, require_member
from gradwright.layers.walk import Walk
from gradwright.spec import Plan
from gradwright.spec.conventions import Convention

RELU6_CEILING = 6
"""Krizhevsky 2010, "Convolutional Deep Belief Networks on CIFAR-10": min(max(x, 0), 6)."""
HARD_SHIFT, HARD_SPAN = 3, 6
"""Howard et al. 2019, "Searching for MobileNetV3", section 5.2: relu6(x + 3) / 6."""
GELU_CUBIC = 0.044715
"""Hendrycks and Gimpel 2016, "Gaussian Error Linear Units", section 2: the tanh form."""


class Function(Convention):
    """The pointwise functions, each with its derivative at the kinks."""

    IDENTITY = "identity"
    """x; derivative 1."""
    RELU = "relu"
    """max(x, 0); derivative [x > 0], so 0 at 0. Same as PyTorch and jax.nn.relu."""
    RELU6 = "relu6"
    """min(max(x, 0), 6); derivative [0 < x < 6], so 0 at 0 and at 6. Same as PyTorch and JAX."""
    SIGMOID = "sigmoid"
    """s = 1 / (1 + exp(-x)); derivative s (1 - s)."""
    TANH = "tanh"
    """t = tanh(x); derivative 1 - t^2."""
    SWISH = "swish"
    """x s; derivative s (1 + x (1 - s)). Also called SiLU."""
    HARD_SIGMOID = "hard-sigmoid"
    """relu6(x + 3) / 6; derivative [-3 < x < 3] / 6, so 0 at -3 and 3. Same as PyTorch and JAX."""
    HARD_SWISH = "hard-swish"
    """x relu6(x + 3) / 6; derivative relu6(x + 3) / 6 + x [-3 < x < 3] / 6, so 0 at -3, 1 at 3.

    Same as JAX and as PyTorch since 2.6; older PyTorch gave -1/2 and 3/2.
    """
    GELU_TANH = "gelu-tanh"
    """x (1 + tanh(v)) / 2, v = sqrt(2 / pi) (x + 0.044715 x^3); written as x logistic(2 v).

    Same as approximate='tanh' in PyTorch and JAX.
    """
    GELU_ERF = "gelu-erf"
    """x (1 + erf(x / sqrt(2))) / 2; derivative (1 + erf(x / sqrt(2))) / 2 + x phi(x)."""


@dataclass(frozen=True, slots=True)
class Activation(Layer):
    """A pointwise function applied to every element.

    Shapes: x, y: any, equal. The derivative is taken at the pre-activation x.
    """

    kind: ClassVar[str] = "act"
    function: Function

    def plan(self, path: str, input: Shape) -> Plan:
        """Return shapes."""
        require_member(path, self, self.function, Function)
        return Plan(path, self, input, input)

    def forward(self, walk: Walk, plan: Plan, x: Value) -> Value:
        """Write y and record dx."""
        if self.function is Function.IDENTITY:
            return x
        value, slope = _RULES[self.function]
        y = value(walk.b, x)

        def pullback(dy: Value) -> tuple[Value]:
            return (slope(walk.b, x, y, dy),)

        return walk.record(plan, (x,), y, pullback)

    def meaning(self, plan: Plan) -> str:
        """Return the index notation."""
        axes = ",".join(["n", *(f"i{axis}" for axis in range(len(plan.input)))])
        return _FORMULAS[self.function].format(
            i=f"[{axes}]", **{v: f"{n}[{axes}]" for v, n in _VALUES}
        )


_VALUES = (("x", "x"), ("y", "y"), ("g", "gate"))
_RAMP = f"min(max({{x}} + {HARD_SHIFT}, 0), {HARD_SPAN})"
_GATE = f"ramp{{i}} = {_RAMP}; {{g}} = ramp{{i}} / {HARD_SPAN}"
_FORMULAS = {
    Function.IDENTITY: "{y} = {x}",
    Function.RELU: "{y} = max({x}, 0)",
    Function.RELU6: f"{{y}} = min(max({{x}}, 0), {RELU6_CEILING})",
    Function.SIGMOID: "{y} = logistic({x})",
    Function.TANH: "{y} = tanh({x})",
    Function.SWISH: "{y} = {x} * logistic({x})",
    Function.HARD_SIGMOID: f"{_GATE}; {{y}} = {{g}}",
    Function.HARD_SWISH: f"{_GATE}; {{y}} = {{x}} * {{g}}",
    Function.GELU_TANH: (
        f"{{y}} = {{x}} * (1 + tanh(sqrt(2 / pi) * ({{x}} + {GELU_CUBIC!r} * {{x}}^3))) / 2"
    ),
    Function.GELU_ERF: "{y} = {x} * (1 + erf({x} * sqrt(1 / 2))) / 2",
}
"""What each function is, in index notation."""


def _relu(b: Builder, x: Value) -> Value:
    return b.maximum(x, b.splat_like(0, x), hint="y")


def _relu_slope(b: Builder, x: Value, y: Value, dy: Value) -> Value:
    del x  # [y > 0] = [x > 0], and y is kept anyway: the next layer reads it
    zero = b.splat_like(0, y)
    return b.select(b.compare(Direction.GT, y, zero, hint="on"), dy, zero, hint="dx")


def _relu6(b: Builder, x: Value) -> Value:
    return b.clamp(b.splat_like(0, x), x, b.splat_like(RELU6_CEILING, x), hint="y")


def _inside(b: Builder, x: Value, low: float, high: float) -> Value:
    """Return [low < x < high]."""
    above = b.compare(Direction.GT, x, b.splat_like(low, x))
    below = b.compare(Direction.LT, x, b.splat_like(high, x))
    return b.logical_and(above, below, hint="inside")


def _relu6_slope(b: Builder, x: Value, y: Value, dy: Value) -> Value:
    del x  # 0 < y < 6 exactly where 0 < x < 6
    return b.select(_inside(b, y, 0, RELU6_CEILING), dy, b.splat_like(0, dy), hint="dx")


def _sigmoid(b: Builder, x: Value) -> Value:
    return b.logistic(x, hint="y")


def _sigmoid_slope(b: Builder, x: Value, y: Value, dy: Value) -> Value:
    del x
    return b.multiply(dy, y * (1 - y), hint="dx")


def _tanh(b: Builder, x: Value) -> Value:
    return b.tanh(x, hint="y")


def _tanh_slope(b: Builder, x: Value, y: Value, dy: Value) -> Value:
    del x
    return b.multiply(dy, 1 - y * y, hint="dx")


def _swish(b: Builder, x: Value) -> Value:
    return b.multiply(x, b.logistic(x), hint="y")


def _swish_slope(b: Builder, x: Value, y: Value, dy: Value) -> Value:
    del y
    s = b.logistic(x)
    return b.multiply(dy, s * (1 + x * (1 - s)), hint="dx")


def _gate(b: Builder, x: Value) -> Value:
    """Return relu6(x + 3) / 6."""
    shifted = x + HARD_SHIFT
    return b.clamp(b.splat_like(0, x), shifted, b.splat_like(HARD_SPAN, x)) / HARD_SPAN


def _hard_sigmoid_slope(b: Builder, x: Value, y: Value, dy: Value) -> Value:
    del y
    inside = _inside(b, x, -HARD_SHIFT, HARD_SHIFT)
    return b.select(inside, dy / HARD_SPAN, b.splat_like(0, dy), hint="dx")


def _hard_swish(b: Builder, x: Value) -> Value:
    return b.multiply(x, _gate(b, x), hint="y")


def _hard_swish_slope(b: Builder, x: Value, y: Value, dy: Value) -> Value:
    del y
    inside = _inside(b, x, -HARD_SHIFT, HARD_SHIFT)
    ramp = b.select(inside, x / HARD_SPAN, b.splat_like(0, x))
    return b.multiply(dy, _gate(b, x) + ramp, hint="dx")


def _gelu_tanh_share(b: Builder, x: Value) -> Value:
    """Return (1 + tanh(v)) / 2 as logistic(2 v), which keeps its relative precision for x << 0."""
    v = (x + GELU_CUBIC * (x * x * x)) * math.sqrt(2 / math.pi)
    return b.logistic(2 * v, hint="share")


def _gelu_tanh(b: Builder, x: Value) -> Value:
    return b.multiply(x, _gelu_tanh_share(b, x), hint="y")


def _gelu_tanh_slope(b: Builder, x: Value, y: Value, dy: Value) -> Value:
    del y
    s = _gelu_tanh_share(b, x)
    twice_dv = (2 + (6 * GELU_CUBIC) * (x * x)) * math.sqrt(2 / math.pi)
    return b.multiply(dy, s + x * (s * (1 - s)) * twice_dv, hint="dx")


def _normal_cdf(b: Builder, x: Value) -> Value:
    return 0.5 * (1 + b.erf(x * math.sqrt(1 / 2)))


def _gelu_erf(b: Builder, x: Value) -> Value:
    return b.multiply(x, _normal_cdf(b, x), hint="y")


def _gelu_erf_slope(b: Builder, x: Value, y: Value, dy: Value) -> Value:
    del y
    density = b.exponential(x * x * -0.5) * math.sqrt(1 / (2 * math.pi))
    return b.multiply(dy, _normal_cdf(b, x) + x * density, hint="dx")


_RULES: dict[
    Function,
    tuple[Callable[[Builder, Value], Value], Callable[[Builder, Value, Value, Value], Value]],
] = {
    Function.RELU: (_relu, _relu_slope),
    Function.RELU6: (_relu6, _relu6_slope),
    Function.SIGMOID: (_sigmoid, _sigmoid_slope),
    Function.TANH: (_tanh, _tanh_slope),
    Function.SWISH: (_swish, _swish_slope),
    Function.HARD_SIGMOID: (_gate, _hard_sigmoid_slope),
    Function.HARD_SWISH: (_hard_swish, _hard_swish_slope),
    Function.GELU_TANH: (_gelu_tanh, _gelu_tanh_slope),
    Function.GELU_ERF: (_gelu_erf, _gelu_erf_slope),
}
