"""Which functions vanish on a null set only: there a mask [P = 0] may be read as 0.

Without this test the two conventions of a kink, P > 0 and P >= 0, would be the same even where
P is 0 on an open set, as a sum of two rectified values is.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache
from itertools import product

from gradwright.certify.advice.opening import chooses
from gradwright.certify.effort import TooLarge
from gradwright.certify.kernel.algebra import ONE, Algebra, Poly, number
from gradwright.certify.kernel.analytic import Analytic
from gradwright.certify.kernel.atoms import (
    Argument,
    Class,
    Factor,
    Function,
    Mask,
    Monomial,
    Numbers,
    Sum,
    Terms,
)
from gradwright.certify.kernel.index import Affine, read_at, variable

TERMS = 64
"""Terms of a sum whose classes are written out."""
Entry = tuple[int, tuple[Affine, ...]]
"""An argument, and the indices at which it is read."""

INJECTIVE = frozenset(("exponential", "log", "logistic"))
"""Functions that take no value twice."""
MASKS = 4
"""Masks of a sum that are told apart, case by case."""


class Generic:
    """Decides, soundly and without search, that the zeros of an atom are a null set."""

    def __init__(self, algebra: Algebra) -> None:
        self.atoms = algebra.atoms
        self.algebra = algebra
        self.vanishes_rarely = cache(self._by_cases)
        self._analytic = Analytic(algebra)

    def _by_cases(self, atom: int) -> bool:
        """Return whether {inputs: atom = 0} has measure 0 at every index.

        True for what has each value on a null set only, and for an analytic function that is not 0
        somewhere. Of a sum with masks each of the cases must be so.
        """
        content, extents = self.atoms.content(atom), self.atoms.extents(atom)
        alone: Monomial = ((atom, tuple(map(variable, range(len(extents)))), 1),), ()
        terms = content.terms if isinstance(content, Class) else ((alone, Fraction(1)),)
        if self._varies(terms):
            return True
        terms = self._opened(terms, extents)
        masks = self._masks(terms)
        if len(masks) > MASKS or len(terms) > TERMS:
            return False
        cases = (dict(zip(masks, case, strict=True)) for case in product((0, 1), repeat=len(masks)))
        at = (self._at(terms, case, extents) for case in cases)
        return all(self._varies(p) or self._analytic.vanishes_rarely(p, extents) for p in at)

    def _at(self, terms: Terms, values: Mapping[Factor, int], extents: Sequence[int]) -> Terms:
        """Return terms where masks have given values."""

        def fixed(f: Factor) -> Poly | None:
            return number(values[f]) if f in values else None

        box = dict(enumerate(extents))
        return self.algebra.replaced(Poly(terms), fixed, box).terms

    def _varies(self, terms: Terms) -> bool:
        """Return whether a sum has each value on a null set only, at every index.

        It does where a term goes up, or down, with an entry that no other term reads; and where it
        is a number plus a sum, over all indices, of products of different real arguments: a
        polynomial with positive coefficients.
        """
        if any(self._free(terms, i) for i in range(len(terms))):
            return True
        [*rest] = (monomial for monomial, _ in terms if monomial != ONE)
        match rest:
            case [(((atom, _, 1),), ())]:
                content = self.atoms.content(atom)
                if not isinstance(content, Sum) or content.guards:
                    return False
                read = [a for a, _, q in content.factors if q == 1 and self.atoms.is_real(a)]
                return len(read) == len(set(read)) == len(content.factors)
            case _:
                return False

    def _opened(self, terms: Terms, extents: Sequence[int]) -> Terms:
        """Return terms with the classes that hold masks written out, as far as that goes."""
        box, p = dict(enumerate(extents)), Poly(terms)

        def opened(f: Factor) -> Poly | None:
            whole = f[2] == 1 and chooses(self.atoms, self._masks, f[0])
            return self.algebra.written_out(f, box) if whole else None

        with suppress(TooLarge):
            while len(p) <= TERMS and (new := self.algebra.replaced(p, opened, box)) != p:
                p = new
        return p.terms

    def _masks(self, terms: Terms) -> list[Factor]:
        """Return the masks that are factors and depend on anything but integers."""
        found = dict.fromkeys(f for (factors, _), _ in terms for f in factors)
        masks = (f for f in found if isinstance(self.atoms.content(f[0]), Mask))
        return [f for f in masks if not self.atoms.is_parameter(f[0])]

    def _free(self, terms: Terms, place: int) -> bool:
        """Whether a term goes up, or down, with an entry that no other term reads."""
        (factors, guards), _ = terms[place]
        if guards or len(factors) != 1 or factors[0][2] != 1:
            return False
        others = [monomial for i, (monomial, _) in enumerate(terms) if i != place]
        return any(
            all(self._avoids_at(monomial, {}, entry) for monomial in others)
            for entry in self._monotone(*factors[0][:2])
        )

    def _monotone(self, atom: int, access: tuple[Affine, ...]) -> Iterator[Entry]:
        """Yield entries of real arguments in which an atom is strictly monotone."""
        match self.atoms.content(atom):
            case Argument() if self.atoms.is_real(atom):
                yield atom, access
            case Function(name=name, inner=int(inner)) if name in INJECTIVE:
                yield from self._monotone(inner, access)
            case Class(terms=terms):
                places = dict(enumerate(access))
                for i, ((factors, guards), _) in enumerate(terms):
                    if guards or len(factors) != 1 or factors[0][2] != 1:
                        continue
                    read = read_at(factors[0][1], places)
                    others = [m for k, (m, _) in enumerate(terms) if k != i]
                    for entry in self._monotone(factors[0][0], read):
                        if all(self._avoids_at(m, places, entry) for m in others):
                            yield entry
            case _:
                return

    def _avoids_at(self, monomial: Monomial, places: Mapping[int, Affine], entry: Entry) -> bool:
        """Whether a term of a class, read at places, does not read an entry."""
        return all(self._reads_apart(a, read_at(read, places), entry) for a, read, _ in monomial[0])

    def _reads_apart(self, atom: int, at: tuple[Affine, ...], entry: Entry) -> bool:
        """Whether an atom reads other entries of an argument only, for all that is seen in it."""
        if not any(self._may_read(entry[0], each) for each in self.atoms.reached(atom)):
            return True
        match self.atoms.content(atom):
            case Argument():
                return atom == entry[0] and _apart(at, entry[1])
            case Function(inner=int(inner)) | Mask(inner=inner):
                return self._reads_apart(inner, at, entry)
            case Class(terms=terms):
                places = dict(enumerate(at))
                return all(self._avoids_at(monomial, places, entry) for monomial, _ in terms)
            case _:
                return False

    def _may_read(self, atom: int, argument: int) -> bool:
        """Whether an argument is a given one, or stands for what may be a function of it."""
        content = self.atoms.content(argument)
        assert isinstance(content, Argument)
        return argument == atom or content.numbers is Numbers.ANY


def _apart(left: tuple[Affine, ...], right: tuple[Affine, ...]) -> bool:
    """Whether two accesses differ at every point: by a constant in some index."""
    differences = (a - b for a, b in zip(left, right, strict=True))
    return any(not e.terms and e.offset for e in differences)
