"""Softmax cross-entropy: its value is the definition's, its seed the derivative of its value."""

import math
from dataclasses import replace

import numpy as np
import pytest

from gradwright.losses import Labels, Normalization, SoftmaxCrossEntropy
from losses.cases import CASES, INDEX, LOGITS, PADDED, WEIGHTS, Case
from losses.closeness import EXACT, QUOTED, ROUNDING, Float, assert_ulps
from losses.probe import check_seed, check_value, measure

pytestmark = pytest.mark.interpreter
SOFT = SoftmaxCrossEntropy(Labels.SOFT)
EVERY = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


@EVERY
def test_the_value_is_that_of_the_definition(case: Case) -> None:
    check_value(case.loss, LOGITS, case.labels)


@EVERY
def test_the_seed_is_the_derivative_of_the_value(case: Case) -> None:
    check_seed(case.loss, LOGITS, case.labels)


@EVERY
def test_each_row_of_the_seed_sums_to_zero(case: Case) -> None:
    """Adding a number to every logit of a row changes nothing."""
    seed = measure(case.loss, LOGITS, case.labels).seed
    scale = np.full(len(seed), np.abs(seed).max())
    assert_ulps(seed.sum(1) + scale, scale, ROUNDING)


@pytest.mark.parametrize("classes", [2, 3, 10, 1000])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_uniform_logits_cost_the_logarithm_of_the_classes(classes: int, smoothing: float) -> None:
    """lean4-mlir 4f759c62, 98e9f61b: e / 10 for every K gave 75.294533 at K = 1000."""
    loss = SoftmaxCrossEntropy(label_smoothing=smoothing)
    found = measure(loss, np.zeros((2, classes)), np.array([classes - 1, 0]))
    assert_ulps(found.value, math.log(classes), ROUNDING)


@pytest.mark.parametrize("classes", [2, 3, 10, 1000])
def test_smoothing_puts_its_share_of_the_real_class_count_on_every_class(classes: int) -> None:
    """The seed is softmax - q for one example: uniform logits show q."""
    epsilon = 0.1
    loss = SoftmaxCrossEntropy(label_smoothing=epsilon)
    q = 1 / classes - measure(loss, np.zeros((1, classes)), np.array([1])).seed[0]
    expected = np.full(classes, epsilon / classes)
    expected[1] += 1 - epsilon
    assert_ulps(q, expected, ROUNDING)
    assert_ulps(q.sum(), 1, ROUNDING)


def test_log_softmax_pulls_back_with_the_right_sign() -> None:
    """mlpack/mlpack#2360: adding instead of subtracting gave 1.310026, 1.689974."""
    seed = measure(SOFT, np.array([[0.1, 0.9]]), np.ones((1, 2))).seed
    assert_ulps(-seed[0], [0.379949, -0.379949], QUOTED)


def test_ignored_rows_take_no_part_in_smoothing() -> None:
    """pytorch/pytorch#73205: counting them in the uniform part gave 0.870482."""
    loss = SoftmaxCrossEntropy(label_smoothing=0.2, ignore_index=-100)
    found = measure(loss, np.array([[2.0, 0, -1], [0, 3, 1]]), np.array([0, -100]))
    assert_ulps(found.value, 0.503179, QUOTED)


@pytest.mark.parametrize("ignored", [-100, 2])
@pytest.mark.parametrize("smoothing", [0.0, 0.2])
@pytest.mark.parametrize("weights", [None, (0.5, 2.0, 3.0)])
def test_two_samples_one_ignored_are_one_sample(
    ignored: int, smoothing: float, weights: tuple[float, ...] | None
) -> None:
    """pytorch/pytorch#69511."""
    loss = SoftmaxCrossEntropy(
        label_smoothing=smoothing, ignore_index=ignored, class_weights=weights
    )
    logits = np.array([[2.0, 0, -1], [0, 3, 1]])
    two = measure(loss, logits, np.array([1, ignored]))
    one = measure(loss, logits[:1], np.array([1]))
    assert_ulps(two.value, one.value, EXACT)
    assert_ulps(two.seed, [*one.seed, np.zeros(3)], EXACT)
    assert two.metrics == one.metrics


@pytest.mark.parametrize("ignored", [-100, 0])
@pytest.mark.parametrize("normalization", Normalization)
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_a_batch_of_ignored_examples_costs_nothing(
    ignored: int, normalization: Normalization, weights: tuple[float, ...] | None
) -> None:
    loss = SoftmaxCrossEntropy(
        label_smoothing=0.1,
        ignore_index=ignored,
        normalization=normalization,
        class_weights=weights,
    )
    found = measure(loss, LOGITS, np.full(len(LOGITS), ignored))
    assert found.value == 0
    assert not found.seed.any()
    assert found.metrics == {"correct": 0}


def test_a_batch_of_classes_without_weight_costs_nothing() -> None:
    loss = SoftmaxCrossEntropy(class_weights=(0.0, 1.0))
    found = measure(loss, np.ones((2, 2)), np.zeros(2))
    assert found.value == 0
    assert not found.seed.any()


def test_equal_weights_are_no_weights() -> None:
    plain = measure(SoftmaxCrossEntropy(), LOGITS, INDEX)
    for normalization in Normalization:
        loss = SoftmaxCrossEntropy(class_weights=(1.0,) * 5, normalization=normalization)
        found = measure(loss, LOGITS, INDEX)
        assert_ulps(found.value, plain.value, ROUNDING)
        assert_ulps(found.seed, plain.seed, ROUNDING)


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_the_weighted_mean_does_not_see_the_scale_of_the_weights(smoothing: float) -> None:
    first, second = (
        measure(SoftmaxCrossEntropy(label_smoothing=smoothing, class_weights=w), LOGITS, INDEX)
        for w in (WEIGHTS, tuple(7 * w for w in WEIGHTS))
    )
    assert_ulps(first.value, second.value, ROUNDING)
    assert_ulps(first.seed, second.seed, ROUNDING)


def test_division_by_count_does_see_the_scale_of_the_weights() -> None:
    base = SoftmaxCrossEntropy(class_weights=WEIGHTS, normalization=Normalization.COUNT)
    first = measure(base, LOGITS, INDEX)
    second = measure(replace(base, class_weights=tuple(8 * w for w in WEIGHTS)), LOGITS, INDEX)
    assert_ulps(second.value, 8 * first.value, ROUNDING)


def test_one_hot_rows_are_index_labels() -> None:
    one_hot, index = (measure(CASES[n].loss, LOGITS, CASES[n].labels) for n in ("one-hot", "plain"))
    assert one_hot.value == index.value
    assert (one_hot.seed == index.seed).all()


def test_soft_targets_pull_towards_themselves() -> None:
    """deepjavalibrary/djl#520: the gradient is softmax - target, here over a batch of two."""
    logits = np.array([[-8.0, 10, 3], [1, 2, 3]])
    targets = np.array([[0.3, 0.3, 0.4], [0.1, 0.1, 0.8]])
    softmax = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    assert_ulps(measure(SOFT, logits, targets).seed, (softmax - targets) / 2, ROUNDING)


def test_smoothing_of_a_tenth_on_two_classes_ends_at_95_percent() -> None:
    """pytorch/pytorch#148884: the true class keeps its own share of the smoothing."""
    loss = SoftmaxCrossEntropy(label_smoothing=0.1)
    best = np.log([[0.95, 0.05]])
    seed = measure(loss, best, np.array([0])).seed
    assert_ulps(1 + seed, [[1, 1]], ROUNDING)
    other = measure(loss, np.log([[0.9, 0.1]]), np.array([0])).seed
    assert abs(other[0, 0]) > 0.04


def test_the_reported_loss_is_the_smoothed_one() -> None:
    """lean4-mlir b856deb2: plain cross-entropy was reported beside the smoothed gradient."""
    smoothed = measure(CASES["smoothed"].loss, LOGITS, INDEX)
    plain = measure(CASES["plain"].loss, LOGITS, INDEX)
    assert abs(smoothed.value - plain.value) > 0.001 * plain.value


def test_the_saturated_focal_loss_keeps_its_gradient() -> None:
    """google-deepmind/optax#1346, kornia/kornia#918, open-mmlab/mmcv#1488: the naive form is NaN.

    Sigmoid focal loss of a logit x is softmax focal loss of (0, x), with weights 1 - alpha, alpha.
    """
    loss = SoftmaxCrossEntropy(
        focal_gamma=0.5, class_weights=(0.75, 0.25), normalization=Normalization.COUNT
    )
    logits = np.array([[0.0, -100], [0, -100], [0, 100], [0, 100]])
    found = measure(loss, logits, np.array([0, 1, 0, 1]))
    assert_ulps(found.value, 25, ROUNDING)
    tiny = 1.5 * math.exp(-150) / 4  # (1 + gamma) (1 - p)^(gamma + 1), over the batch
    assert_ulps(found.seed[:, 1], [0, -0.0625, 0.1875, 0], ROUNDING)
    # What has all but vanished is read at the wrong class: at the right one, p - 1 rounds to 0.
    assert_ulps(found.seed[0, 1], 0.75 * tiny, ROUNDING)
    assert_ulps(found.seed[3, 0], 0.25 * tiny, ROUNDING)
    assert_ulps([0.75 * tiny, 0.25 * tiny], [2.0e-66, 6.7e-67], 2**46)  # to the two digits given


@pytest.mark.parametrize("size", [100, 1e4])
@pytest.mark.parametrize("name", ["plain", "smoothed", *(f"focal {g}" for g in (0.5, 1.0, 5.0))])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_saturated_logits_stay_finite(size: float, name: str, dtype: Float) -> None:
    signs = np.sign(np.arange(20) % 3 - 0.5).reshape(4, 5)
    logits = (size * signs).astype(dtype)
    found = measure(CASES[name].loss, logits, INDEX)
    assert np.isfinite(found.value)
    assert np.isfinite(found.seed).all()
    assert abs(found.seed).max() > 0


def test_a_focal_loss_without_focus_is_cross_entropy() -> None:
    focal = measure(CASES["focal 0.0"].loss, LOGITS, INDEX)
    plain = measure(CASES["plain"].loss, LOGITS, INDEX)
    assert focal.value == plain.value
    assert (focal.seed == plain.seed).all()


def test_an_ignored_label_of_no_class_changes_no_other_row() -> None:
    case = CASES["ignored outside"]
    seed = measure(case.loss, LOGITS, PADDED).seed
    kept = PADDED != -100
    alone = measure(SoftmaxCrossEntropy(), LOGITS[kept], PADDED[kept]).seed
    assert_ulps(seed[kept], alone, ROUNDING)
