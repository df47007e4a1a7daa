"""Pairs of nearly equal functions: each could be proved by a rule of the kernel that was wrong."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from certify.kernel.random_texts import products
from gradwright.hlo import Builder, ElementType, TensorType, Value
from gradwright.hlo.attributes import Direction, Gather, Scatter, Window

F64, I32 = ElementType.F64, ElementType.I32
Write = Callable[[Builder, Sequence[Value]], Value]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two functions of arguments of these shapes, which differ on an open set of inputs."""

    left: Write
    right: Write
    shapes: tuple[tuple[int, ...], ...] = ((4,), (4,))
    element: ElementType = F64


def table(*rows: object) -> np.ndarray:
    return np.array(rows, dtype=np.int32)


def ratio(b: Builder, x: Value) -> Value:
    return x / x


def rectified(b: Builder, x: Value) -> Value:
    return b.maximum(x, b.splat(0, x.type))


def mask(b: Builder, direction: Direction, x: Value, threshold: float = 0.0) -> Value:
    return b.convert(b.compare(direction, x, b.splat(threshold, x.type)), x.type.element)


def einsum(
    b: Builder, x: Value, y: Value, left: int, right: int, swap: tuple[int, ...] = (0, 1)
) -> Value:
    return b.transpose(b.dot(x, y, ((left,), (right,))), swap)


def cut(b: Builder, x: Value, start: int, limit: int, stride: int = 1) -> Value:
    return b.slice(x, (start,), (limit,), (stride,))


def joined(b: Builder, *parts: Value) -> Value:
    return b.concatenate(list(parts), 0)


def counted(b: Builder, x: Value, low: int, high: int) -> Value:
    """An average pool, window 3, that divides by how many entries each window holds."""
    window = Window((3,), (1,), (1,), (1,), ((low, high),))
    ones = b.splat(1, x.type)
    sums = b.reduce_window(x, 0, window, b.adds)
    return sums / b.reduce_window(ones, 0, window, b.adds)


def windowed(b: Builder, x: Value, window: Window) -> Value:
    return b.reduce_window(x, float("-inf"), window, b.maxima)


def product_of(b: Builder, x: Value, start: float = 1.0) -> Value:
    return b.reduce((x,), (start,), (0,), products(b))[0]


def taken(b: Builder, x: Value, rows: np.ndarray) -> Value:
    numbers = Gather((), (0,), (), (), (0,), 1, (1,), indices_are_sorted=False)
    return b.gather(x, b.constant(rows.reshape(-1, 1)), numbers)


def added(b: Builder, x: Value, rows: np.ndarray, updates: Value) -> Value:
    numbers = Scatter((), (0,), (), (), (0,), 1, indices_are_sorted=False, unique_indices=False)
    return b.scatter_add(x, b.constant(rows.reshape(-1, 1)), updates, numbers)


def updated(b: Builder, x: Value, start: int, block: Value) -> Value:
    return b.dynamic_update_slice(x, block, [b.splat(start, TensorType((), I32))])


def toggled(b: Builder, x: Value) -> Value:
    """[x > 0] and [x > 1], by turns of the position."""
    even = b.compare(Direction.EQ, b.iota(x.type, 0), b.splat(1, x.type))
    return b.select(even, mask(b, Direction.GT, x), mask(b, Direction.GT, x, 1.0))


SQUARE = ((3, 3), (3, 3))

KINKS: dict[str, Pair] = {
    "one of two equal masks negated": Pair(
        lambda b, v: mask(b, Direction.GT, v[0] - v[1]),
        lambda b, v: mask(b, Direction.GT, v[1] - v[0]),
    ),
    "a mask of a value scaled by a negative number": Pair(
        lambda b, v: mask(b, Direction.GT, v[0] * -2),
        lambda b, v: mask(b, Direction.GT, v[0]),
    ),
    "a threshold that the scale moves": Pair(
        lambda b, v: mask(b, Direction.GT, v[0] * 2, 1.0),
        lambda b, v: mask(b, Direction.GT, v[0], 1.0),
    ),
    "two thresholds of one value, the weaker kept": Pair(
        lambda b, v: mask(b, Direction.GT, v[0], 1.0) * mask(b, Direction.GT, v[0]),
        lambda b, v: mask(b, Direction.GT, v[0]),
    ),
    "two thresholds from two sides, one of them kept": Pair(
        lambda b, v: mask(b, Direction.GT, v[0], -1.0) * mask(b, Direction.LT, v[0], 1.0),
        lambda b, v: mask(b, Direction.LT, v[0], 1.0),
    ),
    "an interval taken for empty": Pair(
        lambda b, v: mask(b, Direction.GT, v[0], -1.0) * mask(b, Direction.LT, v[0], 1.0),
        lambda b, v: v[0] - v[0],
    ),
    "thresholds of two places of one value": Pair(
        lambda b, v: (
            mask(b, Direction.GT, v[0], 1.0) * mask(b, Direction.GT, b.reverse(v[0], (0,)))
        ),
        lambda b, v: mask(b, Direction.GT, v[0], 1.0),
    ),
    "thresholds that the position decides": Pair(
        lambda b, v: toggled(b, v[0]), lambda b, v: mask(b, Direction.GT, v[0], 1.0)
    ),
    "masks of a sum and of its parts": Pair(
        lambda b, v: mask(b, Direction.GT, v[0] + v[1]),
        lambda b, v: mask(b, Direction.GT, v[0]) * mask(b, Direction.GT, v[1]),
    ),
    "a mask of a rectified value, at 0": Pair(
        lambda b, v: mask(b, Direction.GE, rectified(b, v[0])),
        lambda b, v: mask(b, Direction.GT, rectified(b, v[0])),
    ),
    "a rectified value equal to another": Pair(
        lambda b, v: mask(b, Direction.EQ, rectified(b, v[0]) - rectified(b, v[1])),
        lambda b, v: v[0] - v[0],
    ),
    "a value shifted by an integer mask": Pair(
        lambda b, v: mask(b, Direction.GE, v[0] - v[0] * mask(b, Direction.GT, v[1])),
        lambda b, v: mask(b, Direction.GT, v[0] - v[0] * mask(b, Direction.GT, v[1])),
    ),
    "max and the mean of its operands at a tie that is everywhere": Pair(
        lambda b, v: b.maximum(v[0], v[1]), lambda b, v: (v[0] + v[1]) * 0.5
    ),
    "min for max": Pair(lambda b, v: b.maximum(v[0], v[1]), lambda b, v: b.minimum(v[0], v[1])),
    "a clamp whose bounds change places": Pair(
        lambda b, v: b.clamp(
            b.splat(1, TensorType((), F64)), v[0], b.splat(0, TensorType((), F64))
        ),
        lambda b, v: b.clamp(
            b.splat(0, TensorType((), F64)), v[0], b.splat(1, TensorType((), F64))
        ),
    ),
    "the maximum of windows and of one shifted": Pair(
        lambda b, v: windowed(b, v[0], Window((2,), (1,), (1,), (1,), ((1, 0),))),
        lambda b, v: windowed(b, v[0], Window((2,), (1,), (1,), (1,), ((0, 1),))),
    ),
    "the maximum of dilated windows": Pair(
        lambda b, v: windowed(b, v[0], Window((2,), (1,), (1,), (2,), ((0, 0),))),
        lambda b, v: cut(b, windowed(b, v[0], Window((2,), (1,), (1,), (1,), ((0, 0),))), 0, 2),
    ),
}

ALGEBRA: dict[str, Pair] = {
    "the root of a square of a sum": Pair(
        lambda b, v: b.sqrt((v[0] + v[1]) * (v[0] + v[1])), lambda b, v: v[0] + v[1]
    ),
    "the root of a fourth power": Pair(
        lambda b, v: b.sqrt(v[0] * v[0] * v[0] * v[0]), lambda b, v: v[0] * b.abs(v[0])
    ),
    "a cubic root of a square": Pair(
        lambda b, v: b.unary("stablehlo.cbrt", v[0] * v[0]), lambda b, v: v[0]
    ),
    "the logarithm of an absolute value of a product": Pair(
        lambda b, v: b.log(b.exponential(v[0]) + b.exponential(v[1])), lambda b, v: v[0] + v[1]
    ),
    "an exponential of a product": Pair(
        lambda b, v: b.exponential(v[0] * v[1]), lambda b, v: b.exponential(v[0] + v[1])
    ),
    "an exponential of a sum over places": Pair(
        lambda b, v: b.exponential(b.sum(v[0], (0,))),
        lambda b, v: b.sum(b.exponential(v[0]), (0,)),
    ),
    "a logistic of the negative": Pair(
        lambda b, v: b.logistic(v[0] * -1), lambda b, v: b.logistic(v[0])
    ),
    "a logistic times the wrong exponential": Pair(
        lambda b, v: b.logistic(v[0]) * b.exponential(v[0]),
        lambda b, v: 1 - b.logistic(v[0]),
    ),
    "a logistic of twice the value": Pair(
        lambda b, v: 2 * b.logistic(v[0]) - 1, lambda b, v: b.tanh(v[0])
    ),
    "a denominator that a term misses": Pair(
        lambda b, v: v[0] / (v[0] + v[1]) + v[1] / (v[0] - v[1]), lambda b, v: ratio(b, v[0])
    ),
    "denominators of two places": Pair(
        lambda b, v: (v[0] * v[0] - v[1] * v[1]) / (v[0] + b.reverse(v[1], (0,))),
        lambda b, v: v[0] - v[1],
    ),
    "a denominator to the wrong power": Pair(
        lambda b, v: (v[0] + v[1]) * (v[0] + v[1]) / (v[0] + v[1]),
        lambda b, v: ratio(b, v[0] + v[1]),
    ),
    "an inverse of a sum that is the sum of inverses": Pair(
        lambda b, v: 1 / (v[0] + v[1]), lambda b, v: 1 / v[0] + 1 / v[1]
    ),
    "an odd function taken for an even one": Pair(
        lambda b, v: b.unary("stablehlo.sine", v[0] * -1),
        lambda b, v: b.unary("stablehlo.sine", v[0]),
    ),
    "a remainder of a negative number": Pair(
        lambda b, v: b.remainder(v[0], b.splat(1, v[0].type)),
        lambda b, v: v[0] - b.unary("stablehlo.floor", v[0]),
    ),
    "a number cut, and rounded down": Pair(
        lambda b, v: b.convert(b.convert(v[0], I32), F64),
        lambda b, v: b.unary("stablehlo.floor", v[0]),
    ),
    "a quotient of integers times its divisor": Pair(
        lambda b, v: (v[0] / v[1]) * v[1], lambda b, v: v[0], element=I32
    ),
    "half of an integer twice": Pair(
        lambda b, v: (v[0] / 2) + (v[0] / 2), lambda b, v: v[0], element=I32
    ),
    "two roundings": Pair(
        lambda b, v: b.unary("stablehlo.round_nearest_even", v[0] * 4),
        lambda b, v: 4 * b.unary("stablehlo.round_nearest_even", v[0]),
    ),
    "an absolute value times a sign twice": Pair(
        lambda b, v: b.abs(v[0]) * b.unary("stablehlo.sign", v[0]), lambda b, v: b.abs(v[0])
    ),
}

VALUES = {**KINKS, **ALGEBRA}
