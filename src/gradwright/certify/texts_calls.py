"""Texts without calls: the body of a private function in the place of each call of it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gradwright.errors import UnsupportedError
from gradwright.hlo import (
    Block,
    Function,
    Module,
    Operation,
    Value,
    with_batch_norms_written,
    with_captures_carried,
)
from gradwright.hlo import attributes as attr
from gradwright.hlo.copying import renewed, uses

DEPTH_LIMIT = 100
"""Calls within calls; beyond it the functions call themselves."""
CALL_LIMIT = 20_000
"""Calls in all: functions that call each other twice make 2 ** depth of them."""

Names = Mapping[int, Value]


def inlined(module: Module) -> Function:
    """Return `main` with each call replaced by what it calls and each batch norm by its formulas.

    Its loops capture nothing: what they read from outside they carry.

    Errors: UnsupportedError for a function that calls itself or is not there.
    """
    module = with_batch_norms_written(module)
    body = module.main.body
    if not any(isinstance(operation.attributes, attr.Call) for operation in body.walk()):
        return with_captures_carried(module.main)
    written = replace(module.main, body=_Inliner(module).block(body, {}, 0))
    return with_captures_carried(written)


class _Inliner:
    """Rebuilds blocks; names map the values of the text to those of the result."""

    def __init__(self, module: Module) -> None:
        self.functions = {function.name: function for function in module.functions}
        self.calls = 0

    def block(self, block: Block, names: Names, depth: int) -> Block:
        known = dict(names)
        operations: list[Operation] = []
        for operation in block.operations:
            operations += self._operation(operation, known, depth)
        return Block(block.arguments, tuple(operations), uses(block.results, known))

    def _operation(
        self, operation: Operation, known: dict[int, Value], depth: int
    ) -> Sequence[Operation]:
        operands = uses(operation.operands, known)
        if isinstance(operation.attributes, attr.Call):
            body = self._called(operation.attributes.callee, operands, depth)
            pairs = zip(operation.results, body.results, strict=True)
            known.update((id(theirs), ours) for theirs, ours in pairs)
            return body.operations
        regions = tuple(self.block(region, known, depth) for region in operation.regions)
        return [replace(operation, operands=operands, regions=regions)]

    def _called(self, callee: str, operands: Sequence[Value], depth: int) -> Block:
        """Return the body of a function at given arguments, all its values new."""
        self.calls += 1
        if self.calls > CALL_LIMIT:
            expected = f"at most {CALL_LIMIT:,} calls, each written out"
            raise UnsupportedError(where=f"call @{callee}", expected=expected, found="more")
        function = self.functions.get(callee)
        if function is None or depth > DEPTH_LIMIT:
            found = "no such function" if function is None else "a function that calls itself"
            raise UnsupportedError(where=f"call @{callee}", expected="a function", found=found)
        pairs = zip(function.body.arguments, operands, strict=True)
        known = {id(theirs): ours for theirs, ours in pairs}
        fresh = renewed(function.body, known)
        return self.block(fresh, {}, depth + 1)
