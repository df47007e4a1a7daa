"""Comparisons at one input, decided over the rational numbers.

A difference that is 0 is 0 here; in floats any rounding may take it to either side.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import isqrt, prod

import numpy as np

from gradwright.hlo import Function, Operation
from gradwright.hlo import attributes as attr
from gradwright.hlo.literals import decimals

MOST = 1 << 16
"""Elements that are computed for one function; what comes after them is not known."""


def decided(function: Function, inputs: Sequence[np.ndarray]) -> Function:
    """Return the function with its comparisons of floats as they are at an input, where known."""
    known = {
        id(value): _rational(array) if value.type.element.is_float else None
        for value, array in zip(function.body.arguments, inputs, strict=True)
    }
    operations: list[Operation] = []
    left = MOST
    for operation in function.body.operations:
        left -= sum(value.type.size for value in operation.results)
        found = _computed(operation, [known.get(id(v)) for v in operation.operands], left)
        if len(operation.results) == 1:
            known[id(operation.results[0])] = found
        if found is not None and operation.opcode == "stablehlo.compare":
            constant = attr.Constant.of(found.astype(np.bool_))
            operation = Operation("stablehlo.constant", (), operation.results, constant)
        operations.append(operation)
    return replace(function, body=replace(function.body, operations=tuple(operations)))


def _computed(
    operation: Operation, operands: Sequence[np.ndarray | None], left: int
) -> np.ndarray | None:
    """Return the result of an operation on numbers that are known, None where it is not known."""
    x = [each for each in operands if each is not None]
    if left < 0 or len(x) < len(operands):
        return None
    shape = operation.results[0].shape if operation.results else ()
    match operation.attributes:
        case attr.Constant() as a if operation.results[0].type.element.is_float:
            return _literal(a)
        case attr.Compare(direction=direction):
            return _COMPARE[direction](x[0], x[1]) if x[0].dtype == object else None
        case attr.BroadcastInDim(dimensions=dimensions) if list(dimensions) == sorted(dimensions):
            places = [1] * len(shape)
            for i, d in enumerate(dimensions):
                places[d] = x[0].shape[i]
            return np.broadcast_to(x[0].reshape(places), shape)
        case attr.Transpose(permutation=permutation):
            return np.transpose(x[0], permutation)
        case _ if operation.opcode == "stablehlo.reshape":
            return x[0].reshape(shape)
        case _:
            rule = _RULES.get(operation.opcode)
            return None if rule is None or any(each.dtype != object for each in x) else rule(*x)


def _rational(array: np.ndarray) -> np.ndarray | None:
    if array.size > MOST or not np.isfinite(array).all():
        return None
    return _objects([Fraction(float(x)) for x in array.reshape(-1)], array.shape)


def _objects(entries: Sequence[object], shape: Sequence[int]) -> np.ndarray:
    found = np.empty(len(entries), dtype=object)
    found[:] = entries
    return found.reshape(tuple(shape))


def _literal(constant: attr.Constant) -> np.ndarray | None:
    words = decimals(constant)
    if prod(constant.array.shape) > MOST or any(not word[-1].isdigit() for word in words):
        return None  # an infinity, or NaN
    entries = [Fraction(word) for word in words]
    repeated = entries * prod(constant.array.shape) if constant.splat else entries
    return _objects(repeated, constant.array.shape)


def _quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    return None if (b == 0).any() else a / b


def _root(a: np.ndarray) -> np.ndarray | None:
    """Return roots, where all of them are rational."""
    roots: list[Fraction] = []
    for x in a.reshape(-1).tolist():
        if x < 0:
            return None
        root = Fraction(isqrt(x.numerator), isqrt(x.denominator))
        if root * root != x:
            return None
        roots.append(root)
    return _objects(roots, a.shape)


_COMPARE = {
    attr.Direction.GT: np.greater,
    attr.Direction.GE: np.greater_equal,
    attr.Direction.LT: np.less,
    attr.Direction.LE: np.less_equal,
    attr.Direction.EQ: np.equal,
    attr.Direction.NE: np.not_equal,
}
_RULES: dict[str, Callable[..., np.ndarray | None]] = {
    "stablehlo.add": np.add,
    "stablehlo.subtract": np.subtract,
    "stablehlo.multiply": np.multiply,
    "stablehlo.negate": np.negative,
    "stablehlo.abs": np.abs,
    "stablehlo.maximum": np.maximum,
    "stablehlo.minimum": np.minimum,
    "stablehlo.divide": _quotient,
    "stablehlo.sqrt": _root,
}
"""Operations on arrays of rational numbers."""
