"""Plant defects into one train step of each kind of block, and count which are refuted.

    python benchmarks/step_mutants.py [BLOCK ...] [--each 8] [--seed 0] [--processes 1] [--write]

Nets are the blocks of the probes, each before a global pool and a dense layer; any operation of the
step may have the defect: forward, loss, backward, update. Whether a mutant is wrong is decided by
evaluation in f64. Exit code 1 where a wrong mutant was proved, a harmless one refuted, or fewer
than 98 % of the wrong ones were refuted.
"""

import argparse
import functools
import sys
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from contest.table import replace_section

from gradwright.certify import Search
from gradwright.certify.mutants_campaign import Campaign, Found, Trial
from gradwright.certify.mutants_programs import program_campaign
from gradwright.layers import Dense, GlobalAvgPool
from gradwright.losses import SoftmaxCrossEntropy
from gradwright.optim import Sgd
from gradwright.probes.blocks import BLOCKS
from gradwright.programs import Program, train_step
from gradwright.spec import NetSpec

RESULTS = Path(__file__).with_name("RESULTS.md")
SECONDS = 300.0
"""Of the interpreter, for each mutant."""
CLASSES = 3
WANTED = 0.98
"""Least share of the wrong mutants that must be refuted."""


def main() -> int:
    """Run a campaign per block; print and on request write the table."""
    options = _options()
    names = options.block or list(BLOCKS)
    judge = functools.partial(_judged, each=options.each, seed=options.seed)
    with ProcessPoolExecutor(options.processes) as pool:
        found = dict(zip(names, pool.map(judge, names), strict=True))
    words = [*options.block, f"--each {options.each}", f"--seed {options.seed}"]
    table = "\n".join(_table(found, " ".join(words)))
    print(table)
    if options.write:
        replace_section(RESULTS, "step-mutants", table)
    return 0 if _is_good(found) else 1


def block_step(name: str) -> Program:
    """Return the train step of a net of one block, by the name of its probe."""
    probe = BLOCKS[name]
    layers = list(probe.layers)
    if not any(isinstance(layer, GlobalAvgPool) for layer in layers):
        layers.append(GlobalAvgPool())
    net = NetSpec(name, probe.input, [*layers, ("head", Dense(CLASSES))])
    return train_step(net, batch=probe.batch, loss=SoftmaxCrossEntropy(), optimizer=Sgd())


def _judged(name: str, each: int, seed: int) -> Campaign:
    search = Search(seconds=SECONDS)
    step = block_step(name)
    return program_campaign(step, count=each, seed=seed, search=search, observe=_Observer(name))


@dataclass(slots=True)
class _Observer:
    """Says on standard error what was found of one block, as it is found."""

    block: str
    count: int = field(default=0)

    def __call__(self, trial: Trial) -> None:
        self.count += 1
        said = f"{self.block} {self.count}: {trial.found.value} in {trial.seconds:.1f} s"
        if trial.found not in (Found.REFUTED, Found.HARMLESS):
            said += f": {trial.label} (line {trial.line}): {trial.reason}"
        print(said, file=sys.stderr, flush=True)


def _count(found: Mapping[str, Campaign], what: Found) -> int:
    return sum(campaign.count(what) for campaign in found.values())


def _is_good(found: Mapping[str, Campaign]) -> bool:
    wrong = sum(len(campaign.wrong) for campaign in found.values())
    bad = _count(found, Found.MISSED) + _count(found, Found.FALSE_ALARM)
    return not bad and _count(found, Found.REFUTED) >= WANTED * wrong


def _table(found: Mapping[str, Campaign], words: str) -> list[str]:
    wrong = sum(len(campaign.wrong) for campaign in found.values())
    refuted = _count(found, Found.REFUTED)
    share = f" ({100 * refuted / wrong:.1f} %)" if wrong else ""
    return [
        f"{datetime.now(UTC):%Y-%m-%d}: train steps of {len(found)} nets of one block, batch 2, "
        f"SGD, {sum(len(c.trials) for c in found.values())} mutants, {wrong} of them wrong. "
        f"Refuted with a replayed counterexample: {refuted}{share}; proved: "
        f"{_count(found, Found.MISSED)}.",
        "",
        f"`python benchmarks/step_mutants.py {words} --write`",
        "",
        f"| block | {' | '.join(each.value for each in Found)} |",
        f"|---|{'---|' * len(Found)}",
        *(
            f"| {name} | {' | '.join(str(campaign.count(each)) for each in Found)} |"
            for name, campaign in found.items()
        ),
    ]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("block", nargs="*", metavar="BLOCK", help="default: all")
    parser.add_argument("--each", type=int, default=8, help="mutants per block")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1, help="blocks at a time")
    parser.add_argument("--write", action="store_true", help="put the table into RESULTS.md")
    options = parser.parse_args()
    unknown = [name for name in options.block if name not in BLOCKS]
    if unknown:
        parser.error(f"expected some of {', '.join(BLOCKS)}, found {unknown[0]}")
    return options


if __name__ == "__main__":
    sys.exit(main())
