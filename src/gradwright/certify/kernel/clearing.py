"""Whether a difference of polynomials is 0, found out region by region and without classes.

The normal form keeps a sum of several terms as one class where it was divided by, so that P / P is
1 at a glance. A text that multiplies by the terms of P instead divides by the class all the same.
Pieces that are joined along a dimension are guarded terms; their bounds cut the box of indices into
smaller boxes, on each of which no term is guarded by one index alone.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import prod

from gradwright.certify.effort import TooLarge
from gradwright.certify.kernel.algebra import Algebra, Poly, add, simple
from gradwright.certify.kernel.atoms import Class, Monomial
from gradwright.certify.kernel.index import Affine, Extents, combine, variable

Place = tuple[int, tuple[Affine, ...]]
"""An atom, and the indices at which it is read."""


BOX_LIMIT = 256
"""Boxes that a box is cut into."""


def vanishes(algebra: Algebra, difference: Poly, extents: Extents) -> bool:
    """Return whether a polynomial is proved to be 0 on a box."""
    return all(
        not cleared(algebra, part, box) for part, box in _boxes(algebra, difference, extents)
    )


def _boxes(algebra: Algebra, p: Poly, extents: Extents) -> Iterator[tuple[Poly, Extents]]:
    """Yield the polynomial on each box that the guards on single variables cut out."""
    cuts = _cuts(p, extents)
    if not cuts or prod(len(places) - 1 for places in cuts.values()) > BOX_LIMIT:
        yield p, extents
        return
    v, places = next(iter(cuts.items()))
    for low, high in pairwise(sorted(places)):
        box = {**extents, v: high - low}
        moved = (low, ()) if high == low + 1 else combine(((1, variable(v)),), low)
        yield from _boxes(algebra, algebra.substitute(p, {v: moved}, box), box)


def _cuts(p: Poly, extents: Extents) -> dict[int, set[int]]:
    """Return where guards on a variable alone begin and end, with the ends of its range."""
    cuts: dict[int, set[int]] = {}
    for _, guards in p:
        for (_, terms), low, high in guards:
            if len(terms) == 1 and terms[0][0] >= 0:
                v = terms[0][0]
                cuts.setdefault(v, {0, extents[v]}).update((low, high))
    return cuts


def cleared(algebra: Algebra, difference: Poly, extents: Extents) -> Poly:
    """Return a polynomial that is 0 exactly where the difference is, its classes written out.

    A class with a negative exponent was divided by, so that it is not 0 where the difference is
    claimed to be; the whole is multiplied by the power that clears it. A class under a root keeps
    the fractional part of its exponent.
    """
    done: set[Place] = set()
    while (place := _outermost(algebra, difference, done)) is not None:
        done.add(place)
        try:
            difference = _without(algebra, difference, place, extents)
        except TooLarge:
            break
    return difference


def _outermost(algebra: Algebra, p: Poly, done: set[Place]) -> Place | None:
    """Return the class made last: it is in no other one."""
    places = {
        (atom, access)
        for factors, _ in p
        for atom, access, _ in factors
        if isinstance(algebra.atoms.content(atom), Class)
    }
    return max(places - done, default=None)


def _without(algebra: Algebra, p: Poly, place: Place, extents: Extents) -> Poly:
    atom, access = place
    content = algebra.atoms.content(atom)
    assert isinstance(content, Class)
    terms = algebra.substitute(dict(content.terms), dict(enumerate(access)), extents)
    exponents = {monomial: exponent_at(monomial, place) for monomial in p}
    missing = -min(Fraction(0), *exponents.values())
    total: Poly = {}
    for monomial, c in p.items():
        exponent = exponents[monomial] + missing
        whole = exponent.numerator // exponent.denominator
        rest = tuple(factor for factor in monomial[0] if factor[:2] != place)
        if exponent != whole:
            rest = (*rest, (atom, access, simple(exponent - whole)))
        outside: Poly = {(tuple(sorted(rest)), monomial[1]): c}
        power = algebra.raised(terms, whole, extents)
        total = add(total, algebra.multiply(outside, power, extents))
    return total


def exponent_at(monomial: Monomial, place: Place) -> Fraction:
    """Return the exponent of an atom at indices, 0 where it is no factor."""
    return Fraction(next((q for atom, access, q in monomial[0] if (atom, access) == place), 0))
