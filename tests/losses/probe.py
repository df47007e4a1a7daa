"""A loss on its own, interpreted, and what must hold of its value and its seed."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gradwright.hlo import Builder, ElementType, Module, Shape, TensorType, Value, evaluate
from gradwright.losses import Evaluated, Labels, Loss, Normalization, SoftmaxCrossEntropy
from losses.closeness import ROUNDING, Array, assert_ulps

STEP = 1e-3
"""Of the differences; their truncation error is of the order STEP^4."""
DIFFERENCES = 2**20
"""Ulps between a derivative and its four-point central difference: truncation and rounding."""
DIRECTIONS = 3


@dataclass(frozen=True, slots=True)
class Measured:
    """What a loss returned. Shapes: seed: that of the output."""

    value: float
    seed: Array
    metrics: dict[str, float]


@dataclass(frozen=True, slots=True)
class Mutant(Loss):
    """A loss with a defect: `change` replaces what it wrote."""

    kind: ClassVar[str] = "mutant"
    loss: Loss
    change: Callable[[Builder, Value, Value, Evaluated], Evaluated]

    def label(self, output: TensorType) -> TensorType:
        return self.loss.label(output)

    def write(self, b: Builder, output: Value, label: Value) -> Evaluated:
        return self.change(b, output, label, self.loss.write(b, output, label))

    def meaning(self, output: Shape) -> str:
        return self.loss.meaning(output)


def emit_loss(loss: Loss, output: TensorType) -> Module:
    """Return the module (output, labels) -> (value, seed, metrics…)."""
    b = Builder()
    x, y = b.argument("x", output), b.argument("y", loss.label(output))
    written = loss.write(b, x, y)
    results = [written.value, written.seed, *(written.metrics[name] for name in loss.metrics)]
    return Module("loss_probe", (b.finish("main", results),))


def measure(loss: Loss, output: Array, labels: Array) -> Measured:
    """Return value, seed and metrics; the element type is that of `output`."""
    type = TensorType(output.shape, ElementType.of(output.dtype))
    dtype = loss.label(type).element.dtype
    value, seed, *metrics = evaluate(emit_loss(loss, type), [output, labels.astype(dtype)])
    named = {n: float(v) for n, v in zip(loss.metrics, metrics, strict=True)}
    return Measured(float(value), seed, named)


def length(x: Array) -> float:
    """Return the Euclidean length."""
    return math.sqrt(float(np.sum(x * x)))


def central_difference(f: Callable[[Array], float], x: Array, direction: Array) -> float:
    """Return df/dx along a direction by four points."""
    near, far = ((f(x + n * STEP * direction) - f(x - n * STEP * direction)) for n in (1, 2))
    return (8 * near - far) / (12 * STEP)


def check_seed(loss: Loss, output: Array, labels: Array) -> None:
    """Fail unless the seed is the derivative of the value along random directions."""
    seed = measure(loss, output, labels).seed
    rng = np.random.default_rng(1)
    for _ in range(DIRECTIONS):
        direction = rng.standard_normal(output.shape)
        direction /= length(direction)
        found = central_difference(lambda x: measure(loss, x, labels).value, output, direction)
        slope = float(np.sum(seed * direction))
        scale = max(length(seed), abs(found))
        assert_ulps([slope, scale], [found, scale], DIFFERENCES)


def check_value(loss: SoftmaxCrossEntropy | Mutant, output: Array, labels: Array) -> None:
    """Fail unless the value is that of the definition."""
    declared = loss.loss if isinstance(loss, Mutant) else loss
    assert isinstance(declared, SoftmaxCrossEntropy)
    expected = cross_entropy_by_definition(declared, output, labels)
    assert_ulps(measure(loss, output, labels).value, expected, ROUNDING)


def cross_entropy_by_definition(loss: SoftmaxCrossEntropy, logits: Array, labels: Array) -> float:
    """Return the value, example by example and class by class."""
    classes = logits.shape[1]
    weights = loss.class_weights or (1.0,) * classes
    e = loss.label_smoothing
    total = norm = 0.0
    for row, label in zip(logits, labels, strict=True):
        if loss.ignore_index is not None and label == loss.ignore_index:
            continue
        soft = loss.labels is Labels.SOFT
        truth = list(label) if soft else [float(k == label) for k in range(classes)]
        peak = max(row)
        logsum = peak + math.log(sum(math.exp(z - peak) for z in row))
        logp = [float(z - logsum) for z in row]
        q = [(1 - e) * t + e / classes * sum(truth) for t in truth]
        focal = 1.0
        if loss.focal_gamma:
            focal = (1 - math.exp(logp[int(label)])) ** loss.focal_gamma
        total -= focal * sum(w * t * p for w, t, p in zip(weights, q, logp, strict=True))
        weighted = loss.normalization is Normalization.WEIGHT and loss.class_weights is not None
        norm += sum(w * t for w, t in zip(weights, truth, strict=True)) if weighted else 1
    return total / norm if norm else 0.0
