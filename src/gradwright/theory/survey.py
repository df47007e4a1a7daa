"""Proving a theorem over its grid, and refuting what is near it."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from gradwright.theory.lemmas import LEMMAS
from gradwright.theory.outcome import Outcome, Proved, Verdict
from gradwright.theory.prove import prove
from gradwright.theory.record import Case, Hypothesis, Law, Theorem


@dataclass(frozen=True, slots=True)
class Settled:
    """A theorem at one case, with what came out and how long it took."""

    case: Case
    outcome: Outcome
    seconds: float


@dataclass(frozen=True, slots=True)
class Result:
    """A theorem at several cases."""

    theorem: Theorem
    settled: tuple[Settled, ...]

    @property
    def verdict(self) -> Verdict:
        """The worst of the verdicts."""
        order = list(Verdict)
        return max((each.outcome.verdict for each in self.settled), key=order.index)

    @property
    def seconds(self) -> float:
        """Time of all cases together."""
        return sum(each.seconds for each in self.settled)

    @property
    def hypotheses(self) -> tuple[str, ...]:
        """Conditions on sizes and inputs in words: those stated, and those that the proof needs."""
        instance = self.theorem.instance(self.settled[0].case)
        stated = (each.words for each in (*instance.hypotheses, *instance.laws))
        needed = (
            condition
            for each in self.settled
            if isinstance(each.outcome, Proved)
            for condition in each.outcome.conditions
        )
        return tuple(dict.fromkeys((*stated, *needed)))

    def to_json(self) -> dict[str, object]:
        """Return a record of strings and numbers."""
        return {
            "name": self.theorem.name,
            "title": self.theorem.title,
            "family": self.theorem.family,
            "hypotheses": list(self.hypotheses),
            "grid": len(self.theorem.grid),
            "verdict": self.verdict.value,
            "seconds": round(self.seconds, 3),
            "lemma": LEMMAS.get(self.theorem.name),
            "cases": [_record(each) for each in self.settled],
        }


def _record(settled: Settled) -> dict[str, object]:
    return {
        "case": str(settled.case),
        "verdict": settled.outcome.verdict.value,
        "seconds": round(settled.seconds, 3),
        **settled.outcome.to_json(),
    }


def settle(theorem: Theorem, cases: Sequence[Case]) -> Result:
    """Prove or refute a theorem at cases."""
    settled: list[Settled] = []
    for case in cases:
        started = time.perf_counter()
        outcome = prove(theorem.instance(case))
        settled.append(Settled(case, outcome, time.perf_counter() - started))
    return Result(theorem, tuple(settled))


@dataclass(frozen=True, slots=True)
class Failure:
    """What becomes of a statement near a theorem: a wrong backward, or a condition less."""

    name: str
    case: Case
    outcome: Outcome


def failures(theorem: Theorem) -> list[Failure]:
    """Return the outcomes of a theorem's controls, and of dropping each of its conditions."""
    wrong = [
        Failure(control.name, control.at, prove(control.instance(control.at)))
        for control in theorem.controls
    ]
    case = theorem.quick[0]
    instance = theorem.instance(case)
    dropped: list[Hypothesis | Law] = [*instance.hypotheses, *instance.laws]
    return wrong + [
        Failure(f"without: {each.words}", case, prove(instance.without(each))) for each in dropped
    ]
