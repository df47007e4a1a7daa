"""Settling claims: prove, else look for a counterexample, else try harder, else unknown."""

import enum
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from gradwright.certify.anchors import Anchors
from gradwright.certify.claims import Claim, Kind
from gradwright.certify.effort import is_over
from gradwright.certify.refute import NotRefuted, Question, refute
from gradwright.certify.refute_grid import measured
from gradwright.certify.texts_sites import sites
from gradwright.certify.verdicts import (
    Counterexample,
    Distribution,
    Outcome,
    Proved,
    Refuted,
    Unknown,
    Verdict,
)
from gradwright.certify.witness_process import Evaluator
from gradwright.hlo import Function, Operation

Observer = Callable[[Claim], None]
"""Told of each claim when it is settled."""

Objection = Callable[[Evaluator], str | None]
"""Returns why a claim whose proof went through is not proved: no input meets its hypotheses."""

Progress = Callable[[str], None]
"""Told in a few words what is worked on."""

SECONDS = 60.0
"""How long the reference interpreter may work on the counterexamples of one report."""


def silently(_: str) -> None:
    """Say nothing of what is worked on."""


TOLD = 50
"""Operations between two words on how many are denoted."""


def told(
    operations: Iterable[Operation], progress: Progress, total: int, *, before: int = 0
) -> Iterator[Operation]:
    """Yield operations, telling now and then how many of all are denoted."""
    for n, operation in enumerate(operations, before):
        if n % TOLD == 0:
            progress(f"operations denoted: {n:,} of {total:,}")
        yield operation


class Effort(enum.Enum):
    """What is done about a claim that was neither proved nor refuted at the first attempt."""

    QUICK = enum.auto()
    """Nothing more."""
    THOROUGH = enum.auto()
    """It is proved again with fewer values treated as one, which may take minutes."""


@dataclass(frozen=True, slots=True)
class Search:
    """How counterexamples are looked for, and how hard a proof is tried.

    Units: `seconds` of CPU time of the reference interpreter for all claims together; 0: none are
    looked for. `budget` seconds on the clock for everything together, proofs too; what is not
    settled by then is unknown.
    None: proofs read no clock, so that a verdict is the same on every machine.
    `laws` gives arguments, by index, a distribution of their own where a text is right on a part of
    its inputs only (soft labels: SIMPLEX).
    """

    seconds: float = SECONDS
    budget: float | None = None
    laws: Mapping[int, Distribution] | None = None
    effort: Effort = Effort.THOROUGH
    evaluator: Evaluator | None = None
    """One to use instead of a new one, whose budget it keeps; it stays open."""
    cells: int = 0
    """Elements of each counterexample to measure for a picture, for as many seconds again."""
    progress: Progress = silently
    jobs: int | None = None
    """Processes that prove a program; None: as many as there are cores, for a large one."""

    def evaluating(self) -> AbstractContextManager[Evaluator]:
        """Return the evaluator to use, closed at the end if it is a new one."""
        return Evaluator(self.seconds) if self.evaluator is None else nullcontext(self.evaluator)


@dataclass(frozen=True, slots=True)
class Obligation:
    """A claim about one result, with what proves it, asks after it, and says why neither helped."""

    name: str
    kind: Kind
    question: Question
    holds: Callable[[], bool]
    holds_after_all: Callable[[], bool]
    reason: Callable[[], str]
    anchors: Anchors | None = None


@dataclass(frozen=True, slots=True)
class Sides:
    """The function that returns the results, and the one that they are measured by.

    `seeds[i]` is the argument of `emitted` that weighs result i of `value` (None: 1). `sound` finds
    values of `emitted`, by identity, that are right whatever becomes of the claims.
    """

    emitted: Function
    value: Function
    seeds: tuple[int | None, ...]
    sound: Callable[[], set[int]]


def settle(
    obligations: Sequence[Obligation],
    sides: Sides,
    search: Search,
    observe: Observer,
    objection: Objection,
) -> list[Claim]:
    """Return the claims with their outcomes and, for those not proved, the sites."""
    with search.evaluating() as evaluate:
        attempt = _Attempt(sides, search, evaluate, objection)
        claims = [_settled(each, attempt, observe) for each in obligations]
    if search.cells:
        claims = _measured(claims, obligations, sides, search)
    proved = [claim.verdict is Verdict.PROVED for claim in claims]
    results = [each.question.k for each in obligations]
    failed = [k for k, fine in zip(results, proved, strict=True) if not fine]
    fine = [k for k, fine in zip(results, proved, strict=True) if fine]
    places: Mapping[int, str] = sites(sides.emitted, failed, fine, sides.sound()) if failed else {}
    return [
        replace(claim, site=None if claim.verdict is Verdict.PROVED else places[k])
        for claim, k in zip(claims, results, strict=True)
    ]


def _measured(
    claims: Sequence[Claim], obligations: Sequence[Obligation], sides: Sides, search: Search
) -> list[Claim]:
    """Return the claims, those refuted with a grid, which must cost no other claim its budget."""
    found = list(claims)
    refuted = sum(claim.counterexample is not None for claim in claims)
    with Evaluator(search.seconds / max(refuted, 1)) as evaluate:
        for i, (claim, obligation) in enumerate(zip(claims, obligations, strict=True)):
            if claim.counterexample is None:
                continue
            evaluate.renew()
            search.progress(f"{claim.name}: values around the counterexample")
            grid = measured(
                claim.counterexample,
                sides.emitted,
                sides.value,
                obligation.question,
                evaluate,
                seeds=sides.seeds,
                laws=search.laws,
                cells=search.cells,
            )
            found[i] = replace(claim, outcome=Refuted(replace(claim.counterexample, grid=grid)))
    return found


@dataclass(frozen=True, slots=True)
class _Attempt:
    """What claims of one report are settled with."""

    sides: Sides
    search: Search
    evaluate: Evaluator
    objection: Objection

    def outcome(self, obligation: Obligation) -> Outcome:
        """Return the outcome of one claim."""
        outcome = self._settled(obligation)
        if isinstance(outcome, Unknown) and is_over():
            budget = self.search.budget
            return Unknown(f"the {budget:g} s for all of it are over; {outcome.reason}")
        return outcome

    def _settled(self, obligation: Obligation) -> Outcome:
        name, progress = obligation.name, self.search.progress
        progress(f"{name}: proof")
        holds = obligation.holds()
        objection = self.objection(self.evaluate) if holds else None
        if holds and objection is None:
            return Proved()
        progress(f"{name}: search for a counterexample")
        try:
            return Refuted(self._refuted(obligation.question))
        except NotRefuted as problem:
            if not holds and not is_over():
                progress(f"{name}: proof with fewer values treated as one")
                holds = obligation.holds_after_all()
                objection = self.objection(self.evaluate) if holds else None
            if holds and objection is None:
                return Proved()
            return Unknown(f"{objection or obligation.reason()}; {problem}")

    def _refuted(self, question: Question) -> Counterexample:
        sides, laws = self.sides, self.search.laws
        return refute(
            sides.emitted, sides.value, question, self.evaluate, seeds=sides.seeds, laws=laws
        )


def _settled(obligation: Obligation, attempt: _Attempt, observe: Observer) -> Claim:
    started = time.perf_counter()
    outcome = attempt.outcome(obligation)
    seconds = time.perf_counter() - started
    claim = Claim(obligation.name, obligation.kind, outcome, seconds, anchors=obligation.anchors)
    observe(claim)
    return claim
