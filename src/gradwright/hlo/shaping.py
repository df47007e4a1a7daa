"""Constructors of operations that move elements without computing: reshape, slice, pad."""

from collections.abc import Sequence

from gradwright.hlo.attributes import (
    BroadcastInDim,
    Dimension,
    Dimensions,
    Iota,
    Pad,
    Slice,
    Transpose,
)
from gradwright.hlo.ir import Number, Value
from gradwright.hlo.types import ElementType, Shape, TensorType
from gradwright.hlo.writing import Writer


class Shaping(Writer):
    """Operations whose result holds elements of their operand (or of a padding value)."""

    def iota(self, type: TensorType, dimension: int, *, hint: str = "") -> Value:
        """Return the tensor whose element is its own index along `dimension`."""
        if not 0 <= dimension < type.rank:
            raise self.mismatch("stablehlo.iota", f"a dimension of {type}", str(dimension))
        if type.element is ElementType.I1:
            raise self.mismatch("stablehlo.iota", "numbers", str(type))
        return self.emit_one("stablehlo.iota", (), type, Iota(dimension), hint=hint)

    def reshape(self, operand: Value, shape: Shape, *, hint: str = "") -> Value:
        """Return the elements in row-major order at another shape; a no-op is not written."""
        if operand.shape == shape:
            return operand
        type = operand.type.with_shape(shape)
        if type.size != operand.type.size or any(extent < 0 for extent in shape):
            expected = f"{operand.type.size} elements"
            raise self.mismatch("stablehlo.reshape", expected, f"{type.size} in {type}")
        return self.emit_one("stablehlo.reshape", (operand,), type, hint=hint)

    def transpose(self, operand: Value, permutation: Sequence[int], *, hint: str = "") -> Value:
        """Return the operand with result dimension i = operand dimension permutation[i]."""
        order = tuple(permutation)
        if order == tuple(range(operand.type.rank)):
            return operand
        if sorted(order) != list(range(operand.type.rank)):
            expected = f"a permutation of the {operand.type.rank} dimensions"
            raise self.mismatch("stablehlo.transpose", expected, str(list(order)))
        type = operand.type.with_shape(tuple(operand.shape[i] for i in order))
        return self.emit_one("stablehlo.transpose", (operand,), type, Transpose(order), hint=hint)

    def broadcast(
        self, operand: Value, shape: Shape, dimensions: Sequence[int] = (), *, hint: str = ""
    ) -> Value:
        """Return the operand repeated: its dimension i becomes `dimensions[i]` of `shape`.

        A no-op is not written.
        """
        target = tuple(dimensions)
        legal = len(target) == operand.type.rank and len(set(target)) == len(target)
        if not legal or any(
            not 0 <= j < len(shape) or extent not in (1, shape[j])
            for extent, j in zip(operand.shape, target, strict=True)
        ):
            expected = f"dimensions that fit {operand.type} into {list(shape)}"
            raise self.mismatch("stablehlo.broadcast_in_dim", expected, str(list(target)))
        if shape == operand.shape and target == tuple(range(len(shape))):
            return operand
        type = operand.type.with_shape(shape)
        attributes = BroadcastInDim(target)
        return self.emit_one("stablehlo.broadcast_in_dim", (operand,), type, attributes, hint=hint)

    def slice(
        self,
        operand: Value,
        start: Sequence[int],
        limit: Sequence[int],
        strides: Sequence[int] | None = None,
        *,
        hint: str = "",
    ) -> Value:
        """Return the elements start, start + stride, … below limit of each dimension."""
        steps = tuple(strides) if strides is not None else (1,) * operand.type.rank
        ranges = list(zip(start, limit, steps, operand.shape, strict=False))
        if {len(start), len(limit), len(steps)} != {operand.type.rank} or any(
            not (0 <= a <= b <= extent and s >= 1) for a, b, s, extent in ranges
        ):
            expected = f"0 <= start <= limit <= extent and stride >= 1 in {operand.type}"
            found = f"start {list(start)}, limit {list(limit)}, strides {list(steps)}"
            raise self.mismatch("stablehlo.slice", expected, found)
        shape = tuple(-(-(b - a) // s) for a, b, s, _ in ranges)
        attributes = Slice(tuple(start), tuple(limit), steps)
        if shape == operand.shape:
            return operand
        type = operand.type.with_shape(shape)
        return self.emit_one("stablehlo.slice", (operand,), type, attributes, hint=hint)

    def pad(
        self,
        operand: Value,
        value: Number,
        low: Sequence[int],
        high: Sequence[int],
        interior: Sequence[int] | None = None,
        *,
        hint: str = "",
    ) -> Value:
        """Return the operand with `value` added below, above (negative removes) and between."""
        between = tuple(interior) if interior is not None else (0,) * operand.type.rank
        below, above = tuple(low), tuple(high)
        extents = zip(operand.shape, below, above, between, strict=False)
        shape = tuple(a + n + max(n - 1, 0) * i + b for n, a, b, i in extents)
        ranks = {len(below), len(above), len(between)}
        if ranks != {operand.type.rank} or any(i < 0 for i in between) or any(n < 0 for n in shape):
            found = f"low {below}, high {above}, interior {between} on {operand.type}"
            expected = "one entry per dimension, interior >= 0 and extents >= 0"
            raise self.mismatch("stablehlo.pad", expected, found)
        if not any(below) and not any(above) and not any(between):
            return operand
        filler = self.splat(value, operand.type.with_shape(()))
        type = operand.type.with_shape(shape)
        attributes = Pad(below, above, between)
        return self.emit_one("stablehlo.pad", (operand, filler), type, attributes, hint=hint)

    def concatenate(self, operands: Sequence[Value], dimension: int, *, hint: str = "") -> Value:
        """Return the operands joined along `dimension`."""
        if not operands:
            raise self.mismatch("stablehlo.concatenate", "one operand or more", "none")
        first = operands[0]
        rests = {
            (v.type.rank, v.shape[:dimension], v.shape[dimension + 1 :], v.type.element)
            for v in operands
        }
        if not 0 <= dimension < first.type.rank or len(rests) != 1:
            found = ", ".join(str(v.type) for v in operands)
            expected = f"operands that differ at most in dimension {dimension}"
            raise self.mismatch("stablehlo.concatenate", expected, found)
        if len(operands) == 1:
            return first
        joined = sum(v.shape[dimension] for v in operands)
        shape = (*first.shape[:dimension], joined, *first.shape[dimension + 1 :])
        type = first.type.with_shape(shape)
        attributes = Dimension(dimension)
        return self.emit_one("stablehlo.concatenate", operands, type, attributes, hint=hint)

    def reverse(self, operand: Value, dimensions: Sequence[int], *, hint: str = "") -> Value:
        """Return the operand with the order of elements reversed along `dimensions`."""
        flipped = tuple(dimensions)
        if len(set(flipped)) != len(flipped) or any(
            not 0 <= d < operand.type.rank for d in flipped
        ):
            expected = f"distinct dimensions of {operand.type}"
            raise self.mismatch("stablehlo.reverse", expected, str(list(flipped)))
        attributes = Dimensions(flipped)
        return self.emit_one("stablehlo.reverse", (operand,), operand.type, attributes, hint=hint)
