"""Elementwise functions of tensors, in normal form, and what they assume of the input."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import lcm

from gradwright.check.affine import Affine, Box, Guard, conjunction, linear, variable
from gradwright.check.atoms import (
    Applied,
    Factor,
    Index,
    Infinity,
    Mask,
    Monomial,
    Test,
    Uncheckable,
)
from gradwright.check.bounds import CONDITIONS, Bounds
from gradwright.check.contractions import Contractions
from gradwright.check.poly import Algebra, Poly, add, constant_of, in_order, number, scaled
from gradwright.check.ranges import Ranges
from gradwright.check.tensor import Digits, Shape, Tensor, in_finer, plain, refinement, starts

EXPANDED_POWER = 4
"""Largest power of a sum that is multiplied out."""
EXPONENTIAL_TERMS = 8
"""Terms of a sum up to which its exponential is a product of exponentials."""
CASES = 12
"""Masks in one argument that are told apart case by case."""
ODD = frozenset(("tanh", "sine", "erf"))


@dataclass(slots=True)
class Functions:
    """Functions of tensors of one shape."""

    algebra: Algebra
    contractions: Contractions
    needs: dict[tuple[str, int], int] = field(default_factory=dict[tuple[str, int], int])
    """The value of the text at which an atom is first needed nonzero, nonnegative or positive."""
    at: int = 0
    """The value of the text that is being worked on."""
    bounds: Bounds = field(init=False)
    ranges: Ranges = field(init=False)

    def __post_init__(self) -> None:
        """Bound the values of the algebra."""
        self.bounds = Bounds(self.algebra)
        self.ranges = Ranges(self.algebra.atoms)

    def align(self, *tensors: Tensor) -> list[Tensor]:
        """Return tensors over common digits."""
        digits = reduce(_common, (tensor.digits for tensor in tensors))
        return [self._over(tensor, digits) for tensor in tensors]

    def _over(self, t: Tensor, digits: Digits) -> Tensor:
        if t.digits == digits:
            return t
        places: dict[int, Affine] = {}
        rows = zip(t.digits, digits, starts(t.digits), starts(digits), strict=True)
        for coarse, fine, old, new in rows:
            places.update(enumerate(in_finer(coarse, fine, new), old))
        box = self.algebra.box(digits)
        return Tensor(digits, self.algebra.substitute(t.poly, places, box))

    def _box(self, a: Tensor) -> Box:
        return self.algebra.box(a.digits)

    def add(self, a: Tensor, b: Tensor, scale: Fraction | int = 1) -> Tensor:
        """Return a + scale * b."""
        a, b = self.align(a, b)
        return Tensor(a.digits, add(a.poly, b.poly, scale))

    def scale(self, a: Tensor, c: Fraction | int) -> Tensor:
        """Return c * a."""
        return Tensor(a.digits, scaled(a.poly, c))

    def number(self, like: Tensor, c: Fraction | int) -> Tensor:
        """Return c at the shape of a tensor."""
        return Tensor(like.digits, number(c))

    def multiply(self, a: Tensor, *others: Tensor) -> Tensor:
        """Return a product."""
        for b in others:
            a, b = self.align(a, b)
            a = Tensor(a.digits, self.algebra.multiply(a.poly, b.poly, self._box(a)))
        return a

    def index_along(self, shape: Shape, d: int) -> Tensor:
        """Return the index along one dimension of a shape."""
        if shape[d] == 1:
            return Tensor(plain(shape), {})
        place = sum(n != 1 for n in shape[:d])
        atom = self.algebra.atoms.number(Index(shape[d]), (shape[d],))
        return Tensor(plain(shape), {(((atom, (variable(place),), 1),), ()): Fraction(1)})

    def complement(self, m: Tensor) -> Tensor:
        """Return 1 - m."""
        return self.add(self.number(m, 1), m, -1)

    def decided(self, m: Tensor) -> Tensor:
        """Return a mask as the number that it is for indices in range, where it is one."""
        span = self.ranges.span(m.poly)
        return m if span is None or span[0] < span[1] else self.number(m, span[0])

    def select(self, m: Tensor, on: Tensor, off: Tensor) -> Tensor:
        """Return m on + (1 - m) off."""
        return self.add(off, self.multiply(self.decided(m), self.add(on, off, -1)))

    def maximum(self, a: Tensor, b: Tensor) -> Tensor:
        """Return max(a, b); the difference as it is named decides which of the two is tested."""
        if constant_of(b.poly) is None:
            a, b = b, a  # so that the test is the one of a search for the first maximum
        for lost, other in ((a, b), (b, a)):
            if self.is_infinite(lost, -1):
                return other
        span = self.ranges.span(self.add(a, b, -1).poly)
        if span is not None and (span[0] >= 0 or span[1] <= 0):
            return a if span[0] >= 0 else b
        if self._leads_negative(self.add(self.parts(a)[0], self.parts(b)[0], -1)):
            a, b = b, a
        return self.select(self.compare("GT", a, b), a, b)

    def parts(self, a: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the finite part of a tensor, and where it is -inf and inf."""
        found: tuple[dict[Monomial, Fraction], ...] = ({}, {}, {})
        atoms = self.algebra.atoms
        for (factors, guards), c in a.poly.items():
            signs = [(f, atoms.contents[f[0]]) for f in factors]
            infinite = [(f, x.sign) for f, x in signs if isinstance(x, Infinity)]
            if not infinite:
                found[0][factors, guards] = c
                continue
            factor, sign = infinite[0]
            if not sign:
                raise Uncheckable("a constant that is no number, and is not selected away")
            rest = tuple(f for f in factors if f != factor)
            if len(infinite) > 1 or factor[2] != 1 or not all(atoms.is_mask(f[0]) for f in rest):
                raise Uncheckable("arithmetic with an infinite constant")
            found[1 if sign < 0 else 2][rest, guards] = c
        finite, below, above = (Tensor(a.digits, p) for p in found)
        return finite, below, above

    def is_infinite(self, a: Tensor, sign: int = 0) -> bool:
        """Return whether all entries are infinite, and of a sign if one is given."""
        _, below, above = self.parts(a)
        return (sign <= 0 and below.poly == number(1)) or (sign >= 0 and above.poly == number(1))

    def require_finite(self, a: Tensor) -> None:
        """Refuse a tensor with infinite entries."""
        if self.parts(a)[0].poly != a.poly:
            raise Uncheckable("arithmetic with an infinite constant")

    def minimum(self, a: Tensor, b: Tensor) -> Tensor:
        """Return a + b - max(a, b)."""
        return self.add(self.add(a, b), self.maximum(a, b), -1)

    def sign(self, a: Tensor) -> Tensor:
        """Return [a > 0] - [a < 0]."""
        zero = self.number(a, 0)
        return self.add(self.compare("GT", a, zero), self.compare("LT", a, zero), -1)

    def _leads_negative(self, a: Tensor) -> bool:
        c = constant_of(a.poly)
        return (self._named(a)[0] if c is None else c) < 0

    def _named(self, a: Tensor) -> tuple[Fraction, int, tuple[Affine, ...]]:
        found = self.contractions.names.name(a.poly, self._box(a))
        return found.scale, found.atom, found.access

    def compare(self, direction: str, a: Tensor, b: Tensor) -> Tensor:
        """Return [a direction b] for GT, LT, GE, LE, EQ, NE; an infinity is equal to itself."""
        if direction in ("LT", "GE"):
            a, b = b, a
        equal = direction in ("EQ", "NE")
        (left, below, above), (right, other_below, other_above) = self.parts(a), self.parts(b)
        m = self.mask(Test.ZERO if equal else Test.POSITIVE, self.add(left, right, -1))
        if any(t.poly for t in (below, above, other_below, other_above)):
            finite = self.complement(self.add(below, above))
            m = self.multiply(m, finite, self.complement(self.add(other_below, other_above)))
            ends = (below, above) if equal else (finite, self.complement(other_above))
            m = self.add(m, self.multiply(ends[0], other_below))
            m = self.add(m, self.multiply(ends[1], other_above if equal else above))
        m = self.decided(m)
        return self.complement(m) if direction in ("GE", "LE", "NE") else m

    def mask(self, test: Test, a: Tensor) -> Tensor:
        """Return [a > 0] or [a = 0]: a number, guards on indices, or a mask atom.

        Masks inside `a` are told apart: [a] = m [a at m = 1] + (1 - m) [a at m = 0].
        """
        c = constant_of(a.poly)
        if c is not None:
            return self.number(a, int(c > 0 if test is Test.POSITIVE else c == 0))
        guards = self._index_test(test, a)
        if guards is not None:
            return Tensor(a.digits, guards)
        split = self._cases(Tensor(a.digits, self.algebra.opened(a.poly, self._box(a))))
        if split is not None:
            m, on, off = split
            return self.select(m, self.mask(test, on), self.mask(test, off))
        for sign in (1, -1):
            if self._is_positive(self.scale(a, sign)):
                return self.number(a, int(test is Test.POSITIVE and sign > 0))
        scale, inner, access = self._named(a)
        positive, zero = (
            Tensor(a.digits, {(((self._mask_atom(t, inner), access, 1),), ()): Fraction(1)})
            for t in (Test.POSITIVE, Test.ZERO)
        )
        if test is Test.ZERO:
            return zero
        if scale > 0:
            return positive
        return self.add(self.complement(positive), zero, -1)

    def _mask_atom(self, test: Test, inner: int) -> int:
        return self.algebra.atoms.number(Mask(test, inner), self.algebra.atoms.extents[inner])

    def _cases(self, a: Tensor) -> tuple[Tensor, Tensor, Tensor] | None:
        """Return (m, a at m = 1, a at m = 0) for a mask in a; None where there are none."""
        is_mask = self.algebra.atoms.is_mask
        masks = {f: None for factors, _ in in_order(a.poly) for f in factors[0] if is_mask(f[0])}
        if not masks or len(masks) > CASES:
            return None
        mask = next(iter(masks))
        on: Poly = {}
        off: Poly = {}
        for (factors, guards), c in a.poly.items():
            rest = tuple(f for f in factors if f != mask)
            on = add(on, {(rest, guards): c})
            off = off if rest != factors else add(off, {(rest, guards): c})
        m: Poly = {((mask,), ()): Fraction(1)}
        return Tensor(a.digits, m), Tensor(a.digits, on), Tensor(a.digits, off)

    def _index_test(self, test: Test, a: Tensor) -> Poly | None:
        """Return the test as a guard where `a` is an affine function of indices."""
        e = self.affine(self.scale(a, lcm(*(c.denominator for c in a.poly.values()))))
        if e is None:
            return None
        box = self._box(a)
        reach = 1 + abs(e[0]) + sum(abs(k) * box[v] for v, k in e[1])
        guard: Guard = (e, 1, reach) if test is Test.POSITIVE else (e, 0, 1)
        guards = conjunction((guard,), box)
        return {} if guards is None else {((), guards): Fraction(1)}

    def affine(self, a: Tensor) -> Affine | None:
        """Return a tensor as an expression in its indices and in trips, if it is one."""
        parts: list[tuple[int, Affine]] = []
        for (factors, guards), c in a.poly.items():
            if guards or len(factors) > 1 or c.denominator > 1:
                return None
            access: tuple[Affine, ...] = ((1, ()),)
            if factors:
                [(atom, access, q)] = factors
                if not isinstance(self.algebra.atoms.contents[atom], Index) or q != 1:
                    return None
            parts.append((int(c), access[0]))
        return linear(parts)

    def power(self, a: Tensor, exponent: Fraction | int) -> Tensor:
        """Return a ** exponent, on a != 0 where it is negative and a >= 0 where it is a root."""
        q = Fraction(exponent)
        if not a.poly:
            if q <= 0:
                raise Uncheckable("a division by zero")
            return a
        known = constant_of(a.poly)
        if known is not None and known < 0 and q.denominator > 1:
            raise Uncheckable("a root of a negative number")
        if len(a.poly) == 1:
            power = self.algebra.power_of_term(a.poly, q)
            if power is not None:
                ((factors, _), _) = next(iter(a.poly.items()))
                self._assume(factors, q, self._box(a))
                return Tensor(a.digits, power)
        if q.denominator == 1 and 0 <= q <= EXPANDED_POWER:
            return self.multiply(self.number(a, 1), *[a] * int(q))
        scale, atom, access = self._named(a)
        root = self.algebra.power_of_number(scale, q)
        self._assume(((atom, access, 1),), q, self._box(a))
        factor = (atom, access, int(q) if q.denominator == 1 else q)
        term: Poly = {((factor,), ()): Fraction(1)}
        return Tensor(a.digits, self.algebra.multiply(root, term, self._box(a)))

    def raised(self, a: Tensor, b: Tensor) -> Tensor:
        """Return a ** b = exp(b log a), on a > 0 where the exponent is no number."""
        exponent = constant_of(b.poly)
        if exponent is not None:
            return self.power(a, exponent)
        return self.exponential(self.multiply(b, self.log(a)))

    def _assume(self, factors: Iterable[Factor], q: Fraction, box: Box) -> None:
        """Note that factors may be raised to a power."""
        atoms = self.algebra.atoms
        for atom, access, _ in factors:
            one: Poly = {(((atom, access, 1),), ()): Fraction(1)}
            if q < 0 and not atoms.is_positive(atom, strictly=True):
                self._need("nonzero", atom, one, box)
            if q.denominator > 1 and not atoms.is_positive(atom, strictly=False):
                self._need("nonnegative", atom, one, box)

    def _need(self, what: str, atom: int, p: Poly, box: Box) -> None:
        """Note a hypothesis on p, a multiple of an atom; that no input is seen to meet it is a lie.

        Of constants there is nothing to suppose.
        """
        if not self.bounds.is_met(p, box, CONDITIONS[what]):
            raise Uncheckable(f"a value that no input tried makes {what} at each index")
        if self.algebra.atoms.unknowns[atom]:
            self.needs.setdefault((what, atom), self.at)

    def assume_inside(self, start: Tensor, last: int) -> None:
        """Note that indices are taken to be between 0 and a last one."""
        if not self.bounds.is_met(
            start.poly, self._box(start), lambda s: s[0] >= 0 and s[1] <= last
        ):
            raise Uncheckable("an index that no input tried puts inside of its operand")
        if constant_of(start.poly) is None and self.algebra.atoms.unknowns[self._named(start)[1]]:
            self.needs.setdefault(("inside", self._named(start)[1]), self.at)
            self.ranges.remember(start.poly, self._box(start), last)

    def exponential(self, a: Tensor) -> Tensor:
        """Return e ** a: a factor per term, with exp(c log X) = X ** c."""
        if len(a.poly) > EXPONENTIAL_TERMS:
            return self.applied("exponential", a)
        product = self.number(a, 1)
        for monomial, c in in_order(a.poly):
            term = Tensor(a.digits, {monomial: Fraction(1)})
            argument = self._inside("log", monomial)
            if argument is None:
                factor = self.power(self.applied("exponential", term), c)
            else:
                factor = self.power(Tensor(a.digits, argument), c)
            product = self.multiply(product, factor)
        return product

    def log(self, a: Tensor) -> Tensor:
        """Return the logarithm on a > 0: of c X ** q it is log c + q log X, for X > 0."""
        c = constant_of(a.poly)
        if c is not None and c <= 0:
            raise Uncheckable("the logarithm of a number that has none")
        if c is None and not self._is_positive(a):
            self._need("positive", self._named(a)[1], a.poly, self._box(a))
        if len(a.poly) != 1:
            return self.applied("log", a)
        ((factors, guards), c) = next(iter(a.poly.items()))
        known = all(self.algebra.atoms.is_positive(atom, strictly=True) for atom, _, _ in factors)
        if guards or c <= 0 or not (known or (len(factors) == 1 and factors[0][2] == 1)):
            return self.applied("log", a)
        total = self.applied("log", self.number(a, c)) if c != 1 else self.number(a, 0)
        for atom, access, q in factors:
            monomial = (((atom, access, 1),), ())
            argument = self._inside("exponential", monomial)
            one = Tensor(a.digits, {monomial: Fraction(1)})
            log = self.applied("log", one) if argument is None else Tensor(a.digits, argument)
            total = self.add(total, log, Fraction(q))
        return total

    def _is_positive(self, a: Tensor) -> bool:
        return self.algebra.atoms.terms_are_positive(tuple(a.poly.items()), strictly=True)

    def _inside(self, function: str, monomial: Monomial) -> Poly | None:
        """Return X where a term is function(X), else None."""
        factors, guards = monomial
        if guards or len(factors) != 1 or factors[0][2] != 1:
            return None
        atom, access, _ = factors[0]
        content = self.algebra.atoms.contents[atom]
        if not isinstance(content, Applied) or content.function != function:
            return None
        if content.inner is None:
            return number(content.scale)
        return {(((content.inner, access, 1),), ()): content.scale}

    def applied(self, function: str, a: Tensor) -> Tensor:
        """Return a named function of a tensor as an atom; f(-x) = -f(x) and f(0) = 0 where odd."""
        c = constant_of(a.poly)
        if function in ODD and not a.poly:
            return a
        scale, inner, access = (c, None, ()) if c is not None else self._named(a)
        extents = () if inner is None else self.algebra.atoms.extents[inner]
        sign = Fraction(-1 if function in ODD and scale < 0 else 1)
        atom = self.algebra.atoms.number(Applied(function, sign * scale, inner), extents)
        return Tensor(a.digits, {(((atom, access, 1),), ()): sign})


def _common(left: Digits, right: Digits) -> Digits:
    pairs = [refinement(a, b) for a, b in zip(left, right, strict=True)]
    if any(pair is None for pair in pairs):
        raise Uncheckable("dimensions split in ways that do not fit")
    return tuple(pair for pair in pairs if pair is not None)
