"""A difference without what it divides by: 0 exactly where the difference is.

The normal form keeps a sum of several terms as one class where it was divided by, so that P / P is
1 at a glance. A text that multiplies by the terms of P instead divides by the class all the same.
"""

from fractions import Fraction

from gradwright.certify.effort import TooLarge
from gradwright.certify.kernel.algebra import Algebra, Poly, product_of, simple
from gradwright.certify.kernel.atoms import Class, Factor, Monomial
from gradwright.certify.kernel.index import Affine, Extents

Place = tuple[int, tuple[Affine, ...]]
"""An atom, and the indices at which it is read."""


def are_equal(algebra: Algebra, p: Poly, q: Poly, extents: Extents) -> bool:
    """Return whether two polynomials are seen to be the same function.

    What all terms of their difference have as a factor is left out: with the rest, it is 0 too.
    """
    difference = p - q
    places = {f[:2] for factors, _ in difference for f in factors}
    for place in places:
        shared = min(exponent_at(monomial, place) for monomial in difference)
        without = product_of((*place, simple(-shared)))
        difference = algebra.multiply(difference, without, extents) if shared else difference
    return not cleared(algebra, difference, extents)


def cleared(algebra: Algebra, difference: Poly, extents: Extents) -> Poly:
    """Return a polynomial that is 0 exactly where the difference is, its classes written out.

    A class with a negative exponent was divided by, so that it is not 0 where the difference is
    claimed to be; the whole is multiplied by the power that clears it. A class under a root keeps
    the fractional part of its exponent.
    """
    done: set[Place] = set()
    while (place := _outermost(algebra, difference, done)) is not None:
        done.add(place)

        def opened(f: Factor, place: Place = place) -> Poly | None:
            return algebra.written_out(f, extents) if f[:2] == place else None

        missing = -min(Fraction(0), *(exponent_at(monomial, place) for monomial in difference))
        try:
            whole = algebra.multiply(difference, product_of((*place, simple(missing))), extents)
            difference = algebra.replaced(whole, opened, extents)
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


def exponent_at(monomial: Monomial, place: Place) -> Fraction:
    """Return the exponent of an atom at indices, 0 where it is no factor."""
    return Fraction(next((q for atom, access, q in monomial[0] if (atom, access) == place), 0))
