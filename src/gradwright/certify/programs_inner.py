"""Gradients that a program returns beside the function that they are gradients of.

`d.NAME` is the derivative of the loss, or of the output weighed by the cotangent that the program
is given, by its argument NAME. Where NAME is a result, it is the derivative by that value: the
text is read with the value as one more argument, so that what does not go through it stays as it
is. What holds for every value holds for the one that the text computes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gradwright.certify.programs_reading import Reading
from gradwright.certify.refute_points import restricted
from gradwright.certify.texts_gradient import Subject
from gradwright.hlo import Block, Function, Operation, Role, Value

GRADIENT_PREFIX = "d."


@dataclass(frozen=True, slots=True)
class InnerGradients:
    """What is claimed of them, and by which names, in order."""

    subject: Subject
    names: tuple[str, ...]


def inner_gradients(reading: Reading) -> InnerGradients | None:
    """Return the claims about gradients of a function in the same text; None where there are none.

    There are none where no result, or more than one, could be what is differentiated.
    """
    differentiated = _differentiated(reading)
    wanted = {
        port.name.removeprefix(GRADIENT_PREFIX): k
        for k, port in enumerate(reading.outputs)
        if port.role is Role.GRADIENT and port.name.startswith(GRADIENT_PREFIX)
    }
    found = {name: k for name, k in wanted.items() if _place(reading, name) is not None}
    if differentiated is None or not found:
        return None
    result, seed = differentiated
    inner = [name for name in found if reading.argument(name) is None]
    main = _opened(reading.main, [_result(reading, name) for name in inner])
    count = len(reading.inputs)
    pairs = [
        (count + inner.index(name) if name in inner else _argument(reading, name), k)
        for name, k in found.items()
    ]
    forward = restricted(main, [main.body.results[result]])
    return InnerGradients(Subject(forward, main, (seed,), tuple(pairs)), tuple(found))


def _differentiated(reading: Reading) -> tuple[int, int | None] | None:
    """Return the result that is differentiated and the argument that weighs it (None: 1)."""
    if reading.loss is not None:
        return reading.loss, None
    weights = [i for i, port in enumerate(reading.inputs) if port.role is Role.COTANGENT]
    output = reading.result("output", Role.OUTPUT)
    return (output, weights[0]) if len(weights) == 1 and output is not None else None


def _place(reading: Reading, name: str) -> int | None:
    argument = reading.argument(name)
    return reading.result(name, Role.OUTPUT) if argument is None else argument


def _argument(reading: Reading, name: str) -> int:
    place = reading.argument(name)
    assert place is not None
    return place


def _result(reading: Reading, name: str) -> Value:
    place = reading.result(name, Role.OUTPUT)
    assert place is not None
    return reading.main.body.results[place]


def _opened(function: Function, values: Sequence[Value]) -> Function:
    """Return a function with more arguments, which are read instead of some of its values."""
    free = {id(value): Value(value.type, f"{value.name}_free") for value in values}
    body = function.body
    block = Block(
        (*body.arguments, *free.values()),
        tuple(_rewired(operation, free) for operation in body.operations),
        body.results,
    )
    return replace(function, body=block, aliases=())


def _rewired(operation: Operation, free: Mapping[int, Value]) -> Operation:
    operands = tuple(free.get(id(value), value) for value in operation.operands)
    regions = tuple(
        replace(
            region,
            operations=tuple(_rewired(each, free) for each in region.operations),
            results=tuple(free.get(id(value), value) for value in region.results),
        )
        for region in operation.regions
    )
    return replace(operation, operands=operands, regions=regions)
