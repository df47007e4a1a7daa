"""What constants make of values: bounds where no input enters, and whether one does everywhere."""

from collections.abc import Iterable
from fractions import Fraction
from math import prod

from gradwright.check.affine import Box
from gradwright.check.atoms import (
    Applied,
    Atoms,
    Chosen,
    Dense,
    Factor,
    Index,
    Mask,
    Monomial,
    Named,
    Sum,
    Uncheckable,
    Unknown,
)
from gradwright.check.poly import Algebra, Poly

Span = tuple[Fraction, Fraction]
"""The least and the greatest number that something may be."""
Term = tuple[Monomial, Fraction]


def fixed(atoms: Atoms, terms: Iterable[Term]) -> Span:
    """Return what a polynomial lies between at the indices where no input changes it.

    There every term in an input cancels or is 0. Uncheckable where that is not known.
    """
    low, high = Fraction(0), Fraction(0)
    for (factors, guards), c in terms:
        ends = _times((c, c * (not guards)), _product(atoms, factors))
        low, high = low + ends[0], high + ends[1]
    return low, high


def _product(atoms: Atoms, factors: Iterable[Factor]) -> Span:
    total: Span = Fraction(1), Fraction(1)
    for atom, _, q in factors:
        base = _fixed_atom(atoms, atom)
        if q < 0 or Fraction(q).denominator > 1:
            if reads_input(atoms, atom):
                return Fraction(0), Fraction(0)
            raise Uncheckable("an integer that is made of constants in ways that are not known")
        for _ in range(int(q)):
            total = _times(total, base)
    return total


def _fixed_atom(atoms: Atoms, atom: int) -> Span:
    match atoms.contents[atom]:
        case Dense(entries=entries):
            return min(entries), max(entries)
        case Index(extent=extent):
            return Fraction(0), Fraction(extent - 1)
        case _ if atoms.is_mask(atom):
            return Fraction(0), Fraction(1)
        case Named(terms=terms):
            return fixed(atoms, terms)
        case Sum(outputs=outputs, extents=extents, factors=factors):
            count = Fraction(prod(extents[outputs:]))
            return _times(_product(atoms, factors), (Fraction(0), count))
        case _ if reads_input(atoms, atom):
            return Fraction(0), Fraction(0)
        case _:
            raise Uncheckable("an integer that is made of constants in ways that are not known")


def _times(a: Span, b: Span) -> Span:
    products = [x * y for x in a for y in b]
    return min(products), max(products)


def reads_input(atoms: Atoms, atom: int) -> bool:
    """Return whether an atom is made of something that is not constant."""
    pending, seen = [atom], {atom}
    while pending:
        match atoms.contents[pending.pop()]:
            case Unknown():
                return True
            case Applied(inner=int(inner)) | Mask(inner=inner) | Chosen(atom=inner):
                parts = {inner}
            case Named(terms=terms):
                parts = {a for (factors, _), _ in terms for a, _, _ in factors}
            case Sum(factors=factors):
                parts = {a for a, _, _ in factors}
            case _:
                continue
        pending += parts - seen
        seen |= parts
    return False


def is_admitted(algebra: Algebra, p: Poly, box: Box, last: int) -> bool:
    """Return whether at each index some input may put p between 0 and a last number.

    There an input enters a term that no other one cancels, or what is fixed lies between.
    """
    boxes = algebra.cases(p, box)
    if boxes is not None:
        return all(is_admitted(algebra, *case, last) for case in boxes)
    if any(_varies(algebra.atoms, term, p) for term in p):
        return True
    if any(reads_input(algebra.atoms, atom) for factors, _ in p for atom, _, _ in factors):
        return False
    low, high = fixed(algebra.atoms, p.items())
    return low >= 0 and high <= last


def _varies(atoms: Atoms, term: Monomial, p: Iterable[Monomial]) -> bool:
    """Return whether an input enters a term at every index, and no other term is made alike."""
    factors, guards = term
    powers = sorted((atom, Fraction(q)) for atom, _, q in factors)
    alike = sum(powers == sorted((atom, Fraction(q)) for atom, _, q in other) for other, _ in p)
    everywhere = all(_enters(atoms, atom) for atom, _, _ in factors)
    return bool(factors) and not guards and alike == 1 and everywhere


def _enters(atoms: Atoms, atom: int) -> bool:
    match atoms.contents[atom]:
        case Unknown():
            return True
        case Applied(inner=int(inner)) | Mask(inner=inner):
            return _enters(atoms, inner)
        case Named(terms=terms):
            monomials = [m for m, _ in terms]
            return any(_varies(atoms, m, monomials) for m in monomials)
        case Sum(factors=factors, guards=guards):
            return not guards and all(_enters(atoms, a) for a, _, _ in factors)
        case _:
            return False
