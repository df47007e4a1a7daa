"""Certificates of whole train steps: size, CPU time to prove, to write and to check.

    python benchmarks/certificates.py [ROW …] [--write]

A row is a net, its pixels (0: its own), the batch, the form and the optimizer. Seconds are CPU
seconds of a process of its own per row. Exit code 1 where the checker refuses a certificate or a
claim that was proved is not in it.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from contest.table import replace_section

import gradwright as gw
from gradwright.certify import Search
from gradwright.layers import PORTABLE, TEXTBOOK

RESULTS = Path(__file__).with_name("RESULTS.md")
FORMS = {"textbook": TEXTBOOK, "portable": PORTABLE}
OPTIMIZERS = {"sgd": gw.optim.Sgd(), "adam": gw.optim.Adam()}
CLASSES = 10
ROWS = (
    "mnist-mlp 0 128 portable adam",
    "mnist-cnn 0 128 portable adam",
    "cifar8-bn 0 128 portable adam",
    "resnet18 64 8 textbook sgd",
    "resnet18 64 8 portable sgd",
    "resnet34 224 8 textbook sgd",
    "shufflenetv2-1.0 224 8 textbook sgd",
    "mobilenetv2 224 8 textbook sgd",
    "mobilenetv2 224 8 portable sgd",
)
"""What the table is about."""


@dataclass(frozen=True, slots=True)
class Row:
    """One certificate. Units: `proved`, `written` and `checked` in CPU seconds, `size` in bytes."""

    name: str
    lines: int
    claims: int
    covered: int
    size: int
    proved: float
    written: float
    checked: float
    reason: str


def main() -> int:
    """Write and check each certificate in a process of its own; print and on request keep them."""
    options = _options()
    if options.alone:
        print(json.dumps(asdict(_measured(options.row[0]))))
        return 0
    rows: list[Row] = []
    for name in options.row or ROWS:
        command = [sys.executable, __file__, name, "--alone"]
        found = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        rows.append(Row(**json.loads(found.stdout)))
        print(_line(rows[-1]), rows[-1].reason, file=sys.stderr)
    table = _table(rows)
    print(table)
    if options.write:
        replace_section(RESULTS, "certificates", table)
    return 0 if all(row.covered == row.claims and not row.reason for row in rows) else 1


def _measured(name: str) -> Row:
    net, size, batch, form, optimizer = name.split()
    options: Mapping[str, int] = {"size": int(size)} if int(size) else {}
    step = gw.programs.train_step(
        gw.zoo.get(net, classes=CLASSES, **options),
        batch=int(batch),
        loss=gw.losses.SoftmaxCrossEntropy(),
        optimizer=OPTIMIZERS[optimizer],
        formulation=FORMS[form],
    )
    times = [time.process_time()]
    report = gw.certify(step, search=Search(jobs=1))
    times.append(time.process_time())
    certificate = report.certificate
    times.append(time.process_time())
    checked = gw.check(certificate, step.text)
    times.append(time.process_time())
    proving, writing, checking = (b - a for a, b in pairwise(times))
    proved = {claim.name for claim in report.claims if claim.verdict == "proved"}
    left = proved & set(checked.uncovered)
    return Row(
        name,
        step.text.count("\n"),
        len(report.claims),
        len(proved) - len(left),
        len(json.dumps(certificate, sort_keys=True, separators=(",", ":"))) + 1,
        proving,
        writing,
        checking,
        checked.reason or "",
    )


def _table(rows: list[Row]) -> str:
    lines = [
        f"{datetime.now(UTC):%Y-%m-%d}, {CLASSES} classes, CPU seconds of one process per row, on "
        "two shared cores. Covered are claims that the checker replayed, of all of the report.",
        "",
        "`python benchmarks/certificates.py --write`",
        "",
        "| net | pixels | batch | form | optimizer | lines | covered | kB | proved in | written in "
        "| checked in |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    return "\n".join([*lines, *map(_line, rows)])


def _line(row: Row) -> str:
    net, size, batch, form, optimizer = row.name.split()
    pixels = "its own" if size == "0" else f"{size} x {size}"
    return (
        f"| {net} | {pixels} | {batch} | {form} | {optimizer} | {row.lines:,} "
        f"| {row.covered} of {row.claims} | {row.size / 1000:.0f} | {row.proved:.1f} "
        f"| {row.written:.1f} | {row.checked:.1f} |"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("row", nargs="*", metavar="ROW", help="a net with its options, in quotes")
    parser.add_argument("--write", action="store_true", help="put the table into RESULTS.md")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
