"""What one step costs besides its arithmetic, by the number of buffers it updates.

Each step adds one to n states of two numbers and returns one number. «dispatch»: until the call
returns; «ready»: until the returned number has been read. Median and minimum of many steps.

    python benchmarks/step_overhead.py [--backend xla|iree] [--counts 1,22,500] [--json]
"""

import argparse
import json
import statistics
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from gradwright import run

COUNTS = (1, 22, 66, 161, 500)
STEPS = 400
WARM_UP = 50


@dataclass(frozen=True, slots=True)
class Row:
    """Microseconds per step with `buffers` states."""

    buffers: int
    dispatch_median: float
    dispatch_least: float
    ready_median: float
    ready_least: float


def program(count: int) -> str:
    """Return the text that adds one to `count` states and returns a number of the first."""
    tensor = "tensor<2xf32>"
    arguments = ", ".join(
        f"%s{i}: {tensor} {{tf.aliasing_output = {i} : i32}}" for i in range(count)
    )
    types = ", ".join([tensor] * count)
    sums = "\n".join(f"  %r{i} = stablehlo.add %s{i}, %one : {tensor}" for i in range(count))
    return f"""module @overhead {{
func.func public @main({arguments}) -> ({types}, tensor<1xf32>) {{
  %one = stablehlo.constant dense<1.0> : {tensor}
{sums}
  %first = stablehlo.slice %r0 [0:1] : ({tensor}) -> tensor<1xf32>
  return {", ".join(f"%r{i}" for i in range(count))}, %first : {types}, tensor<1xf32>
}}
}}
"""


def measure(count: int, backend: str) -> Row:
    """Return what a step with `count` states costs on a backend."""
    executable = run.compile(program(count), backend=backend, cache=run.NO_CACHE)
    reached = 0.0
    session = executable.session({f"arg{i}": np.zeros(2, np.float32) for i in range(count)})
    dispatch: list[float] = []
    ready: list[float] = []
    for _ in range(WARM_UP + STEPS):
        started = time.perf_counter()
        result = session.step()
        returned = time.perf_counter()
        reached = float(result[f"out{count}"][0])
        finished = time.perf_counter()
        dispatch.append(1e6 * (returned - started))
        ready.append(1e6 * (finished - started))
    assert reached == WARM_UP + STEPS, "the steps did not add up"
    return Row(count, *_summary(dispatch), *_summary(ready))


def _summary(microseconds: Sequence[float]) -> tuple[float, float]:
    kept = microseconds[WARM_UP:]
    return round(statistics.median(kept), 1), round(min(kept), 1)


def table(rows: Sequence[Row]) -> str:
    """Return the rows as a Markdown table; the least of each kind is in brackets."""
    lines = ["| buffers | dispatch µs | ready µs | ready µs per buffer |", "|---|---|---|---|"]
    lines += [
        f"| {row.buffers} | {row.dispatch_median} ({row.dispatch_least}) "
        f"| {row.ready_median} ({row.ready_least}) | {row.ready_median / row.buffers:.2f} |"
        for row in rows
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", default="xla", choices=["xla", "iree"])
    parser.add_argument("--counts", default=",".join(map(str, COUNTS)))
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    rows = [measure(int(count), chosen.backend) for count in chosen.counts.split(",")]
    if chosen.json:
        print(json.dumps({"backend": chosen.backend, "rows": [asdict(row) for row in rows]}))
    else:
        print(table(rows))


if __name__ == "__main__":
    main()
