"""What a sum reads, as a set of integer points: the bridge to isl."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import permutations, product

import islpy as isl

from gradwright.certify.effort import bounded
from gradwright.certify.kernel.algebra import Poly
from gradwright.certify.kernel.atoms import Factor
from gradwright.certify.kernel.index import Affine, Guard, Guards, always, variable
from gradwright.certify.kernel.linear import undetermined

Ends = tuple[tuple[int, int], ...]
"""Intervals low <= x < high."""
_Where = tuple[Ends, tuple[Affine, ...], Ends]
"""A box, expressions in its coordinates by place, and the intervals where these lie."""
Spelled = tuple[_Where, tuple[Affine, ...]]
"""A box with a condition, and expressions in its coordinates."""
Read = tuple[tuple[Affine, int], ...]
"""The indices at which something is read, each with the extent that it lies in."""

SETS = 4096
"""Sets of points that are kept: many sums read alike."""
REGIONS = 32
"""Regions of one set that are told apart by the other sets that lie on them."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What is read at the points (outputs, summed) of a box where the guards hold."""

    reads: tuple[Read, ...]
    guards: Guards
    outputs: tuple[int, ...]
    summed: tuple[int, ...]
    extents: Mapping[int, int]

    def points(self) -> isl.Set:
        """Return {(outputs, indices of read 1, indices of read 2, …)}."""
        return _image(*self.spelled())

    def spelled(self) -> Spelled:
        """Return what the points are the image of, and under what map: alike for any names."""
        inside = [(e, 0, extent) for read in self.reads for e, extent in read]
        held = [guard for guard in inside if not always(guard, self.extents)]
        return self._where(sorted({*self.guards, *held})), self._target()

    def map(self) -> isl.Map:
        """Return (outputs, summed) -> (outputs, all indices read)."""
        names = len(self.outputs) + len(self.summed)
        where = _within(*self._where(self.guards))
        return isl.Map.from_multi_aff(_affine(names, self._target())).intersect_domain(where)

    def _where(self, guards: Sequence[Guard]) -> "_Where":
        box = tuple((0, self.extents[v]) for v in (*self.outputs, *self.summed))
        held = self._placed(e for e, _, _ in guards)
        return box, held, tuple((low, high) for _, low, high in guards)

    def _target(self) -> tuple[Affine, ...]:
        reads = (e for read in self.reads for e, _ in read)
        return self._placed((*map(variable, self.outputs), *reads))

    def _placed(self, expressions: Iterable[Affine]) -> tuple[Affine, ...]:
        """Return expressions with the place of a variable among outputs and summed for itself."""
        place = {v: i for i, v in enumerate((*self.outputs, *self.summed))}
        return tuple(Affine(c, tuple((place[v], k) for v, k in terms)) for c, terms in expressions)


def alike(kinds: Sequence[Hashable]) -> Iterator[Sequence[int]]:
    """Yield the orders in which what is of one kind changes places, kinds grouped together."""
    groups: dict[Hashable, list[int]] = {}
    for i, kind in enumerate(kinds):
        groups.setdefault(kind, []).append(i)
    for choice in product(*map(permutations, groups.values())):
        yield [i for group in choice for i in group]


@bounded()
def met_again(reading: Reading) -> set[int]:
    """Return summed variables that differ where two summed points read the same entries, if any."""
    known = [e for read in reading.reads for e, _ in read]
    known += [e for e, low, high in reading.guards if high == low + 1]
    rows = [[dict(e.terms).get(v, 0) for v in reading.summed] for e in known]
    loose = {reading.summed[i] for i in undetermined(rows, len(reading.summed))}
    return loose if loose and not reading.map().is_injective() else set()


@bounded()
def met_once(
    guards: Guards, outputs: Sequence[int], summed: Sequence[int], extents: Mapping[int, int]
) -> list[list[Guard]] | None:
    """Return where the guards hold for some summed point, as disjoint pieces, each a conjunction.

    None where they hold for two summed points at once, or where no such pieces are found.
    """
    reading = Reading((), guards, tuple(outputs), tuple(summed), extents)
    points = reading.map().reverse()
    if not points.is_single_valued():
        return None
    pieces: list[list[Guard]] = []
    for piece in points.domain().coalesce().make_disjoint().get_basic_sets():
        if piece.dim(isl.dim_type.div):
            return None
        constraints = piece.get_constraints()
        pieces.append([_guard(constraint, outputs, extents) for constraint in constraints])
    return pieces


def _guard(constraint: isl.Constraint, outputs: Sequence[int], extents: Mapping[int, int]) -> Guard:
    """Return an equation e = 0, or an inequality e >= 0, over a set's dimensions as a guard."""
    found = (
        (v, _integer(constraint.get_coefficient_val(isl.dim_type.set, i)))
        for i, v in enumerate(outputs)
    )
    terms = tuple(sorted((v, k) for v, k in found if k))
    e = Affine(_integer(constraint.get_constant_val()), terms)
    return e, 0, 1 if constraint.is_equality() else max(e.bounds(extents)[1], 0) + 1


def _integer(v: isl.Val) -> int:
    return int(v.to_str())


@bounded()
def vanishes(p: Poly, extents: Mapping[int, int]) -> bool:
    """Return whether terms are 0 on the whole box: the guards of each product add up to 0."""
    places: dict[tuple[Factor, ...], list[tuple[isl.Set, Fraction]]] = {}
    for (factors, guards), c in p.items():
        places.setdefault(factors, []).append((_where(guards, extents), c))
    return all(map(add_up_to_nothing, places.values()))


@bounded()
def add_up_to_nothing(parts: Iterable[tuple[isl.Set, Fraction]]) -> bool:
    """Return whether at every point the coefficients of the sets that hold it add up to 0.

    False also where too many regions would have to be told apart.
    """
    left = _joined(parts)
    while left:
        points, c = left.pop()
        if points.is_empty():
            continue
        regions = [(points, c)]
        for i, (other, k) in enumerate(left):
            if not points.is_disjoint(other):
                regions = list(_split(regions, other, k))
                left[i] = other.subtract(points), k
            if len(regions) > REGIONS:
                return False
        if any(total for _, total in regions):
            return False
    return True


def cancel(parts: Iterable[tuple[Spelled, Fraction]]) -> bool:
    """Return whether coefficients of what is read add up to 0 at every point.

    That is so for any multiple of them, and in whatever order all points have their coordinates:
    layers of one shape are one question.
    """
    ordered = sorted(parts)
    if not ordered:
        return True
    first = ordered[0][1]
    columns = sorted(zip(*(target for (_, target), _ in ordered), strict=True))
    targets = zip(*columns, strict=True) if columns else [()] * len(ordered)
    return _cancel(
        tuple(
            (where, tuple(t), c / first)
            for ((where, _), c), t in zip(ordered, targets, strict=True)
        )
    )


@lru_cache(SETS)
def _cancel(parts: tuple[tuple[_Where, tuple[Affine, ...], Fraction], ...]) -> bool:
    return add_up_to_nothing((_image(where, target), c) for where, target, c in parts)


def _split(
    regions: Iterable[tuple[isl.Set, Fraction]], points: isl.Set, c: Fraction
) -> Iterator[tuple[isl.Set, Fraction]]:
    """Yield regions with the sums of their coefficients, a further set among them."""
    for region, total in regions:
        for part, k in ((region.intersect(points), total + c), (region.subtract(points), total)):
            if not part.is_empty():
                yield part, k


def _joined(parts: Iterable[tuple[isl.Set, Fraction]]) -> list[tuple[isl.Set, Fraction]]:
    """Return sets with coefficients, disjoint ones of one coefficient as their union."""
    joined: list[tuple[isl.Set, Fraction]] = []
    for points, c in parts:
        for i, (union, k) in enumerate(joined):
            if k == c and union.is_disjoint(points):
                joined[i] = union.union(points).coalesce(), c
                break
        else:
            joined.append((points, c))
    return joined


@bounded()
def covered(p: Poly, extents: Mapping[int, int]) -> bool:
    """Return whether at every point of the box the guards of some term hold."""
    if any(not guards for _, guards in p):
        return True
    left = _where((), extents)
    for _, guards in p:
        left = left.subtract(_where(guards, extents))
    return bool(left.is_empty())


def _where(guards: Guards, extents: Mapping[int, int]) -> isl.Set:
    """Return the points of a box at which guards hold."""
    return Reading((), guards, tuple(extents), (), extents).points()


@lru_cache(SETS)
def _image(inside: _Where, target: tuple[Affine, ...]) -> isl.Set:
    """Return what an affine map makes of the points of a box within limits."""
    return _within(*inside).apply(isl.Map.from_multi_aff(_affine(len(inside[0]), target)))


def _within(box: Ends, held: tuple[Affine, ...], limits: Ends) -> isl.Set:
    """Return the points of a box at which affine expressions lie within limits."""
    points = _box(box)
    if not limits:
        return points
    return points.intersect(_box(limits).preimage_multi_aff(_affine(len(box), held)))


@lru_cache(SETS)
def _affine(count: int, target: tuple[Affine, ...]) -> isl.MultiAff:
    """Return the map from so many variables, by place, to affine expressions."""
    source = ", ".join(f"v{i}" for i in range(count))
    spelled = (" + ".join([str(c), *(f"{k}*v{i}" for i, k in terms)]) for c, terms in target)
    return isl.MultiAff(f"{{ [{source}] -> [{', '.join(spelled)}] }}")


def _box(ends: Ends) -> isl.Set:
    """Return the points whose coordinates x have low <= x < high."""
    points = isl.Set.universe(isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, len(ends)))
    for i, (low, high) in enumerate(ends):
        points = points.lower_bound_val(isl.dim_type.set, i, low)
        points = points.upper_bound_val(isl.dim_type.set, i, high - 1)
    return points
