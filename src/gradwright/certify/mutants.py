"""Seeded defects: one operation of a function changed as people and compilers change them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gradwright.certify.mutants_attributes import Defect, attribute_defects
from gradwright.hlo import Block, Function, Operation, Value
from gradwright.hlo import attributes as attr


@dataclass(frozen=True, slots=True)
class Mutant:
    """A function with one defect, and the line of the operation that has it."""

    defect: Defect
    label: str
    line: int
    function: Function


Changed = tuple[Defect, str, Operation]

SCALE = 1.001
_COMMUTATIVE = frozenset(
    f"stablehlo.{name}" for name in ("add", "multiply", "maximum", "minimum", "and", "or", "xor")
)
_TIES = {
    attr.Direction.GT: attr.Direction.GE,
    attr.Direction.GE: attr.Direction.GT,
    attr.Direction.LT: attr.Direction.LE,
    attr.Direction.LE: attr.Direction.LT,
}


def mutants(function: Function, spared: set[int]) -> Iterator[Mutant]:
    """Yield every seeded defect; some are ill-typed, which the verifier says.

    `spared` are values, by identity, whose operations stay as they are.
    """
    for position, operation in enumerate(function.body.operations):
        if any(id(result) in spared for result in operation.results) or not operation.results:
            continue
        name = f"%{operation.results[0].name} = {operation.opcode}"
        for defect, label, body in _defects(function.body, position, operation):
            changed = replace(function, body=body)
            yield Mutant(defect, f"{name}: {label}", operation.line, changed)


def _defects(
    body: Block, position: int, operation: Operation
) -> Iterator[tuple[Defect, str, Block]]:
    for defect, label, changed in (*_operand_defects(operation), *_changed(operation)):
        yield defect, label, _with(body, position, [changed])
    for defect, kept in _droppings(operation):
        yield defect, f"%{kept.name} kept", _without(body, position, kept)
    if operation.results[0].type.element.is_float and len(operation.results) == 1:
        yield Defect.SCALE, f"times {SCALE}", _followed(body, position, operation, SCALE)
        yield Defect.SIGN, "negated", _followed(body, position, operation, -1.0)


def _changed(operation: Operation) -> Iterator[Changed]:
    for defect, attributes in attribute_defects(operation):
        label = _change(operation.attributes, attributes)
        yield defect, label, replace(operation, attributes=attributes)
    yield from _regions(operation)
    if operation.opcode == "stablehlo.add" and operation.results[0].type.element.is_float:
        yield Defect.SIGN, "subtract", replace(operation, opcode="stablehlo.subtract")
    if operation.opcode == "stablehlo.subtract":
        yield Defect.SIGN, "add", replace(operation, opcode="stablehlo.add")


def _change(was: attr.Attributes, is_now: attr.Attributes) -> str:
    """Say what became what: attributes, or of a constant the first element that changed."""
    if isinstance(was, attr.Constant) and isinstance(is_now, attr.Constant):
        for old, new in zip(was.array.flat, is_now.array.flat, strict=True):
            if old != new:
                return f"{old} -> {new}"
    return f"{was} -> {is_now}"


def _operand_defects(operation: Operation) -> Iterator[Changed]:
    operands = operation.operands
    if operation.opcode == "stablehlo.select":
        arms = (operands[0], operands[2], operands[1])
        yield Defect.ARMS, "arms swapped", replace(operation, operands=arms)
    elif len(operands) == 2 and operation.opcode not in _COMMUTATIVE and not operation.regions:
        yield Defect.OPERANDS, "operands swapped", replace(operation, operands=operands[::-1])
    if isinstance(operation.attributes, attr.Compare):
        other = _TIES.get(operation.attributes.direction)
        if other is not None:
            tied = replace(operation.attributes, direction=other)
            yield Defect.TIE, f"compare {other}", replace(operation, attributes=tied)


def _droppings(operation: Operation) -> Iterator[tuple[Defect, Value]]:
    """Yield the operand that may stand for the result."""
    defects = {
        "stablehlo.add": Defect.FAN_IN,
        "stablehlo.subtract": Defect.FAN_IN,
        "stablehlo.multiply": Defect.FACTOR,
        "stablehlo.divide": Defect.FACTOR,
        "stablehlo.reverse": Defect.REVERSE,
    }
    defect = defects.get(operation.opcode)
    if defect is None or len(operation.results) != 1:
        return
    for operand in operation.operands:
        if operand.type == operation.results[0].type:
            yield defect, operand


def _regions(operation: Operation) -> Iterator[Changed]:
    """Yield operations whose last region returns its second argument instead of a combination."""
    if not operation.regions:
        return
    region = operation.regions[-1]
    if len(region.arguments) == 2 and len(region.results) == 1 and region.operations:
        overwriting = replace(region, operations=(), results=(region.arguments[1],))
        regions = (*operation.regions[:-1], overwriting)
        yield Defect.OVERWRITTEN, "update returned", replace(operation, regions=regions)


def _with(body: Block, position: int, operations: Sequence[Operation]) -> Block:
    changed = (*body.operations[:position], *operations, *body.operations[position + 1 :])
    return replace(body, operations=changed)


def _without(body: Block, position: int, kept: Value) -> Block:
    """Return the block in which `kept` stands for the result of an operation."""
    gone = body.operations[position].results[0]

    def instead(values: tuple[Value, ...]) -> tuple[Value, ...]:
        return tuple(kept if value is gone else value for value in values)

    after = (replace(each, operands=instead(each.operands)) for each in body.operations[position:])
    operations = (*body.operations[:position], *list(after)[1:])
    return Block(body.arguments, operations, instead(body.results))


def _followed(body: Block, position: int, operation: Operation, factor: float) -> Block:
    """Return the block in which the result of an operation is multiplied by a factor."""
    result = operation.results[0]
    raw = Value(result.type, f"{result.name}_raw")
    by = Value(result.type, f"{result.name}_factor")
    number = np.array([factor]).astype(result.type.element.dtype)
    constant = attr.Constant.repeated(number, result.shape)
    return _with(
        body,
        position,
        [
            replace(operation, results=(raw,)),
            Operation("stablehlo.constant", (), (by,), constant, line=operation.line),
            Operation("stablehlo.multiply", (raw, by), (result,), line=operation.line),
        ],
    )
