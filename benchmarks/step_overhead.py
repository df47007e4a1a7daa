"""What one step costs besides its arithmetic, by the number of buffers it updates.

Each step adds one to n states of two numbers and returns one number. «dispatch»: until the call
returns; «ready»: until the returned number has been read; «bare», XLA alone: the client's call of a
program that hands its states back as they came. Median and minimum of many steps.

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
from gradwright.run import pjrt

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
    bare_median: float | None
    bare_least: float | None


def program(count: int, *, adds: bool = True) -> str:
    """Return the text that adds one to `count` states, or nothing, and returns a number of one."""
    tensor = "tensor<2xf32>"
    arguments = ", ".join(
        f"%s{i}: {tensor} {{tf.aliasing_output = {i} : i32}}" for i in range(count)
    )
    types = ", ".join([tensor] * count)
    sums = "\n".join(f"  %r{i} = stablehlo.add %s{i}, %one : {tensor}" for i in range(count * adds))
    made = [f"%{'r' if adds else 's'}{i}" for i in range(count)]
    return f"""module @overhead {{
func.func public @main({arguments}) -> ({types}, tensor<1xf32>) {{
  %one = stablehlo.constant dense<1.0> : {tensor}
{sums}
  %first = stablehlo.slice {made[0]} [0:1] : ({tensor}) -> tensor<1xf32>
  return {", ".join(made)}, %first : {types}, tensor<1xf32>
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
    bare = _summary(_bare(count)) if backend == "xla" else (None, None)
    return Row(count, *_summary(dispatch), *_summary(ready), *bare)


def _bare(count: int) -> list[float]:
    """Return the microseconds of calls of XLA's client that compute nothing."""
    client = pjrt.Client()
    outputs = [((2,), np.dtype(np.float32))] * count + [((1,), np.dtype(np.float32))]
    loaded = client.load(client.compile(program(count, adds=False), {}), {}, outputs)
    buffers = [client.put(np.zeros(2, np.float32)) for _ in range(count)]
    times: list[float] = []
    for _ in range(WARM_UP + STEPS):
        started = time.perf_counter()
        results = loaded.run(buffers)
        times.append(1e6 * (time.perf_counter() - started))
        results[-1].block_until_ready()
        buffers = results[:count]
    return times


def _summary(microseconds: Sequence[float]) -> tuple[float, float]:
    kept = microseconds[WARM_UP:]
    return round(statistics.median(kept), 1), round(min(kept), 1)


def table(rows: Sequence[Row]) -> str:
    """Return the rows as a Markdown table; the least of each kind is in brackets."""
    head = "buffers", "dispatch µs", "ready µs", "ready µs per buffer", "bare µs"
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    lines += [
        f"| {row.buffers} | {row.dispatch_median} ({row.dispatch_least}) "
        f"| {row.ready_median} ({row.ready_least}) | {row.ready_median / row.buffers:.2f} "
        f"| {'not XLA' if row.bare_least is None else f'{row.bare_median} ({row.bare_least})'} |"
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
