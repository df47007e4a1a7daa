"""The metric `correct`: the number of right predictions, as np.argmax counts them."""

import numpy as np
import pytest

from gradwright.hlo import ElementType, TensorType, print_module
from gradwright.losses import Labels, SoftmaxCrossEntropy
from gradwright.run import Backend, compile
from losses.cases import INDEX, LOGITS, MIXED, UNEVEN
from losses.closeness import Array
from losses.probe import emit_loss, measure

pytestmark = pytest.mark.interpreter
RNG = np.random.default_rng(5)


def correct(logits: Array, labels: Array, loss: SoftmaxCrossEntropy | None = None) -> float:
    return measure(loss or SoftmaxCrossEntropy(), logits, labels).metrics["correct"]


def test_it_counts_as_argmax_does() -> None:
    assert correct(LOGITS, INDEX) == np.sum(LOGITS.argmax(1) == INDEX)
    assert 0 < correct(LOGITS, INDEX) < len(INDEX)


def test_labels_beyond_a_byte_and_argmax_beyond_ten_count() -> None:
    """lean4-mlir 0a168f0b took the argmax over the first 10 of 1000 logits."""
    logits = RNG.normal(size=(6, 1000)).astype(np.float32)
    labels = np.array([999, 256, 700, 255, 3, 512])
    logits[np.arange(5), labels[:5]] = 9
    logits[5, labels[5] % 256] = 9
    assert correct(logits, labels) == 5


def test_of_equal_logits_the_lower_class_is_predicted() -> None:
    logits = RNG.integers(0, 2, (64, 5)).astype(float)
    labels = RNG.integers(0, 5, 64)
    assert correct(logits, labels) == np.sum(logits.argmax(1) == labels)
    assert correct(np.zeros((3, 4)), np.array([0, 1, 3])) == 1


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("label", range(3))
def test_a_row_with_nan_is_never_right(place: int, label: int) -> None:
    logits = np.array([[1.0, 2, 3], [9, 0, 0]])
    logits[0, place] = np.nan
    assert correct(logits, np.array([label, 0])) == 1
    assert correct(np.full((2, 3), np.nan), np.array([label, 0])) == 0


@pytest.mark.parametrize("targets", [MIXED, UNEVEN])
def test_a_soft_label_stands_for_its_first_largest_class(targets: Array) -> None:
    loss = SoftmaxCrossEntropy(Labels.SOFT)
    assert correct(LOGITS, targets, loss) == np.sum(LOGITS.argmax(1) == targets.argmax(1))
    even = np.full((4, 5), 0.2)
    assert correct(LOGITS, even, loss) == np.sum(LOGITS.argmax(1) == 0)


@pytest.mark.parametrize("ignored", [-100, int(LOGITS[1].argmax())])
def test_an_ignored_example_is_not_right(ignored: int) -> None:
    labels = LOGITS.argmax(1)
    kept = labels != ignored
    labels[1] = ignored
    kept[1] = False
    assert correct(LOGITS, labels, SoftmaxCrossEntropy(ignore_index=ignored)) == kept.sum()


@pytest.mark.xla
@pytest.mark.iree
@pytest.mark.parametrize("backend", Backend)
def test_every_backend_counts_by_larger_logits(backend: Backend) -> None:
    """bugs L11: one backend's indices of the largest logits were wrong, and right ones counted 0.

    A label is right where no logit is larger than its own.
    """
    logits = RNG.normal(size=(64, 7)).astype(np.float32)
    labels = RNG.integers(0, 7, 64).astype(np.int32)
    own = logits[np.arange(64), labels]
    expected = sum(not np.any(row > mine) for row, mine in zip(logits, own, strict=True))
    module = emit_loss(SoftmaxCrossEntropy(), TensorType((64, 7), ElementType.F32))
    results = compile(print_module(module), backend=backend)(arg0=logits, arg1=labels)
    assert 0 < expected < 64
    assert results["out2"] == expected
