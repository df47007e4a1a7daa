"""Plant defects into the gradients that JAX writes, and count who notices.

    python benchmarks/certify_mutants.py [--each 2] [--seed 0] [--minutes 30] [--write]
                                         [--journal FILE]

Functions are those of tests/certify/jax whose gradients are proved, in seeded order. Whether a
mutant is wrong is decided by evaluation in f64. `--journal` keeps each function as it is done; a
second run with the same file, number and seed goes on from there, so that a campaign of all
functions can be made in pieces. Exit code 1 where a wrong mutant was proved or a harmless one
refuted.
"""

# pyright: reportMissingImports=false

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from contest.table import replace_section

from certify.jax.functions import CASES
from certify.jax.proving import NO_DERIVATIVE
from gradwright.certify import Search, Verdict, certify_text
from gradwright.certify.mutants_campaign import Found, campaign
from gradwright.certify.texts import subject_of_text
from gradwright.errors import GradwrightError

RESULTS = Path(__file__).with_name("RESULTS.md")
SECONDS = 20.0
"""CPU seconds of the interpreter, for each function and each mutant."""

Record = dict[str, Any]
"""A campaign as `mutate --json` prints it; `left out` says why there is none, or none to count."""


def main() -> int:
    """Run a campaign per function until the time is over; print and on request write the table."""
    options = _options()
    ended = time.perf_counter() + 60 * options.minutes
    done = _kept(options.journal, options.each, options.seed)
    for name, seed in _order(options.seed):
        if name not in done:
            if time.perf_counter() > ended:
                break
            done[name] = _record(name, options.each, seed)
            _keep(options, name, done[name])
    proved = [each for each in done.values() if "left out" not in each]
    trials: list[Record] = [trial for each in proved for trial in each["trials"]]
    lines = [*_table(trials, len(proved), len(done), options), *_left_out(done)]
    table = "\n".join(lines)
    print(table)
    if options.write:
        replace_section(RESULTS, "certify-mutants", table)
    bad = {Found.MISSED.value, Found.FALSE_ALARM.value}
    return 1 if any(trial["found"] in bad for trial in trials) else 0


def _order(seed: int) -> list[tuple[str, int]]:
    """Return the functions in seeded order, each with the seed of its mutants."""
    names = sorted(CASES)
    generator = random.Random(seed)
    generator.shuffle(names)
    return [(name, generator.randrange(1 << 30)) for name in names]


def _record(name: str, each: int, seed: int) -> Record:
    if name in NO_DERIVATIVE:
        print(f"{name}: left out: {NO_DERIVATIVE[name]}", file=sys.stderr)
        return {"left out": NO_DERIVATIVE[name]}
    case = CASES[name]
    wrt = range(len(case.shapes))
    grads = [k + 1 for k in wrt]
    text = case.text()
    try:
        found = campaign(
            subject_of_text(text, loss=0, wrt=wrt, grads=grads),
            count=each,
            seed=seed,
            search=Search(seconds=SECONDS),
            observe=lambda _: None,
        )
    except GradwrightError as problem:
        print(f"{name}: left out: {problem.found}", file=sys.stderr)
        return {"left out": problem.found}
    if found.original is Verdict.REFUTED:
        raise AssertionError(f"{name}: a right gradient was refuted")
    if found.original is Verdict.UNKNOWN:
        claims = certify_text(text, wrt=wrt, grads=grads, search=Search(seconds=0)).claims
        reason = next(claim.reason for claim in claims if claim.reason)
        return {**found.to_json(), "left out": f"unknown: {reason.partition(';')[0]}"}
    for trial in found.trials:
        if trial.found not in (Found.REFUTED, Found.HARMLESS):
            print(f"{name}: {trial.label} (line {trial.line}): {trial.found}", file=sys.stderr)
    return found.to_json()


def _keep(options: argparse.Namespace, name: str, record: Record) -> None:
    if options.journal is not None:
        entry = {"function": name, "each": options.each, "from": options.seed, "found": record}
        with options.journal.open("a", encoding="utf-8") as journal:
            journal.write(json.dumps(entry) + "\n")


def _kept(path: Path | None, each: int, seed: int) -> dict[str, Record]:
    """Return the functions of a journal that were done with a number of mutants and a seed."""
    if path is None or not path.exists():
        return {}
    entries = map(json.loads, path.read_text("utf-8").splitlines())
    return {
        entry["function"]: entry["found"]
        for entry in entries
        if (entry["each"], entry["from"]) == (each, seed)
    }


def _table(
    trials: Sequence[Record], functions: int, done: int, options: argparse.Namespace
) -> list[str]:
    by_kind: dict[str, Counter[str]] = {}
    for trial in trials:
        by_kind.setdefault(trial["defect"], Counter())[trial["found"]] += 1
    wrong = [t for t in trials if t["found"] in (Found.REFUTED, Found.UNKNOWN, Found.MISSED)]
    caught = sum(t["found"] == Found.REFUTED for t in wrong)
    share = 100 * caught / len(wrong) if wrong else 0.0
    return [
        f"{datetime.now(UTC):%Y-%m-%d}: {functions} functions whose gradients JAX wrote and that "
        f"are proved, of {done} tried and {len(CASES)} in the suite; {len(trials)} mutants, "
        f"{len(wrong)} of them wrong. Refuted with a replayed counterexample: {caught} "
        f"({share:.1f} %); proved: {sum(t['found'] == Found.MISSED for t in wrong)}. Of the wrong "
        "ones, three finite differences per argument in f32 notice "
        f"{sum(t.get('elements of f32') is True for t in wrong)}, one random direction "
        f"{sum(t.get('one direction') is True for t in wrong)}.",
        "",
        f"`python benchmarks/certify_mutants.py --each {options.each} --seed {options.seed} "
        "--journal FILE --write`",
        "",
        f"| defect | {' | '.join(found.value for found in Found)} |",
        f"|---|{'---|' * len(Found)}",
        *(
            f"| {kind} | {' | '.join(str(counts[found]) for found in Found)} |"
            for kind, counts in sorted(by_kind.items())
        ),
    ]


def _left_out(done: Mapping[str, Record]) -> list[str]:
    rows = {name: each["left out"] for name, each in sorted(done.items()) if "left out" in each}
    lines = (
        f"| {name} | {' '.join(str(why).split()).replace('|', '')} |" for name, why in rows.items()
    )
    return ["", "| left out | because |", "|---|---|", *lines] if rows else []


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--each", type=int, default=2, help="mutants per function")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=30.0, help="of this run")
    parser.add_argument("--journal", type=Path, default=None, help="functions as they are done")
    parser.add_argument("--write", action="store_true", help="put the table into RESULTS.md")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
