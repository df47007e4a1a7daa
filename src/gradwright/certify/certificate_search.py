"""Finding what a certificate states: the same replay as the checker's, with a guide that searches.

Nothing here is trusted. What is found is verified by the replay itself, so that an error costs a
claim its certificate and never makes a wrong one hold.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice, permutations, product

from gradwright.certify.certificate_forms import Forms, Reaches, may_meet, reaches
from gradwright.certify.certificate_parts import parting
from gradwright.check.affine import Affine, Box, Guard, Guards, linear, placed, variable
from gradwright.check.atoms import Atoms, Exponent, Factor, Infinity, Named, Sum
from gradwright.check.certificate import Answer
from gradwright.check.guide import (
    Contraction,
    FalseStatement,
    Opened,
    Recognized,
    SameSum,
    Writing,
)
from gradwright.check.names import Names
from gradwright.check.poly import Algebra, Poly, moved_factors, moved_guards
from gradwright.check.tensor import Tensor

ALIGNMENTS = 24
"""Ways to set equal factors against each other that are tried."""
KNOWN = 64
"""Sums of the same factors over the same ranges that one is compared with."""
IDLE = 12
"""Sums written out in vain before a comparison is given up."""
STATED_TERMS = 8
"""Terms beyond which a value of a statement is named."""
SQUARED_TERMS = 8
"""Terms of a gradient beyond which it is named before an update multiplies it by itself."""

_OUTPUTS = -1_000_000
"""Number of the first output of the other sum while equations are solved."""
_Kinds = tuple[tuple[int, Exponent], ...]


@dataclass(slots=True)
class Search:
    """Answers by looking for equal values, and remembers the answers."""

    forward: frozenset[int]
    """Values that are named where they are made."""
    read: frozenset[int]
    """Values that layers read, or that are read block by block: these too, unless they are one term
    or made of pieces."""
    held: Mapping[int, int]
    """Values whose cotangents a text holds: these are named where they have more terms."""
    squared: frozenset[int]
    """Values behind the loss that are multiplied by themselves: they are named where they are
    long."""
    stated: int
    """Number from which on values are those of statements: they are named where they are long."""
    answers: dict[int, Answer] = field(default_factory=dict[int, Answer])
    cuts_made: set[int] = field(default_factory=set[int])
    cotangents_made: set[int] = field(default_factory=set[int])
    names: Names | None = None
    _asked: int = 0
    _met: int = 0
    """Sums that were recognized."""
    _met_at_split: int | None = None
    _idle: int = 0
    """Sums written out one after the other whose parts met nothing known."""
    _known: Forms[tuple[int, Sequence[int]]] = field(
        default_factory=Forms[tuple[int, Sequence[int]]]
    )
    """Atoms, and which merged variables theirs are."""
    _cut_forms: Forms[None] = field(default_factory=Forms[None])
    _sums: dict[_Kinds, list[int]] = field(default_factory=dict[_Kinds, list[int]])
    _reached: dict[int, Reaches] = field(default_factory=lambda: dict[int, Reaches]())
    _pending: tuple[Poly, Box] | None = None
    """The value that is about to get an atom."""

    @property
    def _algebra(self) -> Algebra:
        assert self.names is not None  # set before the replay starts
        return self.names.algebra

    @property
    def _atoms(self) -> Atoms:
        return self._algebra.atoms

    def cuts(self, value: int, p: Poly, box: Box) -> bool:
        """Cut where that was chosen, and where a value that was cut comes back."""
        if value in self.cuts_made:
            return True
        atoms = {a for factors, _ in p for a, _, _ in factors}
        if _is_single(p) or any(isinstance(self._atoms.contents[a], Infinity) for a in atoms):
            return False
        as_it_is = len(p) == 1 or all(guards for _, guards in p)
        wanted = value in self.forward or (value >= self.stated and len(p) > STATED_TERMS)
        wanted = wanted or (value in self.read and not as_it_is)
        wanted = wanted or (value in self.squared and len(p) > SQUARED_TERMS)
        if wanted:
            self._cut_forms.add(p, box, None)
        elif self._cut_forms.find(self._algebra, p, box) is None:
            return False
        self.cuts_made.add(value)
        return True

    def cuts_cotangent(self, value: int, p: Poly, box: Box) -> bool:
        """Cut the cotangents that a text holds, where they have many terms."""
        if len(p) <= self.held.get(value, len(p)):
            return False
        self._cut_forms.add(p, box, None)
        self.cotangents_made.add(value)
        return True

    def recognize(self, p: Poly, box: Box) -> Recognized | None:
        """Look for a value with the same canonical form."""
        self._asked += 1
        found = self._known.find(self._algebra, p, box)
        if found is None:
            self._pending = p, box
            return None
        (atom, variables), mine, theirs = found
        places = dict(zip(theirs.order, mine.order, strict=True))
        access = tuple(mine.origin[places[v]] for v in variables)
        answer = Recognized(mine.lead / theirs.lead, atom, access)
        self.answers[self._asked] = answer
        return answer

    def recognize_sum(self, contraction: Contraction) -> SameSum | None:
        """Look for a sum of the same factors and solve for the bijection."""
        self._asked += 1
        assert self.names is not None
        mine = reaches(*contraction.term, contraction.summed, contraction.box)
        known = self._sums.get(_kinds(contraction.term[0]), [])
        alike = (atom for atom in known if may_meet(mine, self._reach_of(atom)))
        for atom in islice(alike, KNOWN):
            for answer in _bijections(atom, self._sum(atom), contraction):
                try:
                    self.names.verify_sum(answer, contraction)
                except FalseStatement:
                    continue
                self.answers[self._asked] = answer
                self._met += 1
                return answer
        return None

    def split(self, p: Poly) -> Writing | None:
        """Cut one among sums of equal factors, or multiply a sum out."""
        self._asked += 1
        self._idle = self._idle + 1 if self._met_at_split == self._met else 0
        self._met_at_split = None
        if self._idle > IDLE:
            self._idle = 0
            return None  # the parts of the last sums met nothing known: those of others will not
        found: dict[_Kinds, set[int]] = {}
        for factors, _ in p:
            for atom, _, q in factors:
                content = self._atoms.contents[atom]
                if isinstance(content, Sum) and q == 1:
                    found.setdefault(_kinds(content.factors), set()).add(atom)
        groups = [{atom: self._sum(atom) for atom in sorted(atoms)} for atoms in found.values()]
        cuts = (parting(sums) for sums in groups if len(sums) > 1)
        answer = next((cut for cut in cuts if cut is not None), None) or self._opened(groups)
        if answer is not None:
            self.answers[self._asked] = answer
            self._met_at_split = self._met
        return answer

    def _opened(self, groups: Iterable[Mapping[int, Sum]]) -> Opened | None:
        """Multiply out the factor that was named last, of a sum that is like no other."""
        factors = [
            (factor[0], atom, place)
            for sums in groups
            for atom, content in sums.items()
            for place, factor in enumerate(content.factors)
            if isinstance(self._atoms.contents[factor[0]], Named) and factor[2] == 1
        ]
        return Opened(*max(factors)[1:]) if factors else None

    def reads_alike(self, a: Tensor, b: Tensor) -> bool:
        """Return whether the sums in two tensors have the same factors."""
        return self._kinds_in(a.poly) == self._kinds_in(b.poly)

    def _kinds_in(self, p: Poly) -> set[_Kinds]:
        found: set[_Kinds] = set()
        for factors, _ in p:
            for atom, _, _ in factors:
                content = self._atoms.contents[atom]
                is_sum = isinstance(content, Sum)
                found.add(_kinds(content.factors) if is_sum else ((atom, 1),))
        return found

    def leaves(self, p: Poly) -> frozenset[int]:
        """Return the atoms that are read once sums, and names in them, are written out."""
        found: set[int] = set()
        pending = [(atom, True) for factors, _ in p for atom, _, _ in factors]
        while pending:
            atom, opens = pending.pop()
            match self._atoms.contents[atom]:
                case Sum(factors=factors):
                    pending += ((a, opens) for a, _, _ in factors)
                case Named(terms=terms) if opens:
                    pending += ((a, False) for (factors, _), _ in terms for a, _, _ in factors)
                case _:
                    found.add(atom)
        return frozenset(found)

    def _reach_of(self, atom: int) -> Reaches:
        if atom not in self._reached:
            content = self._sum(atom)
            summed = range(content.outputs, len(content.extents))
            box = dict(enumerate(content.extents))
            self._reached[atom] = reaches(content.factors, content.guards, summed, box)
        return self._reached[atom]

    def _sum(self, atom: int) -> Sum:
        content = self._atoms.contents[atom]
        assert isinstance(content, Sum)
        return content

    def made(self, atom: int, variables: Sequence[int]) -> None:
        """Remember a new atom under its form."""
        content = self._atoms.contents[atom]
        if isinstance(content, Named) and self._pending is not None:
            self._known.add(*self._pending, (atom, tuple(variables)))
        if isinstance(content, Sum):
            known = self._sums.setdefault(_kinds(content.factors), [])
            if atom in known:
                self._met += 1
            else:
                known.append(atom)


def _is_single(p: Poly) -> bool:
    if len(p) != 1:
        return False
    ((factors, guards), _) = next(iter(p.items()))
    return not guards and len(factors) <= 1 and all(q == 1 for _, _, q in factors)


def _kinds(factors: Sequence[Factor]) -> _Kinds:
    return tuple(sorted((atom, q) for atom, _, q in factors))


def _bijections(atom: int, theirs: Sum, mine: Contraction) -> Iterator[SameSum]:
    """Yield bijections under which factors are read at the same indices, if equations have any."""
    count = len(theirs.extents)
    names = {i: variable(theirs.outputs - i - 1) for i in range(theirs.outputs, count)}
    outputs = {i: variable(_OUTPUTS - i) for i in range(theirs.outputs)}
    factors = moved_factors(theirs.factors, {**names, **outputs})
    unknown = [
        *(_OUTPUTS - i for i in range(theirs.outputs)),
        *(n[1][0][0] for n in names.values()),
    ]
    guards = moved_guards(theirs.guards, {**names, **outputs})
    read = {v for _, access, _ in factors for e in access for v, _ in e[1]}
    held = [_NOTHING] if read >= set(unknown) else _paired(mine.term[1], guards)
    for aligned, more in product(_alignments(mine.term[0], factors), held):
        pairs = [(a, b) for f, g in aligned for a, b in zip(f[1], g[1], strict=True)]
        pairs += more
        there = _solved([(b, a) for a, b in pairs], unknown)
        if there is None:
            continue
        access = tuple(there[: theirs.outputs])
        read = {_OUTPUTS - i: e for i, e in enumerate(access)}
        if any(v in mine.summed for e in access for v, _ in e[1]):
            continue
        here = _solved([(a, placed(b, read)) for a, b in pairs], mine.summed)
        if here is not None:
            yield SameSum(atom, access, tuple(here), tuple(there[theirs.outputs :]))


_NOTHING: list[tuple[Affine, Affine]] = []


def _paired(mine: Guards, theirs: Sequence[Guard]) -> Iterator[list[tuple[Affine, Affine]]]:
    """Yield ways to set guards of equal bounds against each other, as expressions."""
    if sorted(map(_bounds, mine)) != sorted(map(_bounds, theirs)):
        return
    groups: list[list[list[tuple[Affine, Affine]]]] = []
    for bounds in sorted(set(map(_bounds, mine))):
        ours = [e for e, *ends in mine if (*ends,) == bounds]
        others = [e for e, *ends in theirs if (*ends,) == bounds]
        groups.append([list(zip(ours, p, strict=True)) for p in permutations(others)][:ALIGNMENTS])
    for choice in islice(product(*groups), ALIGNMENTS):
        yield [pair for group in choice for pair in group]


def _bounds(guard: Guard) -> tuple[int, int]:
    return guard[1], guard[2]


def _alignments(
    mine: Sequence[Factor], theirs: Sequence[Factor]
) -> Iterator[list[tuple[Factor, Factor]]]:
    kinds = sorted({(atom, q) for atom, _, q in mine})
    groups: list[list[list[tuple[Factor, Factor]]]] = []
    for kind in kinds:
        ours = [f for f in mine if (f[0], f[2]) == kind]
        others = [f for f in theirs if (f[0], f[2]) == kind]
        groups.append([list(zip(ours, p, strict=True)) for p in permutations(others)][:ALIGNMENTS])
    for choice in islice(product(*groups), ALIGNMENTS):
        yield [pair for group in choice for pair in group]


def _solved(
    equations: Sequence[tuple[Affine, Affine]], unknown: Sequence[int]
) -> list[Affine] | None:
    """Return the unknowns that solve left = right, as whole affine expressions; None if none."""
    pending = [_difference(left, right) for left, right in equations]
    solution: dict[int, dict[int | None, Fraction]] = {}
    for v in unknown:
        row = next((r for r in pending if r.get(v)), None)
        if row is None:
            return None
        pending = [r for r in pending if r is not row]
        k = row[v]
        value = {u: -c / k for u, c in row.items() if u != v and c}
        pending = [_replaced(r, v, value) for r in pending]
        solution = {u: _replaced(r, v, value) for u, r in solution.items()}
        solution[v] = value
    found = [_affine(solution[v]) for v in unknown]
    return [e for e in found if e is not None] if None not in found else None


def _difference(left: Affine, right: Affine) -> dict[int | None, Fraction]:
    e = linear(((1, left), (-1, right)))
    return {None: Fraction(e[0]), **{v: Fraction(k) for v, k in e[1]}}


def _replaced(
    row: dict[int | None, Fraction], v: int, value: dict[int | None, Fraction]
) -> dict[int | None, Fraction]:
    k = row.get(v)
    if not k:
        return row
    total = {u: c for u, c in row.items() if u != v}
    for u, c in value.items():
        total[u] = total.get(u, Fraction(0)) + k * c
    return total


def _affine(value: dict[int | None, Fraction]) -> Affine | None:
    if any(c.denominator != 1 for c in value.values()):
        return None
    terms = sorted((v, int(c)) for v, c in value.items() if v is not None and c)
    return int(value.get(None, 0)), tuple(terms)
