"""Settings of the whole process that only take effect before its XLA client exists."""

import ctypes
import enum
import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from gradwright.errors import SpecError, UnsupportedError
from gradwright.kinds import require_kind
from gradwright.run.machine import core_count

THREADS_VARIABLE = "GRADWRIGHT_THREADS"
MOST_THREADS = 1024
"""Far above the cores of one machine; a pool of more would exhaust it."""
ALLOCATOR_VARIABLE = "GRADWRIGHT_ALLOCATOR"
# XLA sizes its pool from these; it reads them when the client is made.
_XLA_THREADS = "NPROC"


class Allocator(enum.StrEnum):
    """What glibc does with the memory of a step's temporaries.

    SYSTEM: the defaults. Large blocks are mapped and unmapped at every step, so every step pays
    for tens of thousands of page faults.
    RESIDENT_HEAP: one arena that keeps its peak. Steps of convolutional nets took 10 to 35 % less
    time; the price is that memory is not given back to the system until the process ends.
    """

    SYSTEM = "system"
    RESIDENT_HEAP = "resident-heap"


@dataclass(frozen=True, slots=True)
class Settings:
    """`threads`: size of the pools of XLA and IREE; `allocator`: see `Allocator`."""

    threads: int
    allocator: Allocator


# glibc's mallopt parameters (malloc.h) and values: one arena, nothing mapped, nothing trimmed,
# growth in steps of 64 MiB.
_RESIDENT_HEAP = ((-8, 1), (-4, 0), (-1, 2**31 - 1), (-2, 64 << 20))

_current: Settings | None = None
_sealed_by: str | None = None


def current_settings() -> Settings:
    """Return the settings in force: those of `configure`, else of the environment, else defaults.

    Errors: SpecError where an environment variable holds something else than it may.
    """
    global _current
    if _current is None:
        _current = Settings(_threads_of_environment(), _allocator_of_environment())
    return _current


def configure(*, threads: int | None = None, allocator: Allocator | None = None) -> Settings:
    """Choose threads and allocator for this process; None leaves a setting as it is.

    Call it before the first `compile`. The environment variables GRADWRIGHT_THREADS and
    GRADWRIGHT_ALLOCATOR do the same without code.

    Errors: UnsupportedError where a runtime already exists with other settings; SpecError where
    `threads` is not positive.
    """
    global _current
    if threads is not None and not (type(threads) is int and 1 <= threads <= MOST_THREADS):
        expected = f"threads from 1 to {MOST_THREADS}"
        raise SpecError(where="configure", expected=expected, found=repr(threads))
    require_kind("configure: allocator", allocator, Allocator | None)
    before = current_settings()
    wanted = replace(
        before,
        threads=before.threads if threads is None else threads,
        allocator=before.allocator if allocator is None else allocator,
    )
    if _sealed_by is not None and wanted != before:
        raise UnsupportedError(
            where="configure",
            expected=f"settings chosen before the {_sealed_by} exists",
            found=f"threads={before.threads}, allocator={before.allocator} already in force",
            remedy="Call gradwright.run.configure before the first compile, or set "
            f"{THREADS_VARIABLE} and {ALLOCATOR_VARIABLE} in the environment",
        )
    _current = wanted
    keep_heap_if_chosen()
    return wanted


def prefer_resident_heap() -> None:
    """Choose RESIDENT_HEAP for a process that does nothing but run steps, unless it cannot be.

    Leaves everything as it is where the environment says what to do, where a runtime exists, or
    where the system's allocator is not glibc's.
    """
    settled = ALLOCATOR_VARIABLE in os.environ or _sealed_by is not None
    if not settled and _mallopt() is not None:
        configure(allocator=Allocator.RESIDENT_HEAP)


def keep_heap_if_chosen() -> None:
    """Keep the heap resident from now on, where that is chosen.

    It must be so before other threads allocate. Each of them may have got an arena of its own, in
    which a block of more than 64 MiB is mapped and unmapped whatever the settings, and which XLA's
    threads are then given too; the parser of large texts has such threads.
    """
    if _sealed_by is None and current_settings().allocator is Allocator.RESIDENT_HEAP:
        _keep_heap_resident()


@contextmanager
def applied(runtime: str) -> Generator[Settings]:
    """Put the settings in force while a runtime is being made, and seal them from then on."""
    global _sealed_by
    chosen = current_settings()
    keep_heap_if_chosen()
    before = os.environ.get(_XLA_THREADS)
    os.environ[_XLA_THREADS] = str(chosen.threads)
    try:
        yield chosen
    finally:
        if before is None:
            del os.environ[_XLA_THREADS]
        else:
            os.environ[_XLA_THREADS] = before
    _sealed_by = _sealed_by or runtime


def _mallopt() -> Callable[[int, int], int] | None:
    """Return glibc's mallopt, None where there is none."""
    if not sys.platform.startswith("linux"):
        return None
    return getattr(ctypes.CDLL(None), "mallopt", None)


def _keep_heap_resident() -> None:
    mallopt = _mallopt()
    if mallopt is None:
        raise UnsupportedError(
            where="allocator",
            expected=f"glibc for {Allocator.RESIDENT_HEAP}",
            found=sys.platform,
            remedy=f"Use {Allocator.SYSTEM}",
        )
    for parameter, value in _RESIDENT_HEAP:
        mallopt(parameter, value)


def _threads_of_environment() -> int:
    value = os.environ.get(THREADS_VARIABLE)
    if value is None:
        return core_count()
    if not value.isdecimal() or not 1 <= int(value) <= MOST_THREADS:
        expected = f"an integer from 1 to {MOST_THREADS}"
        raise SpecError(where=THREADS_VARIABLE, expected=expected, found=repr(value))
    return int(value)


def _allocator_of_environment() -> Allocator:
    value = os.environ.get(ALLOCATOR_VARIABLE, Allocator.SYSTEM)
    if value not in tuple(Allocator):
        choices = " or ".join(Allocator)
        raise SpecError(where=ALLOCATOR_VARIABLE, expected=choices, found=repr(value))
    return Allocator(value)
