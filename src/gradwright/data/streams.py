"""Seeded numbers that stay the same: one stream per seed, epoch and purpose.

Only the raw words of NumPy's Philox generator are used, whose stream NumPy keeps across versions
and machines (NEP 19). Nothing is drawn in sequence over epochs, so a resumed run needs no state.
"""

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from gradwright.errors import DataError
from gradwright.kinds import checked


class Stream(IntEnum):
    """What a stream of numbers is for; streams of one seed and epoch are independent."""

    ORDER = 0
    SPLIT = 1
    FLIP = 2
    TOP = 3
    LEFT = 4


def draws(count: int, *, seed: int, epoch: int, stream: Stream) -> NDArray[np.uint64]:
    """Draw `count` words, uniform over 64 bits; the same arguments give the same words.

    Domain: seed >= 0, epoch >= 0.
    """
    if seed < 0 or epoch < 0:
        raise DataError(
            where="random stream", expected="seed and epoch >= 0", found=f"{seed} and {epoch}"
        )
    sequence = np.random.SeedSequence(seed, spawn_key=(epoch, int(stream)))
    return np.random.Philox(sequence).random_raw(count)


@checked
def epoch_order(count: int, *, seed: int, epoch: int) -> NDArray[np.int64]:
    """Order in which an epoch visits its samples: a permutation of 0..count-1, int64 [count].

    It depends on nothing but the arguments, so a resumed run meets the same order.
    """
    words = draws(count, seed=seed, epoch=epoch, stream=Stream.ORDER)
    return np.argsort(words, kind="stable").astype(np.int64)


@checked
def stratified(
    labels: NDArray[np.integer], *, test: int, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Split samples into train and test, each class in the same proportion.

    Shapes: labels [N]; results are rising indices, [N - test] and [test]. Each class gives its
    share of `test` rounded down; the largest remainders, then the smallest labels, give one more.
    """
    if not 0 < test < len(labels):
        raise DataError(
            where="stratified split",
            expected=f"between 1 and {len(labels) - 1} test samples",
            found=f"{test}",
        )
    values, counts = np.unique(labels, return_counts=True)
    quotas, remainders = np.divmod(counts * test, len(labels))
    largest = np.argsort(-remainders, kind="stable")[: test - int(quotas.sum())]
    quotas[largest] += 1
    words = draws(len(labels), seed=seed, epoch=0, stream=Stream.SPLIT)
    in_test = np.zeros(len(labels), np.bool_)
    for value, quota in zip(values, quotas, strict=True):
        members = np.flatnonzero(labels == value)
        in_test[members[np.argsort(words[members], kind="stable")[:quota]]] = True
    return np.flatnonzero(~in_test), np.flatnonzero(in_test)
