"""Texts without calls: each call replaced by the body of the function that it calls."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count

from gradwright.errors import UnsupportedError
from gradwright.hlo import Block, Function, Module, Operation, Value
from gradwright.hlo import attributes as attr

DEPTH = 50
"""Calls inside calls."""
CALLS = 20_000
"""Calls in all."""
_NONE: Mapping[int, Value] = {}


def without_calls(module: Module) -> Function:
    """Return the main function with calls written out; UnsupportedError for a recursive one."""
    functions = {function.name: function for function in module.functions}
    calls = count(1)

    def inner(region: Block, outer: dict[int, Value], depth: int) -> Block:
        operations, results = expanded(region, region.arguments, depth, outer)
        return Block(region.arguments, tuple(operations), results)

    def expanded(
        block: Block, arguments: Sequence[Value], depth: int, outer: Mapping[int, Value] = _NONE
    ) -> tuple[list[Operation], tuple[Value, ...]]:
        """Return the operations of a block at other arguments, all results new, and its results."""
        if depth > DEPTH:
            raise UnsupportedError(
                where="call", expected="functions that end", found="calls without end"
            )
        new = dict(outer) | {id(a): b for a, b in zip(block.arguments, arguments, strict=True)}
        operations: list[Operation] = []
        for operation in block.operations:
            operands = tuple(new.get(id(v), v) for v in operation.operands)
            results: tuple[Value, ...]
            if isinstance(operation.attributes, attr.Call):
                callee = functions.get(operation.attributes.callee)
                if callee is None:
                    found = operation.attributes.callee
                    raise UnsupportedError(where="call", expected="a function", found=found)
                if next(calls) > CALLS:
                    raise UnsupportedError(
                        where="call", expected=f"at most {CALLS:,} calls in all", found="more"
                    )
                body, results = expanded(callee.body, operands, depth + 1)
                operations += body
            else:
                results = tuple(Value(r.type, r.name) for r in operation.results)
                regions = tuple(inner(region, new, depth) for region in operation.regions)
                operations.append(
                    replace(operation, operands=operands, results=results, regions=regions)
                )
            new.update((id(a), b) for a, b in zip(operation.results, results, strict=True))
        return operations, tuple(new.get(id(v), v) for v in block.results)

    main = module.main
    body = main.body
    if not any(isinstance(operation.attributes, attr.Call) for operation in body.walk()):
        return main
    operations, results = expanded(body, body.arguments, 0)
    return replace(main, body=Block(body.arguments, tuple(operations), results))
