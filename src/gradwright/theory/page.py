"""One theorem on one page."""

import textwrap
from collections.abc import Iterator

from gradwright.theory.lemmas import LEMMAS
from gradwright.theory.measure import names_in
from gradwright.theory.outcome import Counterexample, Method, Proved, Refuted, Unknown
from gradwright.theory.prove import both_sides
from gradwright.theory.record import Adjoint, Case, Instance, Same, Theorem
from gradwright.theory.spell import spell
from gradwright.theory.survey import Result, Settled, failures

WIDTH = 96


def page(result: Result) -> str:
    """Return the statement, its symbols and conditions, why it holds, its scope and how it fails.

    Where sums of products are compared, both are written out as what they read.
    """
    theorem = result.theorem
    case = theorem.quick[0]
    instance = theorem.instance(case)
    sections = (
        ("", [theorem.name, *_wrapped(theorem.title)]),
        ("Statement" + _at(case, theorem), list(_statement(instance))),
        ("Symbols", list(_symbols(instance))),
        ("Conditions", list(_conditions(instance, result))),
        ("Why", _wrapped(theorem.why)),
        ("Both sides as what they read", list(_relations(instance, result))),
        ("Verdict", list(_verdict(result))),
        ("In Coq", list(_lemma(theorem))),
        ("What is near it and wrong", list(_failures(theorem))),
    )
    return "\n\n".join(
        "\n".join([heading, *(f"  {line}" for line in lines)] if heading else lines)
        for heading, lines in sections
        if lines
    )


def _at(case: Case, theorem: Theorem) -> str:
    return "" if case.is_whole else f" at {case}, one of {len(theorem.grid)} cases"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(" ".join(text.split()), WIDTH, break_on_hyphens=False)


def _statement(instance: Instance) -> Iterator[str]:
    match instance.claim:
        case Adjoint(forward, wrt, backward):
            yield "where"
            yield from (f"    {line}" for line in forward.splitlines())
            yield f"the cotangent of {wrt} is"
            yield from (f"    {line}" for line in backward.splitlines())
        case Same(left, right):
            yield from (f"    {line}" for line in left.splitlines())
            yield "is the same as"
            yield from (f"    {line}" for line in right.splitlines())


def _symbols(instance: Instance) -> Iterator[str]:
    symbols = instance.symbols
    width = max(len(size.symbol) for size in symbols.sizes)
    for size in symbols.sizes:
        yield f"{size.symbol:{width}}  {size.meaning}: any whole number from {size.least} on"
    yield from symbols.definitions
    used = names_in(instance)
    shapes = [each.strip() for each in symbols.shapes.split(";")]
    yield from _wrapped("values: " + "; ".join(s for s in shapes if s.split("[")[0] in used))
    yield "A read outside a value's box is 0; [a = b] is 1 where it holds, else 0."
    if isinstance(instance.claim, Adjoint):
        yield "A cotangent dv holds the derivatives of one number by the entries of v."


def _conditions(instance: Instance, result: Result) -> Iterator[str]:
    for hypothesis in instance.hypotheses:
        exact = "; where it fails, so does the theorem" if hypothesis.is_exact else ""
        yield f"{hypothesis.words}{exact}"
    for law in instance.laws:
        yield law.words
    outcome = result.settled[0].outcome
    if isinstance(outcome, Proved):
        yield from outcome.conditions


def _relations(instance: Instance, result: Result) -> Iterator[str]:
    outcome = result.settled[0].outcome
    if not isinstance(outcome, Proved) or outcome.method is not Method.POINTS:
        return
    reader, left, right = both_sides(instance)
    derived = isinstance(instance.claim, Adjoint)
    target = instance.claim.result
    yield "derived from the forward by exchanging input and output:" if derived else "left:"
    yield from (f"    {line}" for line in spell(reader, target, left))
    yield "as stated:" if derived else "right:"
    yield from (f"    {line}" for line in spell(reader, target, right))
    yield "Every index lies in its box. Both are sets of tuples (index of the result; index of each"
    yield "read); the sets are equal for all sizes, and no tuple is met twice."


def _verdict(result: Result) -> Iterator[str]:
    count, time = len(result.settled), f"{result.seconds:.2f} s"
    of = f" at {count} of {len(result.theorem.grid)} cases" if len(result.theorem.grid) > 1 else ""
    method = next(
        (f" by {s.outcome.method}" for s in result.settled if isinstance(s.outcome, Proved)), ""
    )
    yield f"{result.verdict}{of} in {time}{method}"
    yield "over the real numbers, for all inputs and sizes that meet the conditions"
    if not result.settled[0].case.is_whole:
        yield "kernel, stride and dilation are those of the cases, the same proof at each"
    for settled in result.settled:
        if not isinstance(settled.outcome, Proved):
            yield f"{settled.case}: {settled.outcome.verdict}"
            yield from (f"    {line}" for line in _outcome(settled))


def _lemma(theorem: Theorem) -> Iterator[str]:
    if theorem.name in LEMMAS:
        file, name = LEMMAS[theorem.name].split(".")
        yield f"{name} in proofs/theories/{file}.v"


def _outcome(settled: Settled) -> Iterator[str]:
    match settled.outcome:
        case Refuted(counterexample):
            yield from numbers(counterexample)
        case Unknown(reason):
            yield reason
        case Proved(method):
            yield method.value


def _failures(theorem: Theorem) -> Iterator[str]:
    for failure in failures(theorem):
        where = "" if failure.case.is_whole else f" ({failure.case})"
        yield f"{failure.name}{where}: {failure.outcome.verdict}"
        settled = Settled(failure.case, failure.outcome, 0)
        yield from (f"    {line}" for line in _outcome(settled))


SHOWN = 12
"""Entries of an input up to which it is written out."""


def numbers(found: Counterexample) -> Iterator[str]:
    """Yield the lines of a counterexample."""
    yield "at " + ", ".join(f"{name} = {n}" for name, n in found.sizes.items())
    for name, entries in found.inputs.items():
        if not entries or len(entries) > SHOWN:
            continue
        listed = ", ".join(f"{name}{list(place)} = {v}" for place, v in entries.items())
        yield from textwrap.wrap(f"with {listed.replace('[]', '')}", WIDTH)
    place = f"{found.value}{list(found.index)}".replace("[]", "")
    yield f"{place} is {found.true}, stated {found.stated}; other entries of the inputs are 0"
