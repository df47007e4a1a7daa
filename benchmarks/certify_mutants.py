"""Plant defects into the gradients that JAX writes, and count who notices.

    python benchmarks/certify_mutants.py [--each 2] [--seed 0] [--minutes 30] [--write]

Functions are those of tests/certify/jax whose gradients are proved, in seeded order. Whether a
mutant is wrong is decided by evaluation in f64. Exit code 1 where a wrong mutant was proved or a
harmless one refuted.
"""

# pyright: reportMissingImports=false

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from contest.table import replace_section

from certify.jax.functions import CASES
from gradwright.certify import Search, Verdict
from gradwright.certify.mutants_campaign import Campaign, Found, Trial, campaign
from gradwright.certify.texts import subject_of_text
from gradwright.errors import GradwrightError

RESULTS = Path(__file__).with_name("RESULTS.md")
SECONDS = 20.0
"""Of the interpreter, for each function and each mutant."""


def main() -> int:
    """Run a campaign per function until the time is over; print and on request write the table."""
    options = _options()
    started = time.perf_counter()
    ended = started + 60 * options.minutes
    trials: list[Trial] = []
    count = 0
    for name, found in _campaigns(options.each, options.seed):
        count += 1
        trials += found.trials
        for trial in found.trials:
            if trial.found not in (Found.REFUTED, Found.HARMLESS):
                print(f"{name}: {trial.label} (line {trial.line}): {trial.found}", file=sys.stderr)
        if time.perf_counter() > ended:
            break
    words = f"--each {options.each} --seed {options.seed} --minutes {options.minutes:g}"
    table = "\n".join(_table(trials, count, words))
    print(table)
    if options.write:
        replace_section(RESULTS, "certify-mutants", table)
    bad = {Found.MISSED, Found.FALSE_ALARM}
    return 1 if any(trial.found in bad for trial in trials) else 0


def _campaigns(each: int, seed: int) -> Iterator[tuple[str, Campaign]]:
    """Yield the functions that are proved, with their campaigns."""
    names = sorted(CASES)
    generator = random.Random(seed)
    generator.shuffle(names)
    for name in names:
        case = CASES[name]
        places = range(len(case.shapes))
        try:
            found = campaign(
                subject_of_text(case.text(), loss=0, wrt=places, grads=[k + 1 for k in places]),
                count=each,
                seed=generator.randrange(1 << 30),
                search=Search(seconds=SECONDS),
                observe=lambda _: None,
            )
        except GradwrightError as problem:
            print(f"{name}: left out: {problem.found}", file=sys.stderr)
            continue
        if found.original is Verdict.PROVED:
            yield name, found
        elif found.original is Verdict.REFUTED:
            raise AssertionError(f"{name}: a right gradient was refuted")


def _table(trials: list[Trial], functions: int, words: str) -> list[str]:
    by_kind: dict[str, Counter[Found]] = {}
    for trial in trials:
        by_kind.setdefault(trial.defect.value, Counter())[trial.found] += 1
    wrong = [t for t in trials if t.found in (Found.REFUTED, Found.UNKNOWN, Found.MISSED)]
    caught = sum(t.found is Found.REFUTED for t in wrong)
    share = 100 * caught / len(wrong) if wrong else 0.0
    return [
        f"{datetime.now(UTC):%Y-%m-%d}: {functions} functions whose gradients JAX wrote, "
        f"{len(trials)} mutants, {len(wrong)} of them wrong. Refuted with a replayed "
        f"counterexample: {caught} ({share:.1f} %); proved: "
        f"{sum(t.found is Found.MISSED for t in wrong)}. Of the wrong ones, three finite "
        f"differences per argument in f32 notice {sum(t.by_elements is True for t in wrong)}, one "
        f"random direction {sum(t.by_direction is True for t in wrong)}.",
        "",
        f"`python benchmarks/certify_mutants.py {words} --write`",
        "",
        f"| defect | {' | '.join(found.value for found in Found)} |",
        f"|---|{'---|' * len(Found)}",
        *(
            f"| {kind} | {' | '.join(str(counts[found]) for found in Found)} |"
            for kind, counts in sorted(by_kind.items())
        ),
    ]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--each", type=int, default=2, help="mutants per function")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--write", action="store_true", help="put the table into RESULTS.md")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
