"""Operations that are performed again on what was read before: they make what they made before.

A backward that computes a layer again writes the same operations once more. Nothing is to be
denoted or proved of those; without this, the second of two equal forwards would have to be found
equal to what the first was proved to be.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from gradwright.hlo import Block, Operation, Value

_BARRIER = "stablehlo.optimization_barrier"


@dataclass(slots=True)
class Repeats:
    """Values by what makes them: two of one number are equal, whatever the arguments are.

    Only for operations whose results depend on nothing but their operands: what is denoted.
    """

    _numbers: dict[int, int] = field(default_factory=dict[int, int])
    _made: dict[Hashable, tuple[Value, ...]] = field(
        default_factory=dict[Hashable, tuple[Value, ...]]
    )

    def unite(self, ours: Sequence[Value], theirs: Sequence[Value]) -> None:
        """Take arguments of two functions for the same values, pair by pair."""
        for a, b in zip(ours, theirs, strict=False):
            self._numbers[id(b)] = self._number(a)

    def met(self, operation: Operation) -> tuple[Value, ...]:
        """Return what first made what an operation makes: its own results, if it is the first."""
        if operation.opcode == _BARRIER:
            for result, operand in zip(operation.results, operation.operands, strict=True):
                self._numbers[id(result)] = self._number(operand)
            return operation.results
        first = self._made.setdefault(self._key(operation, {}), operation.results)
        for result, earlier in zip(operation.results, first, strict=True):
            self._numbers[id(result)] = self._number(earlier)
        return first

    def _number(self, value: Value) -> int:
        return self._numbers.setdefault(id(value), len(self._numbers))

    def _key(self, operation: Operation, local: Mapping[int, int]) -> Hashable:
        """Return what decides the results; `local` are the places of values inside a region."""
        return (
            operation.opcode,
            operation.attributes,
            tuple(result.type for result in operation.results),
            tuple(self._read(value, local) for value in operation.operands),
            tuple(self._region(region, local) for region in operation.regions),
        )

    def _read(self, value: Value, local: Mapping[int, int]) -> Hashable:
        place = local.get(id(value))
        return (self._number(value), None) if place is None else (None, place)

    def _region(self, region: Block, outside: Mapping[int, int]) -> Hashable:
        local = dict(outside)
        operations: list[Hashable] = []
        for argument in region.arguments:
            local[id(argument)] = len(local)
        for operation in region.operations:
            operations.append(self._key(operation, local))
            for result in operation.results:
                local[id(result)] = len(local)
        types = tuple(argument.type for argument in region.arguments)
        return types, tuple(operations), tuple(self._read(v, local) for v in region.results)
