"""Batches: pairs stay together, every sample is counted, resume is exact."""

from collections.abc import Callable
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.samples import counted, pairs, refusal, split
from gradwright.data import (
    Augmentation,
    Batch,
    Flip,
    LastBatch,
    Split,
    batch_count,
    batches,
    epoch_order,
    evaluation_batches,
)

sizes = st.integers(1, 40)


def everything(made: Split) -> Batch:
    [whole] = batches(made, len(made), np.arange(len(made)), LastBatch.DROP)
    return whole


def same(a: Batch, b: Batch) -> bool:
    return (
        a.images.tobytes() == b.images.tobytes()
        and a.labels.tobytes() == b.labels.tobytes()
        and (a.count, a.index) == (b.count, b.index)
    )


def test_a_batch_is_what_a_program_takes() -> None:
    made = split(10, channels=2)
    first, second = batches(made, 4, np.arange(9, -1, -1), LastBatch.DROP)
    assert (first.images.dtype, first.labels.dtype) == (np.float32, np.int32)
    assert first.images.shape == (4, 2, 5, 4)
    assert (first.count, first.index, second.index) == (4, 0, 1)
    np.testing.assert_array_equal(first.images, made.normalisation.apply(made.images[9:5:-1]))
    assert second.labels.tolist() == made.labels[5:1:-1].tolist()


@given(count=sizes, batch=sizes, seed=st.integers(0, 2**70), epoch=st.integers(0, 9))
def test_shuffling_keeps_images_and_labels_together(
    count: int, batch: int, seed: int, epoch: int
) -> None:
    """bugs L7, lean4-mlir 430ba2ca and ca838350: images moved, labels only by four bytes."""
    made = split(count, classes=7)
    whole = everything(made)
    order = epoch_order(count, seed=seed, epoch=epoch)
    assert counted(batches(made, batch, order, LastBatch.PAD)) == pairs(whole.images, whole.labels)


def test_the_pairing_test_can_fail() -> None:
    """bugs L7, the defect itself: labels left in place while images move."""
    made = split(12, classes=7)
    whole = everything(made)
    order = epoch_order(12, seed=0, epoch=0)
    assert pairs(whole.images[order], whole.labels) != pairs(whole.images, whole.labels)


@given(count=sizes, batch=sizes, seed=st.integers(0, 99))
def test_evaluation_counts_every_sample_once(count: int, batch: int, seed: int) -> None:
    """bugs L8, lean4-mlir b7878423 and 0f0332bf: the rest of a class-sorted set was dropped.

    What is counted is the same for every order and every batch size.
    """
    made = split(count, classes=7)
    whole = everything(made)
    shuffled = epoch_order(count, seed=seed, epoch=0)
    moved = Split(made.images[shuffled], made.labels[shuffled], made.normalisation)
    for subject in (made, moved):
        drawn = list(evaluation_batches(subject, batch))
        assert sum(b.count for b in drawn) == count
        assert counted(drawn) == pairs(whole.images, whole.labels)


@pytest.mark.parametrize(("count", "batch", "dropped"), [(10, 4, 2), (8, 4, 0), (5, 5, 0)])
def test_dropping_says_what_it_leaves_out(count: int, batch: int, dropped: int) -> None:
    """bugs L8, the control: with DROP the count does fall short where batches do not divide."""
    drawn = batches(split(count), batch, np.arange(count), LastBatch.DROP)
    assert count - sum(b.count for b in drawn) == dropped


@given(count=sizes, batch=sizes)
def test_padding_repeats_rows_and_ignores_them(count: int, batch: int) -> None:
    made = split(count)
    *full, last = evaluation_batches(made, batch, ignore_label=99)
    assert all(b.count == batch and 99 not in b.labels for b in full)
    assert last.images.shape[0] == last.labels.shape[0] == batch
    assert (last.labels[last.count :] == 99).all()
    assert 99 not in last.labels[: last.count]
    for i in range(last.count, batch):
        np.testing.assert_array_equal(last.images[i], last.images[i % last.count])


@given(count=sizes, batch=sizes, last=st.sampled_from(LastBatch))
def test_batches_are_counted_ahead(count: int, batch: int, last: LastBatch) -> None:
    expected = batch_count(count, batch, last)
    if expected:
        assert len(list(batches(split(count), batch, np.arange(count), last))) == expected


@given(first=st.integers(0, 8), last=st.sampled_from(LastBatch), seed=st.integers(0, 9))
def test_resuming_meets_the_same_batches(first: int, last: LastBatch, seed: int) -> None:
    made = split(30)
    order = epoch_order(30, seed=seed, epoch=3)
    augmentation = Augmentation(Flip.HALF, padding=2).epoch(30, seed=seed, epoch=3)
    drawn = batches(made, 4, order, last, augmentation=augmentation)
    again = epoch_order(30, seed=seed, epoch=3)
    resumed = batches(made, 4, again, last, augmentation=augmentation, first=first)
    assert all(same(a, b) for a, b in zip(islice(drawn, first, None), resumed, strict=True))


def test_an_order_is_fixed_for_all_time() -> None:
    """These numbers must never change: they are the order of runs that may be resumed."""
    assert epoch_order(8, seed=0, epoch=0).tolist() == [7, 6, 3, 2, 4, 1, 5, 0]
    assert epoch_order(8, seed=0, epoch=1).tolist() == [4, 6, 3, 5, 2, 1, 0, 7]
    assert epoch_order(8, seed=1, epoch=0).tolist() == [2, 3, 0, 7, 4, 1, 5, 6]


@given(count=st.integers(0, 200), seed=st.integers(0, 2**70), epoch=st.integers(0, 2**20))
def test_an_order_is_a_permutation(count: int, seed: int, epoch: int) -> None:
    order = epoch_order(count, seed=seed, epoch=epoch)
    assert order.dtype == np.int64
    assert sorted(order.tolist()) == list(range(count))


def test_neighbouring_seeds_and_epochs_are_unrelated() -> None:
    """traps 79: seeds that differ by 1 gave correlated first draws."""
    arguments = [(0, 0), (1, 0), (0, 1), (1, 1), (2**32, 0), (0, 2)]
    orders = [epoch_order(4000, seed=seed, epoch=epoch) for seed, epoch in arguments]
    correlation = np.corrcoef(orders) - np.eye(len(orders))
    # Six standard deviations of the correlation of 4000 independent pairs.
    assert np.abs(correlation).max() < 6 / np.sqrt(4000)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: batches(split(3), 4, np.arange(3), LastBatch.DROP),
            "batch: expected at most 3, the samples there are, found 4. "
            "Take a smaller batch or LastBatch.PAD",
        ),
        (
            lambda: batches(split(3), 0, np.arange(3), LastBatch.PAD),
            "batch: expected at least 1 sample, found 0",
        ),
        (
            lambda: batches(split(3), 2, np.arange(4), LastBatch.PAD),
            "order: expected indices in 0..2, found 0..3",
        ),
        (
            lambda: batches(split(3), 2, np.array([0, -1]), LastBatch.PAD),
            "order: expected indices in 0..2, found -1..0",
        ),
        (
            lambda: batches(split(3), 2, np.arange(0), LastBatch.PAD),
            "order: expected indices [M], M >= 1, found shape [0]",
        ),
        (
            lambda: batches(
                split(3),
                2,
                np.arange(3),
                LastBatch.PAD,
                augmentation=Augmentation().epoch(4, seed=0, epoch=0),
            ),
            "augmentation: expected choices for 3 positions, as the order has, found 4",
        ),
        (
            lambda: epoch_order(3, seed=-1, epoch=0),
            "random stream: expected seed and epoch >= 0, found -1 and 0",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused_at_once(call: Callable[[], object], text: str) -> None:
    assert refusal(call) == text
