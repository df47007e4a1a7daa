"""Loops of a known number of trips, written out as straight operations.

The loop rule of `loops` denotes a loop at once, but only one that carries a counter, constants and
sums, and it has no derivative. Every other loop is written out here, one body per trip.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from gradwright.certify.kernel.algebra import Undenotable
from gradwright.certify.kernel.denotation import Denotation
from gradwright.certify.kernel.denote import new_denotation
from gradwright.certify.kernel.effort import TooLarge
from gradwright.certify.kernel.loops import counter_of, trips_of
from gradwright.certify.kernel.tensor import Tensor
from gradwright.hlo import Block, Function, Operation, Value

UNROLL_LIMIT = 20_000
"""Operations that the loops of one function may become; beyond it a loop stays a loop."""


def unrolled(function: Function, differentiated: Sequence[Value] = ()) -> Function:
    """Return a function with its loops written out, where the loop rule cannot denote them.

    A loop that a `differentiated` value depends on is always written out.
    """
    if all(operation.opcode != "stablehlo.while" for operation in function.body.walk()):
        return function
    needed = _needed(function.body, differentiated)
    return replace(function, body=_Unroller(needed).block(function.body, {}))


def _needed(block: Block, results: Sequence[Value]) -> set[int]:
    found = {id(value) for value in results}
    for operation in reversed(block.operations):
        if any(id(result) in found for result in operation.results):
            found.update(id(value) for value in operation.reads)
    return found


@dataclass(slots=True)
class _Unroller:
    """Rebuilds blocks; `scalars` knows the integers that loops count with."""

    needed: set[int]
    den: Denotation = field(default_factory=new_denotation)
    scalars: dict[int, Tensor] = field(default_factory=dict[int, Tensor])
    written: int = 0

    def block(self, block: Block, names: dict[int, Value]) -> Block:
        operations: list[Operation] = []
        for operation in block.operations:
            operations += self._operation(operation, names)
        return Block(block.arguments, tuple(operations), _uses(block.results, names))

    def _operation(self, operation: Operation, names: dict[int, Value]) -> Sequence[Operation]:
        operands = _uses(operation.operands, names)
        if operation.opcode == "stablehlo.while":
            trips = self._trips(operation, operands)
            if trips is not None:
                return self._written_out(operation, operands, names, trips)
        renewed = _with_operands(operation, operands, names)
        self._learn(renewed)
        return [renewed]

    def _learn(self, operation: Operation) -> None:
        """Remember the value of an operation on known integers."""
        scalar = all(v.type.rank == 0 and not v.type.element.is_float for v in operation.results)
        if not scalar or not all(id(v) in self.scalars for v in operation.operands):
            return
        operands = [self.scalars[id(v)] for v in operation.operands]
        try:
            results = self.den.operation(operation, operands)
        except (Undenotable, TooLarge):
            return
        self.scalars |= {id(v): t for v, t in zip(operation.results, results, strict=True)}

    def _trips(self, operation: Operation, operands: Sequence[Value]) -> int | None:
        """Return how many bodies to write, None for a loop that stays."""
        condition, body = operation.regions
        known = [self.scalars.get(id(v)) or self.den.fresh("unknown", v) for v in operands]
        symbols = [self.den.fresh("carried", value) for value in body.arguments]
        try:
            counter, step = counter_of(self.den, body, known, symbols)
            trips = trips_of(self.den, condition, known, symbols, counter, step)
        except (Undenotable, TooLarge):
            return None
        size = trips * len(body.operations)
        asked = any(id(result) in self.needed for result in operation.results)
        if self.written + size > UNROLL_LIMIT or not (asked or self._carries(operation, known)):
            return None
        self.written += size
        return trips

    def _carries(self, operation: Operation, known: Sequence[Tensor]) -> bool:
        """Return whether the loop rule fails on a loop."""
        try:
            self.den.operation(operation, known)
        except (Undenotable, TooLarge):
            return True
        return False

    def _written_out(
        self, operation: Operation, start: Sequence[Value], names: dict[int, Value], trips: int
    ) -> Sequence[Operation]:
        body = operation.regions[1]
        carried = list(start)
        operations: list[Operation] = []
        for _ in range(trips):
            inner = dict(names)
            inner.update((id(a), v) for a, v in zip(body.arguments, carried, strict=True))
            for each in body.operations:
                copied = _copied(each, inner)
                operations += self._operation(copied, inner)
            carried = list(_uses(body.results, inner))
        names.update((id(r), v) for r, v in zip(operation.results, carried, strict=True))
        return operations


def _copied(operation: Operation, names: dict[int, Value]) -> Operation:
    """Return an operation with results of its own, under which its old ones are named."""
    results = tuple(Value(v.type, v.name) for v in operation.results)
    copied = replace(_with_operands(operation, operation.operands, names), results=results)
    operands = _uses(operation.operands, names)
    names.update((id(old), new) for old, new in zip(operation.results, results, strict=True))
    return replace(copied, operands=operands)


def _with_operands(
    operation: Operation, operands: Sequence[Value], names: dict[int, Value]
) -> Operation:
    """Return an operation on other operands, its regions reading the same names."""
    if operands == operation.operands and not operation.regions:
        return operation
    regions = tuple(_renamed(region, names) for region in operation.regions)
    return replace(operation, operands=tuple(operands), regions=regions)


def _renamed(block: Block, names: dict[int, Value]) -> Block:
    operations = tuple(
        _with_operands(operation, _uses(operation.operands, names), names)
        for operation in block.operations
    )
    return Block(block.arguments, operations, _uses(block.results, names))


def _uses(values: Sequence[Value], names: dict[int, Value]) -> tuple[Value, ...]:
    return tuple(names.get(id(value), value) for value in values)
