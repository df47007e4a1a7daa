"""Which operation makes each value of a block, and which ones read it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush

from gradwright.hlo import Block, Operation, Value


@dataclass(frozen=True, slots=True)
class Flow:
    """Operations by number, and by the identity of the values that they make and read."""

    operations: tuple[Operation, ...]
    makers: dict[int, int]
    users: dict[int, list[int]]

    @staticmethod
    def of(block: Block) -> "Flow":
        """Walk a block once."""
        makers: dict[int, int] = {}
        users: dict[int, list[int]] = {}
        for i, operation in enumerate(block.operations):
            makers.update((id(result), i) for result in operation.results)
            for value in operation.reads:
                users.setdefault(id(value), []).append(i)
        return Flow(block.operations, makers, users)

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
        below: set[int] = set()
        pending = list(self.users.get(id(value), ()))
        while pending:
            i = pending.pop()
            if i not in below:
                below.add(i)
                for result in self.operations[i].results:
                    pending.extend(self.users.get(id(result), ()))
        wanted = {id(result) for result in results}
        found: list[Operation] = []
        for i in sorted(below, reverse=True):
            operation = self.operations[i]
            if any(id(result) in wanted for result in operation.results):
                wanted.update(id(read) for read in operation.reads)
                found.append(operation)
        return found[::-1]
