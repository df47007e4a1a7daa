"""Proving or refuting one instance of a theorem for all sizes."""

from collections.abc import Sequence
from fractions import Fraction

from gradwright.certify.kernel.algebra import Undenotable
from gradwright.certify.notation import Statement, parse
from gradwright.theory.checks import check
from gradwright.theory.evaluation import index_name
from gradwright.theory.generic import Generic
from gradwright.theory.measure import completed, cotangent_of, differences
from gradwright.theory.normal_forms import Evaluation, compare
from gradwright.theory.outcome import (
    Counterexample,
    Method,
    Outcome,
    Proved,
    Refuted,
    Unknown,
)
from gradwright.theory.points import Difference, admissible, difference, smallest
from gradwright.theory.record import Adjoint, Hypothesis, Instance, Same
from gradwright.theory.search import search
from gradwright.theory.terms import Form, Reader, transpose

OFF_TIES = "the largest entry of a window is its only one"


def prove(instance: Instance) -> Outcome:
    """Return the verdict on an instance.

    Sums of products are compared as sets of points, everything else as normal forms. A refutation
    is evaluated from the definitions before it is returned.
    """
    check(instance)
    try:
        return _by_points(instance)
    except Undenotable as why:
        reason = str(why)
    try:
        conditions = _same_forms(instance)
        if conditions is not None:
            return Proved(Method.FORMS, conditions)
    except Undenotable as why:
        reason = f"{reason}; {why}"
    found = search(instance)
    return Unknown(reason) if found is None else Refuted(found)


def _by_points(instance: Instance) -> Outcome:
    reader, left, right = both_sides(instance)
    if admissible(reader, instance).is_empty():
        return Unknown("no sizes meet the conditions")
    found = difference(reader, instance, left, right)
    if found is None:
        loose = next(
            (h for h in instance.hypotheses if h.is_exact and not _is_exact(instance, h)), None
        )
        if loose is not None:
            return Unknown(f"it also holds at some sizes where {loose.words} fails")
        ties = (OFF_TIES,) if reader.has_maxima else ()
        return Proved(Method.POINTS, ties)
    counterexample = _witness(instance, found, left)
    if counterexample is None:
        raise Undenotable("the sides read different products, but no entry shows it")
    return Refuted(counterexample)


def _is_exact(instance: Instance, hypothesis: Hypothesis) -> bool:
    """Return whether the claim fails wherever the hypothesis does."""
    wider = instance.without(hypothesis)
    reader, left, right = both_sides(wider)
    found = difference(reader, wider, left, right)
    outside = admissible(reader, wider).subtract(admissible(reader, instance))
    return bool(outside.is_empty() if found is None else outside.is_equal(found.where))


def both_sides(instance: Instance) -> tuple[Reader, Form, Form]:
    """Return the two sides as sums of products, the left one derived by transposition."""
    reader = Reader(instance.symbols)
    match instance.claim:
        case Adjoint(forward, wrt, backward):
            stated = parse(backward)
            names = [index_name(e) for e in stated[-1].indices or ()]
            y = _last(reader, parse(forward))
            derived = transpose(reader, y, cotangent_of(instance.claim), wrt, names)
            return reader, derived, _last(reader, stated)
        case Same(left, right):
            ours = _last(reader, parse(left))
            reader.forms.clear()
            return reader, ours, _last(reader, parse(right))


def _last(reader: Reader, statements: Sequence[Statement]) -> Form:
    return [reader.define(statement) for statement in statements][-1]


def _witness(instance: Instance, found: Difference, left: Form) -> Counterexample | None:
    """Return the smallest point at which the sides differ, as inputs with one entry 1 each."""
    if any("(" in name for names in found.atoms for name in names):
        return None  # a mask is no input: what wins has to be arranged by values
    ranks = {name: len(extents) for name, extents in instance.symbols.boxes.items()}
    point = smallest(instance, found, ranks, len(left.indices))
    sizes = {s.symbol: point.sizes[s.symbol] for s in instance.symbols.sizes}
    inputs = {name: {place: Fraction(1)} for name, place in point.reads}
    return next(differences(instance, completed(instance, sizes), inputs, point.outputs), None)


def _same_forms(instance: Instance) -> tuple[str, ...] | None:
    """Return what is assumed of the inputs where the sides have one normal form, else None."""
    den = Generic(instance.symbols)
    evaluation = Evaluation(den, instance.symbols)
    match instance.claim:
        case Adjoint(forward, wrt, backward):
            statements = parse(forward)
            value = [evaluation.define(statement) for statement in statements][-1]
            seed = (
                evaluation.argument(cotangent_of(instance.claim))
                if value.shape
                else den.splat(1, ())
            )
            left = evaluation.cotangent(statements, seed, wrt)
            for statement in parse(backward):
                evaluation.define(statement)
            right = evaluation.values[instance.claim.result]
        case Same(text, other):
            left = [evaluation.define(statement) for statement in parse(text)][-1]
            apart = Evaluation(den, instance.symbols)
            right = [apart.define(statement) for statement in parse(other)][-1]
    if compare(den, instance.symbols, instance.laws, left, right):
        return den.assumptions()
    return None
