"""XLA through the PJRT CPU client that jaxlib ships."""

import functools
import os
from collections.abc import Sequence

from gradwright.errors import LowererError, UnsupportedError
from gradwright.hlo.signature import Port
from gradwright.run import pjrt
from gradwright.run.backend import Array, Buffer, Compilable, Memory, Options
from gradwright.run.isolation import FLAGS_VARIABLE, ask, first_lines
from gradwright.run.settings import applied


@functools.cache
def _client() -> pjrt.Client:
    check_bindings()
    with applied("XLA client"):
        return pjrt.Client()


def check_bindings() -> None:
    """Raise UnsupportedError where the installed jaxlib is not one that `pjrt` understands."""
    missing = pjrt.missing_names()
    if missing:
        raise UnsupportedError(
            where=f"jaxlib {version()}",
            expected="the PJRT client as in jaxlib 0.10.2 to 0.12",
            found=f"no {', '.join(missing)}",
            remedy='Install "jaxlib>=0.10.2,<0.13"',
        )


def version() -> str:
    """Return the version of XLA: that of the jaxlib it comes with."""
    return pjrt.jaxlib_version()


def flags_of(options: Options) -> tuple[str, ...]:
    """Return every flag that a compilation sees, pinned ones first."""
    return (
        *(f"{name}={str(value).lower()}" for name, value in pjrt.PINNED_FLAGS.items()),
        *(f"{name}={value}" for name, value in pjrt.PINNED_OVERRIDES.items()),
        *(f"{name}={value}" for name, value in options.xla_flags),
        *os.environ.get(FLAGS_VARIABLE, "").split(),
    )


def compile_program(program: Compilable, options: Options) -> bytes:
    """Compile in the worker and return the serialized executable.

    Errors: LowererError where XLA refuses the module, aborts or takes too long.
    """
    check_bindings()
    request = {"do": "compile", "flags": dict(options.xla_flags)}
    text = program.text.encode()
    return ask(request, [text], program=program.name, what="XLA", timeout=options.timeout)[0]


class XlaProgram:
    """A program that this process has loaded."""

    def __init__(self, program: Compilable, blob: bytes, options: Options) -> None:
        self._name = program.name
        self._client = _client()
        self._donated = {index for index, _ in program.signature.aliases}
        outputs = [(port.shape, port.dtype) for port in program.signature.outputs]
        try:
            self._program = self._client.load(blob, dict(options.xla_flags), outputs)
        except RuntimeError as error:
            raise self._failed(error) from None

    @property
    def memory(self) -> Memory:
        """What a call takes, by XLA's assignment of buffers."""
        return Memory(*self._program.memory)

    def put(self, index: int, array: Array) -> Buffer:
        """Copy an array to the device."""
        return self._client.put(array)

    def lend(self, index: int, array: Array) -> Buffer:
        """Lend an array, unless the program would overwrite it."""
        return self._client.put(array) if index in self._donated else self._client.borrow(array)

    def run(self, buffers: Sequence[Buffer]) -> Sequence[Buffer]:
        """Dispatch one call."""
        try:
            return self._program.run(buffers)
        except RuntimeError as error:
            raise self._failed(error) from None

    def fetch(self, port: Port, buffer: Buffer) -> Array:
        """Wait for a value and copy it."""
        try:
            return pjrt.fetch(buffer, port.shape, port.dtype)
        except RuntimeError as error:
            raise self._failed(error) from None

    def _failed(self, error: RuntimeError) -> LowererError:
        return LowererError(
            where=f"program {self._name} on XLA",
            expected="no failure",
            found=first_lines(str(error)),
        )
