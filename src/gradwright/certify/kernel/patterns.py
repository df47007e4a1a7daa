"""Constant tensors of 0 and one other number as bounds on their indices, where they are that.

A literal causal mask and one that compares coordinates are then the same polynomial. A bound is
suggested, and tested at every index.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from gradwright.certify.advice.patterns import suggested_bound
from gradwright.certify.kernel.algebra import Algebra, Poly, number, product_of
from gradwright.certify.kernel.atoms import Dense
from gradwright.certify.kernel.index import conjunction, hold, variable


def constant_poly(algebra: Algebra, shape: Sequence[int], entries: Sequence[Fraction]) -> Poly:
    """Return a constant tensor over variables 0, 1 …, one per dimension of more than one entry."""
    values = {*entries}
    if len(values) == 1:
        return number(entries[0])
    extents = tuple(n for n in shape if n != 1)
    bound = suggested_bound(extents, entries) if len(values) == 2 and 0 in values else None
    if bound is not None:
        e, low, high = bound
        places = (dict(enumerate(place)) for place in product(*map(range, extents)))
        met = {*zip((hold(((e, low, high),), at) for at in places), entries, strict=True)}
        sides, guards = dict(met), conjunction(((e, low, high),), dict(enumerate(extents)))
        if len(met) == len(sides) == 2 and guards is not None:
            return number(sides[False]) + product_of(guards=guards, c=sides[True] - sides[False])
    atom = algebra.atoms.intern(Dense(tuple(shape), tuple(entries)), extents)
    return product_of((atom, tuple(map(variable, range(len(extents)))), 1))
