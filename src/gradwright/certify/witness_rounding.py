"""Functions over f64 with each computed number moved by many times its rounding.

What moves with that is owed to rounding, however much it was amplified behind a cancellation.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gradwright.hlo import Block, ElementType, Function, Operation, Value
from gradwright.hlo import attributes as attr

MOVED = 2.0**-44
"""Relative size of the moves: 512 units in the last place of f64."""
_ROUNDED = frozenset(
    (
        *(f"stablehlo.{name}" for name in (
            "add", "subtract", "multiply", "divide", "exponential", "exponential_minus_one", "log",
            "log_plus_one", "tanh", "logistic", "sine", "cosine", "tan", "sqrt", "rsqrt", "cbrt",
            "power", "atan2", "dot_general", "convolution",
        )),
        *(f"chlo.{name}" for name in (
            "sinh", "cosh", "asin", "acos", "atan", "asinh", "acosh", "atanh", "erf", "erfc",
            "erf_inv", "square",
        )),
    )
)  # fmt: skip
"""Operations whose results are rounded; others only move and choose numbers."""
_SUM = "stablehlo.add"
_BLOCKS = frozenset(f"stablehlo.{name}" for name in ("while", "if", "case", "map"))
"""Operations whose regions compute; those of others say how numbers are combined."""
_EXACT = frozenset(
    (
        *(f"stablehlo.{name}" for name in (
            "add", "subtract", "multiply", "divide", "dot_general", "convolution",
        )),
        "chlo.square",
    )
)  # fmt: skip
"""What is mostly not rounded where whole numbers are counted with: these stay whole."""
_PHASE = 1.7
"""Step of the sine that tells the terms of a sum apart."""

Key = tuple[object, ...]


def roughened(function: Function, seed: int) -> Function:
    """Return a function over f64 whose computed numbers are moved: the same expression alike.

    What depends on no argument of floats, by arithmetic alone, stays as it is: it may be an index.
    """
    return replace(function, body=_Roughening(seed).block(function.body))


@dataclass(slots=True)
class _Roughening:
    """Rebuilds a block with moves behind its arithmetic."""

    seed: int
    values: dict[int, Value] = field(default_factory=dict[int, Value])
    """What stands for a value of the old block."""
    keys: dict[Key, int] = field(default_factory=dict[Key, int])
    numbers: dict[int, int] = field(default_factory=dict[int, int])
    """The expression that each value is, by number."""
    computed: set[int] = field(default_factory=set[int])
    """Values that depend on an argument of floats, or on a function that is rounded."""

    def block(self, block: Block) -> Block:
        for value in block.arguments:
            self.values[id(value)] = value
            self.numbers[id(value)] = self._number((id(value),))
            if value.type.element.is_float:
                self.computed.add(id(value))
        operations = [new for old in block.operations for new in self._rebuilt(old)]
        results = tuple(self.values[id(value)] for value in block.results)
        return Block(block.arguments, tuple(operations), results)

    def _number(self, key: Key) -> int:
        return self.keys.setdefault(key, len(self.keys))

    def _rebuilt(self, operation: Operation) -> Iterator[Operation]:
        operands = [self.values[id(value)] for value in operation.operands]
        reads = [self.numbers[id(value)] for value in operation.operands]
        alone = bool(operation.regions) or isinstance(operation.attributes, attr.Opaque)
        same = id(operation) if alone else repr(operation.attributes)
        changes = operation.opcode in _ROUNDED - _EXACT or any(
            id(value) in self.computed for value in operation.reads
        )
        for i, value in enumerate(operation.results):
            key = operation.opcode, tuple(reads), same, str(value.type), i
            self.numbers[id(value)] = self._number(key)
            self.values[id(value)] = value
            self.computed |= {id(value)} if changes else set()
        summed = _summed(operation) if changes else None
        if summed is not None:
            terms, operands[0] = operands[0], Value(operands[0].type, "terms")
            yield from _told_apart(terms, operands[0], summed)
        regions = operation.regions
        if operation.opcode in _BLOCKS:
            regions = tuple(self.block(region) for region in regions)
        yield replace(operation, operands=tuple(operands), regions=regions)
        if changes and operation.opcode in _ROUNDED:
            [result] = operation.results
            if result.type.element is ElementType.F64:
                yield from self._moved(result)

    def _moved(self, value: Value) -> Iterator[Operation]:
        """Yield the product of a value and a number near 1, which stands for it from here on."""
        generator = np.random.default_rng((self.seed, self.numbers[id(value)]))
        move = MOVED * generator.choice((-1.0, 1.0)) * generator.uniform(0.5, 1.0)
        factor = _constant(1 + move, value, "rounding")
        product = Value(value.type, f"{value.name}_rounded")
        self.values[id(value)] = product
        yield factor
        yield Operation("stablehlo.multiply", (value, factor.results[0]), (product,))


def _told_apart(terms: Value, product: Value, dimension: int) -> Iterator[Operation]:
    """Yield what multiplies terms along a dimension by different numbers near 1."""
    places = Value(terms.type, "place")
    yield Operation("stablehlo.iota", (), (places,), attr.Iota(dimension))
    phase, size, one = (_constant(c, terms, "rounding") for c in (_PHASE, MOVED, 1.0))
    yield from (phase, size, one)
    angle, wave, small, factor = (Value(terms.type, "rounding") for _ in range(4))
    yield Operation("stablehlo.multiply", (places, phase.results[0]), (angle,))
    yield Operation("stablehlo.sine", (angle,), (wave,))
    yield Operation("stablehlo.multiply", (wave, size.results[0]), (small,))
    yield Operation("stablehlo.add", (small, one.results[0]), (factor,))
    yield Operation("stablehlo.multiply", (terms, factor), (product,))


def _summed(operation: Operation) -> int | None:
    """Return the longest dimension of the first operand that is summed over."""
    a, x = operation.attributes, operation.operands
    if not x or x[0].type.element is not ElementType.F64:
        return None
    match a:
        case attr.DotGeneral():
            dimensions: Sequence[int] = a.lhs_contracting
        case attr.Convolution():
            dimensions = (a.dims.input_feature,)
        case attr.Dimensions() if operation.opcode == "stablehlo.reduce" and len(x) == 2:
            inner = operation.regions[0].operations
            dimensions = a.dimensions if [each.opcode for each in inner] == [_SUM] else ()
        case _:
            return None
    return max(dimensions, key=lambda d: x[0].shape[d], default=None)


def _constant(number: float, like: Value, name: str) -> Operation:
    repeated = attr.Constant.repeated(np.array([number], np.float64), like.shape)
    return Operation("stablehlo.constant", (), (Value(like.type, name),), repeated)
