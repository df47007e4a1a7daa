"""Equality of sums of products at all sizes: sets of integer points with parameters, by isl.

A sum of products is fixed by the set of (outputs, indices of each read) that it meets, provided
that each is met once. Sizes are parameters of the sets, so that one comparison is a proof for all
of them, and a point in one set but not in the other is a counterexample.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import islpy as isl

from gradwright.certify.kernel.algebra import Undenotable
from gradwright.certify.kernel.index import Affine
from gradwright.theory.record import Instance, Symbols
from gradwright.theory.terms import Form, Reader, Term

_Kind = tuple[Fraction, tuple[tuple[int, int], ...], tuple[str, ...]]


def sizes_where(instance: Instance) -> isl.Set:
    """Return the sizes at which an instance claims something, as a set of parameters."""
    return _sizes(instance.symbols, [h.formula for h in instance.hypotheses])


def _sizes(symbols: Symbols, formulas: Sequence[str]) -> isl.Set:
    conditions = [
        *(f"{s.symbol} >= {s.least}" for s in symbols.sizes),
        *symbols.definitions,
        *(f"({formula})" for formula in formulas),
    ]
    return isl.Set(f"[{', '.join(symbols.names)}] -> {{ : {' and '.join(conditions)} }}")


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two forms differ: points (outputs, reads) of the parametric sets, per kind of term."""

    where: isl.Set
    """The sizes at which they differ."""
    points: tuple[isl.Set, ...]
    atoms: tuple[tuple[str, ...], ...]
    """What the reads of each point set are reads of."""


def difference(reader: Reader, instance: Instance, left: Form, right: Form) -> Difference | None:
    """Return where two forms differ at sizes within the hypotheses; None where nowhere.

    Errors: Undenotable where a product is met more than once, so that sets do not say it all.
    """
    context = admissible(reader, instance)
    ours, theirs = (_unions(reader, form, context) for form in (left, right))
    apart: list[isl.Set] = []
    atoms: list[tuple[str, ...]] = []
    for kind in {**ours, **theirs}:
        a, b = ours.get(kind), theirs.get(kind)
        both = [s for s in (a, b) if s is not None]
        if a is not None and b is not None:
            both = [a.subtract(b), b.subtract(a)]
        for each in both:
            if not each.is_empty():
                apart.append(each)
                atoms.append(kind[2])
    if not apart:
        return None
    where = isl.Set.empty(context.get_space())
    for each in apart:
        where = where.union(each.params())
    return Difference(where.coalesce(), tuple(apart), tuple(atoms))


def admissible(reader: Reader, instance: Instance) -> isl.Set:
    """Return the sizes within the hypotheses at which every value has an entry.

    Where no window fits there is nothing to claim.
    """
    symbols = instance.symbols
    conditions = [
        f"{_spell(reader, extent)} >= 1"
        for name in symbols.boxes
        for extent in reader.extents(name)
    ]
    body = " and ".join(conditions) or "true"
    nonempty = isl.Set(f"[{', '.join(symbols.names)}] -> {{ : {body} }}")
    return sizes_where(instance).intersect(nonempty)


def _unions(reader: Reader, form: Form, context: isl.Set) -> Mapping[_Kind, isl.Set]:
    unions: dict[_Kind, isl.Set] = {}
    for term in form.terms:
        names = tuple(name for name, _ in term.reads)
        if len(set(names)) < len(names):
            raise Undenotable("a product with a repeated factor")
        kind = (term.coefficient, term.scales, names)
        points = _points(reader, form, term, context)
        if points.is_empty():
            continue
        known = unions.get(kind)
        if known is not None and not known.is_disjoint(points):
            raise Undenotable("two terms that meet the same product")
        unions[kind] = points if known is None else known.union(points).coalesce()
    return unions


def _points(reader: Reader, form: Form, term: Term, context: isl.Set) -> isl.Set:
    """Return {[outputs, reads]}, having made sure that no point is met twice."""
    source = [_name(v) for v in (*form.indices, *term.bound)]
    reads = [_spell(reader, e) for _, access in term.reads for e in access]
    target = [*(_name(v) for v in form.indices), *reads]
    conditions = [*_conditions(reader, form, term)]
    sizes = ", ".join(reader.symbols.names)
    text = (
        f"[{sizes}] -> {{ [{', '.join(source)}] -> [{', '.join(target)}]"
        f" : {' and '.join(conditions) or 'true'} }}"
    )
    visits = isl.Map(text).intersect_params(context)
    if term.bound and not visits.is_injective():
        raise Undenotable("a sum that meets the same product a varying number of times")
    return visits.range()


def _conditions(reader: Reader, form: Form, term: Term) -> Iterator[str]:
    for v, extent in zip(form.indices, form.extents, strict=True):
        yield f"0 <= {_name(v)} < {_spell(reader, extent)}"
    for interval in term.intervals:
        yield f"0 <= {_spell(reader, interval.expression)} < {_spell(reader, interval.extent)}"
    for e in term.zeros:
        yield f"{_spell(reader, e)} = 0"


def _spell(reader: Reader, e: Affine) -> str:
    """Return an expression in isl's notation; sizes keep their names."""
    count = len(reader.symbols.names)
    return " + ".join(
        [str(e[0]), *(f"{k}*{reader.names[v] if v < count else _name(v)}" for v, k in e[1])]
    )


def _name(v: int) -> str:
    return f"v{v}"


@dataclass(frozen=True, slots=True)
class Point:
    """A point at which two forms differ: sizes, output indices, and what is read where."""

    sizes: Mapping[str, int]
    outputs: tuple[int, ...]
    reads: tuple[tuple[str, tuple[int, ...]], ...]


def smallest(
    instance: Instance, found: Difference, ranks: Mapping[str, int], outputs: int
) -> Point:
    """Return the point with the least sum of sizes, then the least sizes in order.

    `ranks` gives the number of indices of each atom.
    """
    candidates = [
        _least(instance, points, names, ranks, outputs)
        for points, names in zip(found.points, found.atoms, strict=True)
    ]
    return min(candidates, key=lambda p: (_total(instance, p), tuple(p.sizes.values())))


def _total(instance: Instance, point: Point) -> int:
    return sum(point.sizes[s.symbol] for s in instance.symbols.sizes)


def _least(
    instance: Instance,
    points: isl.Set,
    names: Sequence[str],
    ranks: Mapping[str, int],
    outputs: int,
) -> Point:
    symbols = instance.symbols.names
    count = points.dim(isl.dim_type.param)
    moved = points.move_dims(isl.dim_type.set, 0, isl.dim_type.param, 0, count)
    moved = moved.insert_dims(isl.dim_type.set, 0, 1)
    free = " + ".join(f"p{i}" for i in range(len(instance.symbols.sizes))) or "0"
    width = moved.dim(isl.dim_type.set) - 1 - count
    tail = [f"q{i}" for i in range(width)]
    head = [f"p{i}" for i in range(count)]
    total = isl.Set(f"{{ [t, {', '.join((*head, *tail))}] : t = {free} }}")
    least = moved.intersect(total).lexmin().sample_point()
    values = [
        int(least.get_coordinate_val(isl.dim_type.set, i).get_num_si())
        for i in range(1 + count + width)
    ]
    at = 1 + count + outputs
    reads: list[tuple[str, tuple[int, ...]]] = []
    for name in names:
        reads.append((name, tuple(values[at : at + ranks[name]])))
        at += ranks[name]
    sizes = dict(zip(symbols, values[1 : 1 + count], strict=True))
    return Point(sizes, tuple(values[1 + count : 1 + count + outputs]), tuple(reads))
