"""The compile worker: a child process that compiles with XLA and runs the reference interpreter.

Both may abort on a module that the verifier accepts, and an abort ends the process it happens in.
The worker is started as a script and answers requests (see `frames`) until its input closes.
"""

import os
import resource
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import IO, TYPE_CHECKING

if __name__ == "__main__":
    # Stand-ins for the two packages: their __init__ files import far more than a worker needs.
    for _name, _folder in (
        ("gradwright", Path(__file__).parents[1]),
        ("gradwright.run", Path(__file__).parent),
    ):
        _package = ModuleType(_name)
        _package.__path__ = [str(_folder)]
        sys.modules[_name] = _package

import numpy as np

from gradwright.run import frames

if TYPE_CHECKING:
    from gradwright.run.pjrt import Client

Reply = tuple[frames.Header, Sequence[bytes]]


class Worker:
    """Answers requests one by one; the XLA client is made at its first use."""

    def __init__(self) -> None:
        self._client: Client | None = None
        self._commands: dict[str, Callable[[frames.Header, list[bytes]], Reply]] = {
            "compile": self._compile,
            "interpret": self._interpret,
        }

    def answer(self, header: frames.Header, blobs: list[bytes]) -> Reply:
        """Do what a request asks; an exception becomes a reply with its text under "error"."""
        try:
            return self._commands[header["do"]](header, blobs)
        except Exception as error:  # whatever a compiler raises is an answer, not our failure
            return {"error": str(error)}, ()

    def _compile(self, header: frames.Header, blobs: list[bytes]) -> Reply:
        from gradwright.run.pjrt import Client

        self._client = self._client or Client()
        return {}, [self._client.compile(blobs[0].decode(), header["flags"])]

    def _interpret(self, header: frames.Header, blobs: list[bytes]) -> Reply:
        from gradwright.hlo.bindings import evaluate
        from gradwright.hlo.types import ElementType

        text, *values = blobs
        arrays = [
            np.ndarray(tuple(shape), ElementType(element).dtype, buffer=value)
            for (shape, element), value in zip(header["inputs"], values, strict=True)
        ]
        return {}, [result.tobytes() for result in evaluate(text.decode(), arrays)]


def serve(requests: IO[bytes], replies: IO[bytes]) -> None:
    """Answer requests until the other side closes the stream."""
    worker = Worker()
    while True:
        try:
            header, blobs = frames.read(requests)
        except EOFError:
            return
        frames.write(replies, *worker.answer(header, blobs))


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # an abort here is expected: leave no dump
    _replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a compiler prints must not mix with the replies
    serve(sys.stdin.buffer, _replies)
