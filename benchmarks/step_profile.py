"""What XLA does with the time of a train step, by kinds of operations, beside the measured floor.

    python benchmarks/step_profile.py [NET …] [--batch N] [--steps 6] [--write]

On one core, so that the times of operations add up. Each operation of the compiled module belongs
to the first kind that fits what is fused in it: products, sums and windows, layouts (nothing is
computed), else elements.
The floor is the products alone, two operations per multiply-add of the textbook text without zeros
between strided inputs, at the rate of a matrix product measured beside.
"""

import argparse
import os
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from contest import machine, nets
from contest.rows import merged, rows_of
from contest.table import read_section, replace_section
from contest.work import floating_point_operations, step_of
from zoo_runs import pictures

import gradwright as gw
from gradwright.cli.measure import example_inputs

RESULTS = Path(__file__).with_name("RESULTS.md")
SECTION = "step-profile"
NETS = ("mnist-cnn", "cifar8", "cifar8-bn", "mobilenetv2", "convnext-blocks")
PRODUCTS, SUMS, LAYOUTS = "products", "sums, windows", "layouts"
ELEMENTS, LOOPS = "elements", "loops"
KINDS: tuple[str, ...] = (PRODUCTS, SUMS, LAYOUTS, ELEMENTS, LOOPS)
MARKS = (
    (PRODUCTS, {"dot", "convolution"}),
    (SUMS, {"reduce", "reduce-window", "select-and-scatter"}),
)
"""A kind, and what makes an operation one of it."""
MOVES = {
    *("bitcast", "broadcast", "concatenate", "constant", "copy", "dynamic-slice"),
    *("dynamic-update-slice", "get-tuple-element", "pad", "parameter", "reshape", "slice"),
    *("transpose", "tuple"),
}
"""What computes nothing: layouts are nothing else."""
COMPUTATION = re.compile(r"^(?:ENTRY )?%?([\w.\-]+) .*\{$")
INSTRUCTION = re.compile(r"^\s+(?:ROOT )?%?([\w.\-]+) = .*?[\])}] ([a-z][\w\-]*)\(")
CALLED = re.compile(r"calls=%?([\w.\-]+)")
HEAD = [
    "Milliseconds of a step on one core, batch 128, of the large nets 8, formulation FAST. Floor: "
    "the products at the rate of a matrix product of 1024, one core.",
    "",
    "`python benchmarks/step_profile.py [NET …] --write`",
    "",
    f"| net | all | {' | '.join(KINDS)} | GFLOP | floor |",
    "|---" * (len(KINDS) + 4) + "|",
]


def main() -> int:
    """Profile each net; print and on request write its row."""
    options = _options()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    gw.run.configure(threads=1, allocator=gw.run.Allocator.RESIDENT_HEAP)
    rate = machine.measure(time.process_time).sgemm
    for name in options.net or NETS:
        batch = options.batch or nets.batch_of(name)
        times = profiled(step_of(name, batch, gw.layers.FAST), options.steps)
        work = floating_point_operations(name, batch) / 1e9
        cells = [f"{times[kind]:.1f}" for kind in KINDS]
        total = f"{sum(times.values()):.1f}"
        row = [name, total, *cells, f"{work:.1f}", f"{1e3 * work / rate:.1f}"]
        print(" | ".join(row), flush=True)
        if options.write:
            kept = rows_of(read_section(RESULTS, SECTION))
            body = "\n".join([*HEAD, *merged({name: row}, kept, NETS)])
            replace_section(RESULTS, SECTION, body)
    return 0


def profiled(step: gw.programs.Program, steps: int) -> Mapping[str, float]:
    """Return the milliseconds of each kind in a step: of each operation the least of a few."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XLA_FLAGS"] = f"--xla_dump_to={folder} --xla_dump_hlo_as_text"
        executable = gw.run.compile(step, cache=gw.run.NO_CACHE)
        [dump] = Path(folder).glob("*after_optimizations.txt")
        kinds = kinds_of(dump.read_text().splitlines())
    session = executable.session(gw.programs.initial_state(step))
    fed = {**example_inputs(step, seed=0), "x": pictures(step)[0]}
    for t in (1.0, 2.0):
        float(session.step(**{**fed, "t": np.float32(t)})["loss"])
    least = dict[str, float]()
    for t in range(3, 3 + steps):
        recorder = import_module("jaxlib._profiler").ProfilerSession()
        float(session.step(**{**fed, "t": np.float32(t)})["loss"])
        for name, spent in _spent(recorder.stop()).items():
            least[name] = min(spent, least.get(name, spent))
    times = dict.fromkeys(KINDS, 0.0)
    for name in kinds.keys() & least.keys():
        times[kinds[name]] += least[name] / 1e6
    return times


def _spent(profile: bytes) -> Mapping[str, float]:
    """Return the nanoseconds of each operation in one step, whichever thread did it."""
    data = import_module("jaxlib._profile_data").ProfileData.from_serialized_xspace(profile)
    spent = defaultdict[str, float](float)
    for line in (line for plane in data.planes for line in plane.lines):
        for name, nanoseconds in own_times(line.events):
            spent[name] += nanoseconds
    return spent


def kinds_of(lines: Iterable[str]) -> dict[str, str]:
    """Return the kind of each instruction of a compiled module, by its name."""
    holds, calls, opcodes = defaultdict[str, set[str]](set), dict[str, str](), dict[str, str]()
    inside = ""
    for line in lines:
        if head := COMPUTATION.match(line):
            inside = head[1]
        elif found := INSTRUCTION.match(line):
            name, opcode = found.groups()
            opcodes[name] = opcode
            holds[inside].add(opcode)
            if called := CALLED.search(line):
                calls[name] = called[1]
    fused = {name: holds[calls[name]] if name in calls else {opcodes[name]} for name in opcodes}
    return {
        name: LOOPS if opcodes[name] == "while" else _kind(held) for name, held in fused.items()
    }


def _kind(opcodes: set[str]) -> str:
    marked = (kind for kind, marks in MARKS if opcodes & marks)
    return next(marked, LAYOUTS if opcodes <= MOVES else ELEMENTS)


def own_times(events: Iterable[Any]) -> list[tuple[str, float]]:
    """Return each event of a thread with its time, without that of events inside it."""
    order = sorted(events, key=lambda event: (event.start_ns, -event.duration_ns))
    own = [event.duration_ns for event in order]
    around: list[int] = []
    for place, event in enumerate(order):
        while around and order[around[-1]].end_ns <= event.start_ns:
            around.pop()
        if around:
            own[around[-1]] -= event.duration_ns
        around.append(place)
    return [(event.name, time) for event, time in zip(order, own, strict=True)]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("net", nargs="*", metavar="NET", help=f"default: {', '.join(NETS)}")
    parser.add_argument("--batch", type=int, help="default: as in the race")
    parser.add_argument("--steps", type=int, default=6, help="the least time of each operation")
    parser.add_argument("--write", action="store_true", help="put the rows into RESULTS.md")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
