"""What one step of a program costs: time per step, its spread, memory."""

import resource
import statistics
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradwright.hlo import Port, Role
from gradwright.programs import Program, initial_state
from gradwright.run import Executable

WARMUP_STEPS = 3
_MIB = 2**20


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds per step (median, and the range of the middle 80 %), and memory in MiB.

    `peak_mib` is what the process had at most; `step_mib` what one step takes, its temporaries
    `temporary_mib` of it, None where the backend does not say.
    """

    ms_per_step: float
    ms_p10: float
    ms_p90: float
    peak_mib: float
    step_mib: float | None
    temporary_mib: float | None


def measure(program: Program, executable: Executable, steps: int) -> Cost:
    """Run steps on random data and time each until its loss has been read."""
    inputs = example_inputs(program, seed=0)
    session = executable.session(initial_state(program))
    times: list[float] = []
    for _ in range(WARMUP_STEPS + steps):
        started = time.perf_counter()
        float(session.step(**inputs)["loss"])
        times.append(1e3 * (time.perf_counter() - started))
    ordered = sorted(times[WARMUP_STEPS:])
    tenth = len(ordered) // 10
    memory = executable.memory
    return Cost(
        statistics.median(ordered),
        ordered[tenth],
        ordered[-1 - tenth],
        _peak_mib(),
        None if memory is None else memory.in_all / _MIB,
        None if memory is None else memory.temporaries / _MIB,
    )


def example_inputs(program: Program, seed: int) -> Mapping[str, NDArray[Any]]:
    """Draw every input of a step but its state: normal pixels, uniform labels, no dropout.

    Bias corrections are 1, as after many steps.
    """
    random = np.random.default_rng(seed)
    return {
        port.name: _example(port, program, random).astype(port.dtype)
        for port in program.inputs
        if not port.role.is_state
    }


def _example(port: Port, program: Program, random: np.random.Generator) -> NDArray[Any]:
    if port.role is Role.LEARNING_RATE:
        return np.array(1e-3)
    if port.role in (Role.STEP, Role.CORRECTION, Role.MASK):
        return np.ones(port.shape)
    if not port.type.element.is_float:
        top = program.net.output[-1] if port.role is Role.LABEL else 2
        return random.integers(0, top, port.shape)
    return random.standard_normal(port.shape)


def _peak_mib() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (_MIB if sys.platform == "darwin" else 2**10)
