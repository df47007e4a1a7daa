"""The driver's side of a race: contestants take slices of time in turn, A B C A B C.

What else ran on the machine during a slice is read from /proc/stat, so that disturbed rounds can
be told from quiet ones.
"""

import json
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

STAT = Path("/proc/stat")
UNCACHED = {"TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1"}
"""Everyone compiles anew: ours is told so, JAX keeps nothing unless told to."""
IDLE_FIELDS = (3, 4)
"""Fields of the first line of /proc/stat that are no work: idle, iowait (proc(5))."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who races: a label, the interpreter, the module of `contest`, its variant.

    `family` names the library; a comparison takes the best of each family.
    """

    family: str
    variant: str
    python: str
    module: str

    @property
    def name(self) -> str:
        """Label in tables."""
        return f"{self.family} {self.variant}"


@dataclass(frozen=True, slots=True)
class Sample:
    """One slice. Units: ms of wall time and of CPU time per step; foreign load in cores."""

    wall_ms: float
    cpu_ms: float
    foreign: float


@dataclass(frozen=True, slots=True)
class Facts:
    """What is said of a contestant beside its samples.

    Units: `start` in seconds of wall time from the start of its process to the end of its fourth
    step, compilation included; `peak` in bytes that the process held at most.
    """

    version: str
    start: float
    peak: int


class Contestant:
    """A running entrant. It is stopped (SIGSTOP) whenever it is not its turn."""

    def __init__(self, entrant: Entrant, folder: Path, allocator: str) -> None:
        self.entrant = entrant
        self._process = subprocess.Popen(
            [
                entrant.python,
                "-m",
                "contest.contestant",
                entrant.module,
                str(folder),
                entrant.variant,
                allocator,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **UNCACHED, "PYTHONPATH": str(Path(__file__).parents[1])},
        )
        started = time.perf_counter()
        hello = self._answer()
        self.start: float = time.perf_counter() - started
        self.version: str = hello["version"]
        self.losses: list[float] = hello["losses"]
        self._process.send_signal(signal.SIGSTOP)

    def __enter__(self) -> Self:
        """Return self; leaving ends the process."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()

    @property
    def facts(self) -> Facts:
        """What is known of it by now."""
        return Facts(self.version, self.start, self.peak)

    def slice(self, seconds: float) -> Sample:
        """Let it run for so long."""
        self._process.send_signal(signal.SIGCONT)
        busy, start = _busy_seconds(), time.perf_counter()
        assert self._process.stdin is not None
        self._process.stdin.write(f"{seconds}\n")
        self._process.stdin.flush()
        done = self._answer()
        elapsed = time.perf_counter() - start
        foreign = (_busy_seconds() - busy - done["cpu"]) / elapsed
        self._process.send_signal(signal.SIGSTOP)
        per_step = 1e3 / done["steps"]
        return Sample(done["seconds"] * per_step, done["cpu"] * per_step, max(foreign, 0.0))

    @property
    def peak(self) -> int:
        """Bytes that its process held at most so far (VmHWM in proc(5))."""
        lines = Path(f"/proc/{self._process.pid}/status").read_text("ascii").splitlines()
        [line] = (line for line in lines if line.startswith("VmHWM:"))
        return int(line.split()[1]) << 10

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if line:
            return json.loads(line)
        _, printed = self._process.communicate()
        raise ContestantFailed(f"{self.entrant.name} ended: {printed.strip()[-400:]}")


class ContestantFailed(Exception):
    """A contestant ended early; the message is the end of what it printed."""


def run_rounds(
    contestants: Sequence[Contestant], rounds: int, seconds: float
) -> list[list[Sample]]:
    """Return, for each round, one sample per contestant in order."""
    return [[c.slice(seconds) for c in contestants] for _ in range(rounds)]


def quieter_half(rounds: Sequence[Sequence[Sample]]) -> list[Sequence[Sample]]:
    """Return the rounds with the least foreign load, at least half of them, in time order."""
    loads = sorted(max(s.foreign for s in samples) for samples in rounds)
    limit = loads[(len(loads) - 1) // 2]
    return [samples for samples in rounds if max(s.foreign for s in samples) <= limit]


def _busy_seconds() -> float:
    """Return the CPU seconds that the whole machine has worked since it started."""
    fields = [int(field) for field in STAT.read_text("ascii").splitlines()[0].split()[1:9]]
    idle = sum(fields[i] for i in IDLE_FIELDS)
    return (sum(fields) - idle) / os.sysconf("SC_CLK_TCK")
