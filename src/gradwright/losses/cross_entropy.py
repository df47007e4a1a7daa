"""Softmax cross-entropy over classes, with its variants."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gradwright.errors import SpecError
from gradwright.hlo import Builder, ElementType, Shape, TensorType, Value
from gradwright.hlo.attributes import Direction
from gradwright.losses import cross_entropy_meaning
from gradwright.losses.loss import Evaluated, Loss
from gradwright.spec.conventions import Convention
from gradwright.spec.decimals import complement, quotient
from gradwright.spec.fields import check_fields
from gradwright.spec.numbers import LARGEST_COUNT, LARGEST_REAL, SMALLEST_REAL


class Labels(Convention):
    """How labels are passed."""

    INDEX = "index"
    """Class numbers. Shapes: y: [B], i32, 0 <= y < K."""
    SOFT = "soft"
    """A weight per class (one-hot, mixed or soft). Shapes: y: [B, K], rows need not sum to 1."""


class Normalization(Convention):
    """What the sum of the examples' losses is divided by."""

    WEIGHT = "weight"
    """The sum of the class weights of the counted examples: PyTorch's reduction='mean'."""
    COUNT = "count"
    """The number of counted examples (the batch where nothing is ignored)."""


@dataclass(frozen=True, slots=True)
class SoftmaxCrossEntropy(Loss):
    """Cross-entropy of softmax(logits) with a target distribution.

    Shapes: logits: [B, K]; labels as `Labels` says; value: scalar.
    Math: l = logits - max; logp = l - log(sum exp l); q = (1 - e) onehot + e / K (so that smoothing
    keeps e / K on the true class too); example loss = -sum_k w_k q_k logp_k (1 - p_y)^gamma; the
    value is their sum over counted examples / norm. Seed, at gamma = 0:
    (sum_k w_k q_k softmax - w q) / norm.
    Domain: 0 <= label_smoothing < 1; class_weights: K numbers >= 0, not all 0; gamma >= 0, only
    with index labels, no smoothing. An example whose label is `ignore_index` counts nowhere.
    Source: Szegedy et al. 2016 section 7 (smoothing), Lin et al. 2017 eq. 4 (focal). With index
    labels same as PyTorch's cross_entropy, where WEIGHT is its mean; with soft labels COUNT is,
    and e / K is spread by each row's mass, where PyTorch spreads it whatever the mass. A batch
    without counted examples, or of classes of weight 0, has loss 0, not NaN.
    Two classes and smoothing 0.1 end at softmax (0.95, 0.05), not (0.9, 0.1).
    """

    kind: ClassVar[str] = "cross-entropy"
    metrics: ClassVar[tuple[str, ...]] = ("correct",)
    labels: Labels = Labels.INDEX
    label_smoothing: float = 0.0
    class_weights: tuple[float, ...] | None = None
    normalization: Normalization = Normalization.WEIGHT
    ignore_index: int | None = None
    focal_gamma: float = 0.0

    def __post_init__(self) -> None:
        """Check types, ranges and combinations."""
        where = "SoftmaxCrossEntropy"
        if isinstance(self.class_weights, list):
            object.__setattr__(self, "class_weights", tuple(self.class_weights))
        check_fields(self)
        if not 0 <= self.label_smoothing < 1:
            found = str(self.label_smoothing)
            raise SpecError(where=where, expected="0 <= label_smoothing < 1", found=found)
        if not 0 <= self.focal_gamma <= LARGEST_REAL:
            found = str(self.focal_gamma)
            expected = "focal_gamma >= 0 that f32 holds"
            raise SpecError(where=where, expected=expected, found=found)
        index = self.ignore_index
        if index is not None and abs(index) > LARGEST_COUNT:
            expected = "an ignore_index that i32 holds"
            raise SpecError(where=where, expected=expected, found=str(index))
        soft = self.labels is Labels.SOFT
        if soft and self.ignore_index is not None:
            found = f"ignore_index={self.ignore_index} with soft labels"
            raise SpecError(where=where, expected="index labels for ignore_index", found=found)
        if self.focal_gamma and (soft or self.label_smoothing):
            expected = "index labels and no smoothing for a focal loss"
            raise SpecError(where=where, expected=expected, found=str(self))
        weights = self.class_weights
        if weights is not None:
            positive = any(w >= SMALLEST_REAL for w in weights)
            if not positive or not all(0 <= w <= LARGEST_REAL for w in weights):
                expected = "class weights >= 0 that f32 holds, not all 0"
                raise SpecError(where=where, expected=expected, found=str(weights))

    def label(self, output: TensorType) -> TensorType:
        """Return [B] i32, or [B, K] for soft labels."""
        if output.rank != 2 or output.shape[1] < 1:
            expected = "logits [B, K] as output of the net"
            raise SpecError(where="SoftmaxCrossEntropy", expected=expected, found=str(output))
        classes = output.shape[1]
        if self.class_weights is not None and len(self.class_weights) != classes:
            expected = f"{classes} class weights, one per logit"
            found = str(len(self.class_weights))
            raise SpecError(where="SoftmaxCrossEntropy", expected=expected, found=found)
        if self.labels is Labels.SOFT:
            return output
        return TensorType(output.shape[:1], ElementType.I32)

    def write(self, b: Builder, output: Value, label: Value) -> Evaluated:
        """Write value and seed."""
        classes = output.shape[1]
        peak = b.max(output, (1,), hint="peak")
        logp = _log_softmax(b, output, peak)
        softmax = b.exponential(logp, hint="softmax")
        onehot = self._truth(b, label, output.type)
        target = onehot
        if self.label_smoothing:
            target = self._smoothed(b, onehot, label, classes)
        if self.class_weights is not None:
            weights = np.asarray(self.class_weights, dtype=output.type.element.dtype)
            target = b.multiply(target, _rows(b, b.constant(weights), output, 1), hint="weighted")
        mass = b.sum(target, (1,), hint="mass")
        factor, turning = self._focal(b, softmax, logp, onehot, target, mass)
        norm = self._norm(b, onehot, mass, label)
        losses = b.negate(b.sum(target * logp, (1,)), hint="losses")
        total = b.sum(losses if factor is None else losses * factor, (0,), hint="total")
        value = b.divide(total, norm, hint="loss")
        pulled = softmax * _rows(b, mass, output, 0) - target
        if factor is not None and turning is not None:
            pulled = pulled * _rows(b, factor, output, 0) + turning
        seed = b.divide(pulled, b.broadcast(norm, output.shape), hint="dlogits")
        metrics = {"correct": self._correct(b, output, peak, label)}

        def summed() -> Value:
            return pulled if self._counts_all else seed * output.shape[0]

        return Evaluated(value, seed, summed, metrics)

    def meaning(self, output: Shape) -> str:
        """Return the index notation."""
        return cross_entropy_meaning.statements(
            cross_entropy_meaning.Settings(
                output[-1],
                self.labels is Labels.SOFT,
                self.label_smoothing,
                self.class_weights,
                self._is_weighted,
                self.ignore_index,
                self.focal_gamma,
            )
        )

    def _truth(self, b: Builder, label: Value, type: TensorType) -> Value:
        """Return the labels as [B, K] weights; the row of an ignored example is empty."""
        if self.labels is Labels.SOFT:
            return label
        onehot = _one_hot(b, label, type)
        counted = self._counted(b, label, type.element)
        if counted is None or self.ignore_index not in range(type.shape[1]):
            return onehot
        return b.multiply(onehot, _rows(b, counted, onehot, 0), hint="onehot")

    def _smoothed(self, b: Builder, onehot: Value, label: Value, classes: int) -> Value:
        """Return (1 - e) q + e / K of the row's mass; an ignored row stays empty."""
        kept = onehot * complement(self.label_smoothing)
        share = quotient(self.label_smoothing, classes)
        if self.labels is Labels.SOFT:
            spread = b.sum(onehot, (1,)) * share
            return b.add(kept, _rows(b, spread, onehot, 0), hint="target")
        counted = self._counted(b, label, onehot.type.element)
        if counted is None:
            return b.add(kept, b.splat_like(share, onehot), hint="target")
        return b.add(kept, _rows(b, counted * share, onehot, 0), hint="target")

    def _counted(self, b: Builder, label: Value, element: ElementType) -> Value | None:
        """Return 1 per counted example and 0 per ignored one; None where all count."""
        if self.ignore_index is None:
            return None
        ignored = b.splat_like(self.ignore_index, label)
        return b.convert(b.compare(Direction.NE, label, ignored), element, hint="counted")

    @property
    def _is_weighted(self) -> bool:
        """Whether the sum is divided by class weights."""
        return self.class_weights is not None and self.normalization is Normalization.WEIGHT

    @property
    def _counts_all(self) -> bool:
        """Whether the sum is divided by the number of examples."""
        return not self._is_weighted and self.ignore_index is None

    def _norm(self, b: Builder, onehot: Value, mass: Value, label: Value) -> Value:
        """Return the scalar that the sum is divided by; 1 where nothing counts."""
        scalar = mass.type.with_shape(())
        if self._counts_all:
            return b.splat(mass.shape[0], scalar, hint="batch")
        counted = self._counted(b, label, mass.type.element)
        if self._is_weighted:
            weights = np.asarray(self.class_weights, dtype=onehot.type.element.dtype)
            per_class = _rows(b, b.constant(weights), onehot, 1)
            total = b.sum(onehot * per_class, (0, 1), hint="norm")
        else:
            assert counted is not None  # the case above
            total = b.sum(counted, (0,), hint="norm")
        empty = b.compare(Direction.EQ, total, b.splat(0, scalar))
        return b.select(empty, b.splat(1, scalar), total, hint="norm")

    def _focal(
        self,
        b: Builder,
        softmax: Value,
        logp: Value,
        onehot: Value,
        target: Value,
        mass: Value,
    ) -> tuple[Value | None, Value | None]:
        """Return m = (1 - p)^gamma and what the derivative of m adds to the seed's numerator.

        Math: l dm = gamma (1 - p)^(gamma - 1) l softmax (onehot - p), l = sum of target logp.
        1 - p is summed from the other classes, so that it keeps its precision and is 0 only where
        they underflow; there both vanish in the limit for gamma > 0. log p has rounded to 0 near
        p = 1: what softmax sums to beyond 1, again from the other classes, corrects it.
        """
        gamma = self.focal_gamma
        if not gamma:
            return None, None
        others = b.sum(softmax * (1 - onehot), (1,), hint="others")
        zero, one = b.splat_like(0, others), b.splat_like(1, others)
        saturated = b.compare(Direction.EQ, others, zero)
        safe = b.select(saturated, one, others)
        power, steep = (
            b.select(saturated, zero, b.power(safe, b.splat_like(exponent, safe)), hint=hint)
            for exponent, hint in ((gamma, "m"), (gamma - 1, "dm"))
        )
        below = b.sum(onehot * b.exponential_minus_one(logp), (1,), hint="below")
        excess = others + below + (b.sum(onehot, (1,)) - 1)
        corrected = b.sum(target * logp, (1,)) - mass * b.log_plus_one(excess)
        slope = b.multiply(gamma * steep, corrected, hint="slope")
        away = softmax * (onehot - _rows(b, b.sum(softmax * onehot, (1,)), softmax, 0))
        return power, b.multiply(away, _rows(b, slope, softmax, 0), hint="turning")

    def _correct(self, b: Builder, logits: Value, peak: Value, label: Value) -> Value:
        """Return how many examples have their label first among the classes by logit.

        A soft label stands for its first largest class. Of equal logits the lower class is first;
        a NaN counts as larger, so that it is never right. An ignored example is not right.
        """
        truth = self._truth(b, label, logits.type)
        if self.labels is Labels.SOFT:
            truth = _indicator_of_first_maximum(b, truth, b.max(truth, (1,)))
        first = _indicator_of_first_maximum(b, logits, peak)
        return b.sum(first * truth, (0, 1), hint="correct")


def _log_softmax(b: Builder, logits: Value, peak: Value) -> Value:
    shifted = b.subtract(logits, _rows(b, peak, logits, 0), hint="shifted")
    logsum = b.log(b.sum(b.exponential(shifted), (1,)), hint="logsum")
    return b.subtract(shifted, _rows(b, logsum, logits, 0), hint="logp")


def _rows(b: Builder, vector: Value, like: Value, dimension: int) -> Value:
    """Return a vector along one dimension of a [B, K] value, repeated along the other."""
    return b.broadcast(vector, like.shape, (dimension,))


def _one_hot(b: Builder, label: Value, type: TensorType) -> Value:
    """Return [B, K] indicators; a label outside 0 … K - 1 gives an empty row."""
    classes = b.iota(type.with_element(label.type.element), 1, hint="classes")
    same = b.compare(Direction.EQ, _rows(b, label, classes, 0), classes)
    return b.convert(same, type.element, hint="onehot")


def _indicator_of_first_maximum(b: Builder, scores: Value, peak: Value) -> Value:
    """Return [B, K]: 1 where a row first reaches its maximum `peak`, nowhere if that is NaN."""
    classes = b.iota(scores.type.with_element(ElementType.I32), 1, hint="classes")
    top = b.compare(Direction.EQ, scores, _rows(b, peak, scores, 0), hint="top")
    beyond = b.splat_like(scores.shape[1], classes)
    candidates = b.select(top, classes, beyond)
    lowest = b.reduce((candidates,), (scores.shape[1],), (1,), b.minima, hint="lowest")[0]
    chosen = b.compare(Direction.EQ, classes, _rows(b, lowest, classes, 0))
    return b.convert(chosen, scores.type.element)
