"""Finding what a certificate states: the same replay as the checker's, with a guide that searches.

Nothing here is trusted. What is found is verified by the replay itself, so that an error costs a
claim its certificate and never makes a wrong one hold.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations, product

from gradwright.certify.kernel.classes import orders, refine
from gradwright.check.affine import Affine, Box, linear, placed, variable
from gradwright.check.atoms import Atoms, Exponent, Factor, Named, Sum
from gradwright.check.certificate import Answer
from gradwright.check.guide import (
    Contraction,
    FalseStatement,
    Recognized,
    SameSum,
    Split,
)
from gradwright.check.names import Names, merged
from gradwright.check.poly import Poly, in_order, moved_factors, variables_of
from gradwright.check.tensor import Tensor

ORDERS = 24
"""Orders of indistinguishable variables that are tried."""
ALIGNMENTS = 24
"""Ways to set equal factors against each other that are tried."""
WRITTEN_OUT = 2
"""Values of a summed variable that are written out one by one."""
KNOWN = 64
"""Sums of the same factors that one is compared with."""
IDLE = 12
"""Sums written out in vain before a comparison is given up."""
STATED_TERMS = 8
"""Terms beyond which a value of a statement is named."""
COTANGENT_TERMS = 2
"""Terms of a cotangent at a cut beyond which it is named."""

_OUTPUTS = -1_000_000
"""Number of the first output of the other sum while equations are solved."""
Key = tuple[object, ...]
_Kinds = tuple[tuple[int, Exponent], ...]


@dataclass(slots=True)
class Search:
    """Answers by looking for equal values, and remembers the answers."""

    forward: frozenset[int]
    """Values that are named where they are made."""
    sums: frozenset[int]
    """Values among them that are sums: their cotangents are named."""
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
    _known: dict[Key, tuple[int, tuple[int, ...], Fraction]] = field(
        default_factory=dict[Key, tuple[int, tuple[int, ...], Fraction]]
    )
    _cut_keys: set[Key] = field(default_factory=set[Key])
    _sums: dict[_Kinds, list[int]] = field(default_factory=dict[_Kinds, list[int]])
    _pending: "_Pending | None" = None
    _origin: Mapping[int, Affine] = field(default_factory=dict[int, Affine])
    """What the variables of the last form are in terms of those that were asked about."""

    @property
    def _atoms(self) -> Atoms:
        assert self.names is not None  # set before the replay starts
        return self.names.algebra.atoms

    def cuts(self, value: int, p: Poly, box: Box) -> bool:
        """Cut where that was chosen, and where a value that was cut comes back."""
        if _is_single(p):
            return False
        wanted = value in self.forward or (value >= self.stated and len(p) > STATED_TERMS)
        if not wanted and not self._cut_keys:
            return False
        key = self.labelled(p, box)[0]
        if wanted:
            self._cut_keys.add(key)
        elif key not in self._cut_keys:
            return False
        self.cuts_made.add(value)
        return True

    def cuts_cotangent(self, value: int, p: Poly, box: Box) -> bool:
        """Cut the cotangents of sums that were cut, where they have many terms."""
        if value not in self.sums or len(p) <= COTANGENT_TERMS:
            return False
        self._cut_keys.add(self.labelled(p, box)[0])
        self.cotangents_made.add(value)
        return True

    def recognize(self, p: Poly, box: Box) -> Recognized | None:
        """Look for a value with the same canonical form."""
        self._asked += 1
        key, order, lead = self.labelled(p, box)
        found = self._known.get(key)
        if found is None:
            self._pending = _Pending(key, order, lead)
            return None
        atom, theirs, scale = found
        places = dict(zip(theirs, order, strict=True))
        access = tuple(self._origin[places[i]] for i in range(len(theirs)))
        answer = Recognized(lead / scale, atom, access)
        self.answers[self._asked] = answer
        return answer

    def labelled(self, p: Poly, box: Box) -> tuple[Key, tuple[int, ...], Fraction]:
        """Return a form that equal polynomials up to names share, its variables, its factor."""
        assert self.names is not None
        p, box, origin = merged(self.names.algebra, p, box)
        colours = refine(p, {v: (box[v],) for v in sorted(variables_of(p))})
        best: tuple[Key, tuple[int, ...], Fraction] | None = None
        for order in orders(colours, ORDERS):
            places = {v: variable(i) for i, v in enumerate(order)}
            extents = tuple(box[v] for v in order)
            moved = self.names.algebra.substitute(p, places, dict(enumerate(extents)))
            terms = in_order(moved)
            lead = terms[0][1]
            key = (extents, tuple((m, c / lead) for m, c in terms))
            if best is None or key < best[0]:
                best = key, tuple(order), lead
        self._origin = origin
        assert best is not None  # there is one order at least
        return best

    def recognize_sum(self, contraction: Contraction) -> SameSum | None:
        """Look for a sum of the same factors and solve for the bijection."""
        self._asked += 1
        assert self.names is not None
        for atom in self._sums.get(_kinds(contraction.term[0]), [])[:KNOWN]:
            content = self._atoms.contents[atom]
            assert isinstance(content, Sum)
            for answer in _bijections(atom, content, contraction):
                try:
                    self.names.verify_sum(answer, contraction)
                except FalseStatement:
                    continue
                self.answers[self._asked] = answer
                self._met += 1
                return answer
        return None

    def split(self, p: Poly) -> Split | None:
        """Write out the shortest variable of the sum with most, among sums of equal factors."""
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
        for atoms in found.values():
            sums = [(a, self._sum(a)) for a in sorted(atoms)]
            atom, longest = max(sums, key=lambda pair: len(pair[1].extents) - pair[1].outputs)
            lengths = {v: n for v, n in enumerate(longest.extents) if v >= longest.outputs}
            low = _low_digits(longest)
            v = min(lengths, key=lambda v: (lengths[v], v not in low, v), default=None)
            if len(atoms) > 1 and v is not None and lengths[v] <= WRITTEN_OUT:
                answer = Split(atom, v)
                self.answers[self._asked] = answer
                self._met_at_split = self._met
                return answer
        return None

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

    def _sum(self, atom: int) -> Sum:
        content = self._atoms.contents[atom]
        assert isinstance(content, Sum)
        return content

    def made(self, atom: int, variables: Sequence[int]) -> None:
        """Remember a new atom under its form."""
        content = self._atoms.contents[atom]
        if isinstance(content, Named) and self._pending is not None:
            position = {v: i for i, v in enumerate(variables)}
            order = tuple(position[v] for v in self._pending.order)
            self._known[self._pending.key] = atom, order, self._pending.lead
        if isinstance(content, Sum):
            known = self._sums.setdefault(_kinds(content.factors), [])
            if atom in known:
                self._met += 1
            else:
                known.append(atom)


@dataclass(frozen=True, slots=True)
class _Pending:
    """The form of a value that is about to get an atom."""

    key: Key
    order: tuple[int, ...]
    lead: Fraction


def _is_single(p: Poly) -> bool:
    if len(p) != 1:
        return False
    ((factors, guards), _) = next(iter(p.items()))
    return not guards and len(factors) <= 1 and all(q == 1 for _, _, q in factors)


def _low_digits(content: Sum) -> set[int]:
    """Return the variables that an index counts by one beside others that it counts by more."""
    indices = [dict(e[1]) for _, access, _ in content.factors for e in access]
    return {v for e in indices for v, k in e.items() if abs(k) == 1 < max(map(abs, e.values()))}


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
    for aligned in _alignments(mine.term[0], factors):
        pairs = [(a, b) for f, g in aligned for a, b in zip(f[1], g[1], strict=True)]
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


def _alignments(
    mine: Sequence[Factor], theirs: Sequence[Factor]
) -> Iterator[list[tuple[Factor, Factor]]]:
    kinds = sorted({(atom, q) for atom, _, q in mine})
    groups: list[list[list[tuple[Factor, Factor]]]] = []
    for kind in kinds:
        ours = [f for f in mine if (f[0], f[2]) == kind]
        others = [f for f in theirs if (f[0], f[2]) == kind]
        groups.append([list(zip(ours, p, strict=True)) for p in permutations(others)][:ALIGNMENTS])
    for i, choice in enumerate(product(*groups)):
        if i >= ALIGNMENTS:
            return
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
