"""Plant defects into one train step of each kind of block, and count which are refuted.

    python benchmarks/step_mutants.py [BLOCK ...] [--each 4] [--seed 0] [--processes 1] [--write]

Nets are the blocks of the probes, each before a global pool and a dense layer; any operation of the
step may have the defect: forward, loss, backward, update. Whether a mutant is wrong is decided by
evaluation in f64. Rows of other blocks stay in the table. Exit code 1 where a wrong mutant was
proved, a harmless one refuted, or fewer than 98 % of the wrong ones were refuted.
"""

import argparse
import functools
import sys
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from contest.rows import merged, rows_of
from contest.table import read_section, replace_section

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
SECTION = "step-mutants"
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
    rows = {name: _row(name, campaign) for name, campaign in found.items()}
    print("\n".join(_table(rows, {})))
    if options.write:
        kept = rows_of(read_section(RESULTS, SECTION))
        replace_section(RESULTS, SECTION, "\n".join(_table(rows, kept)))
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


def _row(name: str, campaign: Campaign) -> list[str]:
    return [name, *(str(campaign.count(each)) for each in Found)]


def _table(new: Mapping[str, list[str]], kept: Mapping[str, list[str]]) -> list[str]:
    """Return the section of RESULTS.md; its head counts the rows."""
    rows = {**kept, **new}
    totals = {
        each: sum(int(cells[place]) for cells in rows.values())
        for place, each in enumerate(Found, start=1)
    }
    wrong = sum(totals[each] for each in (Found.REFUTED, Found.UNKNOWN, Found.MISSED))
    refuted = totals[Found.REFUTED]
    share = f" ({100 * refuted / wrong:.1f} %)" if wrong else ""
    return [
        f"Train steps of {len(rows)} nets of one block, batch 2, SGD, {sum(totals.values())} "
        f"mutants, {wrong} of them wrong. Refuted with a replayed counterexample: {refuted}"
        f"{share}; proved: {totals[Found.MISSED]}.",
        "",
        "`python benchmarks/step_mutants.py [BLOCK …] --write`",
        "",
        f"| block | {' | '.join(each.value for each in Found)} |",
        f"|---|{'---|' * len(Found)}",
        *merged(new, kept, list(BLOCKS)),
    ]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("block", nargs="*", metavar="BLOCK", help="default: all")
    parser.add_argument("--each", type=int, default=4, help="mutants per block")
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
