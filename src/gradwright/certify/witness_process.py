"""The parent's side of the evaluating child: a budget of seconds, and no fear of aborts."""

import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import IO, Self

import numpy as np

from gradwright.certify import witness_worker
from gradwright.certify.effort import time_left
from gradwright.certify.witness_worker import LARGEST, read, spelled, write


class Unevaluated(Exception):
    """The interpreter gave no values; the message says why."""


class Evaluator:
    """Evaluates texts in a child process, for `seconds` of waiting in all."""

    def __init__(self, seconds: float) -> None:
        self._left = seconds
        self._budget = seconds
        self._child: subprocess.Popen[bytes] | None = None

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

    def close(self) -> None:
        """End the child and free what it holds."""
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        child.wait()
        for stream in (child.stdin, child.stdout):
            if stream is not None:
                _close(stream)

    def require_time(self) -> None:
        """Raise Unevaluated where nothing is left of the budget."""
        if self._remaining() <= 0:
            raise Unevaluated(f"the interpreter had no more of its {self._budget:g} s")

    def _remaining(self) -> float:
        """Return the seconds left of this budget, and of that for everything where there is one."""
        left = time_left()
        return self._left if left is None else min(self._left, left)

    def __call__(self, text: str, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Return the results of `main`; Unevaluated where it refuses, aborts or takes too long."""
        return self._answered(text, {str(i): array for i, array in enumerate(arrays)})

    def largest(self, text: str, arrays: Sequence[np.ndarray]) -> float:
        """Return the greatest size of a number among the results of `main`, which stay there."""
        request = {str(i): array for i, array in enumerate(arrays)}
        return float(self._answered(text, {**request, LARGEST: np.array(1)})[0])

    def _answered(self, text: str, request: Mapping[str, np.ndarray]) -> list[np.ndarray]:
        self.require_time()
        started = time.perf_counter()
        try:
            reply = self._ask(text, request)
        finally:
            self._left -= time.perf_counter() - started
        if "error" in reply:
            raise Unevaluated(f"the interpreter refuses: {reply['error'].tobytes().decode()}")
        return [reply[str(i)] for i in range(len(reply))]

    def _ask(self, text: str, request: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        child = self._child or self._start()
        timer = threading.Timer(min(self._remaining(), threading.TIMEOUT_MAX), child.kill)
        timer.start()
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            write(child.stdin, {"text": spelled(text), **request})
            reply = read(child.stdout)
        except BrokenPipeError:
            reply = None
        finally:
            late = not timer.is_alive()
            timer.cancel()
        if reply is None:
            self.close()
            raise Unevaluated(
                f"the interpreter took more than its {self._budget:g} s"
                if late
                else "the interpreter ended its process"
            )
        return reply

    def _start(self) -> subprocess.Popen[bytes]:
        self._child = subprocess.Popen(
            [sys.executable, "-P", "-m", witness_worker.__name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        return self._child


def _close(stream: IO[bytes]) -> None:
    try:
        stream.close()
    except BrokenPipeError:
        return  # what was still buffered for a child that died
