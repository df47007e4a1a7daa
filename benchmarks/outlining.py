"""Whether a train step compiles faster where its repeated blocks are functions, on XLA and IREE.

    python benchmarks/outlining.py [NET …] [--size 64] [--batch 2] [--rounds 3] [--backend iree]
                                   [--write]

Both texts of a net are compiled in turn, another one first in each round, without a cache; seconds
are medians, of CPU time of all processes at work (Linux). Their results must be the same, up to
rounding. Exit code 1 where they are not.
"""

import argparse
import os
import statistics
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from contest.rows import merged, rows_of
from contest.table import read_section, replace_section
from numpy.typing import NDArray
from outlined import outlined
from zoo_runs import pictures

import gradwright as gw
from gradwright.cli.measure import example_inputs
from gradwright.hlo import print_module, read_module
from gradwright.programs import Program

RESULTS = Path(__file__).with_name("RESULTS.md")
SECTION = "outlining"
NETS = ("resnet34", "resnet50", "convnext-t")
BACKENDS = ("xla", "iree")
SMOOTHING = 0.1
ROUNDING = 1e-3
"""Batch norms of eight numbers magnify what the order of sums rounds."""
TICKS = os.sysconf("SC_CLK_TCK")
HEAD = [
    "CPU seconds of compilation, medians; «blocks» are private functions that are called twice or "
    "more, beside those of the updates, which every text has. Apart: the largest difference in a "
    "result, as a share of its largest element, or of 1.",
    "",
    "`python benchmarks/outlining.py [NET …] --rounds 3 --write`",
    "",
    "| net, backend | blocks | KB | outlined KB | compile s | outlined s | ratio | apart |",
    "|---|---|---|---|---|---|---|---|",
]


@dataclass(frozen=True, slots=True)
class Compared:
    """One net on one backend; `seconds` of both texts, plain first."""

    row: str
    blocks: int
    sizes: tuple[int, int]
    seconds: tuple[float, float]
    apart: float

    def cells(self) -> list[str]:
        """Return the row of the table."""
        plain, other = self.seconds
        sizes = [f"{size / 1e3:,.0f}" for size in self.sizes]
        times = [f"{plain:.1f}", f"{other:.1f}", f"{other / plain:.2f}"]
        return [self.row, str(self.blocks), *sizes, *times, f"{self.apart:.0e}"]


def main() -> int:
    """Compare each net on each backend; print and on request write its row."""
    options = _options()
    good = True
    for name in options.net or NETS:
        net = gw.zoo.get(name, size=None if name in gw.zoo.NETS else options.size)
        loss = gw.losses.SoftmaxCrossEntropy(label_smoothing=SMOOTHING)
        rule = gw.optim.AdamW()
        step = gw.programs.train_step(net, batch=options.batch, loss=loss, optimizer=rule)
        for backend in options.backend or BACKENDS:
            found = compared(step, f"{name}, {backend}", backend, options.rounds)
            good = good and found.apart < ROUNDING
            print(" | ".join(found.cells()), flush=True)
            if options.write:
                _write(found)
    return 0 if good else 1


def compared(step: Program, row: str, backend: str, rounds: int) -> Compared:
    """Compile both texts `rounds` times, and run each once."""
    module, blocks = outlined(read_module(step.text))
    texts = (step.text, print_module(module))
    times: tuple[list[float], list[float]] = ([], [])
    results: dict[int, Mapping[str, NDArray[Any]]] = {}
    for turn in range(rounds):
        for which in (0, 1) if turn % 2 == 0 else (1, 0):
            before = cpu_seconds()
            executable = gw.run.compile(texts[which], backend=backend, cache=gw.run.NO_CACHE)
            times[which].append(cpu_seconds() - before)
            if which not in results:
                results[which] = executable(**_arguments(step))
    sizes = (len(texts[0]), len(texts[1]))
    seconds = (statistics.median(times[0]), statistics.median(times[1]))
    return Compared(row, blocks, sizes, seconds, _apart(results[0], results[1]))


def cpu_seconds() -> float:
    """Return the CPU time of this process, of its children that ended, and of those that live."""
    own = os.times()
    living = Path("/proc/self/task").glob("*/children")
    return sum(own[:4]) + sum(_spent(pid) for path in living for pid in path.read_text().split())


def _spent(pid: str) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def _arguments(step: Program) -> dict[str, NDArray[Any]]:
    state, fed = gw.programs.initial_state(step), example_inputs(step, seed=0)
    given = {**fed, **state, "x": pictures(step)[0]}
    return {
        f"arg{place}": np.asarray(given[port.name], port.dtype)
        for place, port in enumerate(step.inputs)
    }


def _apart(plain: Mapping[str, NDArray[Any]], other: Mapping[str, NDArray[Any]]) -> float:
    """Return the largest difference, as a share of the largest element of its array, or of 1."""
    shares = (
        np.max(np.abs(other[name] - plain[name])) / max(1.0, np.max(np.abs(plain[name])))
        for name in plain
    )
    return float(max(shares))


def _write(found: Compared) -> None:
    kept = rows_of(read_section(RESULTS, SECTION))
    order = [f"{net}, {backend}" for net in NETS for backend in BACKENDS]
    order += [name for name in (*kept, found.row) if name not in order]
    body = [*HEAD, *merged({found.row: found.cells()}, kept, list(dict.fromkeys(order)))]
    replace_section(RESULTS, SECTION, "\n".join(body))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("net", nargs="*", choices=[[], *gw.zoo.names()], metavar="NET")
    parser.add_argument("--size", type=int, default=64, help="height and width of pictures")
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--backend", nargs="+", choices=BACKENDS, help="default: both")
    parser.add_argument("--write", action="store_true", help="put the rows into RESULTS.md")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
