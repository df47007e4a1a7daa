"""Preparing batches on one background thread while the previous ones are in use."""

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from queue import Queue
from threading import Event, Thread
from typing import Generic, TypeVar

from gradwright.kinds import checked

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class _Ready(Generic[Item]):
    item: Item


@dataclass(frozen=True, slots=True)
class _End:
    error: BaseException | None


@checked
@contextmanager
def prefetched(source: Iterable[Item], *, depth: int = 2) -> Generator[Iterator[Item]]:
    """Iterate over the same items, in the same order, up to `depth` of them prepared ahead.

    The thread has ended when the `with` block is left, however it is left. An error of the source
    is raised where the item would have come.

    Domain: depth >= 1.
    """
    queue: Queue[_Ready[Item] | _End] = Queue(max(depth, 1))
    stopped = Event()
    thread = Thread(target=_fill, args=(source, queue, stopped), name="gradwright-prefetch")
    thread.start()
    items = _items(queue)
    try:
        yield items
    finally:
        stopped.set()
        # The thread looks at `stopped` after each put, so it puts at most once more, and one
        # emptying makes room for that.
        while not queue.empty():
            queue.get_nowait()
        thread.join()
        items.close()


def _fill(source: Iterable[Item], queue: "Queue[_Ready[Item] | _End]", stopped: Event) -> None:
    try:
        for item in source:
            queue.put(_Ready(item))
            if stopped.is_set():
                return
    except BaseException as error:  # handed to the consumer, who raises it
        queue.put(_End(error))
    else:
        queue.put(_End(None))


def _items(queue: "Queue[_Ready[Item] | _End]") -> Generator[Item]:
    while isinstance(entry := queue.get(), _Ready):
        yield entry.item
    if entry.error is not None:
        raise entry.error
