"""Sums that a loop of static length carries along."""

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
