"""What dimension numbers of `gather` and `scatter` must obey (StableHLO's constraints)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from gradwright.hlo.attributes import Dims, Gather, Scatter
from gradwright.hlo.types import Shape


@dataclass(frozen=True, slots=True)
class IndexNumbers:
    """The names that gather and scatter give to the same things, made one.

    `window`: dimensions of the windows tensor (gather's result, scatter's updates) that run within
    a window; `dropped`: operand dimensions of window extent 1 that it leaves out; `batching` and
    `outer`: dimensions of operand and indices that run together; `vector`: dimension of indices
    that holds an index vector, whose entry i is for operand dimension `places[i]`.
    """

    window: Dims
    dropped: Dims
    batching: Dims
    outer: Dims
    places: Dims
    vector: int

    @staticmethod
    def of(numbers: Gather | Scatter) -> "IndexNumbers":
        """Return the numbers of either operation."""
        if isinstance(numbers, Gather):
            return IndexNumbers(
                numbers.offset_dims,
                numbers.collapsed_slice_dims,
                numbers.operand_batching_dims,
                numbers.start_indices_batching_dims,
                numbers.start_index_map,
                numbers.index_vector_dim,
            )
        return IndexNumbers(
            numbers.update_window_dims,
            numbers.inserted_window_dims,
            numbers.input_batching_dims,
            numbers.scatter_indices_batching_dims,
            numbers.scatter_dims_to_operand_dims,
            numbers.index_vector_dim,
        )

    def within(self, extents: Shape) -> list[int]:
        """Return the extents, one per operand dimension, that a window keeps."""
        gone = {*self.dropped, *self.batching}
        return [extent for i, extent in enumerate(extents) if i not in gone]

    def around(self, indices: Shape) -> list[int]:
        """Return the extents of indices without its index vector."""
        return [extent for i, extent in enumerate(indices) if i != self.vector]

    def arrange(self, inside: Sequence[int], around: Sequence[int]) -> Shape:
        """Return the shape of the windows tensor; the numbers obey `broken_rule`."""
        inner, outer = iter(inside), iter(around)
        rank = len(inside) + len(around)
        return tuple(next(inner) if i in self.window else next(outer) for i in range(rank))

    def broken_rule(self, operand: Shape, indices: Shape) -> str:
        """Return the first rule that the numbers break, in words; "" when they obey all."""
        if not 0 <= self.vector <= len(indices):
            return f"0 <= index_vector_dim <= {len(indices)}"
        extent = indices[self.vector] if self.vector < len(indices) else 1
        if len(self.places) != extent:
            return f"{extent} operand dimensions for an index vector of {extent}"
        kept = len(operand) - len(self.dropped) - len(self.batching)
        if len(self.window) != kept:
            return f"{kept} window dimensions"
        rank = kept + len(self.around(indices))
        if not all(_rising(dims) for dims in (self.window, self.dropped, self.batching)):
            return "window, dropped and batching dimensions in rising order"
        if not _within(self.window, rank):
            return f"window dimensions below {rank}"
        if not _distinct((*self.dropped, *self.batching), len(operand)):
            return f"distinct dropped and batching dimensions below {len(operand)}"
        if not _distinct((*self.places, *self.batching), len(operand)):
            return f"distinct indexed and batching dimensions below {len(operand)}"
        return self._broken_batching(operand, indices)

    def _broken_batching(self, operand: Shape, indices: Shape) -> str:
        if self.vector in self.outer or not _distinct(self.outer, len(indices)):
            return f"distinct batching dimensions of the indices below {len(indices)}"
        paired = [operand[i] for i in self.batching]
        if paired != [indices[i] for i in self.outer]:
            return "batching dimensions of equal extent in operand and indices"
        return ""


def _rising(dims: Dims) -> bool:
    return all(a < b for a, b in pairwise(dims))


def _within(dims: Dims, rank: int) -> bool:
    return all(0 <= i < rank for i in dims)


def _distinct(dims: Dims, rank: int) -> bool:
    return len(set(dims)) == len(dims) and _within(dims, rank)
