"""Integers whose range is a hypothesis, and choices that this decides.

That indices are in range is supposed where they are read at. A text that reads at them may ask the
same again, to return no number for the others: that choice is decided.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import ceil, floor, prod

from gradwright.check.affine import Affine, Box, placed, variable
from gradwright.check.atoms import (
    Atoms,
    Factor,
    Mask,
    Monomial,
    Named,
    Numbers,
    Test,
    Uncheckable,
    Unknown,
)

Terms = Mapping[Monomial, Fraction]
Place = tuple[int, tuple[Affine, ...]]
"""An atom, and the indices at which it is read."""
MASKS = 6
"""Masks in one index whose values are gone through."""


class Ranges:
    """Integer unknowns of one table that lie in a range, at all their indices."""

    def __init__(self, atoms: Atoms) -> None:
        self.atoms = atoms
        self._known: dict[int, tuple[int, int]] = {}
        """The least and the greatest value."""

    def remember(self, index: Terms, box: Box, last: int) -> None:
        """Take 0 <= index <= last at every point of the box for granted.

        Of k X + a sum of masks, X being read at all its indices, the widest range of X follows that
        any values of the masks admit; of other sums nothing does.
        """
        masks = {m: c for m, c in index.items() if all(self.atoms.is_mask(f[0]) for f in m[0])}
        rest = [(m, c) for m, c in index.items() if m not in masks]
        factors = tuple({f[:2] for m in masks for f in m[0]})
        if len(rest) != 1 or len(factors) > MASKS or any(guards for _, guards in index):
            return
        [(((atom, access, q), *more), _), k] = rest[0]
        whole = _reads_all(access, self.atoms.extents[atom], box)
        if more or q != 1 or not whole or not self._is_integer(atom):
            return
        sums = [_sum(masks, at) for at in self._values(factors)]
        ends = [(end - s) / k for s in sums for end in (0, last)]
        low, high = self._known.get(atom, (ceil(min(ends)), floor(max(ends))))
        low, high = max(low, ceil(min(ends))), min(high, floor(max(ends)))
        if low > high:
            raise Uncheckable("an index that no number puts inside of all its operands")
        self._known[atom] = low, high

    def _is_integer(self, atom: int) -> bool:
        content = self.atoms.contents[atom]
        return isinstance(content, Unknown) and content.numbers is Numbers.INTEGER

    def _values(self, factors: tuple[Place, ...]) -> Iterator[Mapping[Place, int]]:
        """Yield values of masks that go together: a number is not 0 and more at once."""
        for values in product((0, 1), repeat=len(factors)):
            held = [f for f, value in zip(factors, values, strict=True) if value]
            tested = [(self._inner(atom), access) for atom, access in held]
            if len({*tested}) == len(tested):
                yield dict(zip(factors, values, strict=True))

    def _inner(self, atom: int) -> int:
        content = self.atoms.contents[atom]
        return content.inner if isinstance(content, Mask) else atom

    def span(self, p: Terms) -> tuple[Fraction, Fraction] | None:
        """Return the least and the greatest value of a sum at all integers in a known range.

        Its factors have to be masks that test one unknown, read at one place, and no more than once
        in a product that unknown. Such a sum is affine from one threshold to the next.
        """
        if not self._known or any(guards for _, guards in p):
            return None
        lines = {f[:2]: self._line(f) for factors, _ in p for f in factors}
        known = [line for line in lines.values() if line is not None]
        if not known or len(known) < len(lines) or len({place for place, *_ in known}) > 1:
            return None
        unknown = known[0][0]
        if any(q != 1 for factors, _ in p for *place, q in factors if tuple(place) == unknown):
            return None
        low, high = self._known[unknown[0]]
        near = {floor(-a / b) + i for _, a, b in known for i in (0, 1, 2)}
        near |= {ceil(-a / b) - i for _, a, b in known for i in (1, 2)}
        found: list[Fraction] = []
        for x in (low, high, *(x for x in near if low < x < high)):
            pairs = zip(lines, known, strict=True)
            values = {f: self._value(f, a + b * x) for f, (_, a, b) in pairs}
            found.append(_sum(p, values))
        return min(found), max(found)

    def _value(self, place: Place, argument: Fraction) -> Fraction:
        content = self.atoms.contents[place[0]]
        if not isinstance(content, Mask):
            return argument
        return Fraction(argument > 0 if content.test is Test.POSITIVE else argument == 0)

    def _line(self, factor: Factor) -> tuple[Place, Fraction, Fraction] | None:
        """Return (X at some place, a, b) of X, or of a mask of a + b X, with a range known of X."""
        atom, access, _ = factor
        content = self.atoms.contents[atom]
        if atom in self._known:
            return (atom, access), Fraction(0), Fraction(1)
        if not isinstance(content, Mask):
            return None
        inner = self.atoms.contents[content.inner]
        if content.inner in self._known:
            return (content.inner, access), Fraction(0), Fraction(1)
        terms = dict(inner.terms) if isinstance(inner, Named) else {}
        offset = terms.pop(((), ()), Fraction(0))
        if len(terms) != 1:
            return None
        [((factors, guards), scale)] = terms.items()
        if guards or len(factors) != 1 or factors[0][2] != 1 or factors[0][0] not in self._known:
            return None
        place = tuple(placed(e, dict(enumerate(access))) for e in factors[0][1])
        return (factors[0][0], place), offset, scale


def _sum(p: Terms, values: Mapping[Place, int | Fraction]) -> Fraction:
    return sum((c * prod(values[f[:2]] for f in m[0]) for m, c in p.items()), Fraction(0))


def _reads_all(access: tuple[Affine, ...], extents: tuple[int, ...], box: Box) -> bool:
    """Return whether each index is a variable of its own that runs over all of its extent."""
    single = {e[1][0][0]: e for e in access if len(e[1]) == 1}
    whole = zip(single.items(), extents, strict=False)
    return len(single) == len(access) and all(
        e == variable(v) and box[v] == extent for (v, e), extent in whole
    )
