"""A difference without what it divides by: 0 exactly where the difference is.

The normal form keeps a sum of several terms as one class where it was divided by, so that P / P is
1 at a glance. A text that multiplies by the terms of P instead divides by the class all the same.
"""

from fractions import Fraction

from gradwright.certify.effort import TooLarge
from gradwright.certify.kernel.algebra import Algebra, Poly, add, product_of, simple
from gradwright.certify.kernel.atoms import Class, Monomial
from gradwright.certify.kernel.index import Affine, Extents

Place = tuple[int, tuple[Affine, ...]]
"""An atom, and the indices at which it is read."""


def are_equal(algebra: Algebra, p: Poly, q: Poly, extents: Extents) -> bool:
    """Return whether two polynomials are seen to be the same function.

    What all terms of their difference have as a factor is left out: with the rest, it is 0 too.
    """
    difference = add(p, q, -1)
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
