"""Equality of tensors beyond equal normal forms: sums that are cut into pieces differently.

A gradient assembled from one product per kernel position, or from one loop step per block of the
batch, is a sum of pieces where the derived one is a single sum. Both sides are compared as sets of
integer points: pieces with the same factors and coefficient, pairwise disjoint, whose union is the
same on both sides.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import islpy as isl

from gradwright.certify.kernel.algebra import Algebra, Poly, Undenotable, add
from gradwright.certify.kernel.atoms import Factor, Monomial, Sum
from gradwright.certify.kernel.clearing import clearings, vanishes
from gradwright.certify.kernel.index import Affine, Extents, Guard, substitute, variable
from gradwright.certify.kernel.reading import Reading, require_one_each
from gradwright.certify.kernel.tensor import Tensor


@dataclass(frozen=True, slots=True)
class _Piece:
    """One term with its sums written out."""

    factors: tuple[Factor, ...]
    guards: tuple[Guard, ...]
    extents: Mapping[int, int]
    summed: tuple[int, ...]

    @property
    def kind(self) -> tuple[tuple[int, object], ...]:
        return tuple((atom, q) for atom, _, q in self.factors)


def equal(algebra: Algebra, a: Tensor, b: Tensor) -> bool:
    """Return whether two tensors over the same digits are proved equal.

    Region by region, denominators are cleared and classes written out. Or sums are, after none of
    the classes, one, two …: those that both sides contain are first left, then written out too.
    """
    difference = add(a.poly, b.poly, -1)
    box = algebra.box(a.digits)
    if not difference or vanishes(algebra, difference, box):
        return True
    return any(_cancels(algebra, form, box) for form in clearings(algebra, difference, box))


def _cancels(algebra: Algebra, difference: Poly, box: Extents) -> bool:
    """Return whether a difference cancels when sums are written out."""
    left = _sums(algebra, (m for m, c in difference.items() if c > 0))
    shared = left & _sums(algebra, (m for m, c in difference.items() if c < 0))
    closed = [shared, set[int]()] if shared else [set[int]()]
    return any(_same_pieces(algebra, difference, box, kept) for kept in closed)


def _same_pieces(algebra: Algebra, difference: Poly, box: Extents, kept: set[int]) -> bool:
    """Return whether the terms of a difference cancel when its sums, but some, are written out."""
    groups: dict[object, tuple[list[_Piece], list[_Piece]]] = {}
    try:
        for monomial, c in difference.items():
            piece = _written_out(algebra, monomial, box, kept)
            left, right = groups.setdefault((piece.kind, abs(c)), ([], []))
            (left if c > 0 else right).append(piece)
        if not all(left and right for left, right in groups.values()):
            return False
        return all(_same_union(algebra, left, right) for left, right in groups.values())
    except Undenotable:
        return False


def _sums(algebra: Algebra, monomials: Iterable[Monomial]) -> set[int]:
    """Return the sums that are factors of monomials, or factors in such sums."""
    found: set[int] = set()
    pending = [atom for factors, _ in monomials for atom, _, _ in factors]
    while pending:
        atom = pending.pop()
        content = algebra.atoms.content(atom)
        if isinstance(content, Sum) and atom not in found:
            found.add(atom)
            pending.extend(inner for inner, _, _ in content.factors)
    return found


def _same_union(algebra: Algebra, left: Sequence[_Piece], right: Sequence[_Piece]) -> bool:
    ours = _disjoint_union([_points(algebra, piece) for piece in left])
    theirs = _disjoint_union([_points(algebra, piece) for piece in right])
    return ours is not None and theirs is not None and bool(ours.is_equal(theirs))


def _disjoint_union(pieces: Sequence[isl.Set]) -> isl.Set | None:
    """Return the union of pieces, None where two of them share a point."""
    union = pieces[0]
    for piece in pieces[1:]:
        if not union.is_disjoint(piece):
            return None
        union = union.union(piece).coalesce()
    return union


def _written_out(
    algebra: Algebra, monomial: Monomial, extents: Mapping[int, int], kept: set[int]
) -> _Piece:
    factors, guards = list(monomial[0]), list(monomial[1])
    box = dict(extents)
    plain: list[Factor] = []
    summed: list[int] = []
    while factors:
        atom, access, q = factors.pop()
        content = algebra.atoms.content(atom)
        if not isinstance(content, Sum) or q != 1 or atom in kept:
            plain.append((atom, access, q))
            continue
        mapping: dict[int, Affine] = dict(enumerate(access))
        for i in range(content.outputs, len(content.extents)):
            summed.append(max((-1, *box)) + 1)
            mapping[i] = variable(summed[-1])
            box[summed[-1]] = content.extents[i]
        factors += [
            (inner, tuple(substitute(e, mapping) for e in inner_access), k)
            for inner, inner_access, k in content.factors
        ]
        guards += [(substitute(e, mapping), low, high) for e, low, high in content.guards]
    kinds = [(atom, q) for atom, _, q in plain]
    if len(set(kinds)) < len(kinds):
        raise Undenotable("a product with a repeated factor, whose indices could change places")
    ordered = tuple(sorted(plain, key=lambda factor: (factor[0], Fraction(factor[2]))))
    return _Piece(ordered, tuple(guards), box, tuple(summed))


def _points(algebra: Algebra, piece: _Piece) -> isl.Set:
    reading = Reading(
        tuple(
            tuple(zip(access, algebra.atoms.extents(atom), strict=True))
            for atom, access, _ in piece.factors
        ),
        piece.guards,
        tuple(v for v in piece.extents if v >= 0 and v not in piece.summed),
        piece.summed,
        piece.extents,
    )
    require_one_each(reading)
    return reading.points()
