"""Which functions vanish on a null set only: there a mask [P = 0] may be read as 0.

Without this test the two conventions of a kink, P > 0 and P >= 0, would be the same even where
P is 0 on an open set, as a sum of two rectified values is.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import product

from gradwright.certify.kernel.algebra import Algebra
from gradwright.certify.kernel.analytic import Analytic
from gradwright.certify.kernel.atoms import (
    Argument,
    Class,
    Factor,
    Function,
    Mask,
    Monomial,
    Numbers,
    Selector,
    Sum,
    Terms,
    Uninterpreted,
)
from gradwright.certify.kernel.index import Affine, combine, substitute, variable

TERMS = 64
"""Terms of a sum whose classes are written out."""
MASKS = 4
"""Masks of a sum that are told apart, case by case."""


class Generic:
    """Decides, soundly and without search, that the zeros of an atom are a null set."""

    def __init__(self, algebra: Algebra) -> None:
        self.atoms = algebra.atoms
        self._analytic = Analytic(algebra, self.reached)
        self._reached: dict[int, frozenset[int]] = {}
        self._rare: dict[int, bool] = {}

    def vanishes_rarely(self, atom: int) -> bool:
        """Return whether {inputs: atom = 0} has measure 0 at every index.

        True for what has each value on a null set only, and for an analytic function that is not 0
        somewhere. Of a sum with masks each of the cases must be so.
        """
        if self._varies(atom):
            return True
        known = self._rare.get(atom)
        if known is None:
            content, extents = self.atoms.content(atom), self.atoms.extents(atom)
            alone: Monomial = ((atom, tuple(map(variable, range(len(extents)))), 1),), ()
            terms = content.terms if isinstance(content, Class) else ((alone, Fraction(1)),)
            known = self._rare[atom] = self._by_cases(terms, extents)
        return known

    def _varies(self, atom: int) -> bool:
        """Return whether {inputs: atom = c} has measure 0 at every index, for every number c.

        True for a real argument; for a sum c * x[e] + rest where the entry x[e] of a real argument
        is not read by the rest (an affine function of that entry); and for a sum of products of
        different real arguments over all its indices (a polynomial with positive coefficients).
        """
        match self.atoms.content(atom):
            case Argument(numbers=Numbers.REAL):
                return True
            case Class(terms=((((), ()), _), ((((inner, _, 1),), ()), _))):
                return self._varies(inner)
            case Class(terms=terms):
                return any(self._free(terms, i) for i in range(len(terms)))
            case Sum(guards=()) as content:
                numbers = [a for a, _, q in content.factors if q == 1 and self._real(a)]
                return len(numbers) == len(set(numbers)) == len(content.factors)
            case _:
                return False

    def _by_cases(self, terms: Terms, extents: Sequence[int]) -> bool:
        terms = self._opened(terms)
        masks = self._masks(terms)
        if len(masks) > MASKS or len(terms) > TERMS:
            return False
        cases = (dict(zip(masks, case, strict=True)) for case in product((0, 1), repeat=len(masks)))
        return all(self._sum(_at(terms, case), extents) for case in cases)

    def _opened(self, terms: Terms) -> Terms:
        """Return terms with the classes that hold masks written out, as far as that goes."""
        pending, done = list(terms), list[tuple[Monomial, Fraction]]()
        while pending and len(done) + len(pending) <= TERMS:
            (factors, guards), c = pending.pop()
            place = next((i for i, f in enumerate(factors) if f[2] == 1 and self._chooses(f)), None)
            if place is None:
                done.append(((factors, guards), c))
                continue
            atom, access, _ = factors[place]
            content, mapping = self.atoms.content(atom), dict(enumerate(access))
            assert isinstance(content, Class)
            for (inner, bounds), k in content.terms:
                moved = (
                    *factors[:place],
                    *((a, tuple(substitute(e, mapping) for e in at), q) for a, at, q in inner),
                    *factors[place + 1 :],
                )
                where = *guards, *((substitute(e, mapping), low, high) for e, low, high in bounds)
                pending.append(((moved, where), c * k))
        return (*done, *pending)

    def _chooses(self, factor: Factor) -> bool:
        """Return whether a factor is a class with masks in it."""
        content = self.atoms.content(factor[0])
        return isinstance(content, Class) and any(
            f in self._masks(content.terms) or self._chooses(f)
            for (factors, _), _ in content.terms
            for f in factors
        )

    def _masks(self, terms: Terms) -> list[Factor]:
        """Return the masks that are factors and depend on anything but integers."""
        found = dict.fromkeys(f for (factors, _), _ in terms for f in factors)
        return [f for f in found if self._is_mask(f[0]) and not self._is_parameter(f[0])]

    def _is_mask(self, atom: int) -> bool:
        return isinstance(self.atoms.content(atom), Mask)

    def _is_parameter(self, atom: int) -> bool:
        return all(self.atoms.is_integral(argument) for argument in self.reached(atom))

    def _sum(self, terms: Terms, extents: Sequence[int]) -> bool:
        """Return whether a sum of terms vanishes rarely at every index."""
        if any(self._free(terms, i) for i in range(len(terms))):
            return True
        return self._analytic.vanishes_rarely(terms, extents, self._terms(terms))

    def _free(self, terms: Terms, place: int) -> bool:
        """Whether a term is c * x[e], and no other term reads the entry x[e]."""
        (factors, guards), _ = terms[place]
        if guards or len(factors) != 1:
            return False
        atom, access, exponent = factors[0]
        if exponent != 1 or not self._real(atom):
            return False
        others = (monomial for i, (monomial, _) in enumerate(terms) if i != place)
        return all(self._avoids(monomial, atom, access) for monomial in others)

    def _avoids(self, monomial: Monomial, atom: int, access: tuple[Affine, ...]) -> bool:
        for factor in monomial[0]:
            if factor[0] == atom and not _apart(factor[1], access):
                return False
            reached = self.reached(factor[0]) if factor[0] != atom else ()
            if any(map(partial(self._may_read, atom), reached)):
                return False
        return True

    def _may_read(self, atom: int, argument: int) -> bool:
        """Whether an argument is a given one, or stands for what may be a function of it."""
        content = self.atoms.content(argument)
        assert isinstance(content, Argument)
        return argument == atom or content.numbers is Numbers.ANY

    def _real(self, atom: int) -> bool:
        content = self.atoms.content(atom)
        return isinstance(content, Argument) and content.numbers is Numbers.REAL

    def reached(self, atom: int) -> frozenset[int]:
        """Return the arguments that an atom depends on."""
        known = self._reached.get(atom)
        if known is None:
            known = self._reached[atom] = self._search(atom)
        return known

    def _search(self, atom: int) -> frozenset[int]:
        match self.atoms.content(atom):
            case Argument():
                return frozenset((atom,))
            case Function(inner=inner) | Mask(inner=inner):
                return frozenset() if inner is None else self.reached(inner)
            case Class(terms=terms):
                return self._terms(terms)
            case Sum(factors=factors):
                return self._factors(factors)
            case Selector(operand=operand):
                return self._terms(operand)
            case Uninterpreted(operands=operands):
                return frozenset[int]().union(*map(self._terms, operands))
            case _:
                return frozenset()

    def _terms(self, terms: Terms) -> frozenset[int]:
        return frozenset[int]().union(*(self._factors(factors) for (factors, _), _ in terms))

    def _factors(self, factors: tuple[Factor, ...]) -> frozenset[int]:
        return frozenset[int]().union(*(self.reached(a) for a, _, _ in factors))


def _at(terms: Terms, values: Mapping[Factor, int]) -> Terms:
    """Return terms where masks have given values."""
    total: dict[Monomial, Fraction] = {}
    for (factors, guards), c in terms:
        if all(values.get(f, 1) for f in factors):
            monomial = tuple(f for f in factors if f not in values), guards
            total[monomial] = total.get(monomial, Fraction(0)) + c
    return tuple((monomial, c) for monomial, c in sorted(total.items(), key=_order) if c)


def _order(term: tuple[Monomial, Fraction]) -> tuple[object, ...]:
    return len(term[0][0]), term[0][0], term[0][1]


def _apart(left: tuple[Affine, ...], right: tuple[Affine, ...]) -> bool:
    """Whether two accesses differ at every point: by a constant in some index."""
    differences = (combine(((1, a), (-1, b))) for a, b in zip(left, right, strict=True))
    return any(not terms and offset for offset, terms in differences)
