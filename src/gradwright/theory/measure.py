"""Both sides of a claim at given sizes and inputs, from the definition of a derivative.

The cotangent of an entry is sum over outputs of dy * (rate of y as the entry moves): the forward
text alone is differentiated, in the direction of one entry at a time.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from gradwright.certify.notation import Statement, parse
from gradwright.theory.enclosure import Enclosure, OutsideDomain
from gradwright.theory.evaluation import Array, Evaluator, Place, read_names
from gradwright.theory.outcome import Counterexample
from gradwright.theory.record import Adjoint, Instance, Same
from gradwright.theory.slopes import Slope

Inputs = Mapping[str, Mapping[Place, Fraction]]

_ONE = Enclosure.exact(1)


def completed(instance: Instance, sizes: Mapping[str, int]) -> dict[str, int]:
    """Return sizes with those that follow from them."""
    whole = dict(sizes)
    for statement in instance.symbols.defined:
        whole[statement.target] = Evaluator(whole, {}).whole(statement.value)
    return whole


def input_shapes(instance: Instance, sizes: Mapping[str, int]) -> dict[str, Place]:
    """Return the shapes of the values that no statement defines but some statement reads."""
    texts = _texts(instance)
    defined = {s.target for s in texts}
    read = {name for s in texts for name in read_names(s.value)}
    if isinstance(instance.claim, Adjoint):
        read.add(cotangent_of(instance.claim))
    evaluator = Evaluator(sizes, instance.symbols.boxes)
    wanted = [n for n in instance.symbols.boxes if n in read and n not in defined]
    return {name: evaluator.shape(name) for name in wanted}


def names_in(instance: Instance) -> set[str]:
    """Return the names of values, sizes and indices that the texts mention."""
    texts = _texts(instance)
    return {s.target for s in texts}.union(*(read_names(s.value) for s in texts))


def cotangent_of(claim: Adjoint) -> str:
    """Return the name of the cotangent of the forward's last value."""
    return f"d{parse(claim.forward)[-1].target}"


def differences(
    instance: Instance, sizes: Mapping[str, int], inputs: Inputs, only: Place | None = None
) -> Iterator[Counterexample]:
    """Yield the indices at which the sides are different numbers.

    An index where a function has no value or no derivative is passed over.
    """
    shapes = input_shapes(instance, sizes)
    values = {name: Array.of(shapes[name], inputs.get(name, {})) for name in shapes}
    try:
        name, stated = _stated(instance, sizes, values)
    except OutsideDomain:
        return
    for place in stated.places() if only is None else (only,):
        try:
            true = _true(instance, sizes, values, place)
        except OutsideDomain:
            continue
        if not true.meets(stated.at(place).value):
            entries = {
                n: {p: s.value for p, s in a.entries.items() if s.value != Enclosure.exact(0)}
                for n, a in values.items()
            }
            yield Counterexample(sizes, entries, name, place, stated.at(place).value, true)


def _stated(
    instance: Instance, sizes: Mapping[str, int], values: Mapping[str, Array]
) -> tuple[str, Array]:
    match instance.claim:
        case Adjoint(forward, _, backward):
            texts = parse(forward) + parse(backward)
        case Same(_, right):
            texts = parse(right)
    evaluator = _run(instance, sizes, values, texts)
    return texts[-1].target, evaluator.values[texts[-1].target]


def _true(
    instance: Instance, sizes: Mapping[str, int], values: Mapping[str, Array], place: Place
) -> Enclosure:
    match instance.claim:
        case Same(left, _):
            texts = parse(left)
            return _run(instance, sizes, values, texts).values[texts[-1].target].at(place).value
        case Adjoint(forward, wrt, _):
            moved = dict(values)
            entry = Slope(values[wrt].at(place).value, _ONE)
            entries = {**values[wrt].entries, place: entry}
            moved[wrt] = Array(values[wrt].shape, entries)
            texts = parse(forward)
            result = _run(instance, sizes, moved, texts).values[texts[-1].target]
            weights = values.get(cotangent_of(instance.claim))
            total = Enclosure.exact(0)
            for output in result.places():
                weight = _ONE if weights is None else weights.at(output).value
                total = total + weight * result.at(output).rate
            return total


def _run(
    instance: Instance,
    sizes: Mapping[str, int],
    values: Mapping[str, Array],
    texts: list[Statement],
) -> Evaluator:
    evaluator = Evaluator(sizes, instance.symbols.boxes, dict(values))
    for statement in texts:
        evaluator.define(statement)
    return evaluator


def _texts(instance: Instance) -> list[Statement]:
    match instance.claim:
        case Adjoint(forward, _, backward):
            return parse(forward) + parse(backward)
        case Same(left, right):
            return parse(left) + parse(right)
