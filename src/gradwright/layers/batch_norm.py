"""Batch normalisation over batch and positions, per channel."""

import math
from dataclasses import dataclass
from typing import ClassVar

from gradwright.errors import SpecError
from gradwright.hlo import Shape, Value
from gradwright.layers import example_norm
from gradwright.layers.layer import Layer, require_member
from gradwright.layers.walk import Mode, Statistics, Walk
from gradwright.spec import Constant, Decay, Plan, Slot
from gradwright.spec.conventions import Convention
from gradwright.spec.decimals import complement
from gradwright.spec.numbers import SMALLEST_REAL, is_real

BATCH_NORM_EPSILON = 1e-5
"""Default of PyTorch's BatchNorm2d and of torchvision's nets; Flax also uses 1e-5."""
BATCH_NORM_DECAY = 0.9
"""PyTorch's momentum 0.1 as the weight on the old value: a window of 1 / (1 - 0.9) = 10 batches."""


class RunningVariance(Convention):
    """Which variance of a batch goes into the running average (the batch itself uses biased)."""

    BIASED = "biased"
    """Sum of squares / n: Flax, TensorFlow's non-fused layer."""
    UNBIASED = "unbiased"
    """Sum of squares / (n - 1): PyTorch, TensorFlow's fused kernel."""


@dataclass(frozen=True, slots=True)
class BatchNorm(Layer):
    """Normalisation with batch statistics in training and running ones in evaluation.

    Shapes: x, y: [B, C, H, W] or [B, C]; weight, bias, running_mean, running_var: [C].
    Math: mu, var over all but C (var biased, two passes); xhat = (x - mu) / sqrt(var + epsilon);
    y = weight xhat + bias. dx = weight / sqrt(var + epsilon) (dy - mean(dy) - xhat mean(dy xhat));
    dweight = sum dy xhat; dbias = sum dy. running' = decay running + (1 - decay) batch.
    Domain: var + epsilon > 0; more than one value per channel where the variance is unbiased.
    Source: Ioffe and Szegedy 2015, algorithm 1. `decay` is 1 - momentum of PyTorch; otherwise same.
    A program with `Statistics.EXAMPLE` has each example normalised alone, see `example_norm`.
    """

    kind: ClassVar[str] = "bn"
    epsilon: float = BATCH_NORM_EPSILON
    decay: float = BATCH_NORM_DECAY
    running_variance: RunningVariance = RunningVariance.UNBIASED

    def plan(self, path: str, input: Shape) -> Plan:
        """Return shapes and slots."""
        require_member(path, self, self.running_variance, RunningVariance)
        real = is_real(self.epsilon) and is_real(self.decay)
        if not real or not self.epsilon >= SMALLEST_REAL or not 0 <= self.decay < 1:
            expected = "numbers with epsilon > 0 that f32 holds and 0 <= decay < 1"
            raise SpecError(where=path, expected=expected, found=str(self))
        if len(input) not in (1, 3):
            found = f"shape {list(input)}"
            raise SpecError(where=path, expected="[C, H, W] or [C] as input", found=found)
        shape = (input[0],)
        slots = (
            Slot("weight", shape, Constant(1), Decay.EXEMPT),
            Slot("bias", shape, Constant(0), Decay.EXEMPT),
            Slot("running_mean", shape, Constant(0), Decay.EXEMPT, trainable=False),
            Slot("running_var", shape, Constant(1), Decay.EXEMPT, trainable=False),
        )
        return Plan(path, self, input, input, slots)

    def forward(self, walk: Walk, plan: Plan, x: Value) -> Value:
        """Write y and record dx, dweight, dbias; in training also the new running statistics."""
        if walk.statistics is Statistics.EXAMPLE:
            return example_norm.write(walk, plan, x, self.epsilon)
        if walk.mode is Mode.EVALUATION:
            return self._evaluate(walk, plan, x)
        b, axes = walk.b, walk.other_axes(x)
        count = math.prod(x.shape[axis] for axis in axes)
        total = b.sum(x, axes, hint="total")
        mean = b.divide(total, b.splat_like(count, total), hint="mean")
        centred = b.subtract(x, walk.per_channel(mean, x), hint="centred")
        squares = b.sum(centred * centred, axes, hint="squares")
        variance = b.divide(squares, b.splat_like(count, squares), hint="var")
        self._update(walk, plan, mean, squares, count)
        istd = b.rsqrt(variance + self.epsilon, hint="istd")
        xhat = b.multiply(centred, walk.per_channel(istd, x), hint="xhat")
        weight, bias = walk.slot(plan, "weight"), walk.slot(plan, "bias")
        y = b.add(xhat * walk.per_channel(weight, x), walk.per_channel(bias, x), hint="y")

        def pullback(dy: Value) -> tuple[Value, Value, Value]:
            dbias = b.sum(dy, axes, hint="dbias")
            dweight = b.sum(dy * xhat, axes, hint="dweight")
            scale = b.multiply(weight, istd, hint="scale")
            spread = xhat * walk.per_channel(dweight / count, x)
            inner = dy - walk.per_channel(dbias / count, x) - spread
            return b.multiply(inner, walk.per_channel(scale, x), hint="dx"), dweight, dbias

        return walk.record(plan, (x, weight, bias), y, pullback)

    def _evaluate(self, walk: Walk, plan: Plan, x: Value) -> Value:
        b = walk.b
        weight, bias = walk.slot(plan, "weight"), walk.slot(plan, "bias")
        mean, variance = walk.slot(plan, "running_mean"), walk.slot(plan, "running_var")
        istd = b.rsqrt(variance + self.epsilon, hint="istd")
        xhat = (x - walk.per_channel(mean, x)) * walk.per_channel(istd, x)
        y = b.add(xhat * walk.per_channel(weight, x), walk.per_channel(bias, x), hint="y")

        def pullback(dy: Value) -> tuple[Value, Value, Value]:
            axes = walk.other_axes(x)
            dx = b.multiply(dy, walk.per_channel(weight * istd, x), hint="dx")
            dweight = b.sum(dy * xhat, axes, hint="dweight")
            return dx, dweight, b.sum(dy, axes, hint="dbias")

        return walk.record(plan, (x, weight, bias), y, pullback)

    def _update(self, walk: Walk, plan: Plan, mean: Value, squares: Value, count: int) -> None:
        if plan.full("running_mean") not in walk.slots:
            return  # forward and vjp neither read nor return running statistics
        unbiased = self.running_variance is RunningVariance.UNBIASED
        if unbiased and count == 1:
            raise SpecError(
                where=plan.path,
                expected="more than one value per channel for an unbiased variance",
                found="one",
                remedy="Use a larger batch or RunningVariance.BIASED",
            )
        variance = squares / (count - 1 if unbiased else count)
        for name, batch in (("running_mean", mean), ("running_var", variance)):
            old = walk.slot(plan, name)
            kept = old * self.decay
            new = walk.b.add(kept, batch * complement(self.decay), hint=f"new_{name}")
            walk.updated[plan.full(name)] = new

    def meaning(self, plan: Plan) -> str:
        """Return the index notation of training: batch statistics."""
        inner, over = _batch(plan)
        return (
            f"mu[c] = mean({over}) x[{inner}]; "
            f"squares[c] = sum({over}) (x[{inner}] - mu[c])^2; "
            f"count[c] = sum({over}) inside(x[{inner}]); "
            f"{self._normalised(plan, 'mu[c]', 'squares[c] / count[c]')}"
        )

    def evaluation_meaning(self, plan: Plan) -> str:
        """Return the index notation of evaluation: running statistics."""
        return self._normalised(plan, "running_mean[c]", "running_var[c]")

    def example_meaning(self, plan: Plan) -> str:
        """Return the index notation where each example has its own statistics."""
        return example_norm.meaning(self.epsilon)

    def statistics(self, plan: Plan) -> str:
        """Return the new running statistics."""
        del plan
        unbiased = self.running_variance is RunningVariance.UNBIASED
        divisor = "(count[c] - 1)" if unbiased else "count[c]"
        keep, take = f"{self.decay!r}", f"{complement(self.decay)!r}"
        return (
            f"running_mean'[c] = {keep} * running_mean[c] + {take} * mu[c]; "
            f"running_var'[c] = {keep} * running_var[c] + {take} * squares[c] / {divisor}"
        )

    def _normalised(self, plan: Plan, mean: str, variance: str) -> str:
        axes = "n,c,i,j" if len(plan.input) == 3 else "n,c"
        root = f"sqrt({variance} + {self.epsilon!r})"
        return f"y[{axes}] = weight[c] * (x[{axes}] - {mean}) / {root} + bias[c]"


def _batch(plan: Plan) -> tuple[str, str]:
    """Return the indices of x that a statistic reads, and those that it sums over."""
    return ("m,c,p,q", "m,p,q") if len(plan.input) == 3 else ("m,c", "m")
