"""Constructors of operations that read or write at indices known only at run time."""

from collections.abc import Sequence

from gradwright.hlo.attributes import DynamicSlice, Gather, Scatter
from gradwright.hlo.index_rules import IndexNumbers
from gradwright.hlo.ir import Value
from gradwright.hlo.reduction import Reduction
from gradwright.hlo.types import Shape


class Indexing(Reduction):
    """Gather, scatter and dynamic slices. Out-of-range starts are clamped, as StableHLO says."""

    def dynamic_slice(
        self, operand: Value, starts: Sequence[Value], sizes: Shape, *, hint: str = ""
    ) -> Value:
        """Return the block of extents `sizes` that begins at scalar indices `starts`."""
        self._check_starts("stablehlo.dynamic_slice", operand, starts)
        if not _fits(sizes, operand.shape):
            expected = f"sizes within {operand.type}"
            raise self.mismatch("stablehlo.dynamic_slice", expected, str(list(sizes)))
        return self.emit_one(
            "stablehlo.dynamic_slice",
            (operand, *starts),
            operand.type.with_shape(sizes),
            DynamicSlice(sizes),
            hint=hint,
        )

    def dynamic_update_slice(
        self, operand: Value, update: Value, starts: Sequence[Value], *, hint: str = ""
    ) -> Value:
        """Return operand with the block at scalar indices `starts` replaced by update."""
        opcode = "stablehlo.dynamic_update_slice"
        self._check_starts(opcode, operand, starts)
        if (
            not _fits(update.shape, operand.shape)
            or update.type.element is not operand.type.element
        ):
            raise self.mismatch(opcode, f"an update within {operand.type}", str(update.type))
        return self.emit_one(opcode, (operand, update, *starts), operand.type, hint=hint)

    def gather(
        self, operand: Value, indices: Value, attributes: Gather, *, hint: str = ""
    ) -> Value:
        """Return slices of operand at the index vectors of `indices`.

        Shapes: the result's `offset_dims` hold the slice (less collapsed and batching
        dimensions), its other dimensions are those of indices less `index_vector_dim`.
        """
        numbers = IndexNumbers.of(attributes)
        sizes = attributes.slice_sizes
        problem = _integer_indices(indices) or numbers.broken_rule(operand.shape, indices.shape)
        if not problem and not _fits(sizes, operand.shape):
            problem = f"slice sizes within {operand.type}"
        if not problem and any(sizes[i] > 1 for i in (*numbers.dropped, *numbers.batching)):
            problem = "slice sizes of at most 1 in collapsed and batching dimensions"
        if problem:
            found = f"{attributes} on {operand.type} at {indices.type}"
            raise self.mismatch("stablehlo.gather", problem, found)
        shape = numbers.arrange(numbers.within(sizes), numbers.around(indices.shape))
        type = operand.type.with_shape(shape)
        return self.emit_one("stablehlo.gather", (operand, indices), type, attributes, hint=hint)

    def scatter_add(
        self, operand: Value, indices: Value, updates: Value, attributes: Scatter, *, hint: str = ""
    ) -> Value:
        """Return operand plus the updates at the index vectors of `indices`; duplicates add up."""
        numbers = IndexNumbers.of(attributes)
        problem = _integer_indices(indices) or numbers.broken_rule(operand.shape, indices.shape)
        if not problem and not _updates_fit(operand, indices, updates, numbers):
            problem = f"updates of {operand.type.element.value} with windows within the operand"
        if problem:
            found = f"{attributes} on {operand.type}, {indices.type}, {updates.type}"
            raise self.mismatch("stablehlo.scatter", problem, found)
        region = self.sum_region(operand.type.with_shape(()))
        return self.emit_one(
            "stablehlo.scatter",
            (operand, indices, updates),
            operand.type,
            attributes,
            hint=hint,
            regions=(region,),
        )

    def _check_starts(self, opcode: str, operand: Value, starts: Sequence[Value]) -> None:
        fits = len(starts) == operand.type.rank and all(
            start.shape == () and start.type.element.is_integer for start in starts
        )
        if not fits:
            expected = f"{operand.type.rank} integer scalars"
            raise self.mismatch(opcode, expected, ", ".join(str(start.type) for start in starts))


def _integer_indices(indices: Value) -> str:
    return "" if indices.type.element.is_integer else "integer indices"


def _fits(sizes: Sequence[int], shape: Shape) -> bool:
    """Return whether a block of extents `sizes` fits into a shape."""
    return len(sizes) == len(shape) and all(
        0 <= n <= extent for n, extent in zip(sizes, shape, strict=True)
    )


def _updates_fit(operand: Value, indices: Value, updates: Value, numbers: IndexNumbers) -> bool:
    inside = [updates.shape[i] for i in numbers.window if i < updates.type.rank]
    around = [extent for i, extent in enumerate(updates.shape) if i not in numbers.window]
    return (
        updates.type.element is operand.type.element
        and around == numbers.around(indices.shape)
        and _fits(inside, tuple(numbers.within(operand.shape)))
    )
