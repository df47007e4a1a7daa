"""Claims about texts of any origin: gradients in one text, gradients of another, equality."""

import operator
import time
from collections.abc import Sequence

from gradwright.certify.anchors import Anchors, Spots
from gradwright.certify.certificate_claims import (
    with_equal_certificate,
    with_pair_certificate,
    with_text_certificate,
)
from gradwright.certify.claims import Claim, Kind, Report
from gradwright.certify.effort import limited
from gradwright.certify.hypotheses.meeting import Meeting
from gradwright.certify.kernel.unroll import unrolled
from gradwright.certify.prove import Proof, choose_cuts
from gradwright.certify.refute import EqualQuestion
from gradwright.certify.refute_points import restricted
from gradwright.certify.scope import scope_of
from gradwright.certify.texts_calls import inlined
from gradwright.certify.texts_forms import both_forms
from gradwright.certify.texts_gradient import Subject, certify_gradients, first_failure, form_of
from gradwright.certify.texts_settle import (
    Obligation,
    Observer,
    Progress,
    Search,
    Sides,
    settle,
    told,
)
from gradwright.errors import SpecError
from gradwright.hlo import Function, Value, read_module
from gradwright.kinds import checked

Source = str | bytes


def _ignore(_: Claim) -> None:
    return


@checked
def certify_text(
    source: Source,
    *,
    loss: int = 0,
    wrt: Sequence[int],
    grads: Sequence[int],
    search: Search | None = None,
    observe: Observer = _ignore,
) -> Report:
    """Prove or refute that results of a text are the gradient of its loss.

    Result `grads[i]` is claimed to be d(result `loss`) / d(argument `wrt[i]`), over the reals.

    Errors: ParseError for a bad text; SpecError for an index out of range, a loss that is no
    scalar, or a gradient whose shape is not that of its argument.
    """
    subject = subject_of_text(source, loss=loss, wrt=wrt, grads=grads)
    report = certify_gradients(subject, search or Search(), observe)
    return with_text_certificate(report, source, loss, subject.pairs)


@checked
def certify_vjp(
    forward: Source,
    backward: Source,
    *,
    wrt: Sequence[int] | None = None,
    search: Search | None = None,
    observe: Observer = _ignore,
) -> Report:
    """Prove or refute that a text is the vector-Jacobian product of another one.

    `backward` takes the arguments of `forward` and a cotangent for each of its results, and returns
    a cotangent for each argument `wrt` (default: each argument of floats), in that order.

    Errors: ParseError for a bad text; SpecError for signatures that do not fit.
    """
    subject = subject_of_pair(forward, backward, wrt=wrt)
    report = certify_gradients(subject, search or Search(), observe)
    return with_pair_certificate(report, forward, backward, subject.pairs)


@checked
def certify_equal(
    left: Source,
    right: Source,
    *,
    search: Search | None = None,
    observe: Observer = _ignore,
) -> Report:
    """Prove or refute that two texts are the same function, result by result.

    Errors: ParseError for a bad text; SpecError where arguments or results differ in type.
    """
    a, b = _straight(left, []), _straight(right, [])
    _require_types("arguments of the second text", a.body.arguments, b.body.arguments)
    _require_types("results of the second text", a.body.results, b.body.results)
    _require_some("results of the texts", b.body.results)
    return with_equal_certificate(_equalities(a, b, search or Search(), observe), left, right)


def subject_of_text(
    source: Source, *, loss: int, wrt: Sequence[int], grads: Sequence[int]
) -> Subject:
    """Return what `certify_text` claims; its errors are raised here."""
    [loss], wrt, grads = _indices("loss", [loss]), _indices("wrt", wrt), _indices("grads", grads)
    main = _straight(source, [loss])
    body = main.body
    _require_index("loss", loss, len(body.results), "results")
    if body.results[loss].type.size != 1 or not body.results[loss].type.element.is_float:
        raise SpecError(
            where="loss",
            expected="a floating-point scalar",
            found=str(body.results[loss].type),
            remedy="The text has to return the loss beside its gradients, as value_and_grad does",
        )
    if len(wrt) != len(grads) or not wrt:
        raise SpecError(
            where="wrt and grads",
            expected="as many arguments as results, one at least",
            found=f"{len(wrt)} and {len(grads)}",
        )
    for argument, result in zip(wrt, grads, strict=True):
        _require_index("wrt", argument, len(body.arguments), "arguments")
        _require_index("grads", result, len(body.results), "results")
        if not body.arguments[argument].type.element.is_float:
            found = f"{body.arguments[argument].type}, argument {argument}"
            raise SpecError(where="wrt", expected="arguments of floats", found=found)
    _require_types(
        "results grads", [body.arguments[i] for i in wrt], [body.results[k] for k in grads]
    )
    forward = restricted(main, [body.results[loss]])
    pairs = tuple(zip(wrt, grads, strict=True))
    return Subject(forward, main, (None,), pairs)


def subject_of_pair(
    forward: Source, backward: Source, *, wrt: Sequence[int] | None = None
) -> Subject:
    """Return what `certify_vjp` claims; its errors are raised here."""
    f, b = _straight(forward, None), _straight(backward, [])
    arguments = list(range(len(f.body.arguments)))
    if wrt is None:
        wrt = [i for i in arguments if f.body.arguments[i].type.element.is_float]
        wrt = arguments if len(b.body.results) == len(arguments) else wrt
    wrt = _indices("wrt", wrt)
    for argument in wrt:
        _require_index("wrt", argument, len(arguments), "arguments of forward")
    _require_types("arguments of backward", [*f.body.arguments, *f.body.results], b.body.arguments)
    wanted = [f.body.arguments[i] for i in wrt]
    remedy = "Name the arguments of forward that backward returns cotangents of: wrt, or --wrt I,J"
    _require_types("results of backward", wanted, b.body.results, remedy=remedy)
    _require_some("results of backward", b.body.results)
    seeds = tuple(range(len(arguments), len(b.body.arguments)))
    pairs = tuple((argument, k) for k, argument in enumerate(wrt))
    return Subject(f, b, seeds, pairs)


def _equalities(a: Function, b: Function, search: Search, observe: Observer) -> Report:
    started = time.perf_counter()
    with limited(search.budget):
        claims = _Equalities(a, b, search.progress)
        obligations = [claims.obligation(k) for k in range(len(b.body.results))]
        met = Meeting((a, b), lambda: [claims.proof.den], search)
        sides = Sides(b, a, (), claims.sound)
        settled = settle(obligations, sides, search, observe, met.objection)
    scope = scope_of((a, b), [claims.proof.den.conditions], differentiated=False)
    return Report(tuple(settled), (*scope, *met.lines), time.perf_counter() - started)


class _Equalities:
    """The claims that results of two functions are the same."""

    def __init__(self, a: Function, b: Function, progress: Progress) -> None:
        self.a, self.b = a.body, b.body
        self.spots = Spots(self.a), Spots(self.b)
        self.proof = Proof()
        self.proof.introduce(self.a.arguments)
        for ours, theirs in zip(self.a.arguments, self.b.arguments, strict=True):
            self.proof.known[id(theirs)] = self.proof.known[id(ours)]
        count = len(self.a.operations)
        total = count + len(self.b.operations)
        self.proof.denote(told(self.a.operations, progress, total), choose_cuts(self.a.operations))
        self.proof.denote(told(self.b.operations, progress, total, before=count), set())

    def obligation(self, k: int) -> Obligation:
        """Return the claim that results k are the same."""
        ours, theirs = self.a.results[k], self.b.results[k]
        return Obligation(
            f"%{theirs.name} (result {k})",
            Kind.EQUAL,
            EqualQuestion(k, k),
            lambda: self._holds(k),
            lambda: False,
            lambda: self._reason(k),
            Anchors(self.spots[1].at(theirs), (self.spots[0].at(ours),)),
        )

    def sound(self) -> set[int]:
        """Return values of the second text that are values of the first."""
        known = self.proof.known
        forms = {form_of(known[id(r)]) for op in self.a.operations for r in op.results}
        values = [r for op in self.b.operations for r in op.results]
        return {id(value) for value in values if form_of(known[id(value)]) in forms}

    def _holds(self, k: int) -> bool:
        known = self.proof.known
        return self.proof.same(known[id(self.a.results[k])], known[id(self.b.results[k])])

    def _reason(self, k: int) -> str:
        ours, theirs = self.a.results[k], self.b.results[k]
        for text, block, result in (("first", self.a, ours), ("second", self.b, theirs)):
            failure = first_failure(self.proof, result, block.operations)
            if failure is not None:
                return f"the proof stops in the {text} text at {failure}"
        forms = both_forms(self.proof.den, self.proof.known[id(ours)], self.proof.known[id(theirs)])
        return f"%{theirs.name}: {forms}"


def _straight(source: Source, differentiated: Sequence[int] | None) -> Function:
    """Return `main` without calls and dead code, and without loops where that helps the proof.

    What no result depends on must not prove anything by what it supposes.
    A loop behind a differentiated result (None: any) has to be written out.
    """
    main = inlined(read_module(source))
    results = main.body.results
    wanted = (
        results
        if differentiated is None
        else [results[k] for k in differentiated if 0 <= k < len(results)]
    )
    written = unrolled(main, wanted)
    return restricted(written, written.body.results)


def _indices(where: str, given: Sequence[int]) -> list[int]:
    """Return indices as whole numbers, whatever kind of whole number they are."""
    try:
        return [operator.index(index) for index in given]
    except TypeError:
        raise SpecError(where=where, expected="indices from 0", found=repr(given)) from None


def _require_index(where: str, index: int, count: int, what: str) -> None:
    if not 0 <= index < count:
        raise SpecError(
            where=where, expected=f"an index of {count} {what}, from 0", found=str(index)
        )


def _require_some(where: str, values: Sequence[Value]) -> None:
    if not values:
        raise SpecError(where=where, expected="one at least, to claim something of", found="none")


def _require_types(
    where: str, wanted: Sequence[Value], given: Sequence[Value], *, remedy: str = ""
) -> None:
    """SpecError at the first value whose type differs, or that one side has and the other lacks."""
    for i, (ours, theirs) in enumerate(zip(wanted, given, strict=False)):
        if ours.type != theirs.type:
            raise SpecError(
                where=where,
                expected=f"{ours.type} at {i}, as %{ours.name}",
                found=f"{theirs.type}, %{theirs.name}",
                remedy=remedy,
            )
    if len(wanted) != len(given):
        more = max(wanted, given, key=len)[min(len(wanted), len(given))]
        side = "lacks" if len(wanted) > len(given) else "has besides"
        raise SpecError(
            where=where,
            expected=f"{len(wanted)} in number",
            found=f"{len(given)}: it {side} %{more.name}: {more.type}",
            remedy=remedy,
        )
