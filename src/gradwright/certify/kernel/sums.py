"""Summation over index variables: a monomial summed over some of its variables, in normal form."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from gradwright.certify.kernel.algebra import (
    Algebra,
    Poly,
    Undenotable,
    add,
    monomial_variables,
    scaled,
)
from gradwright.certify.kernel.atoms import Factor, Monomial, Sum
from gradwright.certify.kernel.index import (
    Affine,
    Extents,
    Guard,
    Guards,
    combine,
    conjunction,
    substitute,
    variable,
    variables,
)
from gradwright.certify.kernel.relations import Relations


@dataclass(slots=True)
class _Term:
    """A product of factors and guards while its summed variables are being eliminated."""

    factors: list[Factor]
    guards: Guards
    summed: set[int]
    extents: dict[int, int]

    def fresh(self, extent: int) -> int:
        v = max(self.extents, default=-1) + 1
        self.extents[v] = extent
        return v

    def replace(self, mapping: Mapping[int, Affine], guards: Iterable[Guard]) -> bool:
        """Substitute everywhere; False where the guards are 0."""
        self.factors = [
            (atom, tuple(substitute(e, mapping) for e in access), q)
            for atom, access, q in self.factors
        ]
        moved = [(substitute(e, mapping), low, high) for e, low, high in guards]
        normal = conjunction(moved, self.extents)
        if normal is None:
            return False
        self.guards = normal
        return True


class Summation:
    """Sums of polynomials over variables.

    `unfolds` tells which Sum atoms are written out inside another sum: all of them makes more
    sums equal and costs more; it never changes what is true.
    """

    def __init__(self, algebra: Algebra, relations: Relations) -> None:
        self.algebra = algebra
        self.relations = relations
        self.unfold_all = False

    def total(self, p: Poly, summed: Iterable[int], extents: Extents) -> Poly:
        """Return the sum of p over variables, each over its extent."""
        over = set(summed)
        total: Poly = {}
        for monomial, c in p.items():
            total = add(total, self._monomial(monomial, over, extents), c)
        return total

    def _monomial(self, monomial: Monomial, summed: set[int], extents: Extents) -> Poly:
        factors, guards = monomial
        term = _Term(list(factors), guards, set(summed), dict(extents))
        self._unfold(term)
        if not term.replace({}, term.guards) or not self._eliminate(term):
            return {}
        product = self.algebra.product(term.factors, term.guards)
        if product is None:
            return {}
        return scaled(self._components(product[0], term), product[1])

    def _unfold(self, term: _Term) -> None:
        """Write out the Sum atoms that the summed variables reach, where that is wanted."""
        pending, term.factors = term.factors, []
        while pending:
            atom, access, q = pending.pop()
            content = self.algebra.atoms.content(atom)
            reached = any(v in term.summed for e in access for v in variables(e))
            if not (isinstance(content, Sum) and reached and q == 1 and self._opens(content)):
                term.factors.append((atom, access, q))
                continue
            mapping = dict(enumerate(access))
            for i in range(content.outputs, len(content.extents)):
                v = term.fresh(content.extents[i])
                term.summed.add(v)
                mapping[i] = variable(v)
            pending.extend(
                (inner, tuple(substitute(e, mapping) for e in inner_access), k)
                for inner, inner_access, k in content.factors
            )
            moved = ((substitute(e, mapping), low, high) for e, low, high in content.guards)
            term.guards = (*term.guards, *moved)

    def _opens(self, content: Sum) -> bool:
        """A sum of which one factor reads every output costs nothing to write out."""
        if self.unfold_all:
            return True
        outputs = set(range(content.outputs))
        return not content.guards and any(
            outputs <= {v for e in access for v in variables(e)} for _, access, _ in content.factors
        )

    def _eliminate(self, term: _Term) -> bool:
        """Solve guards for summed variables: equalities by substitution, intervals by a shift."""
        while True:
            step = _solvable(term)
            if step is None:
                return True
            guard, v = step
            (_, terms), low, high = guard
            others = [g for g in term.guards if g is not guard]
            term.summed.discard(v)
            if high == low + 1:
                k = dict(terms)[v]
                rest = (0, tuple(t for t in terms if t[0] != v))
                solution = combine(((-k, rest),), k * low)
                others.append((solution, 0, term.extents[v]))
                mapping = {v: solution}
            else:
                w = term.fresh(high - low)
                term.summed.add(w)
                mapping = {v: combine(((1, variable(w)),), low)}
            if not term.replace(mapping, others):
                return False

    def _components(self, monomial: Monomial, term: _Term) -> Poly:
        """Split what is summed into independent sums; a variable in nothing multiplies."""
        factors, guards = monomial
        parts: list[tuple[Monomial, set[int]]] = [
            *((((factor,), ()), _reach(((factor,), ()), term.summed)) for factor in factors),
            *((((), (guard,)), _reach(((), (guard,)), term.summed)) for guard in guards),
        ]
        outside = [part for part, reach in parts if not reach]
        groups = _connected([(part, reach) for part, reach in parts if reach])
        seen = {v for _, reach in groups for v in reach}
        free = Fraction(prod(term.extents[v] for v in term.summed - seen))
        result: Poly = {_joined(outside): free}
        for inside, reach in groups:
            result = self.algebra.multiply(
                result, self._component(inside, reach, term.extents), term.extents
            )
        return result

    def _component(self, monomial: Monomial, summed: set[int], extents: Extents) -> Poly:
        if not monomial[0]:
            raise Undenotable("a number of positions that depends on the position")
        return self.relations.atom(monomial, summed, extents)


def _solvable(term: _Term) -> tuple[Guard, int] | None:
    """Return a guard and a summed variable that it determines or bounds alone."""
    for guard in term.guards:
        (_, terms), low, high = guard
        if high == low + 1:
            units = [v for v, k in terms if v in term.summed and abs(k) == 1]
            if units:
                return guard, max(units, key=lambda v: (term.extents[v], -v))
        elif len(terms) == 1 and terms[0][0] in term.summed:
            return guard, terms[0][0]
    return None


def _reach(monomial: Monomial, summed: set[int]) -> set[int]:
    return summed.intersection(monomial_variables(monomial))


def _connected(parts: list[tuple[Monomial, set[int]]]) -> list[tuple[Monomial, set[int]]]:
    """Join parts that share a summed variable."""
    groups: list[tuple[list[Monomial], set[int]]] = []
    for part, reach in parts:
        apart: list[tuple[list[Monomial], set[int]]] = []
        members, joined = [part], set(reach)
        for group in groups:
            if group[1] & reach:
                members.extend(group[0])
                joined |= group[1]
            else:
                apart.append(group)
        groups = [*apart, (members, joined)]
    return [(_joined(members), reach) for members, reach in groups]


def _joined(parts: Iterable[Monomial]) -> Monomial:
    members = list(parts)
    factors = tuple(sorted(factor for part in members for factor in part[0]))
    return factors, tuple(sorted(guard for part in members for guard in part[1]))
