"""Blocks with values of their own: a body that is written out twice shares none."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gradwright.hlo.ir import Block, Operation, Value


def renewed(block: Block, names: Mapping[int, Value]) -> Block:
    """Return a block whose arguments and results are new values, but for those that are named.

    `names` gives, by identity, what stands for an argument or for a value read from outside.
    """
    known = dict(names)
    arguments = tuple(known.setdefault(id(value), _copy(value)) for value in block.arguments)
    operations: list[Operation] = []
    for operation in block.operations:
        results = tuple(_copy(value) for value in operation.results)
        operations.append(replace(on(operation, known), results=results))
        known.update((id(a), b) for a, b in zip(operation.results, results, strict=True))
    return Block(arguments, tuple(operations), uses(block.results, known))


def on(operation: Operation, names: Mapping[int, Value]) -> Operation:
    """Return an operation that reads other values, its regions too."""
    if not names:
        return operation
    regions = tuple(renewed(region, names) for region in operation.regions)
    return replace(operation, operands=uses(operation.operands, names), regions=regions)


def uses(values: Sequence[Value], names: Mapping[int, Value]) -> tuple[Value, ...]:
    """Return values by their new names."""
    return tuple(names.get(id(value), value) for value in values)


def unnamed(operation: Operation) -> object:
    """Return what operations have in common that differ in the names of values only."""
    numbers: dict[int, int] = {}

    def values(among: Sequence[Value]) -> object:
        return tuple((numbers.setdefault(id(v), len(numbers)), v.type) for v in among)

    def block(each: Block) -> object:
        return values(each.arguments), tuple(map(spelled, each.operations)), values(each.results)

    def spelled(each: Operation) -> object:
        regions = tuple(map(block, each.regions))
        reads, makes = values(each.operands), values(each.results)
        return each.opcode, each.attributes, reads, regions, makes

    return spelled(operation)


def _copy(value: Value) -> Value:
    return Value(value.type, value.name)
