"""Timing programs against each other: in turns, by the wall clock and by CPU time."""

import enum
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROUNDS = range(5, 41)
SECONDS = 0.5
"""What a program is run for, if the rounds allow."""
HOPELESS = 3.0
"""A program that takes so many times as long as the first is not run again."""
QUIET = 0.1
"""Cores that others may use while the wall clock still decides."""
_STAT = Path("/proc/stat")
_BUSY_FIELDS = (0, 1, 2, 5, 6, 7)
"""user, nice, system, irq, softirq, steal of proc(5)."""


class Clock(enum.StrEnum):
    """What decides: the wall clock, or CPU time where others had a part of the cores."""

    WALL = "wall"
    CPU = "cpu"


@dataclass(frozen=True, slots=True)
class Race:
    """Medians of programs that took turns, ms per call by the clock that decides."""

    clock: Clock
    ms: tuple[float, ...]


def race(runs: Sequence[Callable[[], object]]) -> Race:
    """Time calls in turns, another one first each time; each is called once before."""
    for run in runs:
        run()
    samples: Mapping[int, list[tuple[float, float]]] = {number: [] for number in range(len(runs))}
    started, busy, own = time.perf_counter(), _busy_seconds(), time.process_time()
    rounds = ROUNDS.stop - 1
    for turn in range(ROUNDS.stop - 1):
        if turn >= rounds:
            break
        for place in range(len(runs)):
            number = (turn + place) % len(runs)
            if not turn or samples[number][0][1] <= HOPELESS * samples[0][0][1]:
                samples[number].append(_timed(runs[number]))
        longest = max(samples[0][-1][0], 1e-6)
        rounds = min(max(ROUNDS.start, round(SECONDS / longest)), ROUNDS.stop - 1)
    elapsed, own = time.perf_counter() - started, time.process_time() - own
    foreign = max(0.0, (_busy_seconds() - busy - own) / elapsed) if _STAT.exists() else 0.0
    clock = Clock.WALL if foreign <= QUIET else Clock.CPU
    column = 0 if clock is Clock.WALL else 1
    return Race(clock, tuple(median(pair[column] for pair in samples[n]) for n in samples))


def _timed(run: Callable[[], object]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    run()
    return 1e3 * (time.perf_counter() - wall), 1e3 * (time.process_time() - cpu)


def _busy_seconds() -> float:
    """Return the seconds that all cores together were busy; 0 where the system does not tell."""
    if not _STAT.exists():
        return 0.0
    ticks = [int(word) for word in _STAT.read_text().split("\n", 1)[0].split()[1:]]
    return sum(ticks[field] for field in _BUSY_FIELDS) / os.sysconf("SC_CLK_TCK")
