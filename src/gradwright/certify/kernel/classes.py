"""Classes: a polynomial up to a factor and up to the names of its variables, under one number.

Nothing here is trusted to find equal classes; what is trusted is only that the class, read at the
returned indices and multiplied by the returned coefficient, is the polynomial that was given.
"""

import enum
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction

from gradwright.certify.advice.naming import refine, suggested_orders
from gradwright.certify.kernel.algebra import Algebra, Poly, sorted_terms, variables_of
from gradwright.certify.kernel.atoms import Class, Monomial
from gradwright.certify.kernel.index import Affine, Extents, variable, variables

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
    single = _single_factor(p)
    if single is not None and (scale is Scale.LEADING or single[0] > 0):
        return single
    origin, p, extents = generalize(algebra, p, extents)
    used = variables_of(p)
    colours = refine(p, {v: (extents[v],) for v in sorted(used)})
    namings = orders(used, colours, ORDER_LIMIT)
    candidates = [_labelled(algebra, p, extents, names, scale) for names in namings]
    content, lead, _ = min(candidates, key=lambda candidate: candidate[0].terms)
    alike = [names for found, c, names in candidates if found == content and c == lead]
    atom = algebra.atoms.interned_alike(content, content.extents, alike)
    access = tuple(origin.get(v, variable(v)) for v in alike[0])
    return lead, atom, algebra.atoms.ordered(atom, access)


def orders(
    used: Collection[int], colours: Mapping[int, int], limit: int
) -> Iterator[Sequence[int]]:
    """Yield orders of variables: those of different colours stay apart."""
    for names in suggested_orders({v: colours[v] for v in used}, limit):
        if sorted(names) != sorted(used):
            raise ValueError(f"{names} as an order of {used}")
        yield names


def _single_factor(p: Poly) -> tuple[Fraction, int, tuple[Affine, ...]] | None:
    if len(p) != 1:
        return None
    ((factors, guards), c) = next(iter(p.items()))
    if guards or len(factors) != 1 or factors[0][2] != 1:
        return None
    atom, access, _ = factors[0]
    return c, atom, access


def _labelled(
    algebra: Algebra, p: Poly, extents: Extents, names: Sequence[int], scale: Scale
) -> tuple[Class, Fraction, Sequence[int]]:
    box = tuple(extents[v] for v in names)
    renaming = {v: variable(i) for i, v in enumerate(names) if v != i}
    renamed = algebra.substitute(p, renaming, dict(enumerate(box))) if renaming else p
    terms = sorted_terms(renamed)
    lead = terms[0][1] if scale is Scale.LEADING else abs(terms[0][1])
    scaled = terms if lead == 1 else tuple((monomial, c / lead) for monomial, c in terms)
    return Class(box, scaled), lead, names


def generalize(
    algebra: Algebra, p: Poly, extents: Extents
) -> tuple[Mapping[int, Affine], Poly, Extents]:
    """Return (origin, p', extents') where an index expression that stands for itself is a variable.

    An expression whose variables occur nowhere else in p is replaced by a fresh variable over the
    whole index of its atoms; origin says what it stood for. Reading p' there gives p.
    """
    if all(_is_whole(e, n, extents) for e, n in _reads(algebra, p)):
        return {}, p, extents
    fresh = max(extents, default=-1) + 1
    origin: dict[int, Affine] = {}
    renamed: dict[Affine, Affine] = {}
    box = dict(extents)
    for e, extent in _self_contained(algebra, p):
        if _is_whole(e, extent, extents):
            continue
        origin[fresh], renamed[e], box[fresh] = e, variable(fresh), extent
        fresh += 1
    if not origin:
        return origin, p, extents
    swapped = {_rename(monomial, renamed): c for monomial, c in p.items()}
    return origin, swapped, box


def _rename(monomial: Monomial, renamed: Mapping[Affine, Affine]) -> Monomial:
    factors, guards = monomial
    moved = ((atom, tuple(renamed.get(e, e) for e in access), q) for atom, access, q in factors)
    return tuple(sorted(moved)), guards


def _self_contained(algebra: Algebra, p: Poly) -> Iterator[tuple[Affine, int]]:
    """Yield (e, extent): expressions whose variables occur in e only, on indices of one extent."""
    seen_in: dict[int, set[Affine]] = {}
    extents: dict[Affine, set[int]] = {}
    for e, extent in _reads(algebra, p):
        extents.setdefault(e, set()).add(extent)
        for v in variables(e):
            seen_in.setdefault(v, set()).add(e)
    for _, guards in p:
        for e, _, _ in guards:
            for v in variables(e):
                seen_in.setdefault(v, set()).update((e, _GUARDED))
    for e, found in extents.items():
        if e[1] and len(found) == 1 and all(seen_in[v] == {e} for v in variables(e)):
            yield e, next(iter(found))


def _reads(algebra: Algebra, p: Poly) -> Iterator[tuple[Affine, int]]:
    """Yield the index expressions of a polynomial, with the extents that they lie in."""
    for factors, _ in p:
        for atom, access, _ in factors:
            yield from zip(access, algebra.atoms.extents(atom), strict=True)


def _is_whole(e: Affine, extent: int, extents: Extents) -> bool:
    """Return whether an expression is a number, or a variable over a whole extent."""
    c, terms = e
    if not terms:
        return True
    return len(terms) == 1 and not c and terms[0][1] == 1 and extents[terms[0][0]] == extent


_GUARDED: Affine = (0, ((0, 0),))
"""Stands for "occurs in a guard": no expression has a coefficient 0."""
