"""Naming polynomials and sums, and verifying that one is a name that is known already."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

from gradwright.check.affine import (
    Affine,
    Box,
    Guards,
    Places,
    conjunction,
    linear,
    placed,
    variable,
    within,
)
from gradwright.check.atoms import Factor, Infinity, Named, Sum, Uncheckable
from gradwright.check.guide import Contraction, FalseStatement, Guide, Recognized, SameSum
from gradwright.check.poly import (
    Algebra,
    Poly,
    expressions_of,
    in_order,
    moved_factors,
    moved_guards,
    scaled,
    variables_of,
)


def merged(
    algebra: Algebra, p: Poly, box: Box, groups: Iterable[Iterable[int]] | None = None
) -> tuple[Poly, Box, Places]:
    """Return p over fewer variables, their extents, and what they are in terms of the old ones.

    Variables of one group that occur as digits of one number only, n * high + low with n the extent
    of low, are one variable: it takes every value below the product of the extents.
    """
    origin: dict[int, Affine] = {v: variable(v) for v in box}
    left = [sorted(group) for group in ((variables_of(p),) if groups is None else groups)]
    while True:
        rows = [dict(terms) for terms in {e[1] for e in expressions_of(p)}]
        pairs = (pair for group in left for pair in permutations(group, 2))
        found = next(
            (
                (high, low)
                for high, low in pairs
                if all(row.get(high, 0) == box[low] * row.get(low, 0) for row in rows)
            ),
            None,
        )
        if found is None:
            return p, box, origin
        high, low = found
        origin[low] = linear(((box[low], origin.pop(high)), (1, origin[low])))
        box = {**box, low: box[low] * box[high]}
        p = algebra.substitute(p, {high: (0, ())}, box)
        left = [[v for v in group if v != high] for group in left]


@dataclass(slots=True)
class Names:
    """Gives atoms to polynomials and to sums, by the answers of a guide."""

    algebra: Algebra
    guide: Guide

    def name(self, p: Poly, box: Box) -> Recognized:
        """Return p as scale * atom[access]; p is not constant, and not infinite anywhere."""
        contents = self.algebra.atoms.contents
        if any(isinstance(contents[f[0]], Infinity) for factors, _ in p for f in factors):
            raise Uncheckable("an infinite value under a name")
        single = self._single(p)
        if single is not None:
            return single
        answer = self.guide.recognize(p, box)
        if answer is not None:
            self._verify(answer, p, box)
            return answer
        whole, joined, origin = merged(self.algebra, p, box)
        read = expressions_of(monomial for monomial, _ in in_order(whole))
        order = list(dict.fromkeys(v for e in read for v, _ in e[1]))
        extents = tuple(joined[v] for v in order)
        places = {v: variable(i) for i, v in enumerate(order)}
        moved = self.algebra.substitute(whole, places, dict(enumerate(extents)))
        atom = self.algebra.atoms.number(Named(extents, in_order(moved)), extents)
        self.guide.made(atom, order)
        made = Recognized(Fraction(1), atom, tuple(origin[v] for v in order))
        self._verify(made, p, box)
        return made

    def _single(self, p: Poly) -> Recognized | None:
        """Return p where it is one atom already."""
        if len(p) != 1:
            return None
        ((factors, guards), c) = next(iter(p.items()))
        if guards or len(factors) != 1 or factors[0][2] != 1:
            return None
        return Recognized(c, factors[0][0], factors[0][1])

    def _verify(self, answer: Recognized, p: Poly, box: Box) -> None:
        content = self._content(answer.atom)
        if not isinstance(content, Named):
            raise FalseStatement(f"atom {answer.atom} names no polynomial")
        self._require_access(answer.access, content.extents, box)
        read = dict(enumerate(answer.access))
        there = self.algebra.substitute(dict(content.terms), read, box)
        if not answer.scale or scaled(there, answer.scale) != p:
            stated = f"{answer.scale} times atom {answer.atom}"
            raise FalseStatement(f"a value is not {stated} as stated")

    def _content(self, atom: int) -> object:
        contents = self.algebra.atoms.contents
        if not 0 <= atom < len(contents):
            raise FalseStatement(f"there is no atom {atom} at this point")
        return contents[atom]

    def _require_access(self, access: Sequence[Affine], extents: Sequence[int], box: Box) -> None:
        if len(access) != len(extents) or any(v not in box for e in access for v, _ in e[1]):
            raise FalseStatement("an access with other indices than the atom has")
        if not self.algebra.inside(access, extents, (), box):
            raise FalseStatement("an access that leaves the atom's extents")

    def name_sum(self, c: Contraction) -> tuple[int, tuple[Affine, ...]]:
        """Return the atom of a sum and the outputs that it is read at."""
        answer = self.guide.recognize_sum(c)
        if answer is not None:
            self.verify_sum(answer, c)
            return answer.atom, answer.access
        order = (*c.outputs, *c.summed)
        extents = tuple(c.box[v] for v in order)
        places = {v: variable(i) for i, v in enumerate(order)}
        factors = tuple(sorted(moved_factors(c.term[0], places)))
        guards = conjunction(moved_guards(c.term[1], places), dict(enumerate(extents)))
        assert guards is not None  # the same guards under other names
        content = Sum(len(c.outputs), extents, factors, guards)
        atom = self.algebra.atoms.number(content, extents[: len(c.outputs)])
        self.guide.made(atom, order)
        return atom, tuple(map(variable, c.outputs))

    def verify_sum(self, answer: SameSum, c: Contraction) -> None:
        """Raise FalseStatement unless the bijection makes the two sums the same term by term."""
        theirs = self._content(answer.atom)
        if not isinstance(theirs, Sum):
            raise FalseStatement(f"atom {answer.atom} is no sum")
        outer = {v: c.box[v] for v in c.outputs}
        self._require_access(answer.access, theirs.extents[: theirs.outputs], outer)
        summed = {-1 - i: n for i, n in enumerate(theirs.extents[theirs.outputs :])}
        if len(answer.to_mine) != len(c.summed) or len(answer.to_theirs) != len(summed):
            raise FalseStatement("a bijection between other variables than the sums have")
        read = dict(enumerate(answer.access))
        read |= {theirs.outputs + i: variable(v) for i, v in enumerate(summed)}
        there = _Points(
            tuple(sorted(moved_factors(theirs.factors, read))),
            tuple(moved_guards(theirs.guards, read)),
            summed,
            dict(zip(summed, answer.to_theirs, strict=True)),
        )
        mine = {v: c.box[v] for v in c.summed}
        here = _Points(c.term[0], c.term[1], mine, dict(zip(c.summed, answer.to_mine, strict=True)))
        for source, target in ((here, there), (there, here)):
            if not {v for e in target.values.values() for v, _ in e[1]} <= {*outer, *source.summed}:
                raise FalseStatement("a bijection that reads variables of neither sum")
        if not (_reads_alike(here, there) or _reads_alike(there, here)):
            raise FalseStatement(f"the factors of a sum are not those of atom {answer.atom}")
        _require_map(there, here, outer)
        _require_map(here, there, outer)


@dataclass(frozen=True, slots=True)
class _Points:
    """One side of a bijection; `values` are its summed variables in those of the other side."""

    factors: tuple[Factor, ...]
    guards: Guards
    summed: Mapping[int, int]
    values: Mapping[int, Affine]


def _reads_alike(source: _Points, target: _Points) -> bool:
    """Return whether the factors of the source are those of the target at the image of a point."""
    moved = tuple(sorted(moved_factors(source.factors, source.values)))
    return moved == tuple(sorted(target.factors))


def _require_map(source: _Points, target: _Points, outer: Box) -> None:
    """Require that each point of the source has its image in the target, and comes back."""
    box = {**outer, **source.summed}
    known = conjunction(source.guards, box) or ()
    conditions = [(variable(v), 0, extent) for v, extent in target.summed.items()]
    for e, low, high in [*conditions, *target.guards]:
        moved = placed(e, target.values)
        if not within(moved, low, high, known, box):
            raise FalseStatement("a bijection that leaves the points of a sum")
    for v in source.summed:
        back = placed(source.values[v], target.values)
        if not within(linear(((1, back), (-1, variable(v)))), 0, 1, known, box):
            raise FalseStatement("a map of summed points that has no inverse as stated")
