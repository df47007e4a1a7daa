"""Dense layer and the layers that only reshape: flatten, one-hot."""

import math
from dataclasses import dataclass
from typing import ClassVar

from gradwright.errors import SpecError
from gradwright.hlo import Shape, Value
from gradwright.hlo.attributes import Direction
from gradwright.layers.layer import Layer, require_counts, require_member
from gradwright.layers.walk import Walk
from gradwright.spec import Constant, Decay, HeNormal, Plan, Slot


@dataclass(frozen=True, slots=True)
class Dense(Layer):
    """Affine map of the last axis.

    Shapes: x: [B, I], weight: [I, O], bias: [O], y: [B, O].
    Math: y = x W + b; dW = x^T dy; db = sum_B dy; dx = dy W^T.
    Differs from PyTorch's Linear, which stores the weight as [O, I]; same as Flax.
    `in_features`, where given, must equal what the net delivers.
    """

    kind: ClassVar[str] = "dense"
    out_features: int
    in_features: int | None = None
    bias: bool = True

    def plan(self, path: str, input: Shape) -> Plan:
        """Return shapes and slots."""
        require_counts(path, self, self.out_features)
        require_member(path, self, self.bias, bool)
        if len(input) != 1:
            raise SpecError(
                where=path,
                expected="a feature vector [I]",
                found=f"shape {list(input)}",
                remedy="Put Flatten() or GlobalAvgPool() before it",
            )
        (features,) = input
        if self.in_features not in (None, features):
            expected = f"{self.in_features} input features, as declared"
            raise SpecError(where=path, expected=expected, found=f"{features}")
        weight = Slot("weight", (features, self.out_features), HeNormal(features), Decay.DECAYS)
        bias = Slot("bias", (self.out_features,), Constant(0), Decay.EXEMPT)
        slots = (weight, bias) if self.bias else (weight,)
        return Plan(path, self, input, (self.out_features,), slots)

    def forward(self, walk: Walk, plan: Plan, x: Value) -> Value:
        """Write y and record dx, dW, db."""
        b = walk.b
        weight = walk.slot(plan, "weight")
        leaf = walk.precision.dense
        y = walk.rounded(leaf, lambda x, w: b.dot(x, w, ((1,), (0,)), hint="xw"), x, weight)
        if not self.bias:
            return walk.record(plan, (x, weight), y, lambda dy: self._pull(walk, x, weight, dy))
        bias = walk.slot(plan, "bias")
        y = b.add(y, walk.per_channel(bias, y), hint="y")

        def pullback(dy: Value) -> tuple[Value, ...]:
            return *self._pull(walk, x, weight, dy), b.sum(dy, (0,), hint="dbias")

        return walk.record(plan, (x, weight, bias), y, pullback)

    def _pull(self, walk: Walk, x: Value, weight: Value, dy: Value) -> tuple[Value, Value]:
        b, leaf = walk.b, walk.precision.dense
        dx = walk.rounded(leaf, lambda dy, w: b.dot(dy, w, ((1,), (1,)), hint="dx"), dy, weight)
        by_x = walk.rounded(leaf, lambda x, dy: b.dot(x, dy, ((0,), (0,)), hint="dweight"), x, dy)
        return dx, by_x

    def meaning(self, plan: Plan) -> str:
        """Return the index notation."""
        product = f"sum(i<{plan.input[0]}) x[n,i] * weight[i,o]"
        return f"y[n,o] = {product}" + (" + bias[o]" if self.bias else "")


@dataclass(frozen=True, slots=True)
class Flatten(Layer):
    """Row-major flattening of one example, channels slowest.

    Shapes: x: [B, C, H, W], y: [B, C * H * W]. Same as PyTorch; Flax flattens [H, W, C].
    """

    kind: ClassVar[str] = "flatten"

    def plan(self, path: str, input: Shape) -> Plan:
        """Return shapes."""
        return Plan(path, self, input, (math.prod(input),))

    def forward(self, walk: Walk, plan: Plan, x: Value) -> Value:
        """Write y and record dx."""
        logical = (walk.batch, *plan.input)
        y = walk.b.reshape(walk.leave(x, hint="nchw"), walk.shape(plan.output), hint="y")

        def pullback(dy: Value) -> tuple[Value]:
            return (walk.enter(walk.b.reshape(dy, logical, hint="dnchw"), hint="dx"),)

        return walk.record(plan, (x,), y, pullback)

    def meaning(self, plan: Plan) -> str:
        """Return the index notation."""
        axes = [f"i{axis}" for axis in range(len(plan.input))]
        strides = [math.prod(plan.input[axis + 1 :]) for axis in range(len(plan.input))]
        digits = zip(strides, axes, strict=True)
        flat = " + ".join(axis if stride == 1 else f"{stride}*{axis}" for stride, axis in digits)
        return f"y[n,{flat}] = x[n,{','.join(axes)}]"


@dataclass(frozen=True, slots=True)
class OneHot(Layer):
    """Indicator vectors of token ids.

    Shapes: x: [B, T] integers, y: [B, T, classes]; y is 0 for an id outside 0 … classes - 1.
    Math: y[n,t,k] = [x[n,t] = k]. No cotangent: ids are data.
    """

    kind: ClassVar[str] = "onehot"
    reads_tokens: ClassVar[bool] = True
    classes: int

    def plan(self, path: str, input: Shape) -> Plan:
        """Return shapes."""
        require_counts(path, self, self.classes)
        if len(input) != 1:
            raise SpecError(where=path, expected="token ids [T]", found=f"shape {list(input)}")
        return Plan(path, self, input, (*input, self.classes))

    def forward(self, walk: Walk, plan: Plan, x: Value) -> Value:
        """Write y; nothing to record."""
        b = walk.b
        if not x.type.element.is_integer:
            raise b.mismatch("OneHot", "integer token ids", str(x.type))
        shape = (walk.batch, *plan.output)
        ids = b.broadcast(x, shape, (0, 1))
        classes = b.iota(ids.type, 2)
        return b.convert(b.compare(Direction.EQ, ids, classes), walk.element, hint="y")

    def meaning(self, plan: Plan) -> str:
        """Return the index notation."""
        del plan
        return f"y[n,i,k<{self.classes}] = [x[n,i] = k]"
