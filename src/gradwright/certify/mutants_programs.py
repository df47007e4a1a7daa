"""Campaigns over whole programs: every operation may have the defect, whatever it is there for."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from gradwright.certify.claims import Claim
from gradwright.certify.mutants import Mutant
from gradwright.certify.mutants_campaign import (
    FOUND,
    Campaign,
    Trial,
    chosen,
    counterexamples,
    unevaluated,
)
from gradwright.certify.mutants_truth import Truth
from gradwright.certify.programs import certify_program
from gradwright.certify.programs_reading import Declared, Program
from gradwright.certify.texts_calls import inlined
from gradwright.certify.texts_settle import Effort, Search
from gradwright.certify.verdicts import Verdict
from gradwright.certify.witness_process import Evaluator, Unevaluated
from gradwright.hlo import Function, Module, print_module, read_module

_SMALLER = "a smaller --batch or --size, or change one layer alone: --entry probe:LAYER"
"""What costs the interpreter less, as the command line spells it."""


def program_campaign(
    program: Program,
    *,
    count: int,
    seed: int,
    search: Search,
    observe: Callable[[Trial], None],
) -> Campaign:
    """Change a program's text in up to `count` ways, kinds of defects in turn, and judge each.

    A mutant is judged as the program that is declared: outputs, loss, gradients, updates. It is
    wrong where any result differs in f64. A function that several parameters share is changed in
    one of its calls. The usual checks are not made beside: they look at gradients, which a train
    step does not return.

    Errors: SpecError where the interpreter cannot evaluate the text in the time of the search.
    """
    function = inlined(read_module(program.text))
    trials: list[Trial] = []
    with Evaluator(search.seconds) as evaluate:
        try:
            truth = Truth(function, evaluate)
        except Unevaluated as problem:
            raise unevaluated(problem, _SMALLER) from None
        original = certify_program(program, search=search).verdict
        quick = replace(search, effort=Effort.QUICK, evaluator=evaluate)
        for mutant in chosen(function, set(), seed):
            if len(trials) == count:
                break
            evaluate.renew()
            trial = _tried(program, mutant, truth, quick)
            if trial is not None:
                trials.append(trial)
                observe(trial)
    return Campaign(seed, original, tuple(trials))


class _Decided(Exception):
    """A claim was refuted, so that the others need not be settled."""

    def __init__(self, claim: Claim) -> None:
        super().__init__(claim.name)
        self.claim = claim


def _tried(program: Program, mutant: Mutant, truth: Truth, search: Search) -> Trial | None:
    """Judge one mutant; None where the interpreter cannot evaluate it."""
    assert search.evaluator is not None
    try:
        wrong = truth.differs(mutant.function)
        search.evaluator.renew()
        started = time.perf_counter()
        verdict, reason, claims = _verdict(Declared.of(program, _text(mutant.function)), search)
        seconds = time.perf_counter() - started
        search.evaluator.renew()
        wrong = wrong or truth.differs_at(mutant.function, counterexamples(claims))
    except Unevaluated:
        return None
    return Trial(
        mutant.defect,
        mutant.label,
        mutant.line,
        FOUND[wrong, verdict],
        by_elements=None,
        by_direction=None,
        seconds=seconds,
        reason=reason,
    )


def _verdict(program: Program, search: Search) -> tuple[Verdict, str, Sequence[Claim]]:
    """Return the verdict on a program, why it is unknown, and the claims up to a refuted one."""

    def observe(claim: Claim) -> None:
        if claim.verdict is Verdict.REFUTED:
            raise _Decided(claim)

    try:
        report = certify_program(program, search=search, observe=observe)
    except _Decided as decided:
        return Verdict.REFUTED, "", [decided.claim]
    reasons = (f"{claim.name}: {claim.reason}" for claim in report.claims if claim.reason)
    return report.verdict, next(reasons, ""), report.claims


def _text(function: Function) -> str:
    return print_module(Module("mutant", (Function("main", function.body),)))
