"""Campaigns: many mutants of one text, what the certifier says of each, and what is true."""

import enum
import random
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from gradwright.certify.claims import Claim
from gradwright.certify.mutants import Mutant, mutants
from gradwright.certify.mutants_attributes import Defect
from gradwright.certify.mutants_truth import POINTS, FiniteDifferences, Truth
from gradwright.certify.texts_gradient import Subject, certify_gradients
from gradwright.certify.texts_settle import Effort, Search
from gradwright.certify.verdicts import Counterexample, Json, Verdict
from gradwright.certify.witness_process import Evaluator, OutOfTime, Unevaluated
from gradwright.errors import GradwrightError, SpecError
from gradwright.hlo import Function, Module, print_module, verify


class Found(enum.StrEnum):
    """What became of a mutant.

    REFUTED, UNKNOWN, MISSED: a wrong one was refuted, not decided, or proved (which must not be).
    HARMLESS: one that computes the same was proved. UNDECIDED: it was not. FALSE_ALARM: it was
    refuted (which must not be).
    """

    REFUTED = "refuted"
    UNKNOWN = "unknown"
    MISSED = "missed"
    HARMLESS = "proved harmless"
    UNDECIDED = "harmless, unknown"
    FALSE_ALARM = "false alarm"


FOUND = {
    (True, Verdict.REFUTED): Found.REFUTED,
    (True, Verdict.UNKNOWN): Found.UNKNOWN,
    (True, Verdict.PROVED): Found.MISSED,
    (False, Verdict.PROVED): Found.HARMLESS,
    (False, Verdict.UNKNOWN): Found.UNDECIDED,
    (False, Verdict.REFUTED): Found.FALSE_ALARM,
}


@dataclass(frozen=True, slots=True)
class Trial:
    """One mutant, with the verdicts of the certifier and of the usual checks.

    Units: `seconds` of the certifier. `reason` is that of the first claim that was not decided.
    The usual checks look at gradients; None where a text returns none.
    """

    defect: Defect
    label: str
    line: int
    found: Found
    by_elements: bool | None
    by_direction: bool | None
    seconds: float
    reason: str = ""

    @property
    def is_wrong(self) -> bool:
        """Whether the mutant computes something else."""
        return self.found in (Found.REFUTED, Found.UNKNOWN, Found.MISSED)

    def to_json(self) -> Json:
        """Return the object that stands for it in `mutate --json`."""
        said = {"elements of f32": self.by_elements, "one direction": self.by_direction}
        return {
            "defect": self.defect.value,
            "what": self.label,
            "line": self.line,
            "found": self.found.value,
            **{name: saw for name, saw in said.items() if saw is not None},
            "seconds": round(self.seconds, 3),
            **({"reason": self.reason} if self.reason else {}),
        }


@dataclass(frozen=True, slots=True)
class Campaign:
    """The trials of one text; its own verdict first."""

    seed: int
    original: Verdict
    trials: tuple[Trial, ...]

    def count(self, found: Found, defect: Defect | None = None) -> int:
        """Return how many mutants ended in one way, of one kind or of all."""
        return sum(trial.found is found and defect in (None, trial.defect) for trial in self.trials)

    @property
    def wrong(self) -> tuple[Trial, ...]:
        """The mutants that compute something else."""
        return tuple(trial for trial in self.trials if trial.is_wrong)

    def noticed(self, defect: Defect | None = None) -> dict[str, int]:
        """Return how many wrong mutants, of one kind or of all, each usual check noticed."""
        checks = {
            "elements of f32": [(trial.defect, trial.by_elements) for trial in self.wrong],
            "one direction": [(trial.defect, trial.by_direction) for trial in self.wrong],
        }
        return {
            name: sum(saw is True and defect in (None, kind) for kind, saw in seen)
            for name, seen in checks.items()
            if self.is_checked
        }

    @property
    def is_checked(self) -> bool:
        """Whether the usual checks were made beside."""
        return not any(trial.by_elements is None for trial in self.trials)

    def to_json(self) -> Json:
        """Return the object that `mutate --json` prints."""
        return {
            "seed": self.seed,
            "original": self.original.value,
            "mutants": len(self.trials),
            "wrong": len(self.wrong),
            **{found.value.replace(", ", " "): self.count(found) for found in Found},
            **self.noticed(),
            "trials": [trial.to_json() for trial in self.trials],
        }


def campaign(
    subject: Subject,
    *,
    count: int,
    seed: int,
    search: Search,
    observe: Callable[[Trial], None],
) -> Campaign:
    """Change the emitted function in up to `count` ways, kinds of defects in turn, and judge each.

    Operations of the forward function that the text itself contains are spared: to change them
    changes what is claimed, not whether it is true.

    Errors: SpecError where the interpreter cannot evaluate the text in the time of the search.
    """
    spared = {id(r) for op in subject.forward.body.operations for r in op.results}
    trials: list[Trial] = []
    with Evaluator(search.seconds) as evaluate:
        try:
            truth, usual = Truth(subject.emitted, evaluate), FiniteDifferences(subject, evaluate)
        except Unevaluated as problem:
            raise unevaluated(problem, "or a text of smaller size") from None
        original = certify_gradients(subject, search, _ignore).verdict
        quick = replace(search, effort=Effort.QUICK, evaluator=evaluate)
        evaluate.renew()
        for mutant in chosen(subject.emitted, spared, seed):
            if len(trials) == count:
                break
            trial = _tried(replace(subject, emitted=mutant.function), mutant, truth, usual, quick)
            evaluate.renew()
            if trial is not None:
                trials.append(trial)
                observe(trial)
    return Campaign(seed, original, tuple(trials))


def _ignore(_: Claim) -> None:
    return


def unevaluated(problem: Unevaluated, smaller: str) -> SpecError:
    """Return the error about a text whose mutants cannot be told from it; `smaller` may help."""
    expected = f"a text that the interpreter evaluates at {len(POINTS)} inputs"
    remedy = f"Give it more --seconds, {smaller}" if isinstance(problem, OutOfTime) else ""
    return SpecError(where="mutate", expected=expected, found=str(problem), remedy=remedy)


def chosen(function: Function, spared: set[int], seed: int) -> Iterator[Mutant]:
    """Yield the mutants that the verifier accepts, in seeded order, kinds in turn."""
    by_kind: dict[Defect, list[Mutant]] = {}
    for mutant in mutants(function, spared):
        by_kind.setdefault(mutant.defect, []).append(mutant)
    generator = random.Random(seed)
    kinds = list(by_kind.values())
    generator.shuffle(kinds)
    for found in kinds:
        generator.shuffle(found)
    while any(kinds):
        for found in kinds:
            accepted = next((m for m in _taken(found) if _is_accepted(m)), None)
            if accepted is not None:
                yield accepted


def _taken(found: list[Mutant]) -> Iterator[Mutant]:
    while found:
        yield found.pop()


def _is_accepted(mutant: Mutant) -> bool:
    try:
        verify(print_module(Module("mutant", (Function("main", mutant.function.body),))))
    except GradwrightError:
        return False
    return True


def counterexamples(claims: Iterable[Claim]) -> list[Counterexample]:
    """Return what claims were refuted by."""
    return [claim.counterexample for claim in claims if claim.counterexample is not None]


def _tried(
    subject: Subject, mutant: Mutant, truth: Truth, usual: FiniteDifferences, search: Search
) -> Trial | None:
    """Judge one mutant; None where the interpreter cannot evaluate it."""
    started = time.perf_counter()
    report = certify_gradients(subject, search, _ignore)
    seconds = time.perf_counter() - started
    try:
        wrong = truth.differs(mutant.function)
        wrong = wrong or truth.differs_at(mutant.function, counterexamples(report.claims))
        by_elements = wrong and usual.elements_differ(mutant.function)
        by_direction = wrong and usual.direction_differs(mutant.function)
    except Unevaluated:
        return None
    return Trial(
        mutant.defect,
        mutant.label,
        mutant.line,
        FOUND[wrong, report.verdict],
        by_elements,
        by_direction,
        seconds,
        next((claim.reason for claim in report.claims if claim.reason), ""),
    )
