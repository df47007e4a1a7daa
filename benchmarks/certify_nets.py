"""Prove the train steps that JAX writes for five published nets, at full size.

    python benchmarks/certify_nets.py [NET …] [--batch 32] [--write]

Every gradient is claimed; of MobileNetV4 also the update by AdamW: what the text does with its own
gradients is proved equal to the rule as its paper states it. Seconds are CPU seconds of a process
of its own per net, from the text on. Exit code 1 where a claim is not proved.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from contest.table import replace_section
from published import nets, steps
from published.steps import Step

from gradwright.certify import Claim, Report, Search, certify_equal
from gradwright.certify.texts import subject_of_text
from gradwright.certify.texts_gradient import certify_gradients
from gradwright.hlo import Block, Function, Module, Operation, Value, print_module

RESULTS = Path(__file__).with_name("RESULTS.md")
WRITERS: Mapping[str, Callable[[int], Step]] = {
    "ResNet-34": lambda batch: steps.gradients(nets.resnet34, batch),
    "ViT-Tiny": lambda batch: steps.gradients(nets.vit_tiny, batch),
    "ConvNeXt-T": lambda batch: steps.gradients(nets.convnext_tiny, batch),
    "EfficientNet-B0": lambda batch: steps.gradients(nets.efficientnet_b0, batch),
    "MobileNetV4 with AdamW": lambda batch: steps.adamw_step(nets.mobilenetv4, batch),
}
PROOFS_ONLY = Search(seconds=0)


@dataclass(frozen=True, slots=True)
class Row:
    """One net. Units: `cpu` and `wall` in seconds, `peak` in MiB of the whole process."""

    net: str
    operations: int
    gradients: str
    updates: str
    cpu: float
    wall: float
    peak: float

    @property
    def proved(self) -> bool:
        """Whether every claim was proved."""
        counts = [words.split(" of ") for words in (self.gradients, self.updates) if words]
        return all(found == claimed for found, claimed in counts)


def main() -> int:
    """Prove each net in a process of its own; print and on request write the table."""
    options = _options()
    if options.alone:
        print(json.dumps(asdict(_proved(options.net[0], options.batch))))
        return 0
    rows: list[Row] = []
    for net in options.net or WRITERS:
        command = [sys.executable, __file__, net, "--batch", str(options.batch), "--alone"]
        found = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        rows.append(Row(**json.loads(found.stdout)))
        print(_line(rows[-1]), file=sys.stderr)
    table = _table(rows, options.batch)
    print(table)
    if options.write:
        replace_section(RESULTS, "certify-nets", table)
    return 0 if all(row.proved for row in rows) else 1


def _proved(net: str, batch: int) -> Row:
    step = WRITERS[net](batch)
    cpu, wall = time.process_time(), time.perf_counter()
    places = range(step.parameters)
    grads = [place + 1 for place in places]
    subject = subject_of_text(step.text, loss=0, wrt=places, grads=grads)
    report = certify_gradients(subject, PROOFS_ONLY, _ignore)
    main, updates = subject.emitted, ""
    if step.rule:
        updates = _count(certify_equal(step.rule, _update(main, step.parameters)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return Row(
        net,
        len(main.body.operations),
        _count(report),
        updates,
        time.process_time() - cpu,
        time.perf_counter() - wall,
        peak / 1024,
    )


def _ignore(_: Claim) -> None:
    return


def _update(main: Function, count: int) -> str:
    """Return what a step does with its gradients, as a function of (g, theta, m, v, lr, t)."""
    gradients = main.body.results[1 : count + 1]
    state = (*main.body.arguments[:count], *main.body.arguments[count + 2 :])
    given = {id(g): Value(g.type, f"g{i}") for i, g in enumerate(gradients)}
    results = main.body.results[count + 1 :]
    needed = {id(value) for value in results}
    kept: list[Operation] = []
    for operation in reversed(main.body.operations):
        if any(id(r) in needed and id(r) not in given for r in operation.results):
            needed.update(id(v) for v in operation.operands)
            operands = tuple(given.get(id(v), v) for v in operation.operands)
            kept.append(replace(operation, operands=operands))
    body = Block((*given.values(), *state), tuple(reversed(kept)), results)
    return print_module(Module("update", (replace(main, body=body, aliases=()),)))


def _count(report: Report) -> str:
    proved = sum(claim.verdict == "proved" for claim in report.claims)
    return f"{proved} of {len(report.claims)}"


def _table(rows: list[Row], batch: int) -> str:
    words = ["python benchmarks/certify_nets.py", *([] if batch == 32 else [f"--batch {batch}"])]
    lines = [
        f"{datetime.now(UTC):%Y-%m-%d}, batch {batch}, {steps.SIDE} x {steps.SIDE} pixels, texts "
        "by JAX, two shared cores: compare CPU seconds, of one process, and not wall seconds.",
        "",
        f"`{' '.join([*words, '--write'])}`",
        "",
        "| net | operations | gradients proved | updates proved | CPU s | wall s | MiB at most |",
        "|---|---|---|---|---|---|---|",
    ]
    return "\n".join([*lines, *map(_line, rows)])


def _line(row: Row) -> str:
    return (
        f"| {row.net} | {row.operations:,} | {row.gradients} | {row.updates or 'none claimed'} "
        f"| {row.cpu:.1f} | {row.wall:.1f} | {row.peak:.0f} |"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("net", nargs="*", choices=[*WRITERS, []], metavar="NET")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--write", action="store_true", help="put the table into RESULTS.md")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
