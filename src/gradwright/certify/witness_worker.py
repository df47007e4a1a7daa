"""The child process that evaluates texts on the reference interpreter: `python -m` this module.

A request is a length of eight bytes and an archive with `text` and the arrays `0`, `1`, …; a reply
is the same with the results, or with `error`. Where the request has an array `largest`, the only
result is the greatest size that a number has anywhere in the text's results.
"""

import io
import sys
from collections.abc import Mapping
from typing import IO

import numpy as np

from gradwright.errors import GradwrightError
from gradwright.hlo import evaluate

LARGEST = "largest"


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


def main() -> None:
    """Answer requests until the parent closes the pipe."""
    while (request := read(sys.stdin.buffer)) is not None:
        write(sys.stdout.buffer, _answer(request))


if __name__ == "__main__":
    main()
