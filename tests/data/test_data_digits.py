"""The embedded digits and the stratified split."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.samples import refusal
from gradwright.data import Dataset, batches, load_digits, stratified
from gradwright.data.batches import LastBatch


@pytest.fixture(scope="module")
def digits() -> Dataset:
    return load_digits()


def test_sizes_and_scale(digits: Dataset) -> None:
    assert (len(digits.train), len(digits.test)) == (1437, 360)
    assert digits.train.shape == (1, 8, 8)
    assert digits.train.normalisation.scale == 1 / 16
    assert int(digits.train.images.max()) == 16
    assert digits.classes == tuple("0123456789")
    assert digits.warnings == ()


def test_each_class_keeps_its_share(digits: Dataset) -> None:
    assert digits.train.class_counts(10) == (142, 145, 142, 146, 145, 146, 145, 143, 139, 144)
    assert digits.test.class_counts(10) == (36, 37, 35, 37, 36, 36, 36, 36, 35, 36)


def test_training_pixels_are_normalised(digits: Dataset) -> None:
    [whole] = batches(digits.train, 1437, np.arange(1437), LastBatch.DROP)
    # A sum of 92,000 float32 roundings, each of at most half an ulp of 2.
    assert abs(float(whole.images.mean(dtype=np.float64))) < np.finfo(np.float32).eps
    assert abs(float(whole.images.std(dtype=np.float64)) - 1) < np.finfo(np.float32).eps


def test_the_digits_are_the_same_on_every_machine(digits: Dataset) -> None:
    """This number must never change: accuracies are reported for this split."""
    assert digits.fingerprint() == (
        "fbc8cd65af1fb7b05fbcdfbe13125a53829c4e0b5b8bbf6a5250b4441230201a"
    )


def test_the_seed_changes_the_split(digits: Dataset) -> None:
    assert load_digits(seed=1).fingerprint() != digits.fingerprint()


@given(
    labels=st.lists(st.integers(0, 4), min_size=2, max_size=60),
    share=st.floats(0.01, 0.99),
    seed=st.integers(0, 99),
)
def test_a_split_loses_nothing_and_keeps_proportions(
    labels: list[int], share: float, seed: int
) -> None:
    array = np.array(labels)
    count = min(max(round(share * len(labels)), 1), len(labels) - 1)
    train, test = stratified(array, test=count, seed=seed)
    assert sorted([*train, *test]) == list(range(len(labels)))
    assert len(test) == count
    for label in set(labels):
        exact = labels.count(label) * count / len(labels)
        assert abs(int((array[test] == label).sum()) - exact) < 1


def test_a_split_without_a_side_is_refused() -> None:
    assert refusal(lambda: stratified(np.zeros(3, int), test=3, seed=0)) == (
        "stratified split: expected between 1 and 2 test samples, found 3"
    )
