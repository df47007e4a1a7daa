"""Layer normalisation: over the channels of each position, one example at a time."""

from dataclasses import dataclass
from typing import ClassVar

from gradwright.errors import SpecError
from gradwright.hlo import Shape, Value
from gradwright.layers.layer import Layer
from gradwright.layers.walk import Walk
from gradwright.spec import Constant, Decay, Plan, Slot
from gradwright.spec.numbers import is_real


@dataclass(frozen=True, slots=True)
class LayerNorm(Layer):
    """Normalisation over the channels, the same in training and evaluation.

    Shapes: x, y: [B, C, H, W] or [B, C]; weight, bias: [C].
    Math: mu, var over C (var biased, two passes); xhat = (x - mu) / sqrt(var + epsilon);
    y = weight xhat + bias. With g = weight dy: dx = (g - mean_C(g) - xhat mean_C(g xhat))
    / sqrt(var + epsilon); dweight = sum dy xhat; dbias = sum dy, over all but C.
    Domain: var + epsilon > 0. Source: Ba, Kiros and Hinton 2016, section 3. Same as PyTorch's
    layer_norm over the channels; `epsilon` has no default, since PyTorch's is 1e-5, Flax's 1e-6.
    """

    kind: ClassVar[str] = "ln"
    epsilon: float

    def plan(self, path: str, input: Shape) -> Plan:
        """Return shapes and slots."""
        if not is_real(self.epsilon) or not self.epsilon > 0:
            raise SpecError(where=path, expected="a number epsilon > 0", found=str(self))
        if len(input) not in (1, 3):
            found = f"shape {list(input)}"
            raise SpecError(where=path, expected="[C, H, W] or [C] as input", found=found)
        shape = (input[0],)
        slots = (
            Slot("weight", shape, Constant(1), Decay.EXEMPT),
            Slot("bias", shape, Constant(0), Decay.EXEMPT),
        )
        return Plan(path, self, input, input, slots)

    def forward(self, walk: Walk, plan: Plan, x: Value) -> Value:
        """Write y and record dx, dweight, dbias."""
        b = walk.b
        mean = _mean(walk, x)
        centred = b.subtract(x, _spread(walk, mean, x), hint="centred")
        variance = _mean(walk, centred * centred)
        istd = _spread(walk, b.rsqrt(variance + self.epsilon, hint="istd"), x)
        xhat = b.multiply(centred, istd, hint="xhat")
        weight, bias = walk.slot(plan, "weight"), walk.slot(plan, "bias")
        y = b.add(xhat * walk.per_channel(weight, x), walk.per_channel(bias, x), hint="y")

        def pullback(dy: Value) -> tuple[Value, Value, Value]:
            axes = walk.other_axes(x)
            g = b.multiply(dy, walk.per_channel(weight, x), hint="g")
            inner = g - _spread(walk, _mean(walk, g), x)
            inner = inner - xhat * _spread(walk, _mean(walk, g * xhat), x)
            dweight = b.sum(dy * xhat, axes, hint="dweight")
            return b.multiply(inner, istd, hint="dx"), dweight, b.sum(dy, axes, hint="dbias")

        return walk.record(plan, (x, weight, bias), y, pullback)

    def meaning(self, plan: Plan) -> str:
        """Return the index notation."""
        place = ",i,j" if len(plan.input) == 3 else ""
        return (
            f"mu[n{place}] = mean(c) x[n,c{place}]; "
            f"var[n{place}] = mean(c) (x[n,c{place}] - mu[n{place}])^2; "
            f"y[n,c{place}] = weight[c] * (x[n,c{place}] - mu[n{place}])"
            f" * (var[n{place}] + {self.epsilon!r})^(-1/2) + bias[c]"
        )


def _mean(walk: Walk, x: Value) -> Value:
    """Return the mean over the channels of each position."""
    axis = _channel_axis(walk, x)
    total = walk.b.sum(x, (axis,), hint="total")
    return walk.b.divide(total, walk.b.splat_like(x.shape[axis], total), hint="mean")


def _spread(walk: Walk, per_position: Value, like: Value) -> Value:
    """Return a number per position repeated over the channels."""
    axis = _channel_axis(walk, like)
    kept = tuple(i for i in range(like.type.rank) if i != axis)
    return walk.b.broadcast(per_position, like.shape, kept)


def _channel_axis(walk: Walk, x: Value) -> int:
    return walk.formulation.layout.channel if x.type.rank == 4 else 1
