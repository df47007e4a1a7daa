"""Ranges of integers that a text shows by itself, and the operations that may leave their type.

One forward pass bounds values by constants, by iota and by what a type holds. Proofs compute with
whole numbers; what is found here is said of them in the scope. Nothing is proved with it.
"""

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from gradwright.hlo import Block, ElementType, Function, Operation, TensorType, Value
from gradwright.hlo import attributes as attr

Range = tuple[float, float]
"""The least and the greatest element; infinite where nothing is known."""
Rule = Callable[[Operation, Sequence[Range]], Range]

_ALL = -math.inf, math.inf
_NESTING = frozenset(("stablehlo.while", "stablehlo.if", "stablehlo.case"))
"""Operations whose regions compute values of their own; other regions say how to combine two."""
_SUMS = frozenset(
    f"stablehlo.{name}" for name in ("reduce", "reduce_window", "scatter", "select_and_scatter")
)
_SUMMED = {"stablehlo.scatter": (2, 0), "stablehlo.select_and_scatter": (1, 2)}
"""The operand that is summed and the one that the sum starts from, where not the first two."""


def overflowing(functions: Iterable[Function]) -> list[Operation]:
    """Return the operations whose integers, for all that is known, their type may not hold."""
    ranges = _Ranges()
    for function in functions:
        ranges.enter(function.body)
    return ranges.doubtful


class _Ranges:
    """What is known of values, by identity, and what may leave its type."""

    def __init__(self) -> None:
        self.known: dict[int, Range] = {}
        self.doubtful: list[Operation] = []

    def enter(self, block: Block) -> None:
        """Bound the values of a block; those outside are bounded already."""
        for operation in block.operations:
            if operation.opcode in _NESTING:
                for region in operation.regions:
                    self.enter(region)
                    if operation.opcode == "stablehlo.while":
                        self._bound_counter(*operation.regions)
            else:
                for result in operation.results:
                    self._bound(operation, result)

    def _bound(self, operation: Operation, result: Value) -> None:
        rule = _sum if operation.opcode in _SUMS else _RULES.get(operation.opcode)
        if rule is not None and len(operation.results) > 1:
            rule = _any_sum if operation.opcode in _SUMS else _hull
        if rule is None or result.type.element is ElementType.I1:
            return
        low, high = rule(operation, [self._of(value) for value in operation.operands])
        least, greatest = _held(result.type)
        if least <= low and high <= greatest:
            self.known[id(result)] = low, high
        elif result.type.element.is_integer and not any(
            operation is known for known in self.doubtful[-1:]
        ):
            self.doubtful.append(operation)

    def _bound_counter(self, condition: Block, body: Block) -> None:
        """Bound what a loop counts by what its condition compares it with: it holds in the body."""
        if not condition.operations:
            return
        last = condition.operations[-1]
        below = isinstance(last.attributes, attr.Compare) and last.attributes.direction == "LT"
        if not below or last.operands[0] not in condition.arguments:
            return
        counter = body.arguments[condition.arguments.index(last.operands[0])]
        if counter.type.element.is_integer:
            limit = self._of(last.operands[1])[1]
            self.known[id(counter)] = _held(counter.type)[0], limit - 1

    def _of(self, value: Value) -> Range:
        return self.known.get(id(value), _held(value.type))


def _held(kind: TensorType) -> Range:
    """Return what a type holds; of floats, any real number."""
    return _ALL if kind.element.is_float else (kind.element.lowest, kind.element.highest)


def _constant(operation: Operation, x: Sequence[Range]) -> Range:
    del x
    constant, kind = operation.attributes, operation.results[0].type
    if not isinstance(constant, attr.Constant) or not constant.array.size:
        return _held(kind)
    array = constant.array.astype(np.float64) if kind.element.is_float else constant.array
    return array.min().item(), array.max().item()


def _iota(operation: Operation, x: Sequence[Range]) -> Range:
    del x
    counted, result = operation.attributes, operation.results[0]
    if not isinstance(counted, attr.Iota):
        return _held(result.type)
    return 0, max(result.shape[counted.dimension] - 1, 0)


def _product(a: Range, b: Range) -> Range:
    corners = [x * y if x and y else 0 for x in a for y in b]
    return min(corners), max(corners)


def _difference(operation: Operation, x: Sequence[Range]) -> Range:
    del operation
    return x[0][0] - x[1][1], x[0][1] - x[1][0]


def _magnitude(operation: Operation, x: Sequence[Range]) -> Range:
    del operation
    return 0, max(map(abs, x[0]))


def _clamp(operation: Operation, x: Sequence[Range]) -> Range:
    del operation
    least, inner, greatest = x
    return min(max(inner[0], least[0]), greatest[0]), min(max(inner[1], least[1]), greatest[1])


def _quotient(operation: Operation, x: Sequence[Range]) -> Range:
    """Bound a quotient of integers by its dividend; also a remainder, for all signs."""
    if operation.results[0].type.element.is_float:
        return _ALL
    size = max(map(abs, x[0]))
    return (0 if min(x[0][0], x[1][0]) >= 0 else -size), max(x[0][1], size if x[1][0] < 0 else 0)


def _remainder(operation: Operation, x: Sequence[Range]) -> Range:
    """Bound a remainder by both operands; it has the sign of the first."""
    del operation
    size = min(max(map(abs, x[0])), max(map(abs, x[1])))
    return (0 if x[0][0] >= 0 else -size), (0 if x[0][1] <= 0 else size)


def _power(operation: Operation, x: Sequence[Range]) -> Range:
    del operation
    return (0, 1) if x[0][0] >= 0 and x[0][1] <= 1 else _ALL


def _contracted(operation: Operation, x: Sequence[Range]) -> Range:
    """Bound sums of products, each of no more terms than the second operand has elements."""
    return _product(_product(x[0], x[1]), (0, operation.operands[1].type.size))


def _sum(operation: Operation, x: Sequence[Range]) -> Range:
    """Bound sums in which an element is read once at most, by the operations of the region."""
    opcodes = {each.opcode for each in operation.regions[-1].operations}
    if opcodes & {"stablehlo.multiply", "stablehlo.subtract"}:
        return _ALL
    if "stablehlo.add" not in opcodes:
        return _held(operation.results[0].type)
    read, start = _SUMMED.get(operation.opcode, (0, 1))
    low, high = _product(x[read], (0, operation.operands[read].type.size))
    return low + x[start][0], high + x[start][1]


def _any_sum(operation: Operation, x: Sequence[Range]) -> Range:
    """Bound each of several results, whatever the region mixes, by all that is read."""
    opcodes = {each.opcode for region in operation.regions for each in region.operations}
    if opcodes & {"stablehlo.multiply", "stablehlo.subtract"}:
        return _ALL
    whole = _hull(operation, x)
    if "stablehlo.add" not in opcodes:
        return whole
    count = sum(value.type.size for value in operation.operands)
    return _product(whole, (0, count))


def _hull(operation: Operation, x: Sequence[Range]) -> Range:
    del operation
    return min(low for low, _ in x), max(high for _, high in x)


def _rounded(operation: Operation, x: Sequence[Range]) -> Range:
    """Bound what is less than 1 away, without leaving whole bounds."""
    del operation
    low, high = x[0]
    return (low if math.isinf(low) else math.floor(low)), (
        high if math.isinf(high) else math.ceil(high)
    )


_RULES: dict[str, Rule] = {
    "stablehlo.constant": _constant,
    "stablehlo.iota": _iota,
    "stablehlo.add": lambda o, x: (x[0][0] + x[1][0], x[0][1] + x[1][1]),
    "stablehlo.subtract": _difference,
    "stablehlo.multiply": lambda o, x: _product(x[0], x[1]),
    "stablehlo.divide": _quotient,
    "stablehlo.remainder": _remainder,
    "stablehlo.negate": lambda o, x: (-x[0][1], -x[0][0]),
    "stablehlo.abs": _magnitude,
    "stablehlo.sign": lambda o, x: (-1, 1),
    "stablehlo.power": _power,
    "stablehlo.maximum": lambda o, x: (max(x[0][0], x[1][0]), max(x[0][1], x[1][1])),
    "stablehlo.minimum": lambda o, x: (min(x[0][0], x[1][0]), min(x[0][1], x[1][1])),
    "stablehlo.clamp": _clamp,
    "stablehlo.select": lambda o, x: _hull(o, x[1:]),
    "stablehlo.dynamic_slice": lambda o, x: x[0],
    "stablehlo.gather": lambda o, x: x[0],
    "stablehlo.dynamic_update_slice": lambda o, x: _hull(o, x[:2]),
    **dict.fromkeys(("stablehlo.dot_general", "stablehlo.convolution"), _contracted),
    **dict.fromkeys(("stablehlo.concatenate", "stablehlo.pad"), _hull),
    **dict.fromkeys(
        (
            *("stablehlo.floor", "stablehlo.ceil"),
            *("stablehlo.round_nearest_even", "stablehlo.round_nearest_afz"),
        ),
        _rounded,
    ),
    **dict.fromkeys(
        (
            *("stablehlo.broadcast_in_dim", "stablehlo.reshape", "stablehlo.transpose"),
            *("stablehlo.slice", "stablehlo.reverse", "stablehlo.convert"),
            *("stablehlo.optimization_barrier", "stablehlo.reduce_precision"),
        ),
        lambda o, x: x[0],
    ),
}
"""What a result lies between, from what the operands do."""
