"""Atoms: the functions of indices that polynomials are made of, numbered by their content.

Equal contents have one number. Two numbers may still be one function: that costs completeness only.
"""

import enum
from dataclasses import dataclass
from fractions import Fraction

from gradwright.check.affine import Affine, Guards

Exponent = int | Fraction
Factor = tuple[int, tuple[Affine, ...], Exponent]
"""Atom, index expressions, exponent."""
Monomial = tuple[tuple[Factor, ...], Guards]
Term = tuple[Monomial, Fraction]
Terms = tuple[Term, ...]


class Uncheckable(Exception):
    """A step of the proof that this checker does not know or does not believe; says why."""


class Numbers(enum.IntEnum):
    """Which numbers an unknown ranges over; TRUTH is 0 and 1."""

    REAL = 0
    INTEGER = 1
    TRUTH = 2


class Test(enum.IntEnum):
    """What a mask tests of its argument."""

    POSITIVE = 1
    ZERO = 2


@dataclass(frozen=True, slots=True)
class Unknown:
    """An argument of the text, or a value of it that a claim is quantified over."""

    name: str
    numbers: Numbers
    is_argument: bool = False
    """Whether it takes every value, independent of all others."""


@dataclass(frozen=True, slots=True)
class Dense:
    """A constant tensor by its entries, row by row."""

    shape: tuple[int, ...]
    entries: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Index:
    """The value i at index i."""

    extent: int


@dataclass(frozen=True, slots=True)
class Infinity:
    """An infinite constant, which is moved, selected and compared, and not computed with.

    Sign 0 stands for NaN, which is moved and has to be selected away.
    """

    sign: int


@dataclass(frozen=True, slots=True)
class Applied:
    """A named function of scale * inner; of the number scale where inner is None."""

    function: str
    scale: Fraction
    inner: int | None


@dataclass(frozen=True, slots=True)
class Mask:
    """1 where inner passes the test, else 0."""

    test: Test
    inner: int


@dataclass(frozen=True, slots=True)
class Named:
    """A polynomial under one number; variable i has extent extents[i]."""

    extents: tuple[int, ...]
    terms: Terms


@dataclass(frozen=True, slots=True)
class Sum:
    """A product of factors summed over the variables from `outputs` on, where the guards hold."""

    outputs: int
    extents: tuple[int, ...]
    factors: tuple[Factor, ...]
    guards: Guards


@dataclass(frozen=True, slots=True)
class Constant:
    """A prime, or the circle's number "pi"; a prime has exponents between 0 and 1 only."""

    name: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """1 at the first point of a window at which sign * an atom is greatest, else 0.

    Variables: the outputs, then the window's, counted row by row; points where a guard is 0 are no
    part of the window.
    """

    sign: int
    outputs: int
    extents: tuple[int, ...]
    atom: int
    access: tuple[Affine, ...]
    guards: Guards


Content = Unknown | Dense | Index | Infinity | Constant | Applied | Mask | Chosen | Named | Sum


def parts(content: Content) -> set[int]:
    """Return the atoms that a content reads."""
    match content:
        case Applied(inner=int(inner)) | Mask(inner=inner) | Chosen(atom=inner):
            return {inner}
        case Named(terms=terms):
            return {a for (factors, _), _ in terms for a, _, _ in factors}
        case Sum(factors=factors):
            return {a for a, _, _ in factors}
        case _:
            return set()


class Atoms:
    """The atoms of one check."""

    def __init__(self) -> None:
        self._numbers: dict[Content, int] = {}
        self.contents: list[Content] = []
        self.extents: list[tuple[int, ...]] = []
        self.unknowns: list[frozenset[int]] = []
        """The unknowns that an atom is made of."""

    def number(self, content: Content, extents: tuple[int, ...]) -> int:
        """Return the number of a content."""
        found = self._numbers.setdefault(content, len(self.contents))
        if found == len(self.contents):
            self.contents.append(content)
            self.extents.append(extents)
            inner = (self.unknowns[a] for a in parts(content))
            itself = [found] if isinstance(content, Unknown) else []
            self.unknowns.append(frozenset(itself).union(*inner))
        elif self.extents[found] != extents:
            raise Uncheckable(f"one name for two functions: {content}")
        return found

    def is_mask(self, atom: int) -> bool:
        """Return whether an atom takes the values 0 and 1 only."""
        content = self.contents[atom]
        if isinstance(content, Dense):
            return set(content.entries) <= {0, 1}
        return isinstance(content, Mask | Chosen) or (
            isinstance(content, Unknown) and content.numbers is Numbers.TRUTH
        )

    def is_positive(self, atom: int, *, strictly: bool) -> bool:
        """Return whether an atom is known to be > 0 (else >= 0) for every input and index."""
        match self.contents[atom]:
            case Applied(function="exponential" | "logistic") | Constant():
                return True
            case Applied(function="log", scale=scale, inner=None):
                return scale > 1
            case Index():
                return not strictly
            case Dense(entries=entries):
                return min(entries) > 0 if strictly else min(entries) >= 0
            case Sum(factors=factors, guards=guards):
                return not (strictly and guards) and self.product_is_positive(factors, strictly)
            case Named(terms=terms):
                return self.terms_are_positive(terms, strictly=strictly)
            case _:
                return self.is_mask(atom) and not strictly

    def product_is_positive(self, factors: tuple[Factor, ...], strictly: bool) -> bool:
        """Return whether a product of factors is known to be > 0 (else >= 0), as roots are."""
        return all(
            self.is_positive(atom, strictly=strictly)
            or (not strictly and (q % 2 == 0 or Fraction(q).denominator > 1))
            for atom, _, q in factors
        )

    def terms_are_positive(self, terms: Terms, *, strictly: bool) -> bool:
        """Return whether terms add up to a number known to be > 0 (else >= 0)."""
        if any(c < 0 or not self.product_is_positive(m[0], False) for m, c in terms):
            return False
        bare = (m[0] for m, _ in terms if not m[1])
        return not strictly or any(self.product_is_positive(factors, True) for factors in bare)
