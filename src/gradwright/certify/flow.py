"""Which operation makes each value of a block, and on what it depends."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import takewhile

from gradwright.hlo import Block, Operation, Value


@dataclass(frozen=True, slots=True)
class Flow:
    """Operations by number, and by the identity of the values that they make."""

    operations: tuple[Operation, ...]
    makers: dict[int, int]

    @staticmethod
    def of(block: Block) -> "Flow":
        """Walk a block once."""
        makers: dict[int, int] = {}
        for i, operation in enumerate(block.operations):
            makers.update((id(result), i) for result in operation.results)
        return Flow(block.operations, makers)

    def upwards(self, results: Iterable[Value]) -> Iterator[Operation]:
        """Yield the operations that results depend on, the last ones first.

        What is not asked for is not walked: the first few cost the same in a text of any length.
        """
        pending: list[int] = []
        seen: set[int] = set()

        def meet(values: Iterable[Value]) -> None:
            for value in values:
                maker = self.makers.get(id(value))
                if maker is not None and maker not in seen:
                    seen.add(maker)
                    heappush(pending, -maker)

        meet(results)
        while pending:
            operation = self.operations[-heappop(pending)]
            yield operation
            meet(operation.reads)

    def between(self, value: Value, results: Iterable[Value]) -> list[Operation]:
        """Return the operations on the ways from a value to results, in order."""
        maker = self.makers.get(id(value), -1)
        above = takewhile(
            lambda operation: self.makers[id(operation.results[0])] > maker, self.upwards(results)
        )
        reached = {id(value)}
        found: list[Operation] = []
        for operation in reversed([*above]):
            if any(id(read) in reached for read in operation.reads):
                reached.update(id(result) for result in operation.results)
                found.append(operation)
        return found
