"""Loops that carry what their regions read from outside, as they carry everything else."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gradwright.hlo.attributes import Constant
from gradwright.hlo.copying import renewed
from gradwright.hlo.ir import Block, Function, Operation, Value

Constants = Mapping[int, Operation]
"""The scalar constants of the blocks around, by the identity of their results."""


def with_captures_carried(function: Function) -> Function:
    """Return a function whose loops read nothing from outside, and other regions less.

    A scalar constant is written into the region that reads it; any other value becomes an operand
    of the loop, which both of its regions take and its body returns unchanged:

        while(a = x) { p(a, c) } do { f(a, c) }
        while(a = x, b = c) { p(a, b) } do { f(a, b), b }
    """
    if not any(region.captured for each in function.body.walk() for region in each.regions):
        return function
    return replace(function, body=_block(function.body, {}))


def _block(block: Block, around: Constants) -> Block:
    known = dict(around)
    operations: list[Operation] = []
    for original in block.operations:
        operation = original
        if operation.regions:
            regions = tuple(_block(_with_constants(r, known), known) for r in operation.regions)
            operation = replace(operation, regions=regions)
        if operation.opcode == "stablehlo.while":
            operation = _carrying(operation)
        elif isinstance(operation.attributes, Constant) and operation.results[0].type.rank == 0:
            known[id(operation.results[0])] = operation
        operations.append(operation)
    return Block(block.arguments, tuple(operations), block.results)


def _with_constants(region: Block, known: Constants) -> Block:
    """Return a region with copies of the constants that it reads from outside."""
    read = [known[id(value)] for value in region.captured if id(value) in known]
    if not read:
        return region
    copies = [replace(each, results=_copies(each.results)) for each in read]
    names = {id(a.results[0]): b.results[0] for a, b in zip(read, copies, strict=True)}
    inner = renewed(region, names)
    return Block(inner.arguments, (*copies, *inner.operations), inner.results)


def _carrying(loop: Operation) -> Operation:
    """Return a loop with an operand and a result for each value that its regions capture."""
    both = {id(value): value for region in loop.regions for value in region.captured}
    captured = tuple(both.values())
    if not captured:
        return loop
    condition, body = (_taking(region, captured) for region in loop.regions)
    unchanged = body.arguments[len(loop.operands) :]
    body = Block(body.arguments, body.operations, (*body.results, *unchanged))
    return replace(
        loop,
        operands=(*loop.operands, *captured),
        results=(*loop.results, *_copies(captured)),
        regions=(condition, body),
    )


def _taking(region: Block, captured: Sequence[Value]) -> Block:
    """Return a region with an argument for each value, which it reads in its place."""
    added = _copies(captured)
    inner = renewed(region, {id(v): a for v, a in zip(captured, added, strict=True)})
    return Block((*inner.arguments, *added), inner.operations, inner.results)


def _copies(values: Sequence[Value]) -> tuple[Value, ...]:
    return tuple(Value(value.type, value.name) for value in values)
