"""Sums that a loop of static length carries along, and blocks of pictures that it goes over."""

from collections.abc import Callable, Sequence

from gradwright.hlo import ElementType, Value
from gradwright.hlo.attributes import Direction
from gradwright.layers.walk import Walk

Body = Callable[[Value, Sequence[Value], Sequence[Value]], Sequence[Value]]
"""(start, operands, totals) to the totals with the terms of this trip added."""


def accumulate(
    walk: Walk,
    end: int,
    step: int,
    operands: Sequence[Value],
    totals: Sequence[Value],
    body: Body,
    *,
    hint: str,
) -> Sequence[Value]:
    """Return the totals after body(start, operands, totals) for start = 0, step, ... below end."""
    b, count = walk.b, len(operands)
    first = b.splat(0, totals[0].type.with_element(ElementType.I32).with_shape(()), hint="first")

    def unfinished(start: Value, *others: Value) -> Value:
        del others
        return b.compare(Direction.LT, start, b.splat_like(end, start))

    def add_trip(start: Value, *others: Value) -> list[Value]:
        kept = others[:count]
        grown = body(start, kept, others[count:])
        return [b.add(start, b.splat_like(step, start), hint="next"), *kept, *grown]

    names = (
        "start",
        *(f"read{number}" for number in range(count)),
        *(f"sum{number}" for number in range(len(totals))),
    )
    loop = b.while_loop((first, *operands, *totals), unfinished, add_trip, names, hint=hint)
    return loop[1 + count :]


def block_size(pictures: Sequence[Value], limit: int) -> int:
    """Return the largest divisor of the batch of which the pictures take `limit` bytes; 1 or more.

    Shapes: each of `pictures`: [batch, ...].
    """
    batch = pictures[0].shape[0]
    each = sum(p.type.size * p.type.element.dtype.itemsize for p in pictures) // batch
    fitting = max(1, limit // each)
    return max(n for n in range(1, min(batch, fitting) + 1) if batch % n == 0)


def block(walk: Walk, whole: Value, start: Value, size: int) -> Value:
    """Return `size` pictures of a batch, from picture `start` on."""
    return walk.b.dynamic_slice(whole, _at(walk, whole, start), (size, *whole.shape[1:]))


def add_block(walk: Walk, whole: Value, start: Value, part: Value) -> Value:
    """Return a batch with `part` added to its pictures from `start` on.

    As an addition the prover knows it: a loop that writes over what it carries has to be written
    out trip by trip.
    """
    grown = walk.b.add(block(walk, whole, start, part.shape[0]), part)
    return walk.b.dynamic_update_slice(whole, grown, _at(walk, whole, start), hint="filled")


def _at(walk: Walk, whole: Value, start: Value) -> tuple[Value, ...]:
    zero = walk.b.splat_like(0, start)
    return (start, *(zero for _ in whole.shape[1:]))
