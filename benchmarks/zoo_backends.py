"""Run programs on XLA and on IREE, and compare the gradients of both with those in float64.

    python benchmarks/zoo_backends.py [NAME …] [--batch 2] [--size 64] [--limit 300] [--write]

A NAME is a net of the zoo, whose train step is AdamW's on smoothed labels, or artifact:NAME;
default: all of both. Each of the three parts of a row runs in a process of its own and has
`--limit` seconds of wall time; what does not settle within them is said so in the table. `--size`
is the height and width of pictures for nets that take any. `--write` puts the rows into the table
of RESULTS.md and leaves the others there. Exit code 1 where a part fails, or where the gradients of
one backend are further from float64 than rounding and the other backend explain.
"""

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from contest.rows import merged, rows_of
from contest.table import read_section, replace_section
from zoo_runs import LEVEL_0, Cells, distance, run_exactly, run_steps

import gradwright as gw
from gradwright.programs import Program

RESULTS = Path(__file__).with_name("RESULTS.md")
SECTION = "zoo-backends"
SMOOTHING = 0.1
LIKE = 100.0
"""How much further than the other backend, or than rounding moves it, a gradient may be."""
FLOOR = 1e-5
"""Of a gradient's length: a hundred roundings of float32."""
ARTIFACT = "artifact:"
PARTS = ("f64", "xla", "iree")
NAMES = [
    *gw.zoo.NETS,
    *gw.zoo.PUBLISHED,
    *(f"{ARTIFACT}{name}" for name in gw.zoo.artifact_names()),
]
HEAD = [
    "Train steps on two shared cores under load: seconds to compile, the least of three steps in "
    "milliseconds. XLA off, IREE off: the largest difference of a gradient from the one that the "
    "same program in float64 has, as a share of its length, or of 1 % of the longest one's. "
    "Rounding: how far that one moves where pictures are rounded to float32 once more.",
    "",
    "`python benchmarks/zoo_backends.py [NAME …] --write`",
    "",
    "| program | pictures | XLA compile s | XLA ms | IREE compile s | IREE ms | rounding | XLA off "
    "| IREE off |",
    "|---|---|---|---|---|---|---|---|---|",
]


@dataclass(frozen=True, slots=True)
class Row:
    """One program: what each part measured, or the words that say why it did not."""

    name: str
    pictures: str
    f64: Cells | str
    xla: Cells | str
    iree: Cells | str

    @property
    def off(self) -> tuple[float, float] | None:
        """How far XLA's and IREE's gradients are from those in float64."""
        if isinstance(self.f64, str) or isinstance(self.xla, str) or isinstance(self.iree, str):
            return None
        exact = self.f64["gradients"]
        return distance(self.xla["gradients"], exact), distance(self.iree["gradients"], exact)

    @property
    def is_good(self) -> bool:
        """Whether both ran, and neither is further off than rounding and the other explain."""
        if self.off is None or isinstance(self.f64, str):
            return False
        allowed = LIKE * max(self.f64["moved"], min(self.off), FLOOR)
        return max(self.off) <= allowed

    @property
    def cells(self) -> list[str]:
        """The row of the table."""
        shown = [self.name, self.pictures]
        for ran in (self.xla, self.iree):
            numbers = not isinstance(ran, str)
            shown += [f"{ran['compile']:.1f}", f"{ran['ms']:.0f}"] if numbers else [ran, ""]
        shown.append(self.f64 if isinstance(self.f64, str) else f"{self.f64['moved']:.0e}")
        return [*shown, *(["", ""] if self.off is None else [f"{off:.0e}" for off in self.off])]


def main() -> int:
    """Run each program; print and on request write the rows."""
    options = _options()
    if options.part:
        print(json.dumps(_run(_step(options.name[0], options), options.part, options.limit)))
        return 0
    rows: list[Row] = []
    for name in options.name or NAMES:
        found = {part: _part(name, part, options) for part in PARTS}
        step = _step(name, options)
        shape = "x".join(map(str, (step.batch, *step.net.input.shape)))
        rows.append(Row(name, shape, **found))
        line = merged({name: rows[-1].cells}, {}, NAMES)[0]
        print(line, flush=True)
        if options.write:
            kept = rows_of(read_section(options.results, SECTION))
            lines = merged({name: rows[-1].cells}, kept, NAMES)
            replace_section(options.results, SECTION, "\n".join([*HEAD, *lines]))
    return 0 if all(row.is_good for row in rows) else 1


def _step(name: str, options: argparse.Namespace) -> Program:
    if name.startswith(ARTIFACT):
        return gw.zoo.artifact(name.removeprefix(ARTIFACT), batch=options.batch)
    net = gw.zoo.get(name, size=None if name in gw.zoo.NETS else options.size)
    loss = gw.losses.SoftmaxCrossEntropy(label_smoothing=SMOOTHING)
    return gw.programs.train_step(net, batch=options.batch, loss=loss, optimizer=gw.optim.AdamW())


def _run(step: Program, part: str, limit: float) -> Cells:
    if part == "f64":
        return run_exactly(step, gw.run.Options(xla_flags=LEVEL_0, timeout=limit))
    return run_steps(step, part, gw.run.Options(timeout=limit))


def _part(name: str, part: str, options: argparse.Namespace) -> Cells | str:
    """Measure a part in a process of its own, or say in words why it was not measured."""
    command = [sys.executable, __file__, name, "--part", part, "--batch", str(options.batch)]
    command += ["--size", str(options.size), "--limit", str(options.limit)]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=options.limit)
    except subprocess.TimeoutExpired:
        return f"over {options.limit} s"
    if found.returncode:
        words = (found.stderr.strip().splitlines() or [f"exit code {found.returncode}"])[-1]
        return f"failed: {words}".replace("|", "/")[:160]
    return json.loads(found.stdout)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("name", nargs="*", metavar="NAME", help="default: all")
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--limit", type=int, default=300, help="seconds of one part of a row")
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
