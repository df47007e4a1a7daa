"""The parent's side of the evaluating child: a budget of CPU seconds, and no fear of aborts."""

import atexit
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Self

import numpy as np

from gradwright.certify import witness_worker
from gradwright.certify.effort import time_left
from gradwright.certify.witness_worker import LARGEST, SECONDS, read, spelled, write

PATIENCE = 20
"""Seconds on the clock that an answer may take for each CPU second that it has."""
_LACKED = re.compile(rb'Unsupported op: (?:[^"=\n]* = )?"?([\w.]+(?: @[\w.]+)?)')
"""What the interpreter writes before it ends its process at an operation that it lacks."""
KEPT = 5.0
"""CPU seconds of answers after which a child is not kept: it may hold a lot."""


class Unevaluated(Exception):
    """The interpreter gave no values; the message says why."""


class OutOfTime(Unevaluated):
    """The interpreter needs more time than it was given."""


class Evaluator:
    """Evaluates texts in a child process, for `seconds` of its CPU time in all.

    Not of waiting, so that on a machine that is busy as much is found as on one that is not. A
    child that answered all that it was asked, in little time, is kept for the next evaluator: to
    start one takes about a second.
    """

    def __init__(self, seconds: float) -> None:
        self._left = seconds
        self._budget = seconds
        self._child: _Child | None = None

    def __enter__(self) -> Self:
        """Return itself; the child starts with the first request."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the child."""
        self.close()

    def renew(self) -> None:
        """Give the whole budget again."""
        self._left = self._budget

    @contextmanager
    def at_most(self, seconds: float) -> Generator[None]:
        """Give no more than these of the seconds that are left."""
        kept = max(0.0, self._left - seconds)
        self._left -= kept
        try:
            yield
        finally:
            self._left += kept

    def close(self) -> None:
        """Give the child back, or end it and free what it holds."""
        child, self._child = self._child, None
        if child is None:
            return
        if child.is_idle and child.used < KEPT and not _spare:
            _spare.append(child)
        else:
            child.end()

    def require_time(self) -> None:
        """Raise Unevaluated where nothing is left of the budget."""
        if self._left <= 0 or self._patience() <= 0:
            raise OutOfTime(f"the interpreter had no more of its {self._budget:g} s")

    def _patience(self) -> float:
        """Return the seconds to wait, no more than are left for everything where that is set."""
        longest = min(PATIENCE * self._left, threading.TIMEOUT_MAX)
        left = time_left()
        return longest if left is None else min(longest, left)

    def __call__(self, text: str, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Return the results of `main`; Unevaluated where it refuses, aborts or takes too long."""
        return self._answered(text, {str(i): array for i, array in enumerate(arrays)})

    def largest(self, text: str, arrays: Sequence[np.ndarray]) -> float:
        """Return the greatest size of a number among the results of `main`, which stay there."""
        request = {str(i): array for i, array in enumerate(arrays)}
        return float(self._answered(text, {**request, LARGEST: np.array(1)})[0])

    def _answered(self, text: str, request: Mapping[str, np.ndarray]) -> list[np.ndarray]:
        self.require_time()
        reply = self._ask(text, {**request, SECONDS: np.array(self._left)})
        used = float(reply.pop(SECONDS))
        self._left -= used
        if self._child is not None:
            self._child.used += used
        if "error" in reply:
            raise Unevaluated(f"the interpreter refuses: {reply['error'].tobytes().decode()}")
        return [reply[str(i)] for i in range(len(reply))]

    def _ask(self, text: str, request: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        child = self._child = self._child or _taken()
        timer = threading.Timer(self._patience(), child.process.kill)
        timer.start()
        try:
            reply = child.answer({"text": spelled(text), **request})
        finally:
            late = not timer.is_alive()
            timer.cancel()
        if reply is not None:
            return reply
        late = child.process.wait() == _OVER or late
        lacking = child.lacking()
        self.close()
        if not late:
            raise Unevaluated(f"the interpreter ended its process{lacking}")
        self._left = 0
        raise OutOfTime(f"the interpreter took more than its {self._budget:g} s")


@dataclass(slots=True)
class _Child:
    """A child process, of the process that started it alone: a fork must not share its pipes."""

    process: subprocess.Popen[bytes]
    errors: IO[bytes]
    """What it writes for people, as the operation that it ends at."""
    parent: int
    is_idle: bool = True
    """Whether it has answered all that it was asked."""
    used: float = 0.0
    """CPU seconds that its answers took."""

    def answer(self, request: Mapping[str, np.ndarray]) -> dict[str, np.ndarray] | None:
        """Return the reply to a request, None where the child ended instead."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.is_idle = False
        try:
            write(self.process.stdin, request)
            reply = read(self.process.stdout)
        except BrokenPipeError:
            return None
        self.is_idle = reply is not None
        return reply

    def lacking(self) -> str:
        """Return what a process that ended said of the operation that it lacks."""
        self.errors.seek(0)
        found = _LACKED.findall(self.errors.read())
        return f": it lacks {found[-1].decode()}" if found else ""

    def end(self) -> None:
        """End the process and free what it holds."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.errors):
            if stream is not None:
                _close(stream)


_spare: list[_Child] = []
"""The child that nobody uses, if there is one."""


def _taken() -> _Child:
    """Return the spare child of this process, if it lives, else a new one."""
    while _spare and _spare[-1].parent == os.getpid():
        child = _spare.pop()
        if child.process.poll() is None:
            return child
        child.end()
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", witness_worker.__name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        return _Child(process, os.fdopen(os.dup(errors.fileno()), "rb"), os.getpid())


@atexit.register
def _end_spare() -> None:
    while _spare and _spare[-1].parent == os.getpid():
        _spare.pop().end()


_OVER = -signal.SIGPROF if hasattr(signal, "SIGPROF") else None
"""How a child ends whose CPU time is over."""


def _close(stream: IO[bytes]) -> None:
    try:
        stream.close()
    except BrokenPipeError:
        return  # what was still buffered for a child that died
