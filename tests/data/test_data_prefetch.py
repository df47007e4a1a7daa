"""Prefetching: the same batches, and no thread left behind."""

import threading
from collections.abc import Iterator

import numpy as np
import pytest

from data.samples import split
from gradwright.data import LastBatch, batches, epoch_order, prefetched


def threads() -> list[str]:
    return [t.name for t in threading.enumerate() if t.name == "gradwright-prefetch"]


def numbers(count: int) -> Iterator[int]:
    yield from range(count)


def failing(count: int) -> Iterator[int]:
    yield from range(count)
    raise OSError("disk gone")


@pytest.mark.parametrize("depth", [1, 2, 7])
def test_batches_are_bit_identical(depth: int) -> None:
    """traps 86: results must be the same with and without prefetch."""
    made, order = split(50), epoch_order(50, seed=0, epoch=0)
    plain = list(batches(made, 4, order, LastBatch.PAD))
    with prefetched(batches(made, 4, order, LastBatch.PAD), depth=depth) as items:
        ahead = list(items)
    assert len(ahead) == len(plain)
    for a, b in zip(plain, ahead, strict=True):
        np.testing.assert_array_equal(a.images, b.images)
        np.testing.assert_array_equal(a.labels, b.labels)
        assert (a.count, a.index) == (b.count, b.index)


def test_items_are_prepared_on_another_thread_up_to_the_depth() -> None:
    prepared: list[str] = []
    third = threading.Event()

    def source() -> Iterator[int]:
        for i in range(9):
            prepared.append(threading.current_thread().name)
            if i == 2:
                third.set()
            yield i

    with prefetched(source(), depth=2) as items:
        # Two items in the queue and one in hand, before anything is taken.
        assert third.wait(60)
        assert prepared == ["gradwright-prefetch"] * 3
        assert list(items) == list(range(9))


@pytest.mark.parametrize("taken", [0, 1, 3, 9])
@pytest.mark.parametrize("depth", [1, 3])
def test_leaving_early_ends_the_thread(taken: int, depth: int) -> None:
    with prefetched(numbers(1000), depth=depth) as items:
        assert [next(items) for _ in range(taken)] == list(range(taken))
        assert len(threads()) == 1
    assert threads() == []


def test_an_endless_source_can_be_left() -> None:
    def endless() -> Iterator[int]:
        while True:
            yield 0

    with prefetched(endless()) as items:
        next(items)
    assert threads() == []


def test_an_error_of_the_consumer_passes_and_ends_the_thread() -> None:
    def consume() -> None:
        with prefetched(numbers(1000)) as items:
            raise KeyError(next(items))

    with pytest.raises(KeyError, match="0"):
        consume()
    assert threads() == []


def test_an_error_of_the_source_comes_in_its_place() -> None:
    taken: list[int] = []
    with (
        pytest.raises(OSError, match="disk gone"),
        prefetched(failing(3)) as items,
    ):
        taken.extend(items)
    assert taken == [0, 1, 2]
    assert threads() == []


def test_an_error_nobody_waits_for_is_dropped_with_the_rest() -> None:
    with prefetched(failing(3), depth=9) as items:
        assert next(items) == 0
    assert threads() == []


def test_nothing_comes_after_the_end() -> None:
    with prefetched(numbers(2)) as items:
        assert list(items) == [0, 1]
        assert list(items) == []
    assert list(items) == []


def test_an_empty_source_is_empty() -> None:
    with prefetched(numbers(0)) as items:
        assert list(items) == []
