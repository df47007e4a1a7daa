"""Summation over index variables: a monomial summed over some of its variables, in normal form."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod

from gradwright.certify.advice.opening import is_free_to_open
from gradwright.certify.kernel.algebra import (
    Algebra,
    Poly,
    Undenotable,
    monomial_variables,
    number,
    product_of,
    summed_at,
    total,
)
from gradwright.certify.kernel.atoms import Dense, Factor, Monomial, Sum
from gradwright.certify.kernel.index import (
    Affine,
    Extents,
    Guards,
    conjunction,
    equation,
    guarded,
    hold,
    unused,
    variable,
)
from gradwright.certify.kernel.pieces import Piece
from gradwright.certify.kernel.reading import met_once
from gradwright.certify.kernel.relations import Relations

COUNT_LIMIT = 100_000
"""Points up to which a number of positions is counted one by one."""
_ONCE = Fraction(1)
WHOLE = range(1, 5)
"""Powers that are written out."""


class Summation:
    """Sums of polynomials over variables."""

    def __init__(self, algebra: Algebra) -> None:
        self.algebra = algebra
        self.relations = Relations(algebra)

    def total(self, p: Poly, summed: Iterable[int], extents: Extents) -> Poly:
        """Return the sum of p over variables, each over its extent."""
        over = tuple(summed)
        if not over:
            return p
        return total(
            self._piece(Piece(c, factors, guards, extents, over))
            for (factors, guards), c in p.items()
        )

    def _piece(self, piece: Piece) -> Poly:
        solved = self._unfolded(piece).solved()
        normal = None if solved is None else self.algebra.product(solved.factors, solved.guards)
        if solved is None or normal is None:
            return Poly()
        return (normal[1] * piece.coefficient) * self._components(normal[0], solved)

    def _unfolded(self, piece: Piece) -> Piece:
        """Return a piece with the sums that its summed variables reach written out, if wanted."""
        pending, factors = list(piece.factors), list[Factor]()
        while pending:
            factor = atom, access, q = pending.pop()
            content = self.algebra.atoms.content(atom)
            reached = q == 1 and any(v in piece.summed for e in access for v in e.variables)
            if reached and isinstance(content, Sum) and is_free_to_open(content):
                inner, guards, bound = summed_at(content, access, unused(piece.extents))
                pending += inner
                guards, summed = (*piece.guards, *guards), (*piece.summed, *bound)
                piece = replace(
                    piece, guards=guards, extents={**piece.extents, **bound}, summed=summed
                )
            else:
                factors.append(factor)
        return replace(piece, factors=tuple(factors))

    def _components(self, monomial: Monomial, piece: Piece) -> Poly:
        """Multiply independent sums; a variable in nothing counts as often as it is summed."""
        groups = connected(monomial, piece.summed)
        idle = set(piece.summed).difference(*(reach for _, reach in groups))
        result = self.repeated([piece.extents[v] for v in sorted(idle)])
        for inside, reach in groups:
            part = self._component(inside, reach, piece.extents) if reach else Poly({inside: _ONCE})
            result = self.algebra.multiply(result, part, piece.extents)
        return result

    def repeated(self, extents: Iterable[int]) -> Poly:
        """Return the number of positions of variables that nothing depends on."""
        return number(prod(extents))

    def _component(self, monomial: Monomial, summed: set[int], extents: Extents) -> Poly:
        factors, guards = monomial
        over = sorted(summed)
        known = None if factors else self._held(guards, over, extents)
        if known is None and len(factors) < 2:
            known = self._counted(monomial, over, extents)
        if known is None and not factors:
            raise Undenotable("a number of positions that depends on the position")
        if known is None:
            known = self.relations.atom(monomial, summed, extents)
        return self._gathered(monomial, summed, extents) if known is None else known

    def _gathered(self, monomial: Monomial, summed: set[int], extents: Extents) -> Poly:
        """Return the sum over the values of indices that are summed, each as often as it is met."""
        box = dict(extents)
        places: dict[Affine, int] = {}
        for atom, access, _ in monomial[0]:
            for e, n in zip(access, self.algebra.atoms.extents(atom), strict=True):
                if summed.intersection(e.variables):
                    v = places.setdefault(e, unused(box))
                    box[v] = min(n, box.get(v, n))
        read = [v for e in places for v in e.variables]
        if len({*read}) < len(read):
            raise Undenotable("a sum that meets the same entries a varying number of times")
        met = (equation(e, variable(v)) for e, v in places.items())
        times = self.total(product_of(guards=(*monomial[1], *met)), summed, box)
        at = {e: variable(v) for e, v in places.items()}
        factors = ((a, tuple(at.get(e, e) for e in access), q) for a, access, q in monomial[0])
        product = self.algebra.multiply(times, product_of(*sorted(factors)), box)
        return self.total(product, places.values(), box)

    def _is_constant(self, factor: Factor) -> bool:
        return factor[2] in WHOLE and self.algebra.atoms.is_constant(factor[0])

    def _held(self, guards: Guards, summed: Sequence[int], extents: Extents) -> Poly | None:
        """Return how many summed points meet guards, as guards; None where there may be several."""
        outputs = sorted(guarded(guards) - set(summed))
        pieces = met_once(guards, outputs, summed, extents)
        if pieces is None:
            return None
        held = (conjunction(piece, extents) for piece in pieces)
        return total(product_of(guards=guards) for guards in held if guards is not None)

    def _counted(self, monomial: Monomial, summed: Sequence[int], extents: Extents) -> Poly | None:
        """Return a sum that no input enters as a constant tensor, None where it is large."""
        outputs = sorted(set(monomial_variables(monomial)) - set(summed))
        values = self.entries(Poly({monomial: _ONCE}), extents, (*outputs, *summed))
        if values is None:
            return None
        shape, each = tuple(extents[v] for v in outputs), prod(extents[v] for v in summed)
        parts = (values[i * each : (i + 1) * each] for i in range(prod(shape)))
        entries = tuple(sum(part, Fraction(0)) for part in parts)
        if len(set(entries)) == 1:
            return number(entries[0])
        atom = self.algebra.atoms.intern(Dense(shape, entries), shape)
        return product_of((atom, tuple(map(variable, outputs)), 1))

    def entries(
        self, p: Poly, extents: Extents, names: Sequence[int] | None = None
    ) -> list[Fraction] | None:
        """Return the values of a constant p at all its indices; None for too many or another.

        The variables are those named, or those that p reads in increasing order; the last one is
        the fastest.
        """
        names = sorted(p.variables) if names is None else names
        numbers = all(map(self._is_constant, (f for factors, _ in p for f in factors)))
        if not numbers or prod(extents[v] for v in names) > COUNT_LIMIT:
            return None
        points = product(*(range(extents[v]) for v in names))
        return [self._value(p, dict(zip(names, point, strict=True))) for point in points]

    def _value(self, p: Poly, at: Mapping[int, int]) -> Fraction:
        terms = (
            c * self._entry(factors, at) for (factors, guards), c in p.items() if hold(guards, at)
        )
        return sum(terms, Fraction(0))

    def _entry(self, factors: Sequence[Factor], at: Mapping[int, int]) -> Fraction:
        """Return a product of entries of constants."""
        value = Fraction(1)
        for atom, access, q in factors:
            entry = self.algebra.atoms.entry(atom, [e.value(at) for e in access])
            if entry is None:
                raise Undenotable("a constant that is read outside its entries")
            value *= entry ** int(q)
        return value


def connected(monomial: Monomial, summed: Iterable[int]) -> list[tuple[Monomial, set[int]]]:
    """Return products that share no summed variable, each with those that it reads."""
    factors, guards = monomial
    groups: list[tuple[set[int], list[Monomial]]] = []
    for part in (*(((f,), ()) for f in factors), *(((), (g,)) for g in guards)):
        reach = set(monomial_variables(part)).intersection(summed)
        met = [g for g in groups if g[0] & reach or g[0] == reach]
        together = reach.union(*(g[0] for g in met)), [part, *(m for g in met for m in g[1])]
        groups = [*(g for g in groups if g not in met), together]
    return [(_joined(members), reach) for reach, members in groups]


def _joined(members: Sequence[Monomial]) -> Monomial:
    factors = tuple(sorted(factor for part in members for factor in part[0]))
    return factors, tuple(sorted(guard for part in members for guard in part[1]))
