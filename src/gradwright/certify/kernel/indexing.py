"""Denotations of slices, gathers and scatters at computed places.

A computed index is a mask: x[s] = sum over i of [s = i] x[i]. A start that is affine in loop
counters is an index expression; any other is assumed to be in range, where nothing is clamped or
dropped, and the operation is listed.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import prod

from gradwright.certify.kernel.algebra import Undenotable, constant_of
from gradwright.certify.kernel.atoms import Coordinate, Monomial, Relation
from gradwright.certify.kernel.denotation import Denotation, Rule
from gradwright.certify.kernel.index import Affine, bounds, combine, constant, variable, variables
from gradwright.certify.kernel.multilinear import Application, Multilinear, Reads
from gradwright.certify.kernel.tensor import Shape, Tensor
from gradwright.hlo import Operation
from gradwright.hlo import attributes as attr


def affine_index(den: Denotation, scalar: Tensor) -> Affine | None:
    """Return an integer scalar as an expression in loop variables, None where it is not one."""
    parts: list[tuple[int, Affine]] = []
    offset = 0
    for (factors, guards), c in scalar.poly.items():
        if guards or c.denominator != 1:
            return None
        if not factors:
            offset += int(c)
            continue
        atom, access, q = factors[0]
        if len(factors) > 1 or q != 1 or not isinstance(den.atoms.content(atom), Coordinate):
            return None
        parts.append((int(c), access[0]))
    return combine(parts, offset)


def _starts(
    den: Denotation, operation: Operation, starts: Sequence[Tensor], sizes: Shape, extents: Shape
) -> tuple[list[Affine], list[tuple[int, Tensor]]]:
    """Return the index expression of each dimension, and the masks that bind summed ones.

    Variables: the block's indices, then one summed index for each masked dimension.
    """
    rank = len(sizes)
    reads: list[Affine] = []
    masks: list[tuple[int, Tensor]] = []
    for d, start in enumerate(starts):
        e = affine_index(den, start)
        if e is not None:
            low, high = bounds(e, den.algebra.box(()))
            if low < 0 or high + sizes[d] > extents[d]:
                raise Undenotable("a slice whose start would be clamped")
            reads.append(combine(((1, e), (1, variable(d)))))
            continue
        _assume_in_range(den, operation, start, extents[d] - sizes[d])
        reads.append(variable(rank + len(masks)))
        masks.append((d, _place_mask(den, start, (sizes[d],), extents[d])))
    return reads, masks


def _place_mask(den: Denotation, start: Tensor, offsets: Shape, extent: int) -> Tensor:
    """Return [start[b] + o = i] over (b, o, i); without offsets [start[b] = i] over (b, i)."""
    shape = (*start.shape, *offsets, extent)
    reads = tuple(variable(d) for d in range(len(start.shape)))
    difference = den.linear(Multilinear(shape, (), (reads,)), start)
    if offsets:
        offset = den.coordinate(shape, len(start.shape))
        difference = den.pointwise.add(difference, offset)
    position = den.coordinate(shape, len(shape) - 1)
    return den.pointwise.mask(Relation.ZERO, den.pointwise.add(difference, position, -1))


def slice_application(
    den: Denotation, operation: Operation, operands: Sequence[Tensor]
) -> Application:
    """Return the sum that a slice at computed starts is: x[start + o]."""
    x, *starts = operands
    shape = operation.results[0].shape
    reads, masks = _starts(den, operation, starts, shape, x.shape)
    return _with_masks(shape, x, reads, masks)


def _with_masks(
    shape: Shape, x: Tensor, reads: Sequence[Affine], masks: Sequence[tuple[int, Tensor]]
) -> Application:
    summed = tuple(x.shape[d] for d, _ in masks)
    mask_reads: list[Reads] = [(variable(d), reads[d]) for d, _ in masks]
    form = Multilinear(shape, summed, (*mask_reads, tuple(reads)))
    return Application(form, (*(mask for _, mask in masks), x), {0: len(masks)})


def _dynamic_slice(
    den: Denotation, operation: Operation, operands: Sequence[Tensor]
) -> Sequence[Tensor]:
    return [den.applied(slice_application(den, operation, operands))]


def update_applications(
    den: Denotation, operation: Operation, operands: Sequence[Tensor]
) -> tuple[Application, Tensor]:
    """Return how an update is placed, and the mask of what it leaves of the operand."""
    x, update, *starts = operands
    reads, masks = _starts(den, operation, starts, update.shape, x.shape)
    sliced = _with_masks(update.shape, x, reads, masks)
    place = sliced.slots[0]
    form = sliced.form.transpose(place, x.shape)
    placed = Application(form, (*sliced.operands[:place], update), {1: place})
    ones = den.splat(1, update.shape)
    covered = den.linear(form, *sliced.operands[:place], ones)
    return placed, den.pointwise.negation(covered)


def _dynamic_update_slice(
    den: Denotation, operation: Operation, operands: Sequence[Tensor]
) -> Sequence[Tensor]:
    placed, left = update_applications(den, operation, operands)
    kept = den.pointwise.multiply(operands[0], left)
    return [den.pointwise.add(kept, den.applied(placed))]


def gather_application(
    den: Denotation, operation: Operation, operands: Sequence[Tensor]
) -> Application:
    """Return the sum over the indexed dimensions that a gather is."""
    a = operation.attributes
    assert isinstance(a, attr.Gather)
    x, indices = operands
    layout = _Layout(
        a.offset_dims,
        a.collapsed_slice_dims,
        a.operand_batching_dims,
        a.start_indices_batching_dims,
        a.start_index_map,
        a.index_vector_dim,
    )
    return layout.application(den, operation, operation.results[0].shape, x, indices)


def _gather(den: Denotation, operation: Operation, operands: Sequence[Tensor]) -> Sequence[Tensor]:
    return [den.applied(gather_application(den, operation, operands))]


def scatter_application(
    den: Denotation, operation: Operation, operands: Sequence[Tensor]
) -> Application:
    """Return the sum of updates by place that a scatter adds to its operand."""
    a = operation.attributes
    assert isinstance(a, attr.Scatter)
    if len(operands) != 3:
        raise Undenotable("a scatter of several operands")
    x, indices, updates = operands
    layout = _Layout(
        a.update_window_dims,
        a.inserted_window_dims,
        a.input_batching_dims,
        a.scatter_indices_batching_dims,
        a.scatter_dims_to_operand_dims,
        a.index_vector_dim,
    )
    gathered = layout.application(den, operation, updates.shape, x, indices)
    place = gathered.slots[0]
    form = gathered.form.transpose(place, x.shape)
    return Application(form, (*gathered.operands[:place], updates), {2: place})


def _scatter(den: Denotation, operation: Operation, operands: Sequence[Tensor]) -> Sequence[Tensor]:
    added = den.applied(scatter_application(den, operation, operands))
    left = scatter_remainder(den, operation, operands)
    kept = operands[0] if left is None else den.pointwise.multiply(operands[0], left)
    return [den.pointwise.add(kept, added)]


def scatter_remainder(
    den: Denotation, operation: Operation, operands: Sequence[Tensor]
) -> Tensor | None:
    """Return the mask of what a scatter that overwrites leaves of its operand; None for a sum.

    Only one block may be written: two could meet, and the order of writing is not defined.
    """
    a = operation.attributes
    assert isinstance(a, attr.Scatter)
    body = operation.regions[0]
    if den.combines_by(body, den.pointwise.add):
        return None
    if not den.combines_by(body, lambda held, update: update):
        raise Undenotable("a scatter by a region that is neither a sum nor the update")
    x, indices, updates = operands
    blocks = [n for d, n in enumerate(updates.shape) if d not in a.update_window_dims]
    if prod(blocks) != 1:
        raise Undenotable("a scatter that overwrites with more than one block")
    ones = den.splat(1, updates.shape)
    written = den.applied(scatter_application(den, operation, [x, indices, ones]))
    return den.pointwise.negation(written)


class _Layout:
    """Which dimension of the block, of the operand and of the indices plays which part."""

    def __init__(
        self,
        window: Shape,
        collapsed: Shape,
        batching: Shape,
        index_batching: Shape,
        mapped: Shape,
        vector: int,
    ) -> None:
        self.window = window
        self.collapsed = collapsed
        self.batching = batching
        self.index_batching = index_batching
        self.mapped = mapped
        self.vector = vector

    def application(
        self, den: Denotation, operation: Operation, block: Shape, x: Tensor, indices: Tensor
    ) -> Application:
        """Return block[b, o] = sum over i of masks * x at start[b] + o, batch by batch."""
        rank = len(block)
        batch = [d for d in range(rank) if d not in self.window]
        places = [variable(d) for d in batch]
        offsets = iter(self.window)
        reads: list[Affine] = []
        masks: list[tuple[Tensor, Reads]] = []
        summed: list[int] = []
        for d, extent in enumerate(x.shape):
            whole = d not in self.collapsed and d not in self.batching
            offset = variable(next(offsets)) if whole else None
            if d in self.mapped:
                at = variable(rank + len(summed))
                summed.append(extent)
                start = self._component(indices, den, self.mapped.index(d))
                sizes = () if offset is None else (block[offset[1][0][0]],)
                _require_in_range(den, operation, start, extent - prod(sizes))
                mask = _place_mask(den, start, sizes, extent)
                masks.append((mask, (*places, *([] if offset is None else [offset]), at)))
                reads.append(at)
            elif d in self.batching:
                dimension = self.index_batching[self.batching.index(d)]
                reads.append(places[dimension - (dimension > self.vector)])
            else:
                reads.append(constant(0) if offset is None else offset)
        form = Multilinear(block, tuple(summed), (*(r for _, r in masks), tuple(reads)))
        return Application(form, (*(m for m, _ in masks), x), {0: len(masks)})

    def _component(self, indices: Tensor, den: Denotation, position: int) -> Tensor:
        """Return one component of the index vectors, over the batch."""
        shape = indices.shape
        batch = tuple(n for d, n in enumerate(shape) if d != self.vector)
        reads = [variable(d - (d > self.vector)) for d in range(len(shape))]
        if self.vector < len(shape):
            reads[self.vector] = constant(position)
        return den.linear(Multilinear(batch, (), (tuple(reads),)), indices)


def _require_in_range(den: Denotation, operation: Operation, start: Tensor, last: int) -> None:
    """List starts as 0 … last, where nothing is clamped; refuse one that is seen to be outside."""
    e = affine_index(den, start)
    reach = den.entries(start) if e is None else bounds(e, den.algebra.box(start.digits))
    if reach is None:
        _assume_in_range(den, operation, start, last)
    elif min(reach) < 0 or max(reach) > last:
        raise Undenotable("an index outside its operand")


def _assume_in_range(den: Denotation, operation: Operation, start: Tensor, last: int) -> None:
    """List a hypothesis on starts, and remember what it says of them and of what they are made of.

    Where 0 <= c B + sum of c_i m_i + offset <= last with masks m_i, B lies in the widest range that
    any values of the masks admit.
    """
    den.conditions.in_range.add(f"line {operation.line}: {operation.opcode}")
    if den.conditions.settled or any(guards for _, guards in start.poly):
        return
    low, high = Fraction(0), Fraction(last)
    _remember(den, start, low, high)
    unknown: dict[Monomial, Fraction] = {}
    for (factors, _), c in start.poly.items():
        if not all(den.atoms.is_mask(atom) for atom, _, _ in factors):
            unknown[factors, ()] = c
        else:
            low -= max(c, Fraction(0)) if factors else c
            high -= min(c, Fraction(0)) if factors else c
    _remember(den, Tensor(start.digits, unknown), low, high)


def _remember(den: Denotation, integers: Tensor, low: Fraction, high: Fraction) -> None:
    """Bound an atom, times a number, that is read at all its indices."""
    if constant_of(integers.poly) is not None:
        return
    c, atom, access = den.pointwise.class_of(integers)
    extents = den.algebra.box(integers.digits)
    lone = {v for e in access for v in variables(e) if e == variable(v)}
    if sorted(extents[v] for v in lone) != sorted(den.atoms.extents(atom)):
        return
    low, high = sorted((low / c, high / c))
    if not den.algebra.thresholds.bound(atom, low, high):
        raise Undenotable("an index that no number puts inside its operand, beside other ones")


INDEXING: dict[str, Rule] = {
    "stablehlo.dynamic_slice": _dynamic_slice,
    "stablehlo.dynamic_update_slice": _dynamic_update_slice,
    "stablehlo.gather": _gather,
    "stablehlo.scatter": _scatter,
}
