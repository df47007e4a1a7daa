"""The StableHLO reference interpreter: slow, simple, and the measure of what a text means.

It runs in the worker, since it ends its process on an operation that it does not implement.
"""

from collections.abc import Sequence

import numpy as np

from gradwright.hlo.signature import Port
from gradwright.run import pjrt
from gradwright.run.backend import Array, Buffer, Compilable, Options
from gradwright.run.isolation import ask


def version() -> str:
    """Return the version of the jaxlib that the interpreter comes with."""
    return pjrt.jaxlib_version()


class InterpretedProgram:
    """A text; its buffers are NumPy arrays."""

    def __init__(self, program: Compilable, options: Options) -> None:
        self._program = program
        self._text = program.text.encode()
        self._inputs = [(port.shape, port.type.element.value) for port in program.signature.inputs]
        self._timeout = options.timeout

    @property
    def memory(self) -> None:
        """Unknown: the interpreter allocates as it goes."""

    def put(self, index: int, array: Array) -> Buffer:
        """Copy an array."""
        return np.array(array, order="C")

    def lend(self, index: int, array: Array) -> Buffer:
        """Use an array as it is; nothing writes to it."""
        return np.asarray(array, order="C")

    def run(self, buffers: Sequence[Buffer]) -> Sequence[Buffer]:
        """Evaluate one call and wait for it."""
        header = {"do": "interpret", "inputs": self._inputs}
        results = ask(
            header,
            [self._text, *(buffer.tobytes() for buffer in buffers)],
            program=self._program.name,
            what="the interpreter",
            timeout=self._timeout,
        )
        ports = self._program.signature.outputs
        return [
            np.ndarray(port.shape, port.dtype, buffer=result)
            for port, result in zip(ports, results, strict=True)
        ]

    def fetch(self, port: Port, buffer: Buffer) -> Array:
        """Copy a value."""
        return np.array(buffer)
