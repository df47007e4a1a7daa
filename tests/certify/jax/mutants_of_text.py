"""Changes of one operation of a text that the value does not depend on, and whether they matter."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from gradwright.certify.refute_points import restricted
from gradwright.hlo import Function, Module, Operation, Value, evaluate
from gradwright.hlo import attributes as attr

NEAR = 1e-4
"""Relative; f32 sums of these sizes stay within, and a factor of 1.001 does not."""
_SWAPS = {
    "stablehlo.add": "stablehlo.subtract",
    "stablehlo.subtract": "stablehlo.add",
    "stablehlo.multiply": "stablehlo.add",
    "stablehlo.divide": "stablehlo.multiply",
    "stablehlo.negate": "stablehlo.abs",
    "stablehlo.sine": "stablehlo.cosine",
    "stablehlo.cosine": "stablehlo.sine",
    "stablehlo.exponential": "stablehlo.logistic",
    "stablehlo.tanh": "stablehlo.sine",
}


def same_results(main: Function, mutant: Function) -> bool:
    """Return whether both functions return the same at one drawn input, but for rounding."""
    pairs = zip(_evaluated(main), _evaluated(mutant), strict=True)
    return all(np.allclose(found, right, NEAR, NEAR) for right, found in pairs)


def changed(main: Function) -> Iterator[Function]:
    """Yield the function with one operation changed that the value does not depend on."""
    forward = {id(op) for op in restricted(main, [main.body.results[0]]).body.operations}
    values = {
        id(r) for op in restricted(main, [main.body.results[0]]).body.operations for r in op.results
    }
    for i, operation in enumerate(main.body.operations):
        if id(operation) in forward or any(id(r) in values for r in operation.results):
            continue
        for changed in _changes(operation):
            operations = list(main.body.operations)
            operations[i] = changed
            yield replace(main, body=replace(main.body, operations=tuple(operations)))


def _changes(operation: Operation) -> Iterator[Operation]:
    if not operation.results[0].type.element.is_float:
        return
    if operation.opcode in _SWAPS:
        yield replace(operation, opcode=_SWAPS[operation.opcode])
    if operation.opcode in ("stablehlo.subtract", "stablehlo.divide", "stablehlo.select"):
        *first, a, b = operation.operands
        yield replace(operation, operands=(*first, b, a))
    if isinstance(operation.attributes, attr.Constant) and operation.attributes.splat:
        array = operation.attributes.array
        scaled = np.full(array.shape, array.flat[0] * np.float32(1.001), array.dtype)
        if np.isfinite(array.flat[0]):
            yield replace(operation, attributes=attr.Constant.of(scaled))


def _evaluated(main: Function) -> list[np.ndarray]:
    generator = np.random.default_rng(1)
    arguments = [_drawn(generator, value) for value in main.body.arguments]
    return evaluate(Module("m", (replace(main, name="main", aliases=()),)), arguments)


def _drawn(generator: np.random.Generator, value: Value) -> np.ndarray:
    if value.type.element.is_float:
        return generator.normal(size=value.shape).astype(np.float32)
    return generator.integers(0, 4, value.shape).astype(np.int32)
