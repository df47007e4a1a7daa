"""Prove train steps of nets of ever more equal blocks, and fit how the time grows.

    python benchmarks/certify_growth.py [FAMILY …] [--blocks 2 4 8 16 32] [--batch 8] [--write]

Every result is claimed, by AdamW with smoothed labels. Seconds are CPU seconds of a process of its
own per net, from the text on, without a search for counterexamples. The exponent p is that of
seconds = c * operations ** p, by least squares of logarithms; 1 is linear. Exit code 1 where a
claim is not proved.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from math import log
from pathlib import Path

from contest.table import replace_section

import gradwright as gw
from gradwright.certify import Search
from gradwright.layers import BatchNorm, ConvBn, Dense, Function, GlobalAvgPool, Padding
from gradwright.layers.blocks import BasicBlock, DenseLayer, InvertedResidual, SqueezeExcite
from gradwright.spec import Entry, Layer

RESULTS = Path(__file__).with_name("RESULTS.md")
PROOFS_ONLY = Search(seconds=0, jobs=1)
SMOOTHING = 0.1
SAME = Padding.SYMMETRIC
SIDE, CHANNELS, GROWTH, CLASSES = 16, 16, 8, 10
GATE = SqueezeExcite(8, Function.RELU, Function.HARD_SIGMOID)

FAMILIES: dict[str, Callable[[], Layer]] = {
    "residual": lambda: BasicBlock(CHANNELS),
    "dense": lambda: DenseLayer(GROWTH),
    "inverted": lambda: InvertedResidual(
        CHANNELS, 2 * CHANNELS, 3, 1, SAME, Function.HARD_SWISH, GATE
    ),
}
"""The block of each family: of a ResNet, of a DenseNet, of a MobileNetV3 with a gate."""


@dataclass(frozen=True, slots=True)
class Row:
    """One net. Units: `cpu` in seconds, `peak` in MiB of the whole process."""

    operations: int
    proved: int
    claims: int
    cpu: float
    peak: float


def main() -> int:
    """Prove each net in a process of its own; print and on request write the table."""
    options = _options()
    if options.alone:
        row = _proved(_net(options.family[0], options.blocks[0]), options.batch)
        print(json.dumps(asdict(row)))
        return 0
    lines = _head(options)
    good = True
    for family in options.family or FAMILIES:
        rows = [_row(family, blocks, options.batch) for blocks in options.blocks]
        exponent = f"{_exponent(rows):.2f}" if len(rows) > 1 else ""
        lines += [
            _line(family, blocks, row, exponent if row is rows[-1] else "")
            for blocks, row in zip(options.blocks, rows, strict=True)
        ]
        good = good and all(row.proved == row.claims for row in rows)
    table = "\n".join(lines)
    print(table)
    if options.write:
        replace_section(RESULTS, "certify-growth", table)
    return 0 if good else 1


def _net(family: str, blocks: int) -> gw.NetSpec:
    stem: list[Entry] = [("stem", ConvBn(CHANNELS, 3, padding=SAME))]
    body: list[Entry] = [(f"block{i}", FAMILIES[family]()) for i in range(1, blocks + 1)]
    head: list[Entry] = [("norm", BatchNorm()), GlobalAvgPool(), ("head", Dense(CLASSES))]
    return gw.NetSpec(f"{family}-{blocks}", gw.Image(3, SIDE, SIDE), [*stem, *body, *head])


def _proved(net: gw.NetSpec, batch: int) -> Row:
    """Prove the train step of a net, every result claimed, in this process."""
    loss = gw.losses.SoftmaxCrossEntropy(label_smoothing=SMOOTHING)
    step = gw.programs.train_step(net, batch=batch, loss=loss, optimizer=gw.optim.AdamW())
    started = time.process_time()
    report = gw.certify(step, search=PROOFS_ONLY)
    cpu = time.process_time() - started
    good = sum(claim.verdict == "proved" for claim in report.claims)
    operations = sum(" = " in line for line in step.text.splitlines())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Row(operations, good, len(report.claims), cpu, peak)


def _row(family: str, blocks: int, batch: int) -> Row:
    command = [sys.executable, __file__, family, "--blocks", str(blocks), "--batch", str(batch)]
    found = subprocess.run([*command, "--alone"], check=True, stdout=subprocess.PIPE, text=True)
    row = Row(**json.loads(found.stdout))
    print(_line(family, blocks, row, ""), file=sys.stderr)
    return row


def _exponent(rows: Sequence[Row]) -> float:
    operations, seconds = [log(row.operations) for row in rows], [log(row.cpu) for row in rows]
    return statistics.linear_regression(operations, seconds).slope


def _head(options: argparse.Namespace) -> list[str]:
    blocks = " ".join(map(str, options.blocks))
    words = ["python benchmarks/certify_growth.py", *options.family, f"--blocks {blocks}"]
    return [
        f"{datetime.now(UTC):%Y-%m-%d}, batch {options.batch}, {SIDE} x {SIDE} pixels, two shared "
        "cores. The exponent p is that of CPU seconds = c * operations ** p over the rows of a "
        "family.",
        "",
        f"`{' '.join(words)} --batch {options.batch} --write`",
        "",
        "| family | blocks | operations | claims proved | CPU s | MiB at most | exponent p |",
        "|---|---|---|---|---|---|---|",
    ]


def _line(family: str, blocks: int, row: Row, exponent: str) -> str:
    return (
        f"| {family} | {blocks} | {row.operations:,} | {row.proved} of {row.claims} "
        f"| {row.cpu:.1f} | {row.peak:.0f} | {exponent} |"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("family", nargs="*", metavar="FAMILY", help=f"of {', '.join(FAMILIES)}")
    parser.add_argument("--blocks", type=int, nargs="+", default=[2, 4, 8, 16, 32])
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--write", action="store_true", help="put the table into RESULTS.md")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    for family in options.family:
        if family not in FAMILIES:
            parser.error(f"no family {family}: one of {', '.join(FAMILIES)}")
    return options


if __name__ == "__main__":
    sys.exit(main())
