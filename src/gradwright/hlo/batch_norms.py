"""Batch norms in one operation, by their formulas: calls of functions that are written for them."""

import re
from collections.abc import Sequence
from dataclasses import replace
from math import isfinite, prod

from gradwright.hlo.attributes import Call, Opaque
from gradwright.hlo.builder import Builder
from gradwright.hlo.ir import Block, Function, Module, Operation, Value

_ATTRIBUTES = re.compile(r"\{epsilon = ([-+.\deE]+) : f32, feature_index = (\d+) : i64\}")
_OPERANDS = {"training": 3, "inference": 5, "grad": 5}


def with_batch_norms_written(module: Module) -> Module:
    """Return a module whose batch norms are calls of functions that hold their formulas.

    With n elements of x for each feature, v variances and d the cotangent of y:

        training   mean = sum x / n, v = sum (x - mean)^2 / n, y as in inference
        inference  y = scale (x - mean) / sqrt(v + epsilon) + offset
        grad       dx = scale / sqrt(v + epsilon) / n (n d - sum d - (x - mean) sum (x - mean) d
                   / (v + epsilon)), dscale = sum d (x - mean) / sqrt(v + epsilon), doffset = sum d

    A batch norm that has no elements, or whose n its type does not hold, is left as it is. Source:
    the StableHLO specification.
    """
    written: list[Function] = []
    functions = [replace(f, body=_block(f.body, written)) for f in module.functions]
    return replace(module, functions=(*functions, *written)) if written else module


def _block(block: Block, written: list[Function]) -> Block:
    operations = tuple(_operation(operation, written) for operation in block.operations)
    return replace(block, operations=operations)


def _operation(operation: Operation, written: list[Function]) -> Operation:
    kind = operation.opcode.removeprefix("stablehlo.batch_norm_")
    if kind in _OPERANDS:
        function = _formula(kind, operation, f"{operation.opcode}.{len(written)}")
        if function is None:
            return operation
        written.append(function)
        return replace(operation, opcode="func.call", attributes=Call(function.name))
    regions = tuple(_block(region, written) for region in operation.regions)
    return replace(operation, regions=regions) if regions else operation


def _formula(kind: str, operation: Operation, name: str) -> Function | None:
    found = operation.attributes
    read = _ATTRIBUTES.fullmatch(found.text) if isinstance(found, Opaque) else None
    types = [value.type for value in operation.operands]
    if read is None or len(types) != _OPERANDS[kind] or int(read[2]) >= types[0].rank:
        return None
    epsilon, feature, shape = float(read[1]), int(read[2]), types[0].shape
    n = prod(shape) // max(1, shape[feature])
    if not (isfinite(epsilon) and n and n == float(types[0].element.dtype.type(n))):
        return None
    b = Builder()
    x, *others = (b.argument(f"operand{i}", each) for i, each in enumerate(types))
    rest = [d for d in range(len(shape)) if d != feature]

    def spread(v: Value) -> Value:
        return b.broadcast(v, shape, (feature,))

    def total(v: Value) -> Value:
        return b.sum(v, rest)

    results: Sequence[Value]
    if kind == "training":
        scale, offset = others
        mean = total(x) / n
        centred = x - spread(mean)
        variance = total(centred * centred) / n
        y = spread(scale) * centred / b.sqrt(spread(variance + epsilon)) + spread(offset)
        results = y, mean, variance
    elif kind == "inference":
        scale, offset, mean, variance = others
        centred = x - spread(mean)
        results = (spread(scale) * centred / b.sqrt(spread(variance + epsilon)) + spread(offset),)
    else:
        scale, mean, variance, d = others
        centred, deviation = x - spread(mean), b.sqrt(variance + epsilon)
        pull = centred * spread(total(d * centred) / (variance + epsilon))
        dx = spread(scale / deviation) / n * (d * n - spread(total(d)) - pull)
        results = dx, total(d * centred) / deviation, total(d)
    body = b.finish(name, results).body
    operations = tuple(replace(each, line=operation.line) for each in body.operations)
    return Function(name, Block(body.arguments, operations, body.results))
