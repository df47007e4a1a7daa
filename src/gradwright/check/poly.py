"""Polynomials over atoms: sums of coefficient * powers of atoms * guards, as dictionaries.

Equal dictionaries over equal variables are equal functions, for whatever values the atoms have
outside their extents: every index that may leave them stands under a guard that is 0 there.
"""

from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from itertools import pairwise, product
from math import floor, prod

from gradwright.check.affine import (
    Affine,
    Box,
    Guard,
    Guards,
    Places,
    conjunction,
    counted,
    placed,
    within,
)
from gradwright.check.atoms import (
    Atoms,
    Constant,
    Exponent,
    Factor,
    Mask,
    Monomial,
    Named,
    Terms,
    Test,
    Uncheckable,
)

Poly = Mapping[Monomial, Fraction]
ONE: Monomial = ((), ())
TERM_LIMIT = 20000
"""Terms of one product beyond which the check is given up."""
CASE_LIMIT = 256
"""Boxes of indices that guards cut and that are told apart."""
FIRST_TRIP = 1 << 20
"""Variable that counts the trips of the outermost loop; those of a tensor are less."""
LARGEST_PRIME = 10000
"""Divisors up to which the number under a root is searched for primes."""


def number(c: Fraction | int) -> Poly:
    """Return a constant."""
    return {ONE: Fraction(c)} if c else {}


def constant_of(p: Poly) -> Fraction | None:
    """Return the number that a polynomial is, if it is one."""
    if not p:
        return Fraction(0)
    return p[ONE] if len(p) == 1 and ONE in p else None


def add(p: Poly, q: Poly, scale: Fraction | int = 1) -> Poly:
    """Return p + scale * q."""
    total = dict(p)
    for monomial, c in q.items():
        _put(total, monomial, c * scale)
    return total


def scaled(p: Poly, c: Fraction | int) -> Poly:
    """Return c * p."""
    return {monomial: k * c for monomial, k in p.items()} if c else {}


def joined(p: Poly, box: Box) -> Poly:
    """Return p where terms that only differ in an interval in which they meet are one."""
    while (pair := _neighbours(p)) is not None:
        first, second, guards = pair
        both = conjunction(guards, box)
        assert both is not None  # neither is empty
        left = {monomial: c for monomial, c in p.items() if monomial not in (first, second)}
        p = add(left, {(first[0], both): p[first]})
    return p


def _neighbours(p: Poly) -> tuple[Monomial, Monomial, Guards] | None:
    """Return two terms that meet, and the guards of both together."""
    pieces = [
        ((factors, (*guards[:i], *guards[i + 1 :]), guards[i][0], c), guards, guards[i])
        for (factors, guards), c in p.items()
        for i in range(len(guards))
    ]
    starts = {(*key, low): (guards, high) for key, guards, (_, low, high) in pieces}
    for key, guards, (e, low, high) in pieces:
        following = starts.get((*key, high))
        if following is not None:
            both = (*key[1], (e, low, following[1]))
            return (key[0], guards), (key[0], following[0]), both
    return None


def in_order(p: Poly) -> Terms:
    """Return the terms in a fixed order."""
    return tuple(sorted(p.items(), key=lambda term: (len(term[0][0]), term[0])))


def expressions_of(monomials: Iterable[Monomial]) -> list[Affine]:
    """Return the expressions that monomials read atoms and have guards at, in order."""
    found: list[Affine] = []
    for factors, guards in monomials:
        found += (e for _, access, _ in factors for e in access)
        found += (e for e, _, _ in guards)
    return found


def variables_of(monomials: Iterable[Monomial]) -> set[int]:
    """Return the variables that monomials mention."""
    return {v for e in expressions_of(monomials) for v, _ in e[1]}


def moved_factors(factors: Iterable[Factor], places: Places) -> list[Factor]:
    """Return factors with the variables of their accesses replaced."""
    return [(a, tuple(placed(e, places) for e in access), q) for a, access, q in factors]


def moved_guards(guards: Iterable[Guard], places: Places) -> list[Guard]:
    """Return guards with their variables replaced."""
    return [(placed(e, places), low, high) for e, low, high in guards]


def _put(total: dict[Monomial, Fraction], monomial: Monomial, c: Fraction) -> None:
    sum_ = total.get(monomial, Fraction(0)) + c
    if sum_:
        total[monomial] = sum_
    else:
        total.pop(monomial, None)


class Algebra:
    """Products, powers and substitution over one table of atoms."""

    def __init__(self, atoms: Atoms) -> None:
        self.atoms = atoms
        self._loops: dict[int, int] = {}

    @contextmanager
    def loop(self, trips: int) -> Generator[int]:
        """Lend a variable that counts the trips of a loop, for tensors of its body to mention.

        What is returned must not mention it: sum over it.
        """
        v = FIRST_TRIP + len(self._loops)
        self._loops[v] = trips
        try:
            yield v
        finally:
            del self._loops[v]

    def box(self, digits: Iterable[Iterable[int]]) -> dict[int, int]:
        """Return the extent of each variable of a tensor with these digits, and of open loops."""
        return {**dict(enumerate(n for dimension in digits for n in dimension)), **self._loops}

    def product(self, factors: Iterable[Factor]) -> tuple[tuple[Factor, ...], Fraction] | None:
        """Return a product in normal form, and the number it is multiplied by; None where it is 0.

        A mask is its own square; [P > 0] [P = 0] = 0 and P [P = 0] = 0; of the power of a prime the
        whole part is a number.
        """
        scale = Fraction(1)
        exponents: dict[tuple[int, tuple[Affine, ...]], Exponent] = {}
        for atom, access, q in factors:
            exponents[atom, access] = exponents.get((atom, access), 0) + q
        kept: list[Factor] = []
        tests: dict[tuple[int, tuple[Affine, ...]], Test] = {}
        for (atom, access), q in exponents.items():
            if not q:
                continue
            if self.atoms.is_mask(atom):
                if q < 0:
                    raise Uncheckable("a division by a mask")
                q = 1
            content = self.atoms.contents[atom]
            if isinstance(content, Mask):
                if (content.inner, access) in tests:
                    return None
                tests[content.inner, access] = content.test
            elif isinstance(content, Constant) and content.name.isdigit():
                whole = floor(q)
                scale *= Fraction(int(content.name)) ** whole
                q -= whole
            if q:
                kept.append((atom, access, int(q) if q == int(q) else q))
        zeros = (place for place, test in tests.items() if test is Test.ZERO)
        if any(exponents.get(place, 0) > 0 for place in zeros):
            return None
        return tuple(sorted(kept)), scale

    def multiply(self, p: Poly, q: Poly, box: Box) -> Poly:
        """Return p * q."""
        if len(p) * len(q) > TERM_LIMIT:
            raise Uncheckable(f"a product of {len(p)} by {len(q)} terms")
        total: dict[Monomial, Fraction] = {}
        for (left, left_guards), a in p.items():
            for (right, right_guards), b in q.items():
                guards: Guards | None = left_guards or right_guards
                if left_guards and right_guards:
                    guards = conjunction((*left_guards, *right_guards), box)
                found = None if guards is None else self.product((*left, *right))
                if guards is not None and found is not None:
                    for factors, c in self._divided(*found):
                        _put(total, (factors, guards), a * b * c)
        return total

    def _divided(
        self, factors: tuple[Factor, ...], c: Fraction
    ) -> Iterator[tuple[tuple[Factor, ...], Fraction]]:
        """Yield the terms of c times a product in which nothing is divided by itself plus a number.

        M (a + b M)^q = (a + b M)^(q + 1) / b - a / b (a + b M)^q, as long as q <= -1.
        """
        for atom, access, q in factors:
            parts = self._number_and_more(atom) if q <= -1 else None
            if parts is None:
                continue
            a, b, more = parts
            here = {(base, e): k for base, e, k in factors}
            moved = moved_factors(more, dict(enumerate(access)))
            if all(Fraction(here.get((base, e), 0)) / k >= 1 for base, e, k in moved):
                rest = [(base, e, -k) for base, e, k in moved]
                for scale, up in ((1 / b, 1), (-a / b, 0)):
                    found = self.product((*factors, *rest, (atom, access, up)))
                    assert found is not None  # there are no masks among them that were not before
                    yield from self._divided(found[0], c * scale * found[1])
                return
        yield factors, c

    def _number_and_more(self, atom: int) -> tuple[Fraction, Fraction, tuple[Factor, ...]] | None:
        """Return (a, b, M) for a name of a + b M with a product M, without masks and constants."""
        content = self.atoms.contents[atom]
        if not isinstance(content, Named) or len(content.terms) != 2:
            return None
        (first, a), ((more, guards), b) = content.terms
        tame = not any(
            self.atoms.is_mask(base) or isinstance(self.atoms.contents[base], Constant)
            for base, _, _ in more
        )
        return (a, b, more) if first == ONE and not guards and tame else None

    def substitute(self, p: Poly, places: Places, box: Box) -> Poly:
        """Return p with variables replaced by expressions over the box."""
        total: dict[Monomial, Fraction] = {}
        for (factors, guards), c in p.items():
            moved = conjunction(moved_guards(guards, places), box)
            found = None if moved is None else self.product(moved_factors(factors, places))
            if moved is not None and found is not None:
                _put(total, (found[0], moved), c * found[1])
        return total

    def opened(self, p: Poly, box: Box) -> Poly:
        """Return c * a named polynomial + a number with the polynomial written out, else p."""
        rest = [term for term in p.items() if term[0] != ONE]
        if len(rest) != 1:
            return p
        [((factors, guards), c)] = rest
        content = self.atoms.contents[factors[0][0]] if len(factors) == 1 else None
        if guards or not isinstance(content, Named) or factors[0][2] != 1:
            return p
        access = factors[0][1]
        if not self.inside(access, content.extents, (), box):
            return p
        whole = self.substitute(dict(content.terms), dict(enumerate(access)), box)
        return add(number(p.get(ONE, 0)), whole, c)

    def cases(self, p: Poly, box: Box) -> Iterator[tuple[Poly, Box]] | None:
        """Return p on boxes that its guards cut; None where there are none, or too many.

        Guards on one variable are cut where they begin and end; where there are none left, those on
        several at each value of these.
        """
        guards = [guard for _, guards in p for guard in guards]
        cuts: dict[int, set[int]] = {}
        for (_, terms), low, high in guards:
            if len(terms) == 1:
                cuts.setdefault(terms[0][0], set()).update((low, high))
        if not cuts:
            cuts = {v: {*range(box[v])} for (_, terms), _, _ in guards for v, _ in terms}
        ends = {v: sorted({0, box[v], *places}) for v, places in sorted(cuts.items())}
        if not cuts or prod(len(places) - 1 for places in ends.values()) > CASE_LIMIT:
            return None
        choices = product(*(list(pairwise(places)) for places in ends.values()))
        return (self.on(p, dict(zip(ends, at, strict=True)), box) for at in choices)

    def on(self, p: Poly, ranges: Mapping[int, tuple[int, int]], box: Box) -> tuple[Poly, Box]:
        """Return p where variables lie in ranges; each then counts from 0."""
        inner = {**box, **{v: high - low for v, (low, high) in ranges.items()}}
        places = {v: counted(v, low, high) for v, (low, high) in ranges.items()}
        return self.substitute(p, places, inner), inner

    def inside(
        self, access: Iterable[Affine], extents: Iterable[int], guards: Guards, box: Box
    ) -> bool:
        """Return whether indices lie in their extents wherever guards hold."""
        pairs = zip(access, extents, strict=True)
        return all(within(e, 0, extent, guards, box) for e, extent in pairs)

    def power_of_term(self, p: Poly, q: Fraction) -> Poly | None:
        """Return p ** q where p is one term over which the power distributes, else None.

        A root distributes over factors known to be >= 0 only: sqrt(x * x) is not x.
        """
        ((factors, guards), c) = next(iter(p.items()))
        if guards or (q.denominator > 1 and c < 0):
            return None
        atoms = [atom for atom, _, _ in factors]
        if q.denominator > 1:
            single = len(factors) == 1 and factors[0][2] == 1
            known = all(self.atoms.is_positive(atom, strictly=False) for atom in atoms)
            if not (single or known):
                return None
        found = self.product([(a, access, k * q) for a, access, k in factors])
        power: Poly = {} if found is None else {(found[0], ()): found[1]}
        return self.multiply(self.power_of_number(c, q), power, {})

    def power_of_number(self, c: Fraction, q: Fraction) -> Poly:
        """Return c ** q; of a root, what is irrational is a product of primes."""
        if q.denominator == 1:
            return number(c**q.numerator)
        if c < 0:
            raise Uncheckable(f"a root of {c}")
        primes = [(p, q) for p in _primes(c.numerator)] + [(p, -q) for p in _primes(c.denominator)]
        factors = ((self.atoms.number(Constant(str(p)), ()), (), k) for p, k in primes)
        found = self.product(factors)
        assert found is not None  # primes are not 0
        return {(found[0], ()): found[1]}


def _primes(n: int) -> Iterator[int]:
    """Yield the primes that n is the product of, one by one."""
    divisor = 2
    while divisor * divisor <= n:
        if divisor > LARGEST_PRIME:
            raise Uncheckable(f"a root of {n}")
        if n % divisor:
            divisor += 1
        else:
            n //= divisor
            yield divisor
    if n > 1:
        yield n
