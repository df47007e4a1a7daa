"""The closed choices and records of running a program."""

import enum
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gradwright.hlo.signature import Port, Signature

Array = NDArray[np.generic]
# A value on a backend's device; only the backend that made it looks inside.
Buffer = Any


class Backend(enum.StrEnum):
    """Who runs a program."""

    XLA = "xla"
    IREE = "iree"
    INTERPRETER = "interpreter"


class IreeDriver(enum.StrEnum):
    """How IREE executes: on a pool of worker threads, or on the calling thread."""

    TASK = "local-task"
    SYNC = "local-sync"


class CacheOutcome(enum.StrEnum):
    """Where an executable came from."""

    HIT = "hit"
    MISS = "miss"
    REPAIRED = "repaired"  # the entry was damaged, so it was compiled and stored again
    UNWRITABLE = "unwritable"  # compiled, but the cache could not keep it
    OFF = "off"


class Compilable(Protocol):
    """What `compile` needs of a program."""

    @property
    def name(self) -> str:
        """Name of the module."""
        ...

    @property
    def text(self) -> str:
        """StableHLO text with a function `main`."""
        ...

    @property
    def signature(self) -> Signature:
        """Arguments and results of `main`, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Options:
    """How to compile.

    `xla_flags`: XLA debug options by name, e.g. `(("xla_backend_optimization_level", "0"),)`.
    `iree_flags`: arguments of `iree-compile`. `timeout`: seconds that one compilation, or one call
    of the interpreter, may take.
    """

    xla_flags: tuple[tuple[str, str], ...] = ()
    iree_flags: tuple[str, ...] = ()
    iree_driver: IreeDriver = IreeDriver.TASK
    timeout: float = 1800.0


@dataclass(frozen=True, slots=True)
class Manifest:
    """How an executable was made: everything that may change its numbers or its speed."""

    program: str
    backend: Backend
    version: str
    flags: tuple[str, ...]
    text_sha256: str
    compile_seconds: float
    cache: CacheOutcome
    threads: int
    allocator: str
    cpu: str

    def to_json(self) -> str:
        """Return the manifest as one JSON object."""
        return json.dumps(asdict(self), sort_keys=True)


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes that one call takes, as the compiler planned them.

    `aliased` are those of results that take the place of arguments; `temporaries` lie in one block
    that is reserved for the call.
    """

    arguments: int
    results: int
    aliased: int
    temporaries: int

    @property
    def in_all(self) -> int:
        """Bytes at once: arguments, results beside them, temporaries."""
        return self.arguments + self.results - self.aliased + self.temporaries


class Loaded(Protocol):
    """A program that a backend has ready to run."""

    @property
    def memory(self) -> Memory | None:
        """What a call takes; None where the backend does not say."""
        ...

    def put(self, index: int, array: Array) -> Buffer:
        """Copy the array of input `index` to the device; the caller may change it at once."""
        ...

    def lend(self, index: int, array: Array) -> Buffer:
        """Like `put`, but the caller leaves the array alone until the call has finished."""
        ...

    def run(self, buffers: Sequence[Buffer]) -> Sequence[Buffer]:
        """Dispatch one call; state that the text aliases is consumed."""
        ...

    def fetch(self, port: Port, buffer: Buffer) -> Array:
        """Wait for a buffer that holds a value of `port`; return a copy that the caller owns."""
        ...
