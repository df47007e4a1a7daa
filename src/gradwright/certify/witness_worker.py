"""The child process that evaluates texts on the reference interpreter: `python -m` this module.

A request is a length of eight bytes and an archive with `text` and the arrays `0`, `1`, …; a reply
is the same with the results, or with `error`. Where the request has an array `largest`, the only
result is the greatest size that a number has anywhere in the results. A request says how many
`seconds` of CPU time it may take, a reply how many it took; a request that takes more ends the
process by SIGPROF, where the system has that.
"""

import io
import signal
import sys
import time
from collections.abc import Mapping
from typing import IO

import numpy as np

from gradwright.errors import GradwrightError
from gradwright.hlo import evaluate

LARGEST = "largest"
SECONDS = "seconds"
LONGEST, SHORTEST = 1e9, 1e-3
"""Seconds that a timer of the system takes."""


def write(stream: IO[bytes], arrays: Mapping[str, np.ndarray]) -> None:
    """Write one archive; no pickle is ever made of an object."""
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    stream.write(len(buffer.getvalue()).to_bytes(8, "little"))
    stream.write(buffer.getvalue())
    stream.flush()


def read(stream: IO[bytes]) -> dict[str, np.ndarray] | None:
    """Return one archive; None where the stream ends before the archive does."""
    head = stream.read(8)
    size = int.from_bytes(head, "little")
    body = stream.read(size)
    if len(head) < 8 or len(body) < size:  # the writer may be killed at any byte
        return None
    with np.load(io.BytesIO(body), allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def spelled(text: str) -> np.ndarray:
    """Return a text as an array of bytes."""
    return np.frombuffer(text.encode(), np.uint8)


def _answer(request: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    arrays = [array for name, array in request.items() if name.isdigit()]
    try:
        results = evaluate(request["text"].tobytes().decode(), arrays)
    except (GradwrightError, ValueError, RuntimeError) as problem:
        return {"error": spelled(str(problem))}
    if LARGEST in request:
        sizes = [float(np.max(np.abs(each), initial=0.0)) for each in results]
        results = [np.array(max(sizes, default=0.0))]
    return {str(i): result for i, result in enumerate(results)}


def _end_after(seconds: float) -> None:
    """Let this process end after so many more seconds of CPU time; 0: go on."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def main() -> None:
    """Answer requests until the parent closes the pipe."""
    while (request := read(sys.stdin.buffer)) is not None:
        started = time.process_time()
        _end_after(min(max(float(request[SECONDS]), SHORTEST), LONGEST))
        reply = _answer(request)
        _end_after(0)
        used = np.array(time.process_time() - started)
        write(sys.stdout.buffer, {**reply, SECONDS: used})


if __name__ == "__main__":
    main()
