"""Denotations of slices, gathers and scatters at computed places.

A start that counts, from known numbers in known steps, is an index, and must be in range. Any
other is a mask, x[s] = sum over i of [s = i] x[i]; it is assumed to be in range, where nothing is
clamped or dropped, and the operation is listed.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from gradwright.certify.kernel.algebra import Poly, Undenotable
from gradwright.certify.kernel.atoms import Relation
from gradwright.certify.kernel.conditions import Between
from gradwright.certify.kernel.denotation import Denotation, Rule, Step
from gradwright.certify.kernel.index import Affine, variable
from gradwright.certify.kernel.multilinear import Application, Multilinear, Reads
from gradwright.certify.kernel.tensor import Shape, Tensor, plain_digits
from gradwright.hlo import attributes as attr


@dataclass(frozen=True, slots=True)
class _Block:
    """A block read from an operand: batch dimensions, and offsets from a start per batch."""

    shape: Shape
    offsets: Shape
    """Dimensions of the block that go on from the starts, one per dimension of the operand …"""
    dropped: Shape
    """… but for those of which a single entry is read,"""
    batched: Mapping[int, int]
    """and for those that are read at a batch index, with the place of that among these."""
    starts: Mapping[int, Tensor]
    """Where the block starts, over the batch, along dimensions of the operand; 0 elsewhere."""

    def of(self, at: Step, x: Tensor) -> Application:
        """Return block[b, o] = x[start[b] + o], or the sum over i of [start[b] + o = i] x[i]."""
        batch = [variable(d) for d in range(len(self.shape)) if d not in self.offsets]
        offsets = iter(self.offsets)
        reads: list[Affine] = []
        masks: list[tuple[Tensor, Reads, int]] = []
        for d, extent in enumerate(x.shape):
            if d in self.batched:
                reads.append(batch[self.batched[d]])
                continue
            offset = () if d in self.dropped else (next(offsets),)
            if d not in self.starts:
                reads.append(variable(offset[0]) if offset else Affine(0))
                continue
            start, sizes = self.starts[d], tuple(self.shape[o] for o in offset)
            _require_in_range(at, start, extent - prod(sizes))
            e = at.p.affine(start)
            if e is not None and start.digits == plain_digits(start.shape):
                places = (place for place, n in zip(batch, start.shape, strict=True) if n != 1)
                e = e.at(dict(enumerate(places)))
                reads.append(sum(map(variable, offset), e))
                continue
            i = variable(len(self.shape) + len(masks))
            mask = _place_mask(at.den, start, sizes, extent)
            masks.append((mask, (*batch, *map(variable, offset), i), extent))
            reads.append(i)
        summed = tuple(extent for *_, extent in masks)
        form = Multilinear(self.shape, summed, (*(read for _, read, _ in masks), tuple(reads)))
        return Application(form, (*(mask for mask, *_ in masks), x), {0: len(masks)})


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


def _at_starts(shape: Shape, starts: Iterable[Tensor]) -> _Block:
    """Return the block of a slice: one start per dimension, no batch."""
    return _Block(shape, tuple(range(len(shape))), (), {}, dict(enumerate(starts)))


def _at_indices(den: Denotation, shape: Shape, a: attr.Gather | attr.Scatter, s: Tensor) -> _Block:
    """Return the block of a gather, or of a scatter's updates: its starts are vectors in s."""
    if isinstance(a, attr.Gather):
        offsets, dropped, mapped = a.offset_dims, a.collapsed_slice_dims, a.start_index_map
        batching = zip(a.operand_batching_dims, a.start_indices_batching_dims, strict=True)
    else:
        offsets, dropped = a.update_window_dims, a.inserted_window_dims
        mapped = a.scatter_dims_to_operand_dims
        batching = zip(a.input_batching_dims, a.scatter_indices_batching_dims, strict=True)
    vector = a.index_vector_dim
    batched = {d: place - (place > vector) for d, place in batching}
    batch = tuple(n for d, n in enumerate(s.shape) if d != vector)
    starts: dict[int, Tensor] = {}
    for component, d in enumerate(mapped):
        reads = [variable(d - (d > vector)) for d in range(len(s.shape))]
        if vector < len(s.shape):
            reads[vector] = Affine(component)
        starts[d] = den.linear(Multilinear(batch, (), (tuple(reads),)), s)
    return _Block(shape, offsets, dropped, batched, starts)


def read(at: Step) -> Application:
    """Return the sum that a slice at computed starts, or a gather, is."""
    a, (x, *starts) = at.operation.attributes, at.x
    if isinstance(a, attr.Gather):
        return _at_indices(at.den, at.shape, a, starts[0]).of(at, x)
    return _at_starts(at.shape, starts).of(at, x)


def written(at: Step) -> tuple[Application, Tensor | None]:
    """Return the sum of updates by place, and the mask of what they leave; None where they add.

    A scatter may overwrite with one block only: two could meet, and the order is not defined.
    """
    a, den = at.operation.attributes, at.den
    if isinstance(a, attr.Scatter):
        if len(at.x) != 3:
            raise Undenotable("a scatter of several operands")
        x, indices, update = at.x
        block = _at_indices(den, update.shape, a, indices).of(at, x)
        number, adds = 2, den.combines_by(at.operation.regions[0], den.pointwise.add)
        if not adds and not den.combines_by(at.operation.regions[0], lambda held, new: new):
            raise Undenotable("a scatter by a region that is neither a sum nor the update")
        blocks = [n for d, n in enumerate(update.shape) if d not in a.update_window_dims]
        if not adds and prod(blocks) != 1:
            raise Undenotable("a scatter that overwrites with more than one block")
    else:
        x, update, *starts = at.x
        block = _at_starts(update.shape, starts).of(at, x)
        number, adds = 1, False
    place = block.slots[0]
    form, masks = block.form.transpose(place, x.shape), block.operands[:place]
    placed = Application(form, (*masks, update), {number: place})
    if adds:
        return placed, None
    covered = den.linear(form, *masks, den.splat(1, update.shape))
    return placed, den.pointwise.negation(covered)


def _write(at: Step) -> Tensor:
    placed, left = written(at)
    kept = at.x[0] if left is None else at.p.multiply(at.x[0], left)
    return at.p.add(kept, at.den.applied(placed))


def _require_in_range(at: Step, start: Tensor, last: int) -> None:
    """List starts as 0 … last, where nothing is clamped; refuse constants that are outside."""
    held = Between(Fraction(0), Fraction(last))
    if not at.den.require(held, start, "an index outside its operand"):
        _assume_in_range(at, start, last)


def _assume_in_range(at: Step, start: Tensor, last: int) -> None:
    """List a hypothesis on starts, and remember what it says of them and of what they are made of.

    Where 0 <= c B + sum of c_i m_i + offset <= last with masks m_i, B lies in the widest range that
    any values of the masks admit.
    """
    den = at.den
    den.conditions.in_range.add(at.line(at.operation.opcode))
    if den.conditions.settled or any(guards for _, guards in start.poly):
        return
    low, high = Fraction(0), Fraction(last)
    _remember(den, start, low, high)
    unknown = Poly()
    for (factors, _), c in start.poly.items():
        if not all(den.atoms.is_mask(atom) for atom, _, _ in factors):
            unknown[factors, ()] = c
        else:
            low -= max(c, Fraction(0)) if factors else c
            high -= min(c, Fraction(0)) if factors else c
    _remember(den, Tensor(start.digits, unknown), low, high)


def _remember(den: Denotation, integers: Tensor, low: Fraction, high: Fraction) -> None:
    """Bound an atom, times a number, that is read at all its indices."""
    if integers.poly.constant is not None:
        return
    c, atom, access = den.pointwise.class_of(integers)
    extents = den.algebra.box(integers.digits)
    lone = {v for e in access if (v := e.lone) is not None}
    if sorted(extents[v] for v in lone) != sorted(den.atoms.extents(atom)):
        return
    low, high = sorted((low / c, high / c))
    if not den.algebra.thresholds.bound(atom, low, high):
        raise Undenotable("an index that no number puts inside its operand, beside other ones")


INDEXING: dict[str, Rule] = {
    "stablehlo.dynamic_slice": lambda at: at.den.applied(read(at)),
    "stablehlo.gather": lambda at: at.den.applied(read(at)),
    "stablehlo.dynamic_update_slice": _write,
    "stablehlo.scatter": _write,
}
