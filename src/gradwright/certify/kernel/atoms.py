"""Atoms: the functions of an index vector that polynomials are made of, interned by content.

Equal contents get one number, so that equality of atoms is equality of numbers. Different numbers
claim nothing: they may still be equal functions, which only costs completeness.
"""

import enum
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from gradwright.certify.kernel.index import Affine, Guards
from gradwright.hlo.attributes import Window

Exponent = int | Fraction
Factor = tuple[int, tuple[Affine, ...], Exponent]
"""Atom, index expressions, exponent."""
Monomial = tuple[tuple[Factor, ...], Guards]
"""Product of factors and guards, both sorted."""
Terms = tuple[tuple[Monomial, Fraction], ...]


class Relation(enum.IntEnum):
    """What a mask tests of its argument."""

    POSITIVE = 1
    NEGATIVE = 2
    ZERO = 3

    def holds(self, x: Fraction) -> bool:
        """Return whether a number stands in the relation to 0."""
        return {1: x > 0, 2: x < 0, 3: x == 0}[self]


class Numbers(enum.IntEnum):
    """Which numbers an argument ranges over."""

    REAL = 0
    INTEGER = 1
    """A set of inputs where it has one value is not null."""
    TRUTH = 2
    """0 and 1 only: a mask."""
    ANY = 3
    """Real numbers that may be a function of the inputs, with one value on an open set of them."""


class Sign(enum.IntEnum):
    """What is known of an atom's values everywhere."""

    ANY = 0
    NONNEGATIVE = 1
    POSITIVE = 2


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of the function, or a value that the proof treats as one."""

    name: str
    numbers: Numbers = Numbers.REAL


@dataclass(frozen=True, slots=True)
class Dense:
    """A constant tensor, by its exact entries in row-major order."""

    shape: tuple[int, ...]
    entries: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Coordinate:
    """The index itself: value i at position i."""

    extent: int


@dataclass(frozen=True, slots=True)
class Infinity:
    """The constant +inf (or -inf), which no rational is; only max and min consume it."""

    negative: bool


@dataclass(frozen=True, slots=True)
class NotANumber:
    """NaN, of which nothing is ever computed: a selection must drop it.

    0 is the constant. Every value that may be no real number has a number of its own.
    """

    number: int = 0


@dataclass(frozen=True, slots=True)
class Base:
    """A positive rational kept as a base, for the exponents whose power is irrational."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Pi:
    """The circle's number: transcendental, hence a base like a positive unknown."""


@dataclass(frozen=True, slots=True)
class Function:
    """A named pointwise function of scale * inner (of the number scale where inner is None)."""

    name: str
    scale: Fraction
    inner: int | None


@dataclass(frozen=True, slots=True)
class Mask:
    """1 where inner stands in the relation to 0, else 0."""

    relation: Relation
    inner: int


@dataclass(frozen=True, slots=True)
class Class:
    """A polynomial of several terms under one number. Variables 0 … n - 1, one per extent."""

    extents: tuple[int, ...]
    terms: Terms


@dataclass(frozen=True, slots=True)
class Sum:
    """Sum of a product of factors over the variables from `outputs` on, where the guards hold."""

    outputs: int
    extents: tuple[int, ...]
    factors: tuple[Factor, ...]
    guards: Guards


@dataclass(frozen=True, slots=True)
class Selector:
    """1 at (o, i) where entry i of the operand wins window o of a result of this shape, else 0.

    Windows are walked in row-major order; a later entry wins where it is larger (smaller where
    not `maximum`), and at a tie unless `first`. `digits` are those that the terms are over.
    """

    operand: Terms
    digits: tuple[tuple[int, ...], ...]
    shape: tuple[int, ...]
    window: Window
    maximum: bool
    first: bool


@dataclass(frozen=True, slots=True)
class Uninterpreted:
    """An operation known only to be a function of its operands and attributes."""

    opcode: str
    operands: tuple[Terms, ...]
    attributes: object


Content = (
    Argument
    | Dense
    | Coordinate
    | Infinity
    | NotANumber
    | Base
    | Pi
    | Function
    | Mask
    | Class
    | Sum
    | Selector
    | Uninterpreted
)


_ENTRIES = Dense, Coordinate
_CONSTANT = *_ENTRIES, Base


class Atoms:
    """The table of atoms of one proof."""

    def __init__(self) -> None:
        self._numbers: dict[Content, int] = {}
        self._contents: list[Content] = []
        self._extents: list[tuple[int, ...]] = []
        self._signs: list[Sign] = []
        self._masks: list[bool] = []
        self._plain: list[bool] = []
        self.infinities: set[int] = set()
        """The constants among the atoms that are no real numbers: infinities and NaN."""
        self.logistics: set[int] = set()
        """The logistic functions among the atoms."""
        self._reached: dict[int, frozenset[int]] = {}
        self.symmetries: dict[int, tuple[tuple[int, ...], ...]] = {}
        """The orders of indices at which an atom has the same value, where there are several."""

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._contents)

    def intern(self, content: Content, extents: tuple[int, ...]) -> int:
        """Return the number of a content, a new one where it was not known.

        ValueError where it was known with other extents: two values would share one name.
        """
        number = self._numbers.get(content)
        if number is None:
            number = len(self._contents)
            self._numbers[content] = number
            self._contents.append(content)
            self._extents.append(extents)
            self._signs.append(self._sign(content))
            self._masks.append(_is_mask(content))
            self._plain.append(not (_is_mask(content) or isinstance(content, _CONSTANT)))
            if isinstance(content, Infinity | NotANumber):
                self.infinities.add(number)
            if isinstance(content, Function) and content.name == "logistic":
                self.logistics.add(number)
            if isinstance(content, Function | Mask) and content.inner in self.symmetries:
                self.symmetries[number] = self.symmetries[content.inner]
        elif self._extents[number] != extents:
            raise ValueError(f"{content} at extents {extents} and {self._extents[number]}")
        return number

    def ordered(self, atom: int, access: tuple[Affine, ...]) -> tuple[Affine, ...]:
        """Return the least of the indices at which an atom has the same value."""
        orders = self.symmetries.get(atom)
        if orders is None:
            return access
        return min(tuple(access[i] for i in order) for order in orders)

    def content(self, atom: int) -> Content:
        """Return what an atom is."""
        return self._contents[atom]

    def extents(self, atom: int) -> tuple[int, ...]:
        """Return the extent of each index of an atom."""
        return self._extents[atom]

    def reads(self, factors: Iterable[Factor]) -> Iterator[tuple[Affine, int]]:
        """Yield the index expressions of factors, each with the extent that it lies in."""
        for atom, access, _ in factors:
            yield from zip(access, self._extents[atom], strict=True)

    def is_constant(self, atom: int) -> bool:
        """Return whether an atom is a constant tensor, or an index."""
        return isinstance(self._contents[atom], _ENTRIES)

    def entry(self, atom: int, place: Sequence[int]) -> Fraction | None:
        """Return an entry of a constant tensor, or an index; None for a place outside of it."""
        content = self._contents[atom]
        at = 0
        for extent, i in zip(self._extents[atom], place, strict=True):
            if not 0 <= i < extent:
                return None
            at = at * extent + i
        return content.entries[at] if isinstance(content, Dense) else Fraction(at)

    def size(self, atom: int) -> int:
        """Return how many values an atom has."""
        return prod(self._extents[atom])

    def parts(self, atom: int) -> Iterator[int]:
        """Yield the atoms that an atom is made of."""
        match self._contents[atom]:
            case Function(inner=int(inner)) | Mask(inner=inner):
                yield inner
            case Sum(factors=factors):
                yield from (a for a, _, _ in factors)
            case Class(terms=terms) | Selector(operand=terms):
                yield from (a for (factors, _), _ in terms for a, _, _ in factors)
            case Uninterpreted(operands=operands):
                every = (terms for operand in operands for terms, _ in operand)
                yield from (a for factors, _ in every for a, _, _ in factors)
            case _:
                return

    def reached(self, atom: int) -> frozenset[int]:
        """Return the arguments that an atom depends on."""
        found = self._reached.get(atom)
        if found is None:
            own = (atom,) if isinstance(self._contents[atom], Argument) else ()
            found = frozenset(own).union(*map(self.reached, self.parts(atom)))
            self._reached[atom] = found
        return found

    def sign(self, atom: int) -> Sign:
        """Return what is known of an atom's values."""
        return self._signs[atom]

    def is_mask(self, atom: int) -> bool:
        """Return whether an atom takes the values 0 and 1 only."""
        return self._masks[atom]

    def is_plain(self, atom: int) -> bool:
        """Return whether an atom is neither a mask nor a constant: it keeps any exponent."""
        return self._plain[atom]

    def _sign(self, content: Content) -> Sign:
        match content:
            case Base() | Pi() | Function(name="exponential" | "logistic"):
                return Sign.POSITIVE
            case Function(name="log", scale=scale, inner=None) if scale > 1:
                return Sign.POSITIVE
            case Mask() | Selector() | Coordinate() | Argument(numbers=Numbers.TRUTH):
                return Sign.NONNEGATIVE
            case Dense(entries=entries):
                least = min(entries, default=-1)
                return Sign.POSITIVE if least > 0 else Sign(int(least >= 0))
            case Sum(guards=()):
                return self.product_sign(content.factors)
            case Sum():
                return min(self.product_sign(content.factors), Sign.NONNEGATIVE)
            case Class():
                return self.sum_sign(content.terms)
            case _:
                return Sign.ANY

    def has_zero(self, atom: int) -> bool:
        """Return whether an atom is known to be 0 at some index."""
        content = self._contents[atom]
        return isinstance(content, Coordinate) or (
            isinstance(content, Dense) and 0 in content.entries
        )

    def is_integral(self, atom: int) -> bool:
        """Return whether an atom takes integers only."""
        match self._contents[atom]:
            case Argument(numbers=numbers):
                return numbers in (Numbers.INTEGER, Numbers.TRUTH)
            case Function(name="truncate" | "floor") | Coordinate():
                return True
            case Dense(entries=entries):
                return all(x.denominator == 1 for x in entries)
            case Class(terms=terms):
                return all(self.integral_term(factors, c) for (factors, _), c in terms)
            case Sum(factors=factors):
                return self.integral_term(factors, Fraction(1))
            case _:
                return self.is_mask(atom)

    def is_real(self, atom: int) -> bool:
        """Return whether an atom is an argument of real numbers."""
        content = self._contents[atom]
        return isinstance(content, Argument) and content.numbers is Numbers.REAL

    def is_parameter(self, atom: int) -> bool:
        """Return whether an atom depends on nothing but arguments of integers."""
        return all(map(self.is_integral, self.reached(atom)))

    def integral_term(self, factors: tuple[Factor, ...], coefficient: Fraction) -> bool:
        """Return whether a coefficient times a product takes integers only."""
        return coefficient.denominator == 1 and all(
            self.is_integral(atom) and Fraction(q).denominator == 1 and q > 0
            for atom, _, q in factors
        )

    def product_sign(self, factors: tuple[Factor, ...]) -> Sign:
        """Return what is known of the sign of a product."""
        return min((self._power_sign(atom, q) for atom, _, q in factors), default=Sign.POSITIVE)

    def _power_sign(self, atom: int, exponent: Exponent) -> Sign:
        sign = self._signs[atom]
        if sign is Sign.ANY and exponent % 2 == 0:
            return Sign.NONNEGATIVE
        if sign is Sign.ANY and Fraction(exponent).denominator > 1:
            return Sign.NONNEGATIVE  # a root is taken of numbers >= 0 only
        return sign

    def sum_sign(self, terms: Terms) -> Sign:
        """A sum of terms >= 0 is >= 0, and > 0 where one term is > 0 everywhere."""
        signs = [
            (self.product_sign(factors), bool(guards), coefficient > 0)
            for (factors, guards), coefficient in terms
        ]
        if any(sign is Sign.ANY or not positive for sign, _, positive in signs):
            return Sign.ANY
        strict = any(sign is Sign.POSITIVE and not guarded for sign, guarded, _ in signs)
        return Sign.POSITIVE if strict else Sign.NONNEGATIVE


def _is_mask(content: Content) -> bool:
    match content:
        case Mask() | Selector() | Argument(numbers=Numbers.TRUTH):
            return True
        case Dense(entries=entries):
            return set(entries) <= {0, 1}
        case _:
            return False
