"""Parts of a proof in processes of their own: each is forked from this one and answers in JSON.

What a part finds out reaches this process only as its answer. A part that ends in any other way,
killed, out of memory or by an error, has none, so that nothing is taken for done.
"""

import gc
import json
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import IO

Answer = Mapping[str, object]
SMALL = 1500
"""Operations of a text up to which one process is as fast: a second of work."""
_THREADED = ("jax", "jaxlib._jax", "jaxlib.xla_client", "torch", "iree.runtime")
"""Libraries with threads of their own, whose locks a fork may copy as they are held."""


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
    """A part of the work, in a process of its own until it is awaited or ended."""

    process: int
    stream: IO[bytes]
    awaited: bool = False

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
        """Wait for the answer; None where the part ended without one."""
        written = self.stream.read()
        self.stream.close()
        self.awaited = True
        _, status = os.waitpid(self.process, 0)
        return json.loads(written) if status == 0 else None

    def end(self) -> None:
        """End a part whose answer nobody waits for."""
        if self.awaited:
            return
        self.awaited = True
        os.kill(self.process, signal.SIGKILL)
        self.stream.close()
        os.waitpid(self.process, 0)


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
