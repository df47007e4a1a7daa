"""Seeded defects: one operation of a module changed, everything else as it was written."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations

import numpy as np

from gradwright.hlo import Block, Module, Operation, Value
from gradwright.hlo import attributes as attr

Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A module with one defect, and what was done."""

    label: str
    module: Module


def mutants(module: Module) -> Iterator[Mutant]:
    """Yield every seeded defect of `main`; some are ill-typed, which the verifier says."""
    operations = module.main.body.operations
    for index, operation in enumerate(operations):
        if operation.opcode == "stablehlo.optimization_barrier":
            continue  # the identity: what it orders has no effect on values
        name = operation.results[0].name
        for defect, changed in changes(operation):
            yield Mutant(f"%{name}: {defect}", _with(module, index, changed))
        for position, operand in enumerate(operation.operands):
            if operand.type == operation.results[0].type:
                label = f"%{name}: {operation.opcode} dropped, operand {position} kept"
                yield Mutant(label, _without(module, index, operand))


def changes(operation: Operation) -> Iterator[tuple[str, Operation]]:
    """Yield (what was done, changed operation)."""
    for attributes in _attributes(operation.attributes):
        if attributes == operation.attributes:
            continue
        yield (
            _difference(operation.attributes, attributes),
            replace(operation, attributes=attributes),
        )
    swapped = 1 if _symmetric(operation) else len(operation.operands)
    for first, second in combinations(range(swapped), 2):
        operands = list(operation.operands)
        if operands[first] is operands[second]:
            continue
        operands[first], operands[second] = operands[second], operands[first]
        yield f"operands {first} and {second} swapped", replace(operation, operands=tuple(operands))
    for number, region in enumerate(operation.regions):
        for inner, part in enumerate(region.operations):
            for attributes in _attributes(part.attributes):
                parts = list(region.operations)
                parts[inner] = replace(part, attributes=attributes)
                regions = list(operation.regions)
                regions[number] = replace(region, operations=tuple(parts))
                changed = replace(operation, regions=tuple(regions))
                yield f"region {number}: {_difference(part.attributes, attributes)}", changed


def _difference(before: attr.Attributes, after: attr.Attributes) -> str:
    if isinstance(before, attr.Compare) and isinstance(after, attr.Compare):
        return f"Compare {before.direction} -> {after.direction}"
    return f"{before} -> {after}"


SYMMETRIC = frozenset(
    f"stablehlo.{name}" for name in ("add", "multiply", "maximum", "minimum", "and", "or", "reduce")
)
"""Operations whose operands may change places (of `reduce`, the equal initial values)."""


def _symmetric(operation: Operation) -> bool:
    relation = operation.attributes
    equality = isinstance(relation, attr.Compare) and relation.direction is attr.Direction.EQ
    return equality or operation.opcode in SYMMETRIC


def _attributes(attributes: attr.Attributes) -> Iterator[attr.Attributes]:
    match attributes:
        case attr.Constant(array=array):
            yield attr.Constant.of(np.asarray(array + np.ones((), array.dtype), array.dtype))
        case attr.Compare(direction=direction):
            for other in attr.Direction:
                if other is not direction:
                    yield replace(attributes, direction=other)
        case attr.Transpose(permutation=permutation):
            for other in permutations(permutation):
                if other != permutation:
                    yield attr.Transpose(other)
        case attr.BroadcastInDim(dimensions=dimensions):
            for other in permutations(range(4), len(dimensions)):
                if other != dimensions:
                    yield attr.BroadcastInDim(other)
        case attr.Dimensions(dimensions=dimensions):
            for size in (len(dimensions), len(dimensions) - 1):
                for other in combinations(range(5), size):
                    if other != dimensions and other:
                        yield attr.Dimensions(other)
        case attr.Slice():
            for start, limit in _shifted(attributes.start, attributes.limit, 1):
                yield replace(attributes, start=start, limit=limit)
        case attr.Pad():
            for low, high in _shifted(attributes.low, attributes.high, -1):
                yield replace(attributes, low=low, high=high)
        case attr.DotGeneral():
            yield replace(attributes, lhs_contracting=_other(attributes.lhs_contracting))
            yield replace(attributes, rhs_contracting=_other(attributes.rhs_contracting))
        case attr.Convolution():
            yield from _convolutions(attributes)
        case attr.Window() | attr.ScatterWindow():
            for padding in _paddings(attributes.padding):
                yield replace(attributes, padding=padding)
        case _:
            return


def _convolutions(attributes: attr.Convolution) -> Iterator[attr.Convolution]:
    strides, lhs, rhs = attributes.strides, attributes.lhs_dilation, attributes.rhs_dilation
    swapped = (
        replace(attributes, strides=rhs, rhs_dilation=strides),
        replace(attributes, strides=lhs, lhs_dilation=strides),
        replace(attributes, lhs_dilation=rhs, rhs_dilation=lhs),
        replace(attributes, padding=attributes.padding[::-1]),
        replace(attributes, window_reversal=(True, True)),
        replace(attributes, window_reversal=(True, False)),
        replace(
            attributes,
            feature_group_count=attributes.batch_group_count,
            batch_group_count=attributes.feature_group_count,
        ),
    )
    yield from (changed for changed in swapped if changed != attributes)
    for padding in _paddings(attributes.padding):
        yield replace(attributes, padding=padding)


def _paddings(padding: Pairs) -> Iterator[Pairs]:
    """Move each axis's window by one, which keeps every shape."""
    for axis, (low, high) in enumerate(padding):
        for step in (-1, 1):
            yield (*padding[:axis], (low + step, high - step), *padding[axis + 1 :])


def _shifted(
    first: Sequence[int], second: Sequence[int], sign: int
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Move one axis's range by one either way."""
    for axis in range(len(first)):
        for step in (-1, 1):
            moved, opposite = list(first), list(second)
            moved[axis] += step
            opposite[axis] += sign * step
            yield tuple(moved), tuple(opposite)


def _other(dimensions: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(1 - dimension for dimension in dimensions) if len(dimensions) == 1 else dimensions


def _with(module: Module, index: int, operation: Operation) -> Module:
    body = module.main.body
    operations = (*body.operations[:index], operation, *body.operations[index + 1 :])
    return _replaced(module, replace(body, operations=operations))


def _without(module: Module, index: int, kept: Value) -> Module:
    """Return the module in which `kept` stands for the first result of an operation."""
    body = module.main.body
    gone = body.operations[index].results[0]

    def instead(values: tuple[Value, ...]) -> tuple[Value, ...]:
        return tuple(kept if value is gone else value for value in values)

    after = (replace(o, operands=instead(o.operands)) for o in body.operations[index + 1 :])
    operations = (*body.operations[: index + 1], *after)
    return _replaced(module, Block(body.arguments, operations, instead(body.results)))


def _replaced(module: Module, body: Block) -> Module:
    return replace(module, functions=(replace(module.main, body=body),))
