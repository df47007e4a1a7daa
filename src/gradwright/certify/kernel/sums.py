"""Summation over index variables: a monomial summed over some of its variables, in normal form."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from gradwright.certify.advice.opening import is_free_to_open
from gradwright.certify.kernel.algebra import (
    Algebra,
    Poly,
    Undenotable,
    add,
    factors_at,
    monomial_variables,
    number,
    product_of,
    scaled,
    summed_at,
    total,
    variables_of,
)
from gradwright.certify.kernel.atoms import Dense, Factor, Monomial, Sum
from gradwright.certify.kernel.index import (
    Affine,
    Extents,
    Guard,
    Guards,
    combine,
    conjunction,
    guards_at,
    value_at,
    variable,
    variables,
)
from gradwright.certify.kernel.reading import met_once
from gradwright.certify.kernel.relations import Relations

COUNT_LIMIT = 100_000
"""Points up to which a number of positions is counted one by one."""
WHOLE = range(1, 5)
"""Powers that are written out."""


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
        self.factors = factors_at(self.factors, mapping)
        normal = conjunction(guards_at(guards, mapping), self.extents)
        if normal is None:
            return False
        self.guards = normal
        return True


class Summation:
    """Sums of polynomials over variables."""

    def __init__(self, algebra: Algebra, relations: Relations) -> None:
        self.algebra = algebra
        self.relations = relations

    def total(self, p: Poly, summed: Iterable[int], extents: Extents) -> Poly:
        """Return the sum of p over variables, each over its extent."""
        over = set(summed)
        if not over:
            return p
        return total(scaled(self._monomial(term, over, extents), c) for term, c in p.items())

    def _monomial(self, monomial: Monomial, summed: set[int], extents: Extents) -> Poly:
        factors, guards = monomial
        term = _Term(list(factors), guards, set(summed), dict(extents))
        self._unfold(term)
        if not term.replace({}, term.guards) or not self._eliminate(term):
            return {}
        normal = self.algebra.product(term.factors, term.guards)
        if normal is None:
            return {}
        return scaled(self._components(normal[0], term), normal[1])

    def _unfold(self, term: _Term) -> None:
        """Write out the Sum atoms that the summed variables reach, where that is wanted."""
        pending, term.factors = term.factors, []
        while pending:
            atom, access, q = pending.pop()
            content = self.algebra.atoms.content(atom)
            if not isinstance(content, Sum) or q != 1:
                term.factors.append((atom, access, q))
                continue
            reached = any(v in term.summed for e in access for v in variables(e))
            if not (reached and is_free_to_open(content)):
                term.factors.append((atom, access, q))
                continue
            inner, guards, bound = summed_at(content, access, max(term.extents, default=-1) + 1)
            pending += inner
            term.guards = (*term.guards, *guards)
            term.extents |= bound
            term.summed.update(bound)

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
        repeats = self.repeated([term.extents[v] for v in sorted(term.summed - seen)])
        result = self.algebra.multiply({_joined(outside): Fraction(1)}, repeats, term.extents)
        for inside, reach in groups:
            result = self.algebra.multiply(
                result, self._component(inside, reach, term.extents), term.extents
            )
        return result

    def repeated(self, extents: Iterable[int]) -> Poly:
        """Return the number of positions of variables that nothing depends on."""
        return number(prod(extents))

    def _component(self, monomial: Monomial, summed: set[int], extents: Extents) -> Poly:
        factors, guards = monomial
        over = sorted(summed)
        known = None if factors else self._held(guards, over, extents)
        if known is None and all(map(self._is_constant, factors)) and len(factors) < 2:
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
                if summed.intersection(variables(e)):
                    v = places.setdefault(e, max(box) + 1)
                    box[v] = min(n, box.get(v, n))
        read = [v for e in places for v in variables(e)]
        if len({*read}) < len(read):
            raise Undenotable("a sum that meets the same entries a varying number of times")
        met = ((combine(((1, e), (-1, variable(v)))), 0, 1) for e, v in places.items())
        times = self._monomial(((), (*monomial[1], *met)), summed, box)
        at = {e: variable(v) for e, v in places.items()}
        factors = ((a, tuple(at.get(e, e) for e in access), q) for a, access, q in monomial[0])
        product = self.algebra.multiply(times, {(tuple(sorted(factors)), ()): Fraction(1)}, box)
        return self.total(product, places.values(), box)

    def _is_constant(self, factor: Factor) -> bool:
        return factor[2] in WHOLE and self.algebra.atoms.is_constant(factor[0])

    def _held(self, guards: Guards, summed: Sequence[int], extents: Extents) -> Poly | None:
        """Return how many summed points meet guards, as guards; None where there may be several."""
        outputs = sorted({v for e, _, _ in guards for v in variables(e)} - set(summed))
        pieces = met_once(guards, outputs, summed, extents)
        if pieces is None:
            return None
        total: Poly = {}
        for piece in pieces:
            held = conjunction(piece, extents)
            if held is not None:
                total = add(total, product_of(guards=held))
        return total

    def _counted(self, monomial: Monomial, summed: Sequence[int], extents: Extents) -> Poly | None:
        """Return a sum that no input enters as a constant tensor, None where it is large."""
        outputs = sorted(set(monomial_variables(monomial)) - set(summed))
        names = (*outputs, *summed)
        box = tuple(extents[v] for v in names)
        if prod(box) > COUNT_LIMIT:
            return None
        shape = box[: len(outputs)]
        totals = dict.fromkeys(product(*map(range, shape)), Fraction(0))
        alone = {monomial: Fraction(1)}
        for point in product(*map(range, box)):
            at = dict(zip(names, point, strict=True))
            totals[point[: len(outputs)]] += self._value(alone, at)
        entries = tuple(totals.values())
        if len(set(entries)) == 1:
            return number(entries[0])
        atom = self.algebra.atoms.intern(Dense(shape, entries), shape)
        return product_of((atom, tuple(map(variable, outputs)), 1))

    def entries(self, p: Poly, extents: Extents) -> list[Fraction] | None:
        """Return the values of a constant p at all its indices; None for too many or another.

        The variables that p reads are in increasing order, the last one fastest.
        """
        read = {v: extents[v] for v in sorted(variables_of(p))}
        numbers = all(map(self._is_constant, (f for factors, _ in p for f in factors)))
        if not numbers or prod(read.values()) > COUNT_LIMIT:
            return None
        points = product(*map(range, read.values()))
        return [self._value(p, dict(zip(read, point, strict=True))) for point in points]

    def _value(self, p: Poly, at: Mapping[int, int]) -> Fraction:
        terms = (
            c * self._entry(factors, at)
            for (factors, guards), c in p.items()
            if all(low <= value_at(e, at) < high for e, low, high in guards)
        )
        return sum(terms, Fraction(0))

    def _entry(self, factors: Sequence[Factor], at: Mapping[int, int]) -> Fraction:
        """Return a product of entries of constants."""
        value = Fraction(1)
        for atom, access, q in factors:
            entry = self.algebra.atoms.entry(atom, [value_at(e, at) for e in access])
            if entry is None:
                raise Undenotable("a constant that is read outside its entries")
            value *= entry ** int(q)
        return value


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
