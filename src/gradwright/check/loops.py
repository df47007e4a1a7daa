"""Texts without loops: each loop that counts integers written out, one body per trip.

A reduction of several operands is parted into reductions of one each.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from gradwright.check.operations import combiner_of, opcode_of
from gradwright.hlo import Block, Function, Operation, Value
from gradwright.hlo import attributes as attr

OPERATIONS = 20_000
"""Operations that all loops of a text may become; a loop beyond that stays, and means nothing."""


def without_loops(function: Function) -> Function:
    """Return a function with its loops written out, where their trips are known."""
    if all(operation.opcode != "stablehlo.while" for operation in function.body.walk()):
        return function
    return replace(function, body=_Writer().straight(function.body))


@dataclass(slots=True)
class _Writer:
    """`integers` are the scalar integers whose value is known."""

    integers: dict[int, int] = field(default_factory=dict[int, int])
    written: int = 0

    def straight(self, block: Block) -> Block:
        """Return a block with its loops written out."""
        new: dict[int, Value] = {}
        operations = self._operations(block, new)
        return Block(block.arguments, tuple(operations), _renamed(block.results, new))

    def _operations(self, block: Block, new: dict[int, Value]) -> list[Operation]:
        """Return the operations of a block in the names `new`, which their results join."""
        operations: list[Operation] = []
        for operation in block.operations:
            operands = _renamed(operation.operands, new)
            if operation.opcode == "stablehlo.while":
                written = self._loop(operation, operands, new)
                if written is not None:
                    operations += written
                    continue
            results = tuple(Value(r.type, r.name) for r in operation.results)
            new.update((id(a), b) for a, b in zip(operation.results, results, strict=True))
            regions = tuple(_in_names(region, new) for region in operation.regions)
            operations.append(
                replace(operation, operands=operands, results=results, regions=regions)
            )
            self._learn(operations[-1])
        return operations

    def _loop(
        self, operation: Operation, carried: Sequence[Value], new: dict[int, Value]
    ) -> list[Operation] | None:
        """Return the bodies of a loop, one after the other; None where its trips are not known."""
        condition, body = operation.regions
        operations: list[Operation] = []
        before = self.written
        while self.written < OPERATIONS:
            inner = {**new, **_bound(condition.arguments, carried)}
            self._operations(condition, inner)
            goes_on = self.integers.get(id(_renamed(condition.results, inner)[0]))
            if goes_on is None:
                break
            if not goes_on:
                new.update(_bound(operation.results, carried))
                return operations
            inner = {**new, **_bound(body.arguments, carried)}
            operations += self._operations(body, inner)
            carried = _renamed(body.results, inner)
            self.written += len(body.operations) + 1
        self.written = before
        return None

    def _learn(self, operation: Operation) -> None:
        """Remember the result of an operation on known integers, as long as nothing overflows."""
        result = operation.results[0] if len(operation.results) == 1 else None
        if result is None or result.type.rank or result.type.element.is_float:
            return
        if isinstance(operation.attributes, attr.Constant):
            self.integers[id(result)] = int(operation.attributes.array.reshape(-1)[0])
            return
        x = [self.integers.get(id(v)) for v in operation.operands]
        known = [n for n in x if n is not None]
        if len(known) != len(x) or not x:
            return
        value = _value(operation, known)
        if value is not None and -_REACH <= value < _REACH:
            self.integers[id(result)] = value


_REACH = 1 << 31


def _value(operation: Operation, x: Sequence[int]) -> int | None:
    opcode, attributes = operation.opcode.removeprefix("stablehlo."), operation.attributes
    if operation.results[0].type.element.value not in ("i32", "i64", "i1"):
        return None
    match opcode:
        case "add" if operation.results[0].type.element.is_integer:
            return x[0] + x[1]
        case "subtract" if operation.results[0].type.element.is_integer:
            return x[0] - x[1]
        case "multiply":
            return x[0] * x[1]
        case "compare" if isinstance(attributes, attr.Compare):
            a, b = x
            answers = {"LT": a < b, "LE": a <= b, "GT": a > b, "GE": a >= b, "EQ": a == b}
            return int({**answers, "NE": a != b}[attributes.direction.value])
        case "select":
            return x[1] if x[0] else x[2]
        case _:
            return None


def _bound(names: Sequence[Value], values: Sequence[Value]) -> dict[int, Value]:
    return {id(a): b for a, b in zip(names, values, strict=True)}


def _renamed(values: Sequence[Value], new: dict[int, Value]) -> tuple[Value, ...]:
    return tuple(new.get(id(v), v) for v in values)


def _in_names(block: Block, new: dict[int, Value]) -> Block:
    """Return a region that reads outer values under their new names."""
    operations = tuple(
        replace(
            operation,
            operands=_renamed(operation.operands, new),
            regions=tuple(_in_names(region, new) for region in operation.regions),
        )
        for operation in block.operations
    )
    return Block(block.arguments, operations, _renamed(block.results, new))


def parted(operation: Operation) -> list[Operation]:
    """Return a reduction of several operands that do not mix as reductions of one each."""
    count = len(operation.results)
    if opcode_of(operation) not in ("reduce", "reduce_window") or count < 2:
        return [operation]
    block = operation.regions[0]
    makers = {id(inner.results[0]): inner for inner in block.operations}
    parts: list[Operation] = []
    for i, result in enumerate(block.results):
        combined = tuple(makers[id(result)] for _ in range(id(result) in makers))
        pair = block.arguments[i], block.arguments[count + i]
        region = Block(pair, combined, (result,))
        if combiner_of(region) is None:
            return [operation]
        operands = operation.operands[i], operation.operands[count + i]
        results = (operation.results[i],)
        parts.append(replace(operation, operands=operands, results=results, regions=(region,)))
    return parts
