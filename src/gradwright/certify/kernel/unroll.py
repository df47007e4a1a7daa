"""Loops of a known number of trips, written out as straight operations.

The loop rule of `loops` denotes a loop at once, but only one that carries a counter, constants and
sums, and it has no derivative. Every other loop is written out here, one body per trip.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from gradwright.certify.effort import TooLarge
from gradwright.certify.kernel.algebra import Undenotable
from gradwright.certify.kernel.denotation import Denotation
from gradwright.certify.kernel.denote import new_denotation
from gradwright.certify.kernel.loops import counter_of, trips_of
from gradwright.certify.kernel.tensor import Tensor
from gradwright.hlo import Block, Function, Operation, Value
from gradwright.hlo.copying import on, renewed, unnamed, uses

UNROLL_LIMIT = 20_000
"""Operations that the loops of one function may become; beyond it a loop stays a loop."""


def unrolled(
    function: Function, differentiated: Sequence[Value] = (), stays: Collection[int] = ()
) -> Function:
    """Return a function with its loops written out, where the loop rule cannot denote them.

    A loop that a `differentiated` value depends on is always written out, but for those of `stays`,
    by identity: such a one has a derivative where it is proved to be a multilinear form.
    """
    body = function.body
    if all(operation.opcode != "stablehlo.while" for operation in body.walk()):
        return function
    operations, results = _Unroller(_needed(body, differentiated), stays).written_out(
        body, asked=False
    )
    return replace(function, body=Block(body.arguments, tuple(operations), results))


def _needed(block: Block, results: Sequence[Value]) -> set[int]:
    found = {id(value) for value in results}
    for operation in reversed(block.operations):
        if any(id(result) in found for result in operation.results):
            found.update(id(value) for value in operation.reads)
    return found


@dataclass(slots=True)
class _Unroller:
    """Rewrites blocks; `scalars` knows the integers that loops count with."""

    needed: set[int]
    stays: Collection[int]
    den: Denotation = field(default_factory=new_denotation)
    scalars: dict[int, Tensor] = field(default_factory=dict[int, Tensor])
    written: int = 0
    denotable: dict[object, bool] = field(default_factory=dict[object, bool])
    """Whether the loop rule denotes a loop, by its text without names: layers are alike."""

    def written_out(
        self, block: Block, *, asked: bool
    ) -> tuple[list[Operation], tuple[Value, ...]]:
        """Return operations that compute the results of a block, and those results."""
        names: dict[int, Value] = {}
        operations: list[Operation] = []
        for original in block.operations:
            operation = on(original, names)
            needed = any(id(result) in self.needed for result in original.results)
            wanted = asked or (needed and id(original) not in self.stays)
            trips = self._trips(operation, wanted=wanted)
            if trips is None:
                self._learn(operation)
                operations.append(operation)
                continue
            carried, body = operation.operands, operation.regions[1]
            for _ in range(trips):
                fresh = renewed(body, dict(zip(map(id, body.arguments), carried, strict=True)))
                inner, carried = self.written_out(fresh, asked=wanted)
                operations += inner
            names.update(zip(map(id, original.results), carried, strict=True))
        return operations, uses(block.results, names)

    def _learn(self, operation: Operation) -> None:
        """Remember the value of an operation on known integers."""
        scalar = all(v.type.rank == 0 and not v.type.element.is_float for v in operation.results)
        if scalar and all(id(v) in self.scalars for v in operation.operands):
            results = self._denoted(operation, [self.scalars[id(v)] for v in operation.operands])
            self.scalars |= zip(map(id, operation.results), results or (), strict=False)

    def _trips(self, operation: Operation, *, wanted: bool) -> int | None:
        """Return how many bodies to write; None for a loop that stays, and for anything else."""
        if operation.opcode != "stablehlo.while":
            return None
        body = operation.regions[1]
        fresh = self.den.fresh
        known = [self.scalars.get(id(v)) or fresh("unknown", v) for v in operation.operands]
        symbols = [fresh("carried", value) for value in body.arguments]
        try:
            counter, step = counter_of(self.den, body, known, symbols)
            trips = trips_of(self.den, operation, known, symbols, counter, step)
        except (Undenotable, TooLarge):
            return None
        size = self.written + trips * len(body.operations)
        if size > UNROLL_LIMIT or not (wanted or not self._is_denotable(operation, known)):
            return None
        self.written = size
        return trips

    def _is_denotable(self, operation: Operation, operands: Sequence[Tensor]) -> bool:
        starts = tuple(x.poly.constant for x in operands)
        key = unnamed(operation), starts
        if key not in self.denotable:
            self.denotable[key] = self._denoted(operation, operands) is not None
        return self.denotable[key]

    def _denoted(self, operation: Operation, operands: Sequence[Tensor]) -> Sequence[Tensor] | None:
        try:
            return self.den.operation(operation, operands)
        except (Undenotable, TooLarge):
            return None
