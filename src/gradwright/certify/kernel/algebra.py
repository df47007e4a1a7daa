"""Polynomials over atoms: finite sums of coefficient * product of powers of atoms * guards.

Two polynomials in the same variables that are equal as dictionaries are equal as functions.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from math import floor, isqrt

from gradwright.certify.effort import TooLarge, require_time
from gradwright.certify.kernel.atoms import (
    Atoms,
    Base,
    Class,
    Exponent,
    Factor,
    Mask,
    Monomial,
    Relation,
    Sign,
    Sum,
    Terms,
)
from gradwright.certify.kernel.index import (
    Affine,
    Extents,
    Guard,
    Guards,
    conjunction,
    guarded,
    guards_at,
    read_at,
    variable,
)
from gradwright.certify.kernel.thresholds import Thresholds

ONE: Monomial = ((), ())
_UNIT = Fraction(1)


class Poly(dict[Monomial, Fraction]):
    """A finite sum: the coefficient of each product, none of them 0."""

    def __add__(self, other: "Poly") -> "Poly":
        whole = Poly(self)
        for monomial, c in other.items():
            whole.gather(monomial, c)
        return whole

    def __sub__(self, other: "Poly") -> "Poly":
        return self + -1 * other

    def __rmul__(self, c: Fraction | int) -> "Poly":
        if c == 1:
            return self
        return Poly({monomial: k * c for monomial, k in self.items()} if c else {})

    def gather(self, monomial: Monomial, c: Fraction) -> None:
        """Add a term, in place: only while the sum is being made."""
        known = self.get(monomial)
        if known is not None:
            c += known
        if c:
            self[monomial] = c
        else:
            self.pop(monomial, None)

    @property
    def constant(self) -> Fraction | None:
        """The number that this is everywhere, None where it is none."""
        if not self:
            return Fraction(0)
        return self[ONE] if len(self) == 1 and ONE in self else None

    @property
    def variables(self) -> set[int]:
        """The variables that are mentioned."""
        return {v for monomial in self for v in monomial_variables(monomial)}

    @property
    def terms(self) -> Terms:
        """The terms in a fixed order."""
        return tuple(sorted(self.items(), key=lambda term: order(term[0])))

    @property
    def single_factor(self) -> tuple[Fraction, int, tuple[Affine, ...]] | None:
        """The parts of c * atom[access], None of any other sum."""
        if len(self) != 1:
            return None
        ((factors, guards), c) = next(iter(self.items()))
        if guards or [q for *_, q in factors] != [1]:
            return None
        atom, access, _ = factors[0]
        return c, atom, access


class Undenotable(Exception):
    """A value has no denotation here; the message says why."""


class Undefined(Undenotable):
    """A value that no real number is, somewhere at least: a division by zero, a log of zero."""


LARGEST_DIVISOR = 1000
"""Divisors below which a number under a root is taken apart into its primes."""
TERM_LIMIT = 4000
"""Terms of one product; beyond it the proof is given up at that value, which is always sound."""


def simple(exponent: Exponent) -> Exponent:
    """Return an integral exponent as int."""
    if isinstance(exponent, int):
        return exponent
    return int(exponent) if exponent.denominator == 1 else exponent


def number(c: Fraction | int) -> Poly:
    """Return the constant polynomial c."""
    return Poly({ONE: Fraction(c)} if c else {})


def factors_at(factors: Iterable[Factor], mapping: Mapping[int, Affine]) -> list[Factor]:
    """Return factors with variables replaced by expressions."""
    return [(atom, read_at(access, mapping), q) for atom, access, q in factors]


def summed_at(
    content: Sum, access: tuple[Affine, ...], first: int
) -> tuple[list[Factor], list[Guard], dict[int, int]]:
    """Return what a sum sums, read at indices: over new variables, from a number on, by extents."""
    bound = {first + i: n for i, n in enumerate(content.extents[content.outputs :])}
    places = dict(enumerate((*access, *map(variable, bound))))
    return factors_at(content.factors, places), guards_at(content.guards, places), bound


def product_of(*factors: Factor, guards: Guards = (), c: Fraction | int = 1) -> Poly:
    """Return c times factors, sorted, where guards hold."""
    return Poly({(factors, guards): Fraction(c)})


def total(parts: Iterable[Poly]) -> Poly:
    """Return the sum of polynomials."""
    whole = Poly()
    for part in parts:
        for monomial, c in part.items():
            whole.gather(monomial, c)
    return whole


def monomial_variables(monomial: Monomial) -> Iterable[int]:
    """Yield the variables of a monomial, with repetition."""
    factors, guards = monomial
    for _, access, _ in factors:
        for e in access:
            yield from e.variables
    yield from guarded(guards)


def order(monomial: Monomial) -> tuple[object, ...]:
    """Return a key that orders monomials (exponents of any kind)."""
    factors, guards = monomial
    return len(factors), factors, guards


class Algebra:
    """Products, powers and substitution of polynomials over one table of atoms."""

    def __init__(self, atoms: Atoms) -> None:
        self.atoms = atoms
        self.thresholds = Thresholds(atoms)
        self._loops: dict[int, int] = {}
        self._counters = 0
        self._left: int | None = None

    def grant(self, terms: int) -> None:
        """Let so many more terms be made than until now, where that was bounded, else so many."""
        self._left = terms + (self._left or 0)

    def spend(self, terms: int) -> None:
        """Count terms that are made; TooLarge where more than were granted, or no time is left."""
        require_time()
        if self._left is None:
            return
        self._left -= terms
        if self._left < 0:
            self._left = 0
            raise TooLarge("more terms than the proof may take")

    @contextmanager
    def loop(self, trips: int) -> Generator[int]:
        """Lend a new variable that counts the trips of a loop, for tensors of its body to mention.

        No other loop has that variable, and what is returned must not mention it: sum over it.
        """
        self._counters += 1
        v = -self._counters
        self._loops[v] = trips
        try:
            yield v
        finally:
            del self._loops[v]

    def box(self, digits: Iterable[Iterable[int]]) -> dict[int, int]:
        """Return the extent of each variable of a tensor with these digits, and of open loops."""
        return {**self._loops, **dict(enumerate(n for dimension in digits for n in dimension))}

    def product(
        self, factors: Iterable[Factor], guards: Guards
    ) -> tuple[Monomial, Fraction] | None:
        """Return a monomial in normal form and its coefficient; None where it is 0.

        Equal factors gather their exponents; a mask is its own square; masks that others imply
        are left out, those that exclude each other give 0, and so does P [P = 0]; rational bases
        keep the fractional part of their exponent. An exponent of a mask is positive: no one
        divides by it.
        """
        exponents: dict[tuple[int, tuple[Affine, ...]], Exponent] = {}
        for atom, access, q in factors:
            place = atom, self.atoms.ordered(atom, access)
            known = exponents.get(place)
            exponents[place] = q if known is None else known + q
        coefficient = _UNIT
        kept: list[Factor] = []
        tests: dict[tuple[int, tuple[Affine, ...]], Relation] = {}
        for (atom, access), q in exponents.items():
            if not q:
                continue
            if self.atoms.is_plain(atom):
                kept.append((atom, access, simple(q)))
                continue
            content = self.atoms.content(atom)
            if isinstance(content, Mask):
                if (content.inner, access) in tests:
                    return None
                tests[content.inner, access] = content.relation
            if self.atoms.is_mask(atom):
                kept.append((atom, access, 1))
            elif (entry := self._entry(atom, access, q)) is not None:
                coefficient *= entry
            elif isinstance(content, Base):
                whole = floor(q)
                if whole:
                    coefficient *= content.value**whole
                if q != whole:
                    kept.append((atom, access, q - whole))
            else:
                kept.append((atom, access, simple(q)))
        for place, relation in tests.items():
            if relation is Relation.ZERO and exponents.get(place, 0) > 0:
                return None
        bounded = tests and self.thresholds.ranges
        strongest = self.thresholds.strongest(kept) if bounded or len(tests) > 1 else kept
        return (
            None
            if strongest is None or not coefficient
            else ((tuple(sorted(strongest)), guards), coefficient)
        )

    def _entry(self, atom: int, access: tuple[Affine, ...], q: Exponent) -> Fraction | None:
        """Return a power of a constant tensor at one place; None of anything else."""
        if q != 1 or any(e.terms for e in access) or not self.atoms.is_constant(atom):
            return None
        return self.atoms.entry(atom, [e.offset for e in access])

    def multiply(self, p: Poly, q: Poly, extents: Extents) -> Poly:
        """Return p * q."""
        if len(p) == 1 and p.get(ONE) == 1:
            return q
        if len(p) * len(q) > TERM_LIMIT:
            raise TooLarge(f"a product of {len(p)} by {len(q)} terms")
        self.spend(len(p) * len(q))
        total = Poly()
        for (left, left_guards), a in p.items():
            for (right, right_guards), b in q.items():
                guards: Guards | None = left_guards or right_guards
                if left_guards and right_guards:
                    guards = conjunction((*left_guards, *right_guards), extents)
                if guards is None:
                    continue
                product = self.product((*left, *right), guards)
                if product is not None:
                    monomial, unit = product
                    total.gather(monomial, a * b if unit is _UNIT else a * b * unit)
        return total

    def raised(self, p: Poly, exponent: int, extents: Extents) -> Poly:
        """Return p ** exponent, multiplied out."""
        power = number(1)
        for _ in range(exponent):
            power = self.multiply(power, p, extents)
        return power

    def substitute(self, p: Poly, mapping: Mapping[int, Affine], extents: Extents) -> Poly:
        """Return p with variables replaced by expressions over variables of these extents."""
        self.spend(len(p))
        total = Poly()
        for (factors, guards), c in p.items():
            moved = conjunction(guards_at(guards, mapping), extents)
            if moved is None:
                continue
            product = self.product(factors_at(factors, mapping), moved)
            if product is not None:
                monomial, unit = product
                total.gather(monomial, c if unit is _UNIT else c * unit)
        return total

    def replaced(self, p: Poly, by: Callable[[Factor], Poly | None], extents: Extents) -> Poly:
        """Return p with factors replaced by what they are equal to; None says that one stays."""

        def term(factors: tuple[Factor, ...], guards: Guards, c: Fraction) -> Poly:
            new = [(f, by(f)) for f in factors]
            made = Poly({(tuple(f for f, each in new if each is None), guards): c})
            for _, each in new:
                made = made if each is None else self.multiply(made, each, extents)
            return made

        return total(term(factors, guards, c) for (factors, guards), c in p.items())

    def written_out(self, factor: Factor, extents: Extents) -> Poly | None:
        """Return a power of a class as a sum, a root of it left over; None of another atom."""
        atom, access, q = factor
        content, whole = self.atoms.content(atom), floor(q)
        if not isinstance(content, Class):
            return None
        terms = self.substitute(Poly(content.terms), dict(enumerate(access)), extents)
        root = product_of(*([(atom, access, q - whole)] if q != whole else []))
        return self.multiply(root, self.raised(terms, whole, extents), extents)

    def monomial_power(self, p: Poly, exponent: Exponent) -> Poly | None:
        """Return p ** exponent where p is one term and the power distributes over it, else None.

        A fractional power distributes over factors known to be >= 0. Over a single other factor
        it does so if that factor's own exponent is odd: the root exists only where the term is
        >= 0, and there the factor is >= 0 too. Never for an even exponent: sqrt(x * x) is not x.
        """
        ((factors, guards), c) = next(iter(p.items()))
        if guards:
            return None
        q = Fraction(exponent)
        if q < 0 and any(self.atoms.is_mask(atom) for atom, _, _ in factors):
            raise Undefined("a division by a value that is 0 wherever a mask is")
        if q < 0 and any(self.atoms.has_zero(atom) and k > 0 for atom, _, k in factors):
            raise Undefined("a division by a constant that is 0 at some position")
        if q.denominator > 1 and (c < 0 or not self._distributes(factors)):
            return None
        powered = [(atom, access, simple(k * q)) for atom, access, k in factors]
        if q.denominator == 1:
            root = c**q.numerator
        else:
            bases = [*_powers(c.numerator, 1), *_powers(c.denominator, -1)]
            powered += [(self.atoms.intern(Base(b), ()), (), k * q) for b, k in bases]
            root = _UNIT
        product = self.product(powered, ())
        return None if product is None else Poly({product[0]: product[1] * root})

    def _distributes(self, factors: tuple[Factor, ...]) -> bool:
        unknown = [k for atom, _, k in factors if self.atoms.sign(atom) is Sign.ANY]
        if not unknown:
            return True
        return len(unknown) == 1 and _is_odd(unknown[0])


def _is_odd(exponent: Exponent) -> bool:
    """Return whether x ** exponent has the sign of x wherever it is defined (odd / odd)."""
    q = Fraction(exponent)
    return q.numerator % 2 == 1 and q.denominator % 2 == 1


def _powers(n: int, sign: int) -> Iterator[tuple[Fraction, int]]:
    """Yield bases and exponents whose product is n ** sign: primes, and a rest or its square root.

    Otherwise 2 ** (1/2) / 2 and (1/2) ** (1/2) would be two numbers.
    """
    for divisor in range(2, LARGEST_DIVISOR):
        exponent = 0
        while n % divisor == 0:
            n, exponent = n // divisor, exponent + sign
        if exponent:
            yield Fraction(divisor), exponent
    if n > 1:
        yield (Fraction(n), sign) if isqrt(n) ** 2 < n else (Fraction(isqrt(n)), 2 * sign)
