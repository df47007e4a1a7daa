"""Sums over index variables: equations are solved, independent parts separated, the rest named."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from math import prod

from gradwright.check.affine import (
    Affine,
    Box,
    Guard,
    Guards,
    Places,
    conjunction,
    linear,
    placed,
    variable,
    within,
)
from gradwright.check.atoms import Factor, Infinity, Monomial, Named, Sum, Uncheckable
from gradwright.check.guide import Contraction, FalseStatement, Opened, Parted, Split, Writing
from gradwright.check.names import Names, merged
from gradwright.check.poly import (
    CASE_LIMIT,
    Algebra,
    Poly,
    add,
    joined,
    moved_factors,
    moved_guards,
    variables_of,
)


@dataclass(slots=True)
class _Term:
    """A term while its summed variables are eliminated."""

    factors: list[Factor]
    guards: Guards
    summed: set[int]
    box: dict[int, int]

    def fresh(self, extent: int) -> int:
        v = max(self.box, default=-1) + 1
        self.box[v] = extent
        return v

    def places_of(self, extents: Box, access: Sequence[Affine]) -> dict[int, Affine]:
        """Return an inner sum's variables in terms of outer ones and of new summed ones."""
        places = dict(enumerate(access))
        for i in range(len(access), len(extents)):
            v = self.fresh(extents[i])
            self.summed.add(v)
            places[i] = variable(v)
        return places

    def replace(self, places: Places, guards: Iterable[Guard]) -> bool:
        """Substitute everywhere; False where the guards are 0."""
        self.factors = moved_factors(self.factors, places)
        moved = conjunction(moved_guards(guards, places), self.box)
        self.guards = moved or ()
        return moved is not None


@dataclass(frozen=True, slots=True)
class Summation:
    """Sums polynomials over some of their variables, each over its extent."""

    algebra: Algebra
    names: Names

    def total(self, p: Poly, summed: Iterable[int], box: Box) -> Poly:
        """Return the sum of p over variables."""
        over = set(summed)
        total: Poly = {}
        for (factors, guards), c in p.items():
            total = add(total, self._term(_Term(list(factors), guards, set(over), dict(box))), c)
        return total

    def over_trips(self, p: Poly, k: int, box: Box) -> Poly:
        """Return the sum of p over the trips k of a loop; a sum that alone reads k goes on in it.

        Sums of products that are multiplied keep their structure.
        """
        total: Poly = {}
        for (factors, guards), c in p.items():
            term = _Term(list(factors), guards, {k}, dict(box))
            readers = [f for f in factors if any(v == k for e in f[1] for v, _ in e[1])]
            content = self._readable_sum(readers[0], term) if len(readers) == 1 else None
            if content is not None:
                others = (f for f in factors if f is not readers[0])
                term.factors = [*others, *_spliced(content, readers[0][1], term)]
            total = add(total, self._term(term), c)
        return total

    def split(self, p: Poly, at: Writing, box: Box) -> Poly:
        """Return p with a sum as the sum of its parts, as the guide says."""
        contents = self.algebra.atoms.contents
        content = contents[at.atom] if 0 <= at.atom < len(contents) else None
        if not isinstance(content, Sum):
            raise FalseStatement(f"atom {at.atom} has no summed variable: it is no sum")
        match at:
            case Split():
                bodies = self._ranges(content, at)
            case Parted():
                bodies = self._parted(content, at)
            case Opened():
                bodies = self._opened(content, at)
        total: Poly = {}
        for (factors, guards), c in p.items():
            parts = [f for f in factors if f[0] == at.atom and f[2] == 1]
            extents = content.extents[: content.outputs]
            if not parts or not self.algebra.inside(parts[0][1], extents, guards, box):
                total = add(total, {(factors, guards): c})
                continue
            rest: Poly = {(tuple(f for f in factors if f is not parts[0]), guards): c}
            for body, inner in bodies:
                part = self._read(body, inner, parts[0][1], box)
                total = add(total, self.algebra.multiply(rest, part, box))
        return total

    def _ranges(self, content: Sum, at: Split) -> list[tuple[Poly, Box]]:
        """Return what a sum is over each range of one of its variables, with its extents."""
        if not content.outputs <= at.variable < len(content.extents):
            raise FalseStatement(f"atom {at.atom} has no summed variable {at.variable}")
        parts = _parts_between(0, at.cuts, content.extents[at.variable])
        body: Poly = {(content.factors, content.guards): Fraction(1)}
        whole = dict(enumerate(content.extents))
        return [self.algebra.on(body, {at.variable: part}, whole) for part in parts]

    def _parted(self, content: Sum, at: Parted) -> list[tuple[Poly, Box]]:
        """Return what a sum is where the expression of one of its guards is in each range."""
        if not 0 <= at.guard < len(content.guards):
            raise FalseStatement(f"atom {at.atom} has no guard {at.guard}")
        e, low, high = content.guards[at.guard]
        others = (*content.guards[: at.guard], *content.guards[at.guard + 1 :])
        box = dict(enumerate(content.extents))
        return [
            ({(content.factors, (*others, (e, *part))): Fraction(1)}, box)
            for part in _parts_between(low, at.cuts, high)
        ]

    def _opened(self, content: Sum, at: Opened) -> list[tuple[Poly, Box]]:
        """Return a sum with one of its factors multiplied out."""
        factor = content.factors[at.factor] if at.factor < len(content.factors) else None
        named = None if factor is None else self.algebra.atoms.contents[factor[0]]
        if factor is None or not isinstance(named, Named) or factor[2] != 1:
            raise FalseStatement(f"factor {at.factor} of atom {at.atom} names no polynomial")
        box = dict(enumerate(content.extents))
        terms = self.algebra.substitute(dict(named.terms), dict(enumerate(factor[1])), box)
        rest = tuple(f for f in content.factors if f is not factor)
        return [
            (self.algebra.multiply({(rest, content.guards): Fraction(1)}, terms, box), box),
        ]

    def renewed(self, p: Poly, box: Box) -> Poly:
        """Return p with its sums named anew where they are read."""
        total: Poly = {}
        for (factors, guards), c in p.items():
            term: Poly = {((), guards): c}
            for factor in factors:
                content = self.algebra.atoms.contents[factor[0]]
                part: Poly = {((factor,), ()): Fraction(1)}
                if isinstance(content, Sum) and factor[2] == 1:
                    body: Poly = {(content.factors, content.guards): Fraction(1)}
                    part = self._read(body, dict(enumerate(content.extents)), factor[1], box)
                term = self.algebra.multiply(term, part, box)
            total = add(total, term)
        return total

    def _read(self, body: Poly, extents: Box, access: Sequence[Affine], box: Box) -> Poly:
        """Return a polynomial summed over all its variables but the first, which are read."""
        term = _Term([], (), set(), dict(box))
        places = term.places_of(extents, access)
        return self.total(self.algebra.substitute(body, places, term.box), term.summed, term.box)

    def _term(self, term: _Term) -> Poly:
        self._unfold(term)
        if not term.replace({}, term.guards) or not _eliminate(term):
            return {}
        found = self.algebra.product(term.factors)
        return {} if found is None else self._parts((found[0], term.guards), found[1], term)

    def _unfold(self, term: _Term) -> None:
        """Write out inner sums that the outer one reaches, where one factor reads all outputs."""
        pending, term.factors = term.factors, []
        while pending:
            factor = pending.pop()
            reached = any(v in term.summed for e in factor[1] for v, _ in e[1])
            content = self._readable_sum(factor, term) if reached else None
            if content is not None and _opens(content, factor[1]):
                pending += _spliced(content, factor[1], term)
            else:
                term.factors.append(factor)

    def _readable_sum(self, factor: Factor, term: _Term) -> Sum | None:
        """Return the sum that a factor is, if it is one that is read inside of its extents."""
        atom, access, q = factor
        content = self.algebra.atoms.contents[atom]
        if not isinstance(content, Sum) or q != 1:
            return None
        extents = content.extents[: content.outputs]
        is_inside = self.algebra.inside(access, extents, term.guards, term.box)
        return content if is_inside else None

    def _parts(self, monomial: Monomial, scale: Fraction, term: _Term) -> Poly:
        """Sum independent parts apart; a variable that nothing mentions multiplies."""
        factors, guards = monomial
        pieces: list[Monomial] = [((factor,), ()) for factor in factors]
        pieces += [((), (guard,)) for guard in guards]
        groups: list[tuple[list[Monomial], set[int]]] = []
        outside: list[Monomial] = []
        for piece in pieces:
            reach = variables_of([piece]) & term.summed
            if not reach:
                outside.append(piece)
                continue
            met = [group for group in groups if group[1] & reach]
            groups = [group for group in groups if not group[1] & reach]
            members = [member for group in met for member in group[0]]
            groups.append(([*members, piece], reach.union(*(group[1] for group in met))))
        seen = {v for _, reach in groups for v in reach}
        count = prod(term.box[v] for v in term.summed - seen)
        result: Poly = {_joined(outside): scale * count}
        for members, reach in groups:
            part = self._named(_joined(members), reach, term.box)
            result = self.algebra.multiply(result, part, term.box)
        return result

    def _named(self, monomial: Monomial, summed: set[int], box: Box) -> Poly:
        contents = self.algebra.atoms.contents
        if any(isinstance(contents[atom], Infinity) for atom, _, _ in monomial[0]):
            raise Uncheckable("a sum of infinite values")
        if not monomial[0]:
            return self._counted(monomial[1], sorted(summed), box)
        contraction, origin = self._interface(monomial, summed, box)
        atom, access = self.names.name_sum(contraction)
        return {(((atom, tuple(placed(e, origin) for e in access), 1),), ()): Fraction(1)}

    def _counted(self, guards: Guards, summed: Sequence[int], box: Box) -> Poly:
        """Return at how many values of variables guards hold, value by value."""
        if prod(box[v] for v in summed) > CASE_LIMIT:
            raise Uncheckable("a number of positions that depends on the position")
        total: Poly = {}
        for at in product(*(range(box[v]) for v in summed)):
            places: Places = {v: (n, ()) for v, n in zip(summed, at, strict=True)}
            moved = conjunction(moved_guards(guards, places), box)
            total = total if moved is None else add(total, {((), moved): Fraction(1)})
        return joined(total, box)

    def _interface(
        self, monomial: Monomial, summed: set[int], box: Box
    ) -> tuple[Contraction, Places]:
        """Make each computed index without summed variables an output over all of its atom.

        Slices and paddings of one sum are then readings of one atom. Variables that share an index
        or a guard with a summed one stay outputs themselves.
        """
        factors, guards = monomial
        mixed = [e for _, access, _ in factors for e in access if summed & {v for v, _ in e[1]}]
        tied = {v for e in [*mixed, *(g[0] for g in guards)] for v, _ in e[1]} - summed
        extents = dict(box)
        origin: dict[int, Affine] = {v: variable(v) for v in sorted(tied)}
        outputs: dict[Affine, int] = {}
        renamed: list[Factor] = []
        for atom, access, q in factors:
            moved: list[Affine] = []
            for e, extent in zip(access, self.algebra.atoms.extents[atom], strict=True):
                if not e[1] or {v for v, _ in e[1]} & (summed | tied):
                    moved.append(e)
                    continue
                v = outputs.setdefault(e, max(extents, default=-1) + 1)
                extents[v] = min(extent, extents.get(v, extent))
                origin[v] = e
                moved.append(variable(v))
            renamed.append((atom, tuple(moved), q))
        term: Monomial = (tuple(sorted(renamed)), guards)
        groups = (tuple(origin), tuple(sorted(summed)))
        p, joined, ours = merged(self.algebra, {term: Fraction(1)}, extents, groups)
        ((whole, _),) = p.items()
        free, order = (tuple(v for v in group if v in ours) for group in groups)
        access = {v: placed(ours[v], origin) for v in free}
        return Contraction(whole, free, order, joined), access


def _spliced(content: Sum, access: Sequence[Affine], term: _Term) -> list[Factor]:
    """Return the factors of a sum that a term reads; the term sums over its variables from now."""
    places = term.places_of(dict(enumerate(content.extents)), access)
    term.guards = (*term.guards, *moved_guards(content.guards, places))
    return moved_factors(content.factors, places)


def _parts_between(low: int, cuts: Sequence[int], high: int) -> list[tuple[int, int]]:
    ends = (low, *cuts, high)
    if not cuts or list(ends) != sorted(set(ends)):
        raise FalseStatement(f"a range from {low} to {high} cut at {list(cuts)[:5]}")
    return list(pairwise(ends))


def _opens(content: Sum, access: Sequence[Affine]) -> bool:
    """A sum of one factor moves entries; another is opened where that loses no structure.

    That is where one factor reads all that the outputs are read at, under one guard at most, on an
    output: a convolution has more of them.
    """
    if len(content.factors) == 1:
        return True
    at = [{v for v, _ in e[1]} for e in access]
    whole = set[int]().union(*at)
    reads = ({v for e in factor[1] for v, _ in e[1]} for factor in content.factors)
    read = (set[int]().union(*(at[v] for v in each if v < len(at))) for each in reads)
    outputs = set(range(content.outputs))
    loose = [e for e, _, _ in content.guards if not {v for v, _ in e[1]} & outputs]
    return len(content.guards) < 2 and not loose and any(whole <= each for each in read)


def _eliminate(term: _Term) -> bool:
    """Solve equations for summed variables; start bounded ones at 0. False where all is 0."""
    while True:
        found = _solvable(term)
        if found is None and _counted_anew(term):
            continue
        if found is None:
            return True
        guard, v = found
        (_, terms), low, high = guard
        others = [g for g in term.guards if g is not guard]
        term.summed.discard(v)
        if high == low + 1:
            k = dict(terms)[v]
            rest: Affine = (0, tuple(t for t in terms if t[0] != v))
            solution = linear(((-k, rest),), k * low)  # k is 1 or -1
            others.append((solution, 0, term.box[v]))
        else:
            w = term.fresh(high - low)
            term.summed.add(w)
            solution = linear(((1, variable(w)),), low)
        if not term.replace({v: solution}, others):
            return False


def _counted_anew(term: _Term) -> bool:
    """Count a summed variable along a guard on it, where its own extent then holds by itself.

    low <= v + rest < high becomes 0 <= w < high - low with v = w + low - rest.
    """
    for guard in term.guards:
        (_, terms), low, high = guard
        others = tuple(g for g in term.guards if g is not guard)
        for v, k in terms:
            if v not in term.summed or abs(k) != 1:
                continue
            rest: Affine = (0, tuple(t for t in terms if t[0] != v))
            w = max(term.box) + 1
            value = linear(((k, variable(w)), (-k, rest)), k * low)
            box = {**term.box, w: high - low}
            moved = conjunction(moved_guards(others, {v: value}), box)
            if moved is not None and within(value, 0, term.box[v], moved, box):
                term.box = box
                term.summed = {*term.summed - {v}, w}
                return term.replace({v: value}, others)
    return False


def _solvable(term: _Term) -> tuple[Guard, int] | None:
    for guard in term.guards:
        (_, terms), low, high = guard
        if high == low + 1:
            units = [v for v, k in terms if v in term.summed and abs(k) == 1]
            if units:
                return guard, max(units, key=lambda v: (term.box[v], -v))
        elif len(terms) == 1 and terms[0][0] in term.summed:
            return guard, terms[0][0]
    return None


def _joined(parts: Iterable[Monomial]) -> Monomial:
    members = list(parts)
    factors = tuple(sorted(factor for part in members for factor in part[0]))
    return factors, tuple(sorted(guard for part in members for guard in part[1]))
