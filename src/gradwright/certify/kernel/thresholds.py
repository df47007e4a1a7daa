"""Masks of one value at several thresholds: [B > s] [B > t] is [B > max(s, t)].

An atom is read as offset + slope * B, where B is a sum without a constant term, so that a mask of
it tests B against a number. Which B is found decides what is recognised, never what is true.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from gradwright.certify.kernel.atoms import Atoms, Class, Factor, Mask, Relation
from gradwright.certify.kernel.index import Affine

_FLIPPED = {
    Relation.POSITIVE: Relation.NEGATIVE,
    Relation.NEGATIVE: Relation.POSITIVE,
    Relation.ZERO: Relation.ZERO,
}


@dataclass(frozen=True, slots=True)
class Line:
    """atom[a_0, a_1, …] = offset + slope * B[a_order[0], a_order[1], …], slope != 0."""

    base: object
    order: tuple[int, ...]
    offset: Fraction
    slope: Fraction

    def place(self, access: tuple[Affine, ...]) -> tuple[object, tuple[Affine, ...]]:
        """Return B and the indices at which it is read."""
        return self.base, tuple(access[i] for i in self.order)


@dataclass(frozen=True, slots=True)
class _Test:
    """B stands in a relation to a number; the factor that says so."""

    relation: Relation
    at: Fraction
    factor: Factor


class Thresholds:
    """Reads the atoms of one table as lines, and joins the masks in a product."""

    def __init__(self, atoms: Atoms) -> None:
        self.atoms = atoms
        self.ranges: dict[object, tuple[Fraction, Fraction]] = {}
        """Least and greatest value of each B of which that is a hypothesis, at all its indices."""
        self.line = cache(self._read)

    def bound(self, atom: int, low: Fraction, high: Fraction) -> bool:
        """Take low <= atom <= high for granted; return whether a number meets all that is."""
        line = self.line(atom)
        if isinstance(line.base, int) and self.atoms.size(line.base) != self.atoms.size(atom):
            return True
        low, high = sorted((end - line.offset) / line.slope for end in (low, high))
        before = self.ranges.get(line.base, (low, high))
        self.ranges[line.base] = max(low, before[0]), min(high, before[1])
        return max(low, before[0]) <= min(high, before[1])

    def reach(self, atom: int) -> tuple[Fraction, Fraction] | None:
        """Return the least and the greatest value of an atom where hypotheses bound it."""
        line = self.line(atom)
        known = self.ranges.get(line.base)
        if known is None:
            return None
        low, high = sorted(line.offset + line.slope * end for end in known)
        return low, high

    def _read(self, atom: int) -> Line:
        """Return what an atom that is no mask is, as a line."""
        content, order = self.atoms.content(atom), tuple(range(len(self.atoms.extents(atom))))
        if not isinstance(content, Class):
            return Line(atom, order, Fraction(0), Fraction(1))
        has_offset = content.terms[0][0] == ((), ())
        offset = content.terms[0][1] if has_offset else Fraction(0)
        rest = content.terms[1:] if has_offset else content.terms
        (factors, guards), slope = rest[0]
        if len(rest) == len(factors) == 1 and not guards and factors[0][2] == 1:
            inner, access, _ = factors[0]
            line = self.line(inner)
            base, reads = line.place(access)
            places = tuple(e.lone for e in reads if e.lone is not None)
            if len(reads) == len(places) and sorted(places) == [*order]:
                return Line(base, places, offset + slope * line.offset, slope * line.slope)
        terms = tuple((monomial, c / slope) for monomial, c in rest)
        return Line((content.extents, terms), order, offset, slope)

    def _decided(self, line: Line, test: _Test) -> bool | None:
        """Return whether a test holds at every value in a known range; None where it depends."""
        known = self.ranges.get(line.base)
        if known is None:
            return None
        low, high = known
        match test.relation:
            case Relation.ZERO:
                holds, fails = low == high == test.at, not low <= test.at <= high
            case Relation.POSITIVE:
                holds, fails = low > test.at, high <= test.at
            case Relation.NEGATIVE:
                holds, fails = high < test.at, low >= test.at
        return True if holds else False if fails else None

    def strongest(self, factors: Iterable[Factor]) -> list[Factor] | None:
        """Return a product without masks that hold anyway or if others do; None where it is 0."""
        kept: list[Factor] = []
        tests: dict[object, list[_Test]] = {}
        for factor in factors:
            content = self.atoms.content(factor[0])
            if not isinstance(content, Mask):
                kept.append(factor)
                continue
            line = self.line(content.inner)
            relation = content.relation if line.slope > 0 else _FLIPPED[content.relation]
            test = _Test(relation, -line.offset / line.slope, factor)
            holds = self._decided(line, test)
            if holds is False:
                return None
            if holds is None:
                tests.setdefault(line.place(factor[1]), []).append(test)
        for group in tests.values():
            joined = _joined(group) if len(group) > 1 else group
            if joined is None:
                return None
            kept += [test.factor for test in joined]
        return kept


def _joined(tests: list[_Test]) -> list[_Test] | None:
    """Return the tests of one value that imply the others; None where they exclude each other."""
    tests = sorted(tests, key=lambda test: (test.at, test.factor[0]))
    above = [test for test in tests if test.relation is Relation.POSITIVE]
    below = [test for test in tests if test.relation is Relation.NEGATIVE]
    equal = [test for test in tests if test.relation is Relation.ZERO]
    low = next((test for test in above if test.at == above[-1].at), None)
    high = below[0] if below else None
    least = equal[0].at if equal else None
    if least is not None:
        fits = equal[-1].at == least and (low is None or low.at < least)
        return equal[:1] if fits and (high is None or least < high.at) else None
    if low is not None and high is not None and low.at >= high.at:
        return None
    return [test for test in (low, high) if test is not None]
