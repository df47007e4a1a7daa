"""What the machine can do: the numbers that a time per step must be read beside."""

import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gradwright import run
from gradwright.run.machine import core_count, cpu_features

SIDE = 1024
"""Side of the matrices: 12 MiB in all, beyond the cache of a core, within what GEMMs block for."""
COPIED_BYTES = 256 << 20
REPEATS = 9

_PRODUCT = f"""module @sgemm {{
  func.func public @main(%a: tensor<{SIDE}x{SIDE}xf32>, %b: tensor<{SIDE}x{SIDE}xf32>)
      -> tensor<{SIDE}x{SIDE}xf32> {{
    %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      : (tensor<{SIDE}x{SIDE}xf32>, tensor<{SIDE}x{SIDE}xf32>) -> tensor<{SIDE}x{SIDE}xf32>
    return %c : tensor<{SIDE}x{SIDE}xf32>
  }}
}}
"""


@dataclass(frozen=True, slots=True)
class Machine:
    """Facts, and measured peaks. Units: sgemm in GFLOP/s, copy in GB/s (read and written bytes)."""

    cpu: str
    features: tuple[str, ...]
    cores: int
    sgemm: float
    copy: float

    @property
    def sentence(self) -> str:
        """One line for people."""
        return (
            f"{self.cpu}, {self.cores} cores, {' '.join(self.features)}; "
            f"sgemm {SIDE} {self.sgemm:.0f} GFLOP/s, copy {self.copy:.0f} GB/s"
        )


def measure(clock: Callable[[], float] = time.perf_counter) -> Machine:
    """Measure matrix product (XLA, every core) and copy (one core), the best of a few.

    On one core that others use too, `time.process_time` is the clock to measure by.
    """
    product = run.compile(_PRODUCT)
    a = np.ones((SIDE, SIDE), np.float32)
    sgemm = 2 * SIDE**3 / _best(lambda: product(arg0=a, arg1=a), clock) / 1e9
    source = np.ones(COPIED_BYTES, np.uint8)
    target = np.empty_like(source)
    copy = 2 * COPIED_BYTES / _best(lambda: np.copyto(target, source), clock) / 1e9
    return Machine(_cpu(), cpu_features(), core_count(), sgemm, copy)


def _best(work: Callable[[], object], clock: Callable[[], float]) -> float:
    times: list[float] = []
    for _ in range(REPEATS):
        started = clock()
        work()
        times.append(clock() - started)
    return min(times)


def _cpu() -> str:
    listing = Path("/proc/cpuinfo")
    if not listing.exists():
        return platform.processor()
    lines = listing.read_text("utf-8").splitlines()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine()) + f" ({os.uname().machine})"
