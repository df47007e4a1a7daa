"""Piecewise formulas: masks of one number, decided region by region."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from gradwright.certify.kernel.algebra import ONE, Poly
from gradwright.certify.kernel.atoms import Atoms, Class, Mask, Relation
from gradwright.certify.kernel.index import Affine, variable

_Place = tuple[int, tuple[Affine, ...]]


@dataclass(frozen=True, slots=True)
class _Step:
    """The mask [x > kink] of the entry at a place, or [x < kink] where not `rises`."""

    moved: _Place
    kink: Fraction
    rises: bool = True


def zero_in_every_region(atoms: Atoms, p: Poly) -> bool:
    """Return whether p is 0 off the points where an argument of a mask is 0.

    Masks of x + c for one entry x cut its line into regions; in each of them every mask has one
    value, and p must be 0 there. With masks of anything else it must be 0 as it stands.
    """
    if not p:
        return True
    steps: dict[_Place, _Step] = {}
    for factors, _ in p:
        for atom, access, _ in factors:
            if isinstance(atoms.content(atom), Mask):
                step = _step(atoms, atom, access)
                if step is None:
                    return False
                steps[atom, access] = step
    if len({step.moved for step in steps.values()}) != 1:
        return False
    kinks = sorted({step.kink for step in steps.values()})
    inside = [kinks[0] - 1, *((a + b) / 2 for a, b in pairwise(kinks))]
    return all(
        not _where(p, {place: (x > step.kink) == step.rises for place, step in steps.items()})
        for x in (*inside, kinks[-1] + 1)
    )


def _step(atoms: Atoms, atom: int, access: tuple[Affine, ...]) -> _Step | None:
    """Return the mask as a step of one entry, else None."""
    mask = atoms.content(atom)
    if not isinstance(mask, Mask) or mask.relation is not Relation.POSITIVE:
        return None
    inner = atoms.content(mask.inner)
    if not isinstance(inner, Class):
        return _Step((mask.inner, access), Fraction(0))
    terms = dict(inner.terms)
    offset = terms.pop(ONE, None)
    if offset is None or len(terms) != 1:
        return None
    (((factors, guards), slope),) = terms.items()
    plain = tuple(variable(i) for i in range(len(inner.extents)))
    if guards or len(factors) != 1 or factors[0][1:] != (plain, 1):
        return None
    return _Step((factors[0][0], access), -offset / slope, slope > 0)


def _where(p: Poly, values: Mapping[_Place, bool]) -> Poly:
    """Return p with masks at their values."""
    total = Poly()
    for (factors, guards), c in p.items():
        if all(values.get((atom, access), True) for atom, access, _ in factors):
            left = tuple(f for f in factors if (f[0], f[1]) not in values)
            total.gather((left, guards), c)
    return total
