"""Classes: a polynomial up to a factor and up to the names of its variables, under one number.

Nothing here is trusted to find equal classes; what is trusted is only that the class, read at the
returned indices and multiplied by the returned coefficient, is the polynomial that was given.
"""

import enum
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import count

from gradwright.certify.advice.naming import refine, suggested_orders, suggested_variables
from gradwright.certify.kernel.algebra import Algebra, Poly
from gradwright.certify.kernel.atoms import Atoms, Class, Sum
from gradwright.certify.kernel.index import Affine, Extents, guarded, variable

ORDER_LIMIT = 24
"""Orders of indistinguishable variables that are tried; beyond it one is taken."""


class Scale(enum.Enum):
    """What is divided out of a class."""

    LEADING = enum.auto()
    """The leading coefficient, so that p and -p share a class."""
    SIZE = enum.auto()
    """Its absolute value, so that the class has the sign of p."""


def intern_class(
    algebra: Algebra, p: Poly, extents: Extents, scale: Scale = Scale.LEADING
) -> tuple[Fraction, int, tuple[Affine, ...]]:
    """Return (c, atom, access) with p = c * atom[access]; p is not 0 and not a constant."""
    single = p.single_factor
    if single is not None and (scale is Scale.LEADING or single[0] > 0):
        return single
    chosen = suggested_variables(algebra.atoms, p, extents)
    origin, p, extents = generalized(algebra.atoms, p, extents, chosen)
    used = p.variables
    colours = refine(p, {v: (extents[v],) for v in sorted(used)})
    namings = orders(used, colours, ORDER_LIMIT)
    candidates = [_labelled(algebra, p, extents, names, scale) for names in namings]
    content, lead, _ = min(candidates, key=lambda candidate: candidate[0].terms)
    alike = [names for found, c, names in candidates if found == content and c == lead]
    return lead, *interned_alike(algebra.atoms, content, alike, origin)


def orders(
    used: Collection[int], colours: Mapping[int, int], limit: int
) -> Iterator[Sequence[int]]:
    """Yield orders of variables: those of different colours stay apart."""
    for names in suggested_orders({v: colours[v] for v in used}, limit):
        if sorted(names) != sorted(used):
            raise ValueError(f"{names} as an order of {used}")
        yield names


def interned_alike(
    atoms: Atoms,
    content: Class | Sum,
    labels: Sequence[Sequence[int]],
    origin: Mapping[int, Affine],
) -> tuple[int, tuple[Affine, ...]]:
    """Return a content that is the same under several labellings of its indices, and where read.

    Reading the atom at indices in the order of any labelling gives the same value. A variable
    stands for its origin, if it has one.
    """
    number = atoms.intern(content, content.extents[: len(labels[0])])
    if len(labels) > 1 and number not in atoms.symmetries:
        place = {v: i for i, v in enumerate(labels[0])}
        atoms.symmetries[number] = tuple(tuple(place[v] for v in each) for each in labels)
    access = tuple(origin.get(v, variable(v)) for v in labels[0])
    return number, atoms.ordered(number, access)


def _labelled(
    algebra: Algebra, p: Poly, extents: Extents, names: Sequence[int], scale: Scale
) -> tuple[Class, Fraction, Sequence[int]]:
    box = tuple(extents[v] for v in names)
    renaming = {v: variable(i) for i, v in enumerate(names) if v != i}
    renamed = algebra.substitute(p, renaming, dict(enumerate(box))) if renaming else p
    terms = renamed.terms
    lead = terms[0][1] if scale is Scale.LEADING else abs(terms[0][1])
    scaled = terms if lead == 1 else tuple((monomial, c / lead) for monomial, c in terms)
    return Class(box, scaled), lead, names


def generalized(
    atoms: Atoms, p: Poly, extents: Extents, chosen: Collection[Affine]
) -> tuple[Mapping[int, Affine], Poly, Extents]:
    """Return (origin, p', extents') with a variable of its own for each chosen index expression.

    Other indices at a fixed distance from a chosen one are read at that distance from its variable,
    whose extent leaves all of them inside what is read. Origin says which expression a variable
    stands for: reading p' there gives p, whichever were chosen. None may read what guards hold: by
    them an index may reach further than one of two that it is read at.
    """
    if not chosen:
        return {}, p, extents
    held = {v for _, guards in p for v in guarded(guards)}
    if any(v in held for e in chosen for v in e.variables):
        raise ValueError(f"indices {chosen} that are guarded")
    box = dict(extents)
    reads = dict.fromkeys(read for factors, _ in p for read in atoms.reads(factors))
    fresh = dict.fromkeys(e for e, _ in reads if e in chosen)
    names = dict(zip(fresh, count(max(box, default=-1) + 1), strict=False))
    moved_to: dict[Affine, Affine] = {}
    for e, extent in reads:
        below = (b for b in names if b.terms == e.terms and b.offset <= e.offset)
        base = e if e in names else next(below, None)
        if base is not None:
            shift = e.offset - base.offset
            moved_to[e] = variable(names[base]) + shift
            box[names[base]] = min(extent - shift, box.get(names[base], extent))
    moved = Poly()
    for (factors, guards), c in p.items():
        named = ((a, tuple(moved_to.get(e, e) for e in access), q) for a, access, q in factors)
        moved[tuple(sorted(named)), guards] = c
    return {v: e for e, v in names.items()}, moved, box
