"""Every net of the zoo: emit its train step, prove all of it, run three steps on XLA and on IREE.

    python benchmarks/zoo_steps.py [NET …] [--batch 4] [--size 64] [--limit 300] [--write]
                                   [--parts P,Q] [--journal FILE]

The step is AdamW's on smoothed labels, all results claimed. Each of the four parts of a net runs
in a process of its own. A proof has `--limit` seconds of CPU time, the others of wall time; what
does not settle within them is said so in the table. `--size` is the height and width of pictures
for nets that take any. `--write` puts what was measured into the table of RESULTS.md, whose other
cells stay where they are of this batch and size.
`--journal` keeps each part as it is measured; a second run with the same file goes on from there.
Exit code 1 where a claim is not proved, a part fails or the gradients of both backends differ.
"""

import argparse
import json
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from contest.table import read_section, replace_section
from numpy.typing import NDArray

import gradwright as gw
from gradwright.certify import Search
from gradwright.cli.measure import example_inputs
from gradwright.programs import Program

RESULTS = Path(__file__).with_name("RESULTS.md")
SECTION = "zoo-steps"
PROOFS_ONLY = Search(seconds=0)
SMOOTHING, RATE, STEPS = 0.1, 1e-4, 3
AGREEMENT = 0.2
"""Of a gradient's length, between backends: what is off by percents is nearly 0.

`zoo_backends.py` measures both by float64.
"""
VANISHED = 1e-4
"""Of the longest gradient of a net: shorter ones are rounding, as of a bias before a batch norm."""

NOT_ASKED = "not run"
"""What the table says of a part that `--parts` leaves out."""
PATIENCE = 20
"""Wall seconds that a proof may take for each CPU second that it has."""

COLUMNS = ((1, 4), (4, 7), (7, 9), (9, 11))
"""Cells of a row that each part fills, in the order of PARTS."""
ALL = [*gw.zoo.NETS, *gw.zoo.PUBLISHED]

Cells = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Row:
    """One net: what each part measured, or the words that say why it did not."""

    net: str
    emit: Cells | str
    prove: Cells | str
    xla: Cells | str
    iree: Cells | str

    @property
    def is_good(self) -> bool:
        """Whether all is proved and both backends found the same gradients."""
        proof, apart = self.prove, self.apart
        settled = not isinstance(proof, str) and proof["proved"] == proof["claims"]
        return settled and apart is not None and apart < AGREEMENT

    @property
    def apart(self) -> float | None:
        """How far IREE's gradients are from XLA's, of their lengths; None where one did not run.

        Losses say little: the first step of AdamW goes by the signs of gradients, also where these
        are rounding, and two forms of one net's step on one backend part by percents in three.
        """
        if isinstance(self.xla, str) or isinstance(self.iree, str):
            return None
        ours, theirs = (np.array(ran["gradients"]) for ran in (self.xla, self.iree))
        lengths = np.maximum(ours[:, 0], VANISHED * ours[:, 0].max())
        return float(np.max(np.abs(theirs - ours) / lengths[:, None]))


def main() -> int:
    """Measure each net; print and on request write the table."""
    options = _options()
    if options.part:
        step = _step(options.net[0], options)
        print(json.dumps(PARTS[options.part](step, options)))
        return 0
    kept = _kept(options.journal)
    rows: list[Row] = []
    for net in options.net or ALL:
        row = Row(net, **{part: _kept_or_run(net, part, kept, options) for part in PARTS})
        rows.append(row)
        print(_line(_cells(row)), file=sys.stderr, flush=True)
    measured = [_cells(row) for row in rows]
    print("\n".join([*_head(options), *map(_line, measured)]))
    if options.write:
        head = _head(options)
        whole = _merged(measured, _written(read_section(options.results, SECTION), head))
        replace_section(options.results, SECTION, "\n".join([*head, *map(_line, whole)]))
    return 0 if all(row.is_good for row in rows) else 1


def _kept_or_run(
    net: str, part: str, kept: dict[str, Cells | str], options: argparse.Namespace
) -> Cells | str:
    key = f"{net} {part}"
    if key in kept:
        return kept[key]
    if part not in options.parts.split(","):
        return NOT_ASKED
    found = _part(net, part, options)
    if options.journal:
        with options.journal.open("a") as journal:
            journal.write(json.dumps({key: found}) + "\n")
    return found


def _part(net: str, part: str, options: argparse.Namespace) -> Cells | str:
    command = [sys.executable, __file__, net, "--part", part, "--batch", str(options.batch)]
    command += ["--size", str(options.size), "--limit", str(options.limit)]
    wall = PATIENCE * max(1, options.limit) if part == "prove" else options.limit
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=wall)
    except subprocess.TimeoutExpired:
        return f"over {wall} s"
    if found.returncode == -signal.SIGXCPU:
        return f"over {options.limit} CPU s"
    if found.returncode:
        return found.stderr.strip().splitlines()[-1].replace("|", "/")[:160]
    return json.loads(found.stdout)


def _step(name: str, options: argparse.Namespace) -> Program:
    net = gw.zoo.get(name, size=None if name in gw.zoo.NETS else options.size)
    loss = gw.losses.SoftmaxCrossEntropy(label_smoothing=SMOOTHING)
    return gw.programs.train_step(net, batch=options.batch, loss=loss, optimizer=gw.optim.AdamW())


def _proved(step: Program, options: argparse.Namespace) -> Cells:
    seconds = time.process_time()
    most = int(seconds) + options.limit
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1))
    report = gw.certify(step, search=PROOFS_ONLY)
    return {
        "claims": len(report.claims),
        "proved": sum(claim.verdict == "proved" for claim in report.claims),
        "cpu": time.process_time() - seconds,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _emitted(step: Program, options: argparse.Namespace) -> Cells:
    seconds = time.process_time()
    text = _step(step.net.name, options).text
    return {
        "operations": sum(" = " in line for line in text.splitlines()),
        "bytes": len(text),
        "cpu": time.process_time() - seconds,
    }


def _run_by_xla(step: Program, options: argparse.Namespace) -> Cells:
    return _run(step, "xla", options)


def _run_by_iree(step: Program, options: argparse.Namespace) -> Cells:
    return _run(step, "iree", options)


def _run(step: Program, backend: str, options: argparse.Namespace) -> Cells:
    compiling = gw.run.Options(timeout=options.limit)
    executable = gw.run.compile(step, backend=backend, options=compiling, cache=gw.run.NO_CACHE)
    session = executable.session(gw.programs.initial_state(step))
    fed = {**example_inputs(step, seed=0), "lr": np.float32(RATE)}
    losses, times = list[float](), list[float]()
    gradients: list[tuple[float, float]] = []
    for t in range(1, STEPS + 1):
        start = time.perf_counter()
        losses.append(float(session.step(**{**fed, "t": np.float32(t)})["loss"]))
        times.append(1e3 * (time.perf_counter() - start))
        if t == 1:
            gradients = _digest(step, session.state())
    return {
        "compile": executable.manifest.compile_seconds,
        "ms": min(times),
        "losses": losses,
        "gradients": gradients,
    }


def _digest(step: Program, state: Mapping[str, NDArray[Any]]) -> list[tuple[float, float]]:
    """Return length and a random projection of each gradient, read from AdamW's first moment.

    The projection of a difference is as long as the difference, to a factor around 1.
    """
    random = np.random.default_rng(0)
    moments = [state[f"{slot.name}.m"].astype(np.float64) for slot in step.net.parameters]
    return [
        (float(np.linalg.norm(m)), float(np.vdot(m, random.standard_normal(m.shape))))
        for m in moments
    ]


PARTS: dict[str, Callable[[Program, argparse.Namespace], Cells]] = {
    "emit": _emitted,
    "prove": _proved,
    "xla": _run_by_xla,
    "iree": _run_by_iree,
}


def _kept(journal: Path | None) -> dict[str, Cells | str]:
    """Return the parts of a journal by net and part; the later of two holds."""
    if journal is None or not journal.exists():
        return {}
    lines = journal.read_text("utf-8").splitlines()
    return {key: found for line in lines for key, found in json.loads(line).items()}


def _head(options: argparse.Namespace) -> Sequence[str]:
    return [
        f"Batch {options.batch}, published nets at {options.size} x "
        f"{options.size} pixels, two shared cores under load: seconds of proofs and of emission "
        "are CPU seconds, the others wall seconds; ms are the least of three steps. Apart: the "
        "largest difference of a gradient between XLA and IREE, as a share of its length.",
        "",
        f"`python benchmarks/zoo_steps.py [NET …] --batch {options.batch} --size {options.size} "
        "--write`, net by net",
        "",
        "| net | operations | KB | emit s | claims proved | prove s | MiB | XLA compile s "
        "| XLA ms | IREE compile s | IREE ms | apart |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]


def _cells(row: Row) -> list[str]:
    cells = [row.net]
    if isinstance(row.emit, str):
        cells += [_reason("failed", row.emit), "", ""]
    else:
        cells += [f"{row.emit['operations']:,}", f"{row.emit['bytes'] / 1e3:,.0f}"]
        cells += [f"{row.emit['cpu']:.2f}"]
    if isinstance(row.prove, str):
        cells += [_reason("not settled", row.prove), "", ""]
    else:
        cells += [f"{row.prove['proved']} of {row.prove['claims']}"]
        cells += [f"{row.prove['cpu']:.1f}", f"{row.prove['peak']:.0f}"]
    for ran in (row.xla, row.iree):
        cells += (
            [_reason("failed", ran), ""]
            if isinstance(ran, str)
            else [f"{ran['compile']:.1f}", f"{ran['ms']:.0f}"]
        )
    return [*cells, "" if row.apart is None else f"{row.apart:.0e}"]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _written(section: str, head: Sequence[str]) -> dict[str, list[str]]:
    """Return the cells of a section's rows by net; none where it says another head."""
    lines = section.splitlines()
    if lines[: len(head)] != [*head]:
        return {}
    rows = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines[len(head) :])
    return {cells[0]: cells for cells in rows}


def _merged(new: Sequence[list[str]], old: Mapping[str, list[str]]) -> list[list[str]]:
    """Return all rows in the order of the zoo: what a new row does not say is as it was."""
    found = dict(old)
    for cells in new:
        before = old.get(cells[0], cells)
        ran = [cells[first] != NOT_ASKED for first, _ in COLUMNS]
        for (first, end), fresh in zip(COLUMNS, ran, strict=True):
            if not fresh:
                cells = [*cells[:first], *before[first:end], *cells[end:]]
        found[cells[0]] = cells if any(ran[2:]) else [*cells[:-1], before[-1]]
    return [found[net] for net in ALL if net in found]


def _reason(verdict: str, words: str) -> str:
    return words if words == NOT_ASKED else f"{verdict}: {words}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("net", nargs="*", metavar="NET")
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--limit", type=int, default=300, help="seconds of one part of a net")
    parser.add_argument("--write", action="store_true", help="put the rows into the table")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the file that holds it")
    parser.add_argument("--parts", default=",".join(PARTS), help="which parts to run")
    parser.add_argument("--journal", type=Path, default=None, help="parts as they are measured")
    parser.add_argument("--part", choices=PARTS, default=None, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
