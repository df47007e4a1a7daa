"""Losses that compare an output with a target of its own shape."""

from dataclasses import dataclass
from typing import ClassVar

from gradwright.hlo import Builder, Shape, TensorType, Value
from gradwright.losses.loss import Evaluated, Loss


@dataclass(frozen=True, slots=True)
class MeanSquaredError(Loss):
    """Mean of the squared differences over every element.

    Shapes: output, y: [B, …], equal. Math: value = sum (x - y)^2 / N, N the number of elements;
    seed = 2 (x - y) / N. Same as PyTorch's mse_loss.
    """

    kind: ClassVar[str] = "mse"

    def label(self, output: TensorType) -> TensorType:
        """Return the type of the output."""
        return output

    def write(self, b: Builder, output: Value, label: Value) -> Evaluated:
        """Write value and seed."""
        difference = b.subtract(output, label, hint="difference")
        total = b.sum(difference * difference, range(output.type.rank), hint="total")
        value = b.divide(total, b.splat_like(output.type.size, total), hint="loss")
        doubled = difference * 2
        seed = b.divide(doubled, b.splat_like(output.type.size, doubled), hint="doutput")
        return Evaluated(value, seed, lambda: _summed(b, doubled))

    def meaning(self, output: Shape) -> str:
        """Return the index notation."""
        axes = ",".join(["n", *(f"i{axis}" for axis in range(len(output) - 1))])
        return f"loss = mean({axes}) (x[{axes}] - y[{axes}])^2"


@dataclass(frozen=True, slots=True)
class BinaryCrossEntropy(Loss):
    """Cross-entropy of logistic(logits) with targets, mean over every element.

    Shapes: logits, y: [B, …], equal. Math: value = sum (max(x, 0) - x y + log(1 + exp(-|x|))) / N,
    N the number of elements (batch and classes); seed = (logistic(x) - y) / N. Domain: 0 <= y <= 1.
    Same as PyTorch's binary_cross_entropy_with_logits.
    """

    kind: ClassVar[str] = "bce"

    def label(self, output: TensorType) -> TensorType:
        """Return the type of the output."""
        return output

    def write(self, b: Builder, output: Value, label: Value) -> Evaluated:
        """Write value and seed."""
        softplus = b.log_plus_one(b.exponential(-b.abs(output)), hint="tail")
        ramp = b.maximum(output, b.splat_like(0, output))
        losses = b.add(ramp - output * label, softplus, hint="losses")
        total = b.sum(losses, range(output.type.rank), hint="total")
        value = b.divide(total, b.splat_like(output.type.size, total), hint="loss")
        excess = b.subtract(b.logistic(output), label)
        seed = b.divide(excess, b.splat_like(output.type.size, excess), hint="doutput")
        return Evaluated(value, seed, lambda: _summed(b, excess))

    def meaning(self, output: Shape) -> str:
        """Return the index notation."""
        axes = ",".join(["n", *(f"i{axis}" for axis in range(len(output) - 1))])
        x = f"x[{axes}]"
        losses = f"ramp[{axes}] - {x} * y[{axes}] + log(1 + exp(-size[{axes}]))"
        return (
            f"ramp[{axes}] = max({x}, 0); size[{axes}] = abs({x}); loss = mean({axes}) ({losses})"
        )


def _summed(b: Builder, pulled: Value) -> Value:
    """Return the cotangent of the sum over examples: divided by the elements of one alone."""
    each = pulled.type.size // pulled.shape[0]
    return b.divide(pulled, b.splat_like(each, pulled), hint="doutput")
