"""Constructors of operations that read or write at indices known only at run time."""

from collections.abc import Sequence

from gradwright.hlo.attributes import DynamicSlice, Gather, Scatter
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
        if len(sizes) != operand.type.rank or any(
            not 0 <= n <= extent for n, extent in zip(sizes, operand.shape, strict=True)
        ):
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
        smaller = update.type.rank == operand.type.rank and all(
            n <= extent for n, extent in zip(update.shape, operand.shape, strict=True)
        )
        if not smaller or update.type.element is not operand.type.element:
            raise self.mismatch(opcode, f"an update within {operand.type}", str(update.type))
        return self.emit_one(opcode, (operand, update, *starts), operand.type, hint=hint)

    def gather(
        self, operand: Value, indices: Value, attributes: Gather, *, hint: str = ""
    ) -> Value:
        """Return slices of operand at the index vectors of `indices`.

        Shapes: the result's `offset_dims` hold the slice (less collapsed and batching
        dimensions), its other dimensions are those of indices less `index_vector_dim`.
        """
        rank = operand.type.rank
        vector = _vector_extent(indices.shape, attributes.index_vector_dim)
        dropped = (*attributes.collapsed_slice_dims, *attributes.operand_batching_dims)
        window = [n for i, n in enumerate(attributes.slice_sizes) if i not in dropped]
        legal = (
            len(attributes.slice_sizes) == rank
            and all(0 <= n <= e for n, e in zip(attributes.slice_sizes, operand.shape, strict=True))
            and vector == len(attributes.start_index_map)
            and len(window) == len(attributes.offset_dims)
            and indices.type.element.is_integer
        )
        if not legal:
            found = f"{attributes} on {operand.type} at {indices.type}"
            raise self.mismatch("stablehlo.gather", "consistent dimension numbers", found)
        batch = [n for i, n in enumerate(indices.shape) if i != attributes.index_vector_dim]
        shape = _interleave(window, attributes.offset_dims, batch)
        type = operand.type.with_shape(shape)
        return self.emit_one("stablehlo.gather", (operand, indices), type, attributes, hint=hint)

    def scatter_add(
        self, operand: Value, indices: Value, updates: Value, attributes: Scatter, *, hint: str = ""
    ) -> Value:
        """Return operand plus the updates at the index vectors of `indices`; duplicates add up."""
        dropped = (*attributes.inserted_window_dims, *attributes.input_batching_dims)
        batch = [n for i, n in enumerate(indices.shape) if i != attributes.index_vector_dim]
        around = [n for i, n in enumerate(updates.shape) if i not in attributes.update_window_dims]
        vector = _vector_extent(indices.shape, attributes.index_vector_dim)
        legal = (
            len(attributes.update_window_dims) + len(dropped) == operand.type.rank
            and vector == len(attributes.scatter_dims_to_operand_dims)
            and batch == around
            and updates.type.element is operand.type.element
            and indices.type.element.is_integer
        )
        if not legal:
            found = f"{attributes} on {operand.type}, {indices.type}, {updates.type}"
            raise self.mismatch("stablehlo.scatter", "consistent dimension numbers", found)
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


def _vector_extent(indices: Shape, index_vector_dim: int) -> int:
    return indices[index_vector_dim] if index_vector_dim < len(indices) else 1


def _interleave(window: Sequence[int], offset_dims: Sequence[int], batch: Sequence[int]) -> Shape:
    rank = len(window) + len(batch)
    offsets, outer = iter(window), iter(batch)
    return tuple(next(offsets) if i in offset_dims else next(outer) for i in range(rank))
