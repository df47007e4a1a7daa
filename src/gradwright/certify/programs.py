"""Claims about a whole program: nothing that it returns is left unclaimed.

Only the text is judged. The roles of its ports say which argument and result is what; what the
results are to be is index notation. A gradient is proved to be the derivative of the loss that the
text returns, an update for any gradient, so that the two are apart.
"""

import time
from collections.abc import Sequence
from dataclasses import replace

from gradwright.certify.certificate_claims import with_program_certificate, without_certificate
from gradwright.certify.claims import Claim, Kind, Report
from gradwright.certify.effort import limited
from gradwright.certify.hypotheses.meeting import Meeting
from gradwright.certify.programs_apart import certified_apart
from gradwright.certify.programs_claims import ProgramClaims
from gradwright.certify.programs_inner import GRADIENT_PREFIX, InnerGradients, inner_gradients
from gradwright.certify.programs_reading import STATED, Program, Reading
from gradwright.certify.scope import scope_of
from gradwright.certify.texts_gradient import Subject, certify_gradients
from gradwright.certify.texts_settle import Observer, Search, settle
from gradwright.certify.verdicts import Unknown
from gradwright.errors import SpecError
from gradwright.hlo import Signature
from gradwright.kinds import checked, shown


def _ignore(_: Claim) -> None:
    return


@checked
def certify_program(
    program: Program, *, search: Search | None = None, observe: Observer | None = None
) -> Report:
    """Prove or refute what a program returns, result by result, over the reals.

    Outputs, loss, metrics and new running statistics are what the program's statements say; a
    gradient is the derivative of the returned loss, or of the one that the program names as what it
    descends along, or the vector-Jacobian product of the forward that the program names, or of what
    it returns itself; new parameters and moments are what the declared rule makes of that gradient.
    A result that nothing states is a claim that is unknown.

    Errors: ParseError for a bad text or bad notation; SpecError where the text has other arguments
    or results than the program's ports say.
    """
    if not isinstance(getattr(program, "signature", None), Signature):
        expected = "a program, such as gw.programs makes"
        raise SpecError(where="certify_program: program", expected=expected, found=shown(program))
    search = search or Search()
    with limited(search.budget):
        return _certified(program, search, observe or _ignore)


def _certified(program: Program, search: Search, observe: Observer) -> Report:
    reading = Reading.of(program)
    if program.primal is not None and not program.updates:
        return _certify_vjp(reading, program, program.primal, search, observe)
    inner = inner_gradients(reading)
    if inner is not None:
        return _certify_inner(reading, inner, search, observe)
    apart = certified_apart(reading, search, observe)
    if apart is not None:
        return with_program_certificate(apart, program)
    started = time.perf_counter()
    claims = ProgramClaims(reading, search.effort, progress=search.progress)
    settled: list[Claim] = []
    scope: tuple[str, ...] = ()
    with search.evaluating() as evaluate:
        shared = replace(search, evaluator=evaluate)
        if program.primal is not None:
            primal = _certified(program.primal, shared, observe)
            settled += primal.claims
            scope = (*primal.scope, _elsewhere(program.primal))
        met = Meeting((reading.main,), claims.proofs, shared)
        for obligations, sides in (
            (claims.meanings(), claims.meaning_sides()),
            (claims.updates(), claims.update_sides()),
        ):
            settled += settle(obligations, sides, shared, observe, met.objection)
    settled += _unclaimed(claims.unclaimed(), observe)
    scope = (*scope, *scope_of((reading.main,), claims.conditions()), *met.lines)
    seconds = time.perf_counter() - started
    report = Report(tuple(settled), tuple(dict.fromkeys(scope)), seconds)
    if program.primal is not None:
        return without_certificate(report, _TWO_TEXTS)
    return with_program_certificate(report, program)


def why_uncertifiable(program: Program) -> str:
    """Return why no certificate reaches what is claimed of a program, "" where one may."""
    if program.primal is not None:
        return _TWO_TEXTS if program.updates else ""
    return "" if inner_gradients(Reading.of(program)) is None else _INNER


_TWO_TEXTS = "certificates do not reach a step whose loss a text of its own computes"
_INNER = "certificates do not reach gradients of a function inside the text that returns them"


def _elsewhere(primal: Program) -> str:
    """Return the line of scope about a step that does not return what it descends along."""
    names = ", ".join(port.name for port in primal.signature.outputs)
    return f"gradients are of {names}, which a text of its own computes from the same arguments"


def _certify_inner(
    reading: Reading, inner: InnerGradients, search: Search, observe: Observer
) -> Report:
    """Certify what is stated of a text, and the gradients of a function in that same text."""
    started = time.perf_counter()
    stated = ProgramClaims(reading.without_gradients(), search.effort, progress=search.progress)
    met = Meeting((reading.main,), stated.proofs, search)
    settled = settle(stated.meanings(), stated.meaning_sides(), search, observe, met.objection)
    backward = certify_gradients(inner.subject, search, observe)
    settled += [
        replace(claim, name=f"gradient of {name}")
        for claim, name in zip(backward.claims, inner.names, strict=True)
    ]
    known = {f"{GRADIENT_PREFIX}{name}" for name in inner.names}
    left = [p.name for p in reading.outputs if p.role not in STATED and p.name not in known]
    settled += _unclaimed(left, observe)
    scope = (*scope_of((reading.main,), stated.conditions()), *met.lines, *backward.scope)
    report = Report(tuple(settled), tuple(dict.fromkeys(scope)), time.perf_counter() - started)
    return without_certificate(report, _INNER)


def _certify_vjp(
    reading: Reading, program: Program, forward_of: Program, search: Search, observe: Observer
) -> Report:
    """Certify the forward that a program names, and that this is its vector-Jacobian product."""
    started = time.perf_counter()
    names = [port.name for port in reading.outputs]
    forward = _certified(forward_of, search, observe)
    primal = Reading.of(forward_of)
    count = len(primal.inputs)
    if [p.name for p in reading.inputs[:count]] != [p.name for p in primal.inputs]:
        raise SpecError(
            where="arguments of the vector-Jacobian product",
            expected=f"first those of the forward ({', '.join(p.name for p in primal.inputs)})",
            found=", ".join(port.name for port in reading.inputs),
        )
    seeds = tuple(range(count, len(reading.inputs)))
    found = [(primal.argument(name.removeprefix("d.")), k) for k, name in enumerate(names)]
    pairs = tuple((argument, k) for argument, k in found if argument is not None)
    called = tuple(port.name for port in primal.inputs)
    subject = Subject(primal.main, reading.main, seeds, pairs, primal.statements, called)
    backward = certify_gradients(subject, search, observe)
    left = [names[k] for argument, k in found if argument is None]
    gradients = [
        replace(claim, name=f"gradient of {names[k].removeprefix('d.')}")
        for claim, (_, k) in zip(backward.claims, pairs, strict=True)
    ]
    claims = [*forward.claims, *gradients, *_unclaimed(left, observe)]
    scope = tuple(dict.fromkeys((*forward.scope, *backward.scope)))
    report = Report(tuple(claims), scope, time.perf_counter() - started)
    return with_program_certificate(report, program, pairs)


def _unclaimed(names: Sequence[str], observe: Observer) -> list[Claim]:
    """Return a claim for each result that nothing is said of."""
    reason = Unknown("nothing states what it is to be")
    claims = [Claim(name, Kind.MEANING, reason, site=f"%{name}") for name in names]
    for claim in claims:
        observe(claim)
    return claims
