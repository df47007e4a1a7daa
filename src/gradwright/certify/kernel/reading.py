"""What a sum reads, as a set of integer points: the bridge to isl."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import islpy as isl

from gradwright.certify.effort import bounded
from gradwright.certify.kernel.algebra import Poly
from gradwright.certify.kernel.index import Affine, Guard, Guards, bounds
from gradwright.certify.kernel.linear import undetermined

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
        places: list[str] = []
        conditions = [*self._box()]
        for i, read in enumerate(self.reads):
            for d, (e, extent) in enumerate(read):
                places.append(f"f{i}_{d}")
                conditions.append(f"f{i}_{d} = {_spell(e)}")
                low, high = bounds(e, self.extents)
                if low < 0 or high >= extent:
                    conditions.append(f"0 <= f{i}_{d} < {extent}")
        head = ", ".join([*(_name(v) for v in self.outputs), *places])
        bound = ", ".join(_name(v) for v in self.summed)
        body = " and ".join(conditions) or "true"
        inner = f"exists ({bound}: {body})" if bound else body
        return _set(f"{{ [{head}] : {inner} }}")

    def map_text(self) -> str:
        """Return isl's notation of (outputs, summed) -> (outputs, all indices read)."""
        source = ", ".join(_name(v) for v in (*self.outputs, *self.summed))
        reads = [_spell(e) for read in self.reads for e, _ in read]
        target = ", ".join([*(_name(v) for v in self.outputs), *reads])
        return f"{{ [{source}] -> [{target}] : {self.conditions()} }}"

    def conditions(self) -> str:
        """Return isl's notation of the box and the guards."""
        return " and ".join(self._box()) or "true"

    def _box(self) -> Iterator[str]:
        for v in (*self.outputs, *self.summed):
            yield f"0 <= {_name(v)} < {self.extents[v]}"
        for e, low, high in self.guards:
            yield f"{low} <= {_spell(e)} < {high}"


@bounded()
def met_again(reading: Reading) -> set[int]:
    """Return summed variables that differ where two summed points read the same entries, if any."""
    known = [e for read in reading.reads for e, _ in read]
    known += [e for e, low, high in reading.guards if high == low + 1]
    rows = [[dict(e[1]).get(v, 0) for v in reading.summed] for e in known]
    loose = {reading.summed[i] for i in undetermined(rows, len(reading.summed))}
    return loose if loose and not isl.Map(reading.map_text()).is_injective() else set()


@bounded()
def met_once(
    guards: Guards, outputs: Sequence[int], summed: Sequence[int], extents: Mapping[int, int]
) -> list[list[Guard]] | None:
    """Return where the guards hold for some summed point, as disjoint pieces, each a conjunction.

    None where they hold for two summed points at once, or where no such pieces are found.
    """
    reading = Reading((), guards, tuple(outputs), tuple(summed), extents)
    source, target = (", ".join(map(_name, names)) for names in (outputs, summed))
    points = isl.Map(f"{{ [{source}] -> [{target}] : {reading.conditions()} }}")
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
    e = _integer(constraint.get_constant_val()), terms
    return e, 0, 1 if constraint.is_equality() else max(bounds(e, extents)[1], 0) + 1


def _integer(v: isl.Val) -> int:
    return int(v.to_str())


def _spell(e: Affine) -> str:
    return " + ".join([str(e[0]), *(f"{k}*{_name(v)}" for v, k in e[1])])


def _name(v: int) -> str:
    return f"v{v}" if v >= 0 else f"k{-v}"


@bounded()
def vanishes(p: Poly, extents: Mapping[int, int]) -> bool:
    """Return whether a sum of guards, without factors, is 0 on the whole box."""
    if any(factors for factors, _ in p):
        return False
    return add_up_to_nothing([(_where(guards, extents), c) for (_, guards), c in p.items()])


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
def _set(text: str) -> isl.Set:
    return isl.Set(text)
