"""Reverse mode: the cotangent of every value of a function, from those of its results.

The cotangent of a value is the sum, over the operations that read it, of what `pull` gives; a
value read twice by one operation gets both parts. A value that is proved to be a multilinear form
of values before it may hand its cotangent to those instead.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gradwright.certify.kernel.algebra import Undenotable
from gradwright.certify.kernel.denotation import Denotation, Environment
from gradwright.certify.kernel.derive import pull, pulled
from gradwright.certify.kernel.multilinear import Application, Multilinear
from gradwright.certify.kernel.tensor import Tensor
from gradwright.hlo import Operation, Value

Rewrite = Callable[[Operation, Tensor], Tensor]
"""Returns an equal tensor for the cotangent of an operation's result."""


@dataclass(frozen=True, slots=True)
class Contracted:
    """A value as a multilinear form of values that are made before it."""

    form: Multilinear
    operands: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Sweep:
    """What a reverse sweep over operations reads: their denotations, and why some have none.

    `instead` has the values, by identity, that are proved to be what it says, whatever operations
    the text makes them by.
    """

    den: Denotation
    known: Environment
    failures: Mapping[int, str]
    rewrite: Rewrite
    instead: Mapping[int, Contracted] = field(default_factory=dict[int, Contracted])

    def cotangents(
        self, operations: Sequence[Operation], seeds: Mapping[int, Tensor], wrt: set[int]
    ) -> dict[int, Tensor]:
        """Return the cotangent of each value that depends on `wrt`; a missing one is 0.

        Errors: Undenotable for an operation on the way that has no denotation or no rule.
        """
        depends = set(wrt)
        for operation in operations:
            if any(id(v) in depends for v in operation.reads):
                depends.update(id(v) for v in operation.results)
        found = dict(seeds)
        for operation in reversed(operations):
            for value, dx in self._pulled(operation, found, depends):
                if dx is not None and id(value) in depends:
                    known = found.get(id(value))
                    total = dx if known is None else self.den.pointwise.add(known, dx)
                    found[id(value)] = total
        return found

    def _pulled(
        self, operation: Operation, found: Mapping[int, Tensor], depends: set[int]
    ) -> Iterator[tuple[Value, Tensor | None]]:
        """Yield the operands of an operation with their cotangents; none off the way."""
        if operation.opcode == "stablehlo.optimization_barrier":
            for operand, result in zip(operation.operands, operation.results, strict=True):
                yield operand, found.get(id(result))
            return
        arrived = [
            (result, found[id(result)])
            for result in operation.results
            if id(result) in depends and id(result) in found and found[id(result)].poly
        ]
        if not arrived:
            return
        result, g = arrived[0]
        failure = self.failures.get(id(operation.results[0]))
        if failure is not None:
            raise Undenotable(f"%{result.name}: {failure}")
        if id(result) in self.instead and len(arrived) == 1:
            yield from self._contracted(self.instead[id(result)], self.rewrite(operation, g))
            return
        if len(operation.results) > 1:
            raise Undenotable(f"%{result.name}: {operation.opcode} of several results")
        x = [self.known[id(v)] for v in operation.operands]
        self.den.conditions.operation = operation
        dx = pull(self.den, operation, x, [self.known[id(result)]], self.rewrite(operation, g))
        yield from zip(operation.operands, dx, strict=True)

    def _contracted(self, value: Contracted, g: Tensor) -> Iterator[tuple[Value, Tensor | None]]:
        """Yield the operands of a form with their cotangents."""
        x = tuple(self.known[id(v)] for v in value.operands)
        application = Application(value.form, x, {i: i for i in range(len(x))})
        dx = pulled(self.den, application, g, len(x))
        yield from zip(value.operands, dx, strict=True)
