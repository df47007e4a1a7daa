"""Loops that count and add: one trip stands for all, and what is added is summed over the trips.

A loop of this kind carries integers that it counts, values that it returns as they are, and sums:
each of these is read once, by an addition, so that a trip adds what it returns where the sum is 0.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from gradwright.check.affine import variable
from gradwright.check.atoms import Index
from gradwright.check.operations import Meanings, Tensors, opcode_of
from gradwright.check.poly import constant_of, number
from gradwright.check.tensor import Tensor
from gradwright.hlo import Block, Operation, Value
from gradwright.hlo import attributes as attr


@dataclass(frozen=True, slots=True)
class Loop:
    """While the carried integer `counter` is below `end` it grows by `step`, and sums grow."""

    counter: int
    step: int
    end: int
    sums: tuple[int, ...]


def counting(operation: Operation) -> Loop | None:
    """Return how a loop counts and adds; None where it does something else, or may do."""
    if operation.opcode != "stablehlo.while" or len(operation.reads) > len(operation.operands):
        return None
    condition, body = operation.regions
    found = _counter(condition, body)
    if found is None:
        return None
    counter, end, step = found
    reads = Counter(id(v) for inner in body.operations for v in inner.reads)
    reads += Counter(map(id, body.results))
    pairs = list(enumerate(zip(body.arguments, body.results, strict=True)))
    sums = [i for i, (before, after) in pairs if i != counter and before is not after]
    if not all(_is_sum(body.arguments[i], body.results[i], body, reads) for i in sums):
        return None
    return Loop(counter, step, end, tuple(sums))


def _counter(condition: Block, body: Block) -> tuple[int, int, int] | None:
    """Return which value is counted, up to what and by how much: constants, below 2 ** 31."""
    compare, result = _maker(condition, condition.results[0]), condition.results
    if compare is None or len(result) != 1 or not isinstance(compare.attributes, attr.Compare):
        return None
    order, signed = attr.Direction.LT, attr.CompareType.SIGNED
    before, limit = compare.operands
    places = [i for i, v in enumerate(condition.arguments) if v is before]
    end = _constant(condition, limit)
    if compare.attributes.direction is not order or end is None or len(places) != 1:
        return None
    following = _maker(body, body.results[places[0]])
    if compare.attributes.compare_type is not signed or following is None:
        return None
    step = _constant(body, following.operands[-1])
    counts = opcode_of(following) == "add" and following.operands[0] is body.arguments[places[0]]
    if not counts or before.type.element.value not in ("i32", "i64") or before.type.rank:
        return None
    return None if step is None or step < 1 or end + step >= 1 << 31 else (places[0], end, step)


def _maker(block: Block, value: Value) -> Operation | None:
    return next((op for op in block.operations if any(r is value for r in op.results)), None)


def _constant(block: Block, value: Value) -> int | None:
    maker = _maker(block, value)
    if maker is None or not isinstance(maker.attributes, attr.Constant) or value.type.rank:
        return None
    return int(maker.attributes.array.reshape(-1)[0])


def _is_sum(before: Value, after: Value, body: Block, reads: Mapping[int, int]) -> bool:
    """Return whether a value is what it was before a trip plus what does not read it."""
    at = after
    while at is not before:
        maker = _maker(body, at)
        if reads[id(at)] != 1 or maker is None or not at.type.element.is_float:
            return False
        if opcode_of(maker) == "add":
            at = maker.operands[0]
            continue
        inner = counting(maker)
        place = next(i for i, result in enumerate(maker.results) if result is at)
        if inner is None or place not in inner.sums:
            return False
        at = maker.operands[place]
    return reads[id(before)] == 1


def results(m: Meanings, operation: Operation, x: Tensors) -> Tensors:
    """Return the results of an operation or of a loop; Uncheckable says why there are none."""
    loop = counting(operation)
    start = None if loop is None else constant_of(x[loop.counter].poly)
    if loop is None or start is None or start.denominator > 1:
        return m.results(operation, x)
    trips = -((int(start) - loop.end) // loop.step)
    if trips < 1:
        return x
    found = list(x)
    found[loop.counter] = m.f.number(x[loop.counter], start + loop.step * trips)
    with m.algebra.loop(trips) as k:
        index = m.algebra.atoms.number(Index(trips), (trips,))
        at_trip = Tensor((), {(((index, (variable(k),), 1),), ()): Fraction(loop.step)})
        inside = list(x)
        inside[loop.counter] = m.f.add(at_trip, Tensor((), number(start)))
        for i in loop.sums:
            inside[i] = m.f.number(x[i], 0)
        added = _block(m, operation.regions[1], inside)
        for i in loop.sums:
            m.f.require_finite(added[i])
            m.f.require_finite(x[i])
            box = m.algebra.box(added[i].digits)
            total = m.contractions.summation.over_trips(added[i].poly, k, box)
            found[i] = m.f.add(x[i], Tensor(added[i].digits, total))
    return found


def _block(m: Meanings, block: Block, x: Sequence[Tensor]) -> list[Tensor]:
    """Return the results of a region that reads nothing from outside."""
    known = {id(v): tensor for v, tensor in zip(block.arguments, x, strict=True)}
    for operation in block.operations:
        made = results(m, operation, [known[id(v)] for v in operation.operands])
        known.update((id(v), tensor) for v, tensor in zip(operation.results, made, strict=True))
    return [known[id(v)] for v in block.results]
