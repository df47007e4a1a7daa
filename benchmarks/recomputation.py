"""Memory beside time: steps that keep everything, every second block, or no block's inside.

    python benchmarks/recomputation.py [NET …] [--batch 8] [--rounds 5] [--write]

The steps of a net take turns in one process; times are medians, of CPU and of the wall clock, and
ratios to the step that keeps everything. Memory is what XLA plans: parameters, moments and the
batch, and the temporaries of the step. `--write` puts the table into RESULTS.md.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from contest.nets import get
from contest.table import replace_section

from gradwright import layers, losses, optim, programs, run
from gradwright.cli.measure import example_inputs
from gradwright.run import Session
from gradwright.spec import NetSpec

RESULTS = Path(__file__).with_name("RESULTS.md")
SECTION = "recomputation"
NETS = ("resnet34", "mobilenetv2", "convnext-blocks")
MIB = 2**20
HEAD = (
    "| net | computed again | temporaries, MiB | in all, MiB | CPU ms | ratio | ms | ratio |",
    "|---|---|---|---|---|---|---|---|",
)


@dataclass(slots=True)
class Contender:
    """A step, what it takes, and the seconds of its rounds."""

    name: str
    memory: run.Memory
    session: Session
    inputs: dict[str, object]
    cpu: list[float]
    wall: list[float]

    def run(self) -> None:
        """Take one step and note its time."""
        cpu, wall = time.process_time(), time.perf_counter()
        float(self.session.step(**self.inputs)["loss"])
        self.cpu.append(time.process_time() - cpu)
        self.wall.append(time.perf_counter() - wall)


def choices(net: NetSpec) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what is computed again, from nothing to every block."""
    blocks = layers.blocks_of(net)
    yield "nothing", ()
    yield f"{len(blocks[1::2])} of {len(blocks)} blocks", blocks[1::2]
    yield f"all {len(blocks)} blocks", blocks


def contender(net: NetSpec, batch: int, name: str, paths: tuple[str, ...]) -> Contender:
    """Compile a step."""
    program = programs.train_step(
        net,
        batch=batch,
        loss=losses.SoftmaxCrossEntropy(),
        optimizer=optim.Adam(),
        formulation=replace(layers.PORTABLE, recomputed=paths),
    )
    executable = run.compile(program)
    assert executable.memory is not None
    session = executable.session(programs.initial_state(program))
    return Contender(name, executable.memory, session, dict(example_inputs(program, 0)), [], [])


def rows(name: str, batch: int, rounds: int) -> list[str]:
    """Race the steps of a net and return their lines."""
    net = get(name)
    racing = [contender(net, batch, words, paths) for words, paths in choices(net)]
    for each in [*racing, *racing * rounds]:
        each.run()
    medians = [[statistics.median(times[1:]) for times in (c.cpu, c.wall)] for c in racing]
    lines: list[str] = []
    for each, (cpu, wall) in zip(racing, medians, strict=True):
        took = (each.memory.temporaries / MIB, each.memory.in_all / MIB)
        shares = (cpu / medians[0][0], wall / medians[0][1])
        cells = (
            name,
            each.name,
            *(f"{mib:,.0f}" for mib in took),
            f"{1e3 * cpu:,.0f}",
            f"{shares[0]:.2f}",
            f"{1e3 * wall:,.0f}",
            f"{shares[1]:.2f}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def main(arguments: Sequence[str]) -> int:
    """Race each net and print the table."""
    parser = argparse.ArgumentParser(description="memory beside time of recomputation")
    parser.add_argument("net", nargs="*", default=NETS)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", action="store_true", help=f"update {RESULTS.name}")
    options = parser.parse_args(arguments)
    run.prefer_resident_heap()
    lines = [line for name in options.net for line in rows(name, options.batch, options.rounds)]
    command = f"python benchmarks/recomputation.py {' '.join(arguments)}".strip()
    head = f"{datetime.now(UTC):%Y-%m-%d}, XLA, {options.batch} pictures or maps a step, Adam."
    report = "\n".join([head, "", f"`{command}`", "", *HEAD, *lines])
    print(report)
    if options.write:
        replace_section(RESULTS, SECTION, report)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
