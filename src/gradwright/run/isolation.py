"""The parent's side of the compile worker: ask, and survive whatever happens to the child."""

import atexit
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from gradwright.errors import LowererError
from gradwright.run import frames
from gradwright.run.pjrt import LOG_LEVEL, QUIET
from gradwright.run.settings import applied

_SCRIPT = Path(__file__).with_name("worker.py")
# XLA reads it once in the life of a process.
FLAGS_VARIABLE = "XLA_FLAGS"
_SHOWN_LINES = 3
_SHOWN_CHARACTERS = 400
# Lines that say nothing to a reader of an error.
_NOISE = (
    "*** Check failure stack trace",
    "=== Source Location Trace",
    "@ ",
    "external/",
    ") ",
    "Please report issues",
    "Stack dump",
    "0.\tProgram arguments",
)
_FATAL = re.compile(r"^F\d{4} ", re.MULTILINE)
_LOG_PREFIX = re.compile(r"^[IWEF]\d{4} [\d:.]+\s+\d+ ")


def first_lines(text: str) -> str:
    """Return the lines of a compiler's message that say what went wrong, cut to a few.

    What was logged before a fatal line is left out: it depends on the log level.
    """
    fatal = _FATAL.search(text)
    text = text[fatal.start() :] if fatal else text
    lines = [_LOG_PREFIX.sub("", line.strip()) for line in text.splitlines()]
    telling = [line for line in lines if line and not line.startswith(_NOISE)]
    return " / ".join(telling[:_SHOWN_LINES])[:_SHOWN_CHARACTERS]


def describe_exit(code: int, printed: str) -> str:
    """Return how a process ended and what it said, e.g. `SIGABRT: Check failed: …`."""
    end = f"exit code {code}" if code >= 0 else signal.Signals(-code).name
    said = first_lines(printed)
    return f"{end}: {said}" if said else end


class WorkerDied(Exception):
    """The worker ended before it answered; the message says how and what it printed last."""


class WorkerRefused(Exception):
    """The worker answered with an error; the message is that and what was printed with it."""


class Worker:
    """One child process; it serves one request at a time and is never restarted."""

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._flags = os.environ.get(FLAGS_VARIABLE)
        self._lock = threading.Lock()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 (lives with the child)
        with applied("compile worker"):
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(_SCRIPT)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                env={LOG_LEVEL: QUIET, **os.environ},
            )

    @property
    def pid(self) -> int:
        """Process id of the child."""
        return self._process.pid

    @property
    def is_ours(self) -> bool:
        """Whether this process started it (and not the one that this was forked from)."""
        return self._owner == os.getpid()

    @property
    def is_alive(self) -> bool:
        """Whether the child can serve another request."""
        return self._process.poll() is None

    @property
    def is_current(self) -> bool:
        """Whether it has read the flags that are in the environment now."""
        return self._flags == os.environ.get(FLAGS_VARIABLE)

    def request(
        self, header: Mapping[str, Any], blobs: Sequence[bytes | memoryview], timeout: float
    ) -> list[bytes]:
        """Send one request and wait for the reply.

        Errors: WorkerRefused where the reply is an error, WorkerDied where none comes.
        """
        with self._lock:
            late = threading.Event()
            start = os.fstat(self._log.fileno()).st_size
            timer = threading.Timer(timeout, self._give_up, [late])
            timer.start()
            try:
                assert self._process.stdin is not None
                assert self._process.stdout is not None
                frames.write(self._process.stdin, header, blobs)
                reply, results = frames.read(self._process.stdout)
            except (EOFError, BrokenPipeError):
                code = self._process.wait()
                late_reason = f"no answer within {timeout:g} s"
                ended = describe_exit(code, self._printed(start))
                raise WorkerDied(late_reason if late.is_set() else ended) from None
            except BaseException:  # an interrupt leaves half a message behind: never use it again
                self._process.kill()
                raise
            finally:
                timer.cancel()
            if "error" in reply:
                raise WorkerRefused(f"{reply['error']}\n{self._printed(start)}")
            return results

    def close(self) -> None:
        """End the child and free what it holds."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._log):
            if stream is not None:
                _close(stream)

    def _give_up(self, late: threading.Event) -> None:
        late.set()
        self._process.kill()

    def _printed(self, start: int) -> str:
        """Return what the child printed from `start` on; it shares our file position, so pread."""
        size = os.fstat(self._log.fileno()).st_size - start
        return os.pread(self._log.fileno(), size, start).decode(errors="replace")


def _close(stream: IO[bytes]) -> None:
    try:
        stream.close()
    except BrokenPipeError:
        return  # what was still buffered for a child that died


_shared: Worker | None = None
_guard = threading.Lock()


def ask(
    header: Mapping[str, Any],
    blobs: Sequence[bytes | memoryview],
    *,
    program: str,
    what: str,
    timeout: float,
) -> list[bytes]:
    """Have the worker answer a request, starting one where none is running.

    Errors: LowererError that names program, backend (`what`) and signal or message where the
    worker refuses, aborts, is killed or takes longer than `timeout` seconds.
    """
    try:
        return _worker().request(header, blobs, timeout)
    except WorkerDied as death:
        raise LowererError(
            where=f"program {program} on {what}",
            expected="an answer",
            found=f"the process died ({death})",
            remedy="The verifier accepts the text, so this is a defect of the backend: try another "
            "backend, or leave out operations until it answers",
        ) from None
    except WorkerRefused as refusal:
        raise LowererError(
            where=f"program {program} on {what}",
            expected="a module that it accepts",
            found=first_lines(str(refusal)),
        ) from None


def _worker() -> Worker:
    global _shared
    with _guard:
        known = _shared
        if known is None or not (known.is_ours and known.is_alive and known.is_current):
            shut_down()
            known = _shared = Worker()
        return known


def worker_pid() -> int | None:
    """Return the process id of the running worker, None where there is none."""
    return _shared.pid if _shared is not None and _shared.is_alive else None


@atexit.register
def shut_down() -> None:
    """End the worker; the next request starts a new one."""
    global _shared
    if _shared is not None and _shared.is_ours:
        _shared.close()
    _shared = None
