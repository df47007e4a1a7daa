"""Parts of a proof in processes of their own: each is forked from this one and answers in JSON.

What a part finds out reaches this process only as its answer. A part that ends in any other way,
killed, out of memory or by an error, has none, so that nothing is taken for done.
"""

import gc
import json
import os
import select
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO

from gradwright.certify.effort import Late, require_time, time_left

Answer = Mapping[str, object]
SMALL = 1500
"""Operations of a text up to which one process is as fast: a second of work."""
_THREADED = ("jax", "jaxlib._jax", "jaxlib.xla_client", "torch", "iree.runtime")
"""Libraries with threads of their own, whose locks a fork may copy as they are held."""

_PIECE = 1 << 16
"""Bytes to read at a time: what a pipe of Linux holds."""
_LONGEST = 3600.0
"""Seconds to wait at a time; the system counts milliseconds in 32 bits."""


def can_fork() -> bool:
    """Return whether this process may be forked: on Linux, without threads that compute."""
    return sys.platform == "linux" and not any(name in sys.modules for name in _THREADED)


def processes(jobs: int | None, operations: int) -> int:
    """Return how many processes prove a text: as many as are asked for, else one for each core.

    One where forking is not safe, and one for a small text unless more are asked for.
    """
    if not can_fork():
        return 1
    if jobs is not None:
        return jobs
    return 1 if operations < SMALL else len(os.sched_getaffinity(0))


@dataclass(slots=True)
class Part:
    """A part of the work, in a process of its own until it is ended."""

    process: int
    stream: IO[bytes]
    ended: bool = False

    @staticmethod
    def start(work: Callable[[], Answer]) -> "Part":
        """Begin a part; `work` sees all that this process knows and changes none of it."""
        reads, writes = os.pipe()
        gc.freeze()  # pages of what is known stay shared: no collection of the part writes to them
        with warnings.catch_warnings():
            if threading.active_count() > 1:  # those that draw a progress line; a part draws none
                warnings.simplefilter("ignore", DeprecationWarning)
            process = os.fork()
        if process == 0:
            os.close(reads)
            _answer(work, writes)
        gc.unfreeze()
        os.close(writes)
        return Part(process, open(reads, "rb"))

    def answer(self) -> Answer | None:
        """Wait for the answer, while time is left; None where the part ends without a whole one."""
        try:
            return json.loads(b"".join(self._pieces()))
        except (Late, json.JSONDecodeError):
            return None
        finally:
            self.end()

    def _pieces(self) -> Iterator[bytes]:
        """Yield what the part writes, to its end; Late where the time that was set is over."""
        written = select.poll()
        written.register(self.stream, select.POLLIN)
        while True:
            while not written.poll(_patience()):
                require_time()
            piece = os.read(self.stream.fileno(), _PIECE)
            if not piece:
                return
            yield piece

    def end(self) -> None:
        """End a part whose answer is there, or awaited by nobody; a stopped one ends too."""
        if self.ended:
            return
        self.ended = True
        os.kill(self.process, signal.SIGKILL)
        self.stream.close()
        os.waitpid(self.process, 0)


def _patience() -> float | None:
    """Return the milliseconds to wait for a part before the clock is looked at; None: for ever."""
    left = time_left()
    return None if left is None else 1000 * min(max(left, 0.0), _LONGEST) + 1


def _answer(work: Callable[[], Answer], writes: int) -> None:
    """Write what a part of the work answers, and end this process whatever becomes of it."""
    status = 1
    gc.disable()  # a proof makes hardly any cycles: ResNet-34 takes 257 MiB with and without
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        written = json.dumps(work()).encode()
        with open(writes, "wb") as stream:
            stream.write(written)
        status = 0
    finally:
        os._exit(status)
