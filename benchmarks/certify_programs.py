"""Prove the whole train steps of the zoo: every result claimed, by AdamW with smoothed labels.

    python benchmarks/certify_programs.py [NET …] [--batch 8] [--size N] [--limit 120] [--write]

`--size` is the height and width of pictures for nets that take any. Seconds are CPU seconds of a
process of its own per net, from the text on, without a search for counterexamples. Exit code 1
where a claim is not proved within the limit (of wall seconds, per net).
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from contest.table import replace_section

import gradwright as gw
from gradwright.certify import Search

RESULTS = Path(__file__).with_name("RESULTS.md")
PROOFS_ONLY = Search(seconds=0)
SMOOTHING = 0.1


@dataclass(frozen=True, slots=True)
class Row:
    """One net. Units: `cpu` and `wall` in seconds, `peak` in MiB of the whole process."""

    net: str
    operations: int
    proved: int
    claims: int
    cpu: float
    wall: float
    peak: float


def main() -> int:
    """Prove each net in a process of its own; print and on request write the table."""
    options = _options()
    if options.alone:
        print(json.dumps(asdict(_certified(options.net[0], options.batch, options.size))))
        return 0
    lines: list[str] = []
    good = True
    for net in options.net or gw.zoo.names():
        row = _row(net, options)
        lines.append(_line(row) if isinstance(row, Row) else row)
        good = good and isinstance(row, Row) and row.proved == row.claims
        print(lines[-1], file=sys.stderr)
    table = "\n".join([*_head(options), *lines])
    print(table)
    if options.write:
        replace_section(RESULTS, "certify-programs", table)
    return 0 if good else 1


def _row(net: str, options: argparse.Namespace) -> Row | str:
    size = ["--size", str(options.size)] if options.size and net in gw.zoo.PUBLISHED else []
    command = [sys.executable, __file__, net, "--batch", str(options.batch), *size, "--alone"]
    try:
        found = subprocess.run(
            command, check=True, stdout=subprocess.PIPE, text=True, timeout=options.limit
        )
    except subprocess.TimeoutExpired:
        return f"| {net} | | not settled | | over {options.limit} | |"
    return Row(**json.loads(found.stdout))


def _certified(name: str, batch: int, size: int | None) -> Row:
    net = gw.zoo.get(name) if size is None else gw.zoo.get(name, size=size)
    loss = gw.losses.SoftmaxCrossEntropy(label_smoothing=SMOOTHING)
    step = gw.programs.train_step(net, batch=batch, loss=loss, optimizer=gw.optim.AdamW())
    cpu, wall = time.process_time(), time.perf_counter()
    report = gw.certify(step, search=PROOFS_ONLY)
    seconds = time.process_time() - cpu, time.perf_counter() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    proved = sum(claim.verdict == "proved" for claim in report.claims)
    operations = sum(" = " in line for line in step.text.splitlines())
    return Row(name, operations, proved, len(report.claims), *seconds, peak)


def _head(options: argparse.Namespace) -> list[str]:
    words = ["python benchmarks/certify_programs.py", *options.net, f"--batch {options.batch}"]
    words += [f"--size {options.size}"] if options.size else []
    side = f"published nets at {options.size} x {options.size} pixels, " if options.size else ""
    return [
        f"{datetime.now(UTC):%Y-%m-%d}, batch {options.batch}, {side}two shared cores: compare CPU "
        "seconds.",
        "",
        f"`{' '.join(words)} --limit {options.limit} --write`",
        "",
        "| net | lines of operations | claims proved | CPU s | wall s | MiB at most |",
        "|---|---|---|---|---|---|",
    ]


def _line(row: Row) -> str:
    return (
        f"| {row.net} | {row.operations:,} | {row.proved} of {row.claims} "
        f"| {row.cpu:.1f} | {row.wall:.1f} | {row.peak:.0f} |"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("net", nargs="*", metavar="NET")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--size", type=int, default=None)
    parser.add_argument("--limit", type=int, default=120, help="wall seconds of one net")
    parser.add_argument("--write", action="store_true", help="put the table into RESULTS.md")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
