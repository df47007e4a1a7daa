"""Every net of the zoo and every artifact: emit its train step, prove all of it, run it.

    python benchmarks/zoo_steps.py [NAME …] [--parts PART …] [--batch N] [--size N] [--limit 900]
                                   [--jobs N] [--write]

A NAME is a net of the zoo, whose train step is AdamW's on smoothed labels with all results claimed,
or artifact:NAME; default: all of both. Parts, each in a process of its own: `emit`; `prove`; three
steps on XLA and on IREE (`xla`, `iree`); one on XLA in float64 (`f64`), from which their gradients
are measured. A proof has `--limit` seconds of CPU time, the others of wall time; what does not
settle within them is said so in the table. Texts are emitted and proved for 4 pictures of the
published size, and run for 2 of 64 x 64 where a net takes any size, unless `--batch` and `--size`
say otherwise. `--jobs 2` works at two rows at a time: done sooner, each in more time. `--write`
puts each row into the table of RESULTS.md as it comes: other rows stay, and so do parts that are
not run if they are of pictures of the same size. Exit code 1 where a part that was asked for fails,
a claim is not proved, or the gradients of one backend are further from float64 than rounding and
the other backend explain.
"""

import argparse
import json
import resource
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from contest.rows import rows_of
from contest.table import read_section, replace_section
from zoo_rows import GROUPS, Cells, Measured, line, table
from zoo_runs import LEVEL_0, run_exactly, run_steps

import gradwright as gw
from gradwright.certify import Search
from gradwright.programs import Program

RESULTS = Path(__file__).with_name("RESULTS.md")
SECTION = "zoo-steps"
PROOFS_ONLY = Search(seconds=0, jobs=1)
"""In one process, whose CPU time and memory are then those of the whole proof."""
SMOOTHING = 0.1
PATIENCE = 20
"""Wall seconds that a proof may take for each CPU second that it has."""
GRACE = 5
"""CPU seconds between the signal that a limit is reached and the end of a process."""
START = 15
"""CPU seconds that a process may need before it proves anything."""
PARTS = ("emit", "prove", "f64", "xla", "iree")
TEXT_BATCH, RUN_BATCH, RUN_SIZE = 4, 2, 64
"""Texts are those of the published size of pictures; steps of that size take too long."""
ARTIFACT = "artifact:"
NAMES = [
    *gw.zoo.NETS,
    *gw.zoo.PUBLISHED,
    *(f"{ARTIFACT}{name}" for name in gw.zoo.artifact_names()),
]
HEAD = [
    "Two shared cores under load: seconds of emission and of proofs (in one process) are CPU "
    "seconds, those of compilation wall seconds; ms are the least of three steps. XLA off, IREE "
    "off: the largest difference of a gradient from the one that the same program in float64 has, "
    "as a share of its length, or of 1 % of the longest one's; the smallest one of three random "
    "batches (two before December), for at one of them rounding may cross a kink. Rounding: how "
    "far the gradient in float64 moves where pictures are rounded to float32 once more.",
    "",
    "`python benchmarks/zoo_steps.py [NAME …] [--parts PART …] --write`",
    "",
]


def main() -> int:
    """Measure each program; print and on request write its row."""
    options = _options()
    if options.part:
        print(json.dumps(_measure(options.name[0], options.part, options)))
        return 0
    good = True
    names = options.name or NAMES

    def parts_of(name: str) -> dict[str, Cells | str]:
        return {part: _part(name, part, options) for part in options.parts}

    pool = ThreadPoolExecutor(options.jobs)
    for name, parts in zip(names, pool.map(parts_of, names), strict=True):
        measured = Measured(name, _pictures(name, options), parts)
        good = good and measured.is_good
        print(line(measured.row()), flush=True)
        if options.write:
            rows = rows_of(read_section(options.results, SECTION))
            rows[name] = measured.row(rows.get(name))
            replace_section(options.results, SECTION, "\n".join([*HEAD, *table(rows, NAMES)]))
    return 0 if good else 1


def _part(name: str, part: str, options: argparse.Namespace) -> Cells | str:
    """Measure a part in a process of its own, or say in words why it was not measured."""
    batch, size = _sizes(part, options)
    command = [sys.executable, __file__, name, "--part", part, "--batch", str(batch)]
    command += ["--size", str(size), "--limit", str(options.limit)]
    wall = PATIENCE * max(START, options.limit) if part == "prove" else options.limit
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=wall)
    except subprocess.TimeoutExpired:
        return f"over {wall} s"
    if found.returncode == -signal.SIGXCPU:
        return f"over {options.limit} CPU s"
    if found.returncode:
        words = (found.stderr.strip().splitlines() or [f"exit code {found.returncode}"])[-1]
        return f"failed: {words}".replace("|", "/")[:160]
    return json.loads(found.stdout)


def _measure(name: str, part: str, options: argparse.Namespace) -> Cells:
    step = step_of(name, options.batch, options.size)
    match part:
        case "emit":
            return _emitted(name, options)
        case "prove":
            return _proved(step, options.limit)
        case "f64":
            return run_exactly(step, gw.run.Options(xla_flags=LEVEL_0, timeout=options.limit))
        case _:
            return run_steps(step, part, gw.run.Options(timeout=options.limit))


def _sizes(part: str, options: argparse.Namespace) -> tuple[int, int]:
    """Return the batch and the size of pictures that a part is measured for; 0: as published."""
    batch, size = (RUN_BATCH, RUN_SIZE) if part in GROUPS["run for"] else (TEXT_BATCH, 0)
    return options.batch or batch, size if options.size is None else options.size


def _pictures(name: str, options: argparse.Namespace) -> dict[str, str]:
    """Return the pictures of each group of parts, as the table spells them."""
    spelled: dict[str, str] = {}
    for column, parts in GROUPS.items():
        step = step_of(name, *_sizes(parts[0], options))
        spelled[column] = "x".join(map(str, (step.batch, *step.net.input.shape)))
    return spelled


def step_of(name: str, batch: int, size: int) -> Program:
    """Return the train step of a net of the zoo, or an artifact; size 0 is the published one."""
    if name.startswith(ARTIFACT):
        return gw.zoo.artifact(name.removeprefix(ARTIFACT), batch=batch)
    net = gw.zoo.get(name, size=size if size and name not in gw.zoo.NETS else None)
    loss = gw.losses.SoftmaxCrossEntropy(label_smoothing=SMOOTHING)
    return gw.programs.train_step(net, batch=batch, loss=loss, optimizer=gw.optim.AdamW())


def _emitted(name: str, options: argparse.Namespace) -> Cells:
    """Measure an emission after another one, as in a session: imports are done."""
    seconds = time.process_time()
    text = step_of(name, options.batch, options.size).text
    return {
        "operations": sum(" = " in line for line in text.splitlines()),
        "bytes": len(text),
        "cpu": time.process_time() - seconds,
    }


def _proved(step: Program, limit: int) -> Cells:
    seconds = time.process_time()
    most = int(seconds) + limit
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + GRACE))
    report = gw.certify(step, search=PROOFS_ONLY)
    return {
        "claims": len(report.claims),
        "proved": sum(claim.verdict == "proved" for claim in report.claims),
        "cpu": time.process_time() - seconds,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("name", nargs="*", metavar="NAME", help="default: all")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="default: all")
    parser.add_argument("--batch", type=int, default=None, help="default: 4 of texts, 2 to run")
    parser.add_argument("--size", type=int, default=None, help="default: as published, 64 to run")
    parser.add_argument("--limit", type=int, default=900, help="seconds of one part of a row")
    parser.add_argument("--jobs", type=int, default=1, help="rows at a time (default: 1)")
    parser.add_argument("--write", action="store_true", help="put the rows into the table")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the file that holds it")
    parser.add_argument("--part", choices=PARTS, default=None, help=argparse.SUPPRESS)
    options = parser.parse_args()
    unknown = [name for name in options.name if name not in NAMES]
    if unknown:
        parser.error(f"expected names that `gradwright nets` and `artifacts` list: {unknown[0]}")
    return options


if __name__ == "__main__":
    sys.exit(main())
