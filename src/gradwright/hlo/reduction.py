"""Constructors of reductions: over dimensions, over windows, and the scatter of pooling."""

from collections.abc import Callable, Sequence

from gradwright.hlo.attributes import Dimensions, Direction, ScatterWindow, Window
from gradwright.hlo.contraction import dilated, window_count
from gradwright.hlo.elementwise import Elementwise
from gradwright.hlo.ir import Block, Number, Value
from gradwright.hlo.types import Shape, TensorType

Combine = Callable[..., Sequence[Value]]


class Reduction(Elementwise):
    """Many elements become one, by a region that combines two."""

    def sum(self, operand: Value, dimensions: Sequence[int], *, hint: str = "") -> Value:
        """Return the sum over `dimensions`."""
        return self.reduce((operand,), (0,), dimensions, self.adds, hint=hint)[0]

    def max(self, operand: Value, dimensions: Sequence[int], *, hint: str = "") -> Value:
        """Return the maximum over `dimensions` (the lowest element of an empty range)."""
        lowest = operand.type.element.lowest
        return self.reduce((operand,), (lowest,), dimensions, self.maxima, hint=hint)[0]

    def reduce(
        self,
        operands: Sequence[Value],
        initial: Sequence[Number],
        dimensions: Sequence[int],
        combine: Combine,
        *,
        hint: str = "",
    ) -> tuple[Value, ...]:
        """Return each operand reduced over `dimensions`; combine(lefts…, rights…) -> results."""
        if not operands or len(initial) != len(operands):
            found = f"{len(operands)} operands, {len(initial)} values"
            raise self.mismatch("stablehlo.reduce", "one initial value per operand", found)
        gone = tuple(dimensions)
        shapes = {operand.shape for operand in operands}
        rank = operands[0].type.rank
        if len(shapes) != 1 or len(set(gone)) != len(gone) or any(not 0 <= d < rank for d in gone):
            found = f"{list(gone)} of {', '.join(str(operand.type) for operand in operands)}"
            raise self.mismatch("stablehlo.reduce", "distinct dimensions of one shape", found)
        scalars = [operand.type.with_shape(()) for operand in operands]
        starts = [self.splat(value, t) for value, t in zip(initial, scalars, strict=True)]
        kept = tuple(n for i, n in enumerate(operands[0].shape) if i not in gone)
        types = [operand.type.with_shape(kept) for operand in operands]
        region = self._combining("stablehlo.reduce", scalars, combine)
        return self.emit(
            "stablehlo.reduce",
            (*operands, *starts),
            types,
            Dimensions(gone),
            hint=hint,
            regions=(region,),
        )

    def reduce_window(
        self, operand: Value, initial: Number, window: Window, combine: Combine, *, hint: str = ""
    ) -> Value:
        """Return `combine` over each window; positions outside the operand hold `initial`."""
        if not _window_fits(operand.shape, window):
            found = f"{window} on {operand.type}"
            expected = "one entry per dimension, extents, strides and dilations >= 1"
            raise self.mismatch("stablehlo.reduce_window", expected, found)
        scalar = operand.type.with_shape(())
        region = self._combining("stablehlo.reduce_window", [scalar], combine)
        return self.emit_one(
            "stablehlo.reduce_window",
            (operand, self.splat(initial, scalar)),
            operand.type.with_shape(window_shape(operand.shape, window)),
            window,
            hint=hint,
            regions=(region,),
        )

    def select_and_scatter(
        self, operand: Value, source: Value, window: ScatterWindow, *, hint: str = ""
    ) -> Value:
        """Add each element of source to the first maximum (GE) of its window of operand."""
        ones = (1,) * operand.type.rank
        plain = Window(window.dimensions, window.strides, ones, ones, window.padding)
        if not _window_fits(operand.shape, plain):
            found = f"{window} on {operand.type}"
            expected = "one entry per dimension, extents and strides >= 1"
            raise self.mismatch("stablehlo.select_and_scatter", expected, found)
        expected_source = operand.type.with_shape(window_shape(operand.shape, plain))
        if source.type != expected_source:
            raise self.mismatch(
                "stablehlo.select_and_scatter", f"source {expected_source}", str(source.type)
            )
        scalar = operand.type.with_shape(())
        select = self.region([scalar, scalar], self._keeps_first, ["candidate", "next"])
        scatter = self.region([scalar, scalar], self.adds, ["sum", "update"])
        return self.emit_one(
            "stablehlo.select_and_scatter",
            (operand, source, self.splat(0, scalar)),
            operand.type,
            window,
            hint=hint,
            regions=(select, scatter),
        )

    def adds(self, *pairs: Value) -> Sequence[Value]:
        """Return lefts + rights, for the region of a sum of any number of operands."""
        half = len(pairs) // 2
        return [self.add(a, b) for a, b in zip(pairs[:half], pairs[half:], strict=True)]

    def maxima(self, lhs: Value, rhs: Value) -> Sequence[Value]:
        """Return the maximum, for the region of a reduction."""
        return [self.maximum(lhs, rhs)]

    def minima(self, lhs: Value, rhs: Value) -> Sequence[Value]:
        """Return the minimum, for the region of a reduction."""
        return [self.minimum(lhs, rhs)]

    def _keeps_first(self, candidate: Value, challenger: Value) -> Sequence[Value]:
        return [self.compare(Direction.GE, candidate, challenger)]

    def sum_region(self, type: TensorType) -> Block:
        """Return the region (a, b) -> a + b at a scalar type."""
        return self.region([type, type], self.adds, _pair_names(1))

    def _combining(self, opcode: str, types: Sequence[TensorType], combine: Combine) -> Block:
        """Return the region (lefts, rights) -> results, all of the same types."""
        region = self.region([*types, *types], combine, _pair_names(len(types)))
        given = [value.type for value in region.results]
        if given != list(types):
            expected = f"a combination that returns {', '.join(map(str, types))}"
            raise self.mismatch(opcode, expected, ", ".join(map(str, given)))
        return region


def window_shape(shape: Shape, window: Window) -> Shape:
    """Return the shape of the result of `reduce_window`."""
    return tuple(
        window_count(
            dilated(extent, window.base_dilations[i]) + sum(window.padding[i]),
            dilated(window.dimensions[i], window.window_dilations[i]),
            window.strides[i],
        )
        for i, extent in enumerate(shape)
    )


def _window_fits(shape: Shape, window: Window) -> bool:
    lists = (
        window.dimensions,
        window.strides,
        window.base_dilations,
        window.window_dilations,
    )
    return len(window.padding) == len(shape) and all(
        len(entries) == len(shape) and min(entries, default=1) >= 1 for entries in lists
    )


def _pair_names(count: int) -> list[str]:
    return [f"{side}{i or ''}" for side in ("lhs", "rhs") for i in range(count)]
