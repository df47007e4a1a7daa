"""Powers, exponentials and logarithms of tensors, in normal form."""

from collections.abc import Iterable
from fractions import Fraction

from gradwright.certify.kernel.algebra import (
    ONE,
    Poly,
    Undefined,
    Undenotable,
    number,
    product_of,
    simple,
)
from gradwright.certify.kernel.atoms import Exponent, Factor, Function, Monomial, Sign
from gradwright.certify.kernel.classes import Scale
from gradwright.certify.kernel.conditions import Domain
from gradwright.certify.kernel.contractions import Contractions
from gradwright.certify.kernel.index import Affine
from gradwright.certify.kernel.infinite import parts
from gradwright.certify.kernel.logsums import LogSums
from gradwright.certify.kernel.reading import covered
from gradwright.certify.kernel.tensor import Digits, Tensor

EXPONENTIAL_TERMS = 8
"""Terms of a sum up to which its exponential is written as a product, one factor per term."""
ROOT_TERMS = 8
"""Terms of a sum up to which its square is remembered as one."""
EXPANDED_POWER = 4
"""Largest power of a sum that is multiplied out; a higher one stays a power of a class."""


class Powers(LogSums):
    """Powers, exponentials and logarithms of tensors of one shape."""

    def __init__(self, contractions: Contractions) -> None:
        super().__init__(contractions)
        self._roots: dict[tuple[Digits, frozenset[tuple[Monomial, Fraction]]], Tensor] = {}
        """Of which sum a sum is the square."""

    def multiply(self, a: Tensor, b: Tensor) -> Tensor:
        """Return a * b."""
        square = super().multiply(a, b)
        if 1 < len(a.poly) <= ROOT_TERMS and a == b:
            self._roots[square.digits, frozenset(square.poly.items())] = a
        return square

    def power(self, a: Tensor, exponent: Exponent) -> Tensor:
        """Return a ** exponent, on a != 0 where it is negative and on a >= 0 where it is a root."""
        q = Fraction(exponent)
        if q.denominator == 1 and q >= 0:
            return Tensor(a.digits, self._power(a, q))
        root = self._roots.get((a.digits, frozenset(a.poly.items()))) if len(a.poly) > 1 else None
        if root is not None and q.denominator == 1:
            return self.power(root, 2 * q)
        return self.by_cases(a, lambda case: Tensor(case.digits, self._power(case, q)))

    def _power(self, a: Tensor, exponent: Fraction) -> Poly:
        if not a.poly:
            if exponent < 0:
                raise Undefined("a division by zero")
            return number(int(exponent == 0))
        constant = a.poly.constant
        if constant is not None and constant < 0 and exponent.denominator > 1:
            raise Undefined("a root of a negative number")
        known = None if self.is_sum(self.opened(a)) else self._known_power(a, exponent)
        if known is not None:
            return known.poly
        if len(a.poly) == 1:
            distributed = self.algebra.monomial_power(a.poly, exponent)
            if distributed is not None:
                [(factors, _)] = a.poly
                self._assume(a.digits, factors, exponent)
                return distributed
        if exponent.denominator == 1 and 0 <= exponent <= EXPANDED_POWER:
            return self.algebra.raised(a.poly, int(exponent), self.algebra.box(a.digits))
        split = self._denominator_power(a, exponent)
        if split is not None:
            outside, rest = split
            return self.multiply(outside, Tensor(a.digits, self._power(rest, exponent))).poly
        return self._class_power(a, exponent)

    def _denominator_power(self, a: Tensor, exponent: Fraction) -> tuple[Tensor, Tensor] | None:
        """Return (M ** q, P) with a = M P, M made of what terms divide by; None without any.

        Under a root a factor counts only if it is > 0, or to an even exponent: then |f| comes out.
        """
        outside, rest = self.number(a, 1), a
        for atom, access, q in self.denominators(a):
            f = self._factor(a.digits, atom, access)
            rooted = exponent.denominator > 1 and self.algebra.atoms.sign(atom) is not Sign.POSITIVE
            if rooted and q % 2:
                continue
            size = self.absolute(f) if rooted else f
            outside = self.multiply(outside, self.power(size, q * exponent))
            rest = self.multiply(rest, self.power(f, -q))
        return None if rest is a else (outside, rest)

    def _known_power(self, a: Tensor, exponent: Fraction) -> Tensor | None:
        """Return (c (1 + exp(u)) ** n) ** q as c ** q logistic(-u) ** (-n q), else None; q < 0."""
        if exponent.denominator != 1 or exponent >= 0:
            return None
        opened = self.opened(a)
        n, constant = len(opened.poly) - 1, opened.poly.get(ONE, 0)
        if not 1 <= n <= EXPANDED_POWER or constant <= 0:
            return None
        for (factors, guards), _ in opened.poly.items():
            if guards or not factors or not all(self._is_exponential(f[0]) for f in factors):
                continue
            e = Tensor(a.digits, product_of(*factors))
            power = self._power(self.add(self.number(a, 1), e), Fraction(n)) if n > 1 else None
            if (
                n == 1
                or self.scale(Tensor(a.digits, power or Poly()), constant).poly == opened.poly
            ):
                if n == 1 and opened.poly[factors, ()] != constant:
                    return None
                s = self.logistic(self.scale(self.log(e), -1))
                return self.scale(self.power(s, -n * exponent), constant**exponent.numerator)
        return None

    def _is_exponential(self, atom: int) -> bool:
        content = self.algebra.atoms.content(atom)
        return isinstance(content, Function) and content.name == "exponential"

    def _class_power(self, a: Tensor, exponent: Fraction) -> Poly:
        """Return the power of a sum as c ** q * class ** q, c > 0 where the power is a root."""
        if exponent < 0:
            self._require_support(a)
        scale = Scale.SIZE if exponent.denominator > 1 else Scale.LEADING
        a = self.written_out(a)
        c, atom, access = self.class_of(a, scale)
        self._assume(a.digits, [(atom, access, 1)], exponent)
        root = self.algebra.monomial_power(number(c), exponent)
        assert root is not None  # c > 0 or the exponent is an integer
        power = product_of((atom, access, simple(exponent)))
        return self.algebra.multiply(root, power, self.algebra.box(a.digits))

    def _require_support(self, a: Tensor) -> None:
        """Refuse a divisor or a logarithm's argument that is 0 at some index, as a pad is."""
        if not covered(a.poly, self.algebra.box(a.digits)):
            raise Undefined("a division by, or a logarithm of, a value that is 0 at an index")

    def _assume(self, digits: Digits, factors: Iterable[Factor], exponent: Fraction) -> None:
        """List what a power takes for granted of each factor."""
        for atom, access, _ in factors:
            a, sign = self._factor(digits, atom, access), self.algebra.atoms.sign(atom)
            if exponent < 0 and sign is not Sign.POSITIVE:
                self.suppose(Domain.NONZERO, a)
            if exponent.denominator > 1 and sign is Sign.ANY:
                self.suppose(Domain.NONNEGATIVE, a)

    def exponential(self, a: Tensor) -> Tensor:
        """Return e ** a: one factor per term, exp(c log X) = X ** c on X > 0, e ** -inf = 0."""
        split = parts(self, a)
        if split.above.poly:
            raise Undenotable("the exponential of +inf")
        finite = self.by_cases(split.finite, self._finite_exponential)
        return finite if split.is_finite else self.multiply(finite, split.where_finite)

    def _finite_exponential(self, a: Tensor) -> Tensor:
        if len(a.poly) > EXPONENTIAL_TERMS:
            return self.function("exponential", a)
        product = self.number(a, 1)
        for monomial, c in a.poly.terms:
            product = self.multiply(product, self._exponential_term(a.digits, monomial, c))
        return product

    def _exponential_term(self, digits: Digits, monomial: Monomial, c: Fraction) -> Tensor:
        factors, guards = monomial
        alone = len(factors) == 1 and not guards
        logarithm = self._argument("log", digits, factors[0]) if alone else None
        if logarithm is not None:
            return self.power(logarithm, c)
        return self.power(
            self.function("exponential", Tensor(digits, Poly({monomial: Fraction(1)}))), c
        )

    def _argument(self, name: str, digits: Digits, factor: Factor) -> Tensor | None:
        """Return x where a factor is a named function of x, else None."""
        atom, access, q = factor
        content = self.algebra.atoms.content(atom)
        if q != 1 or not isinstance(content, Function) or content.name != name:
            return None
        if content.inner is None:
            return Tensor(digits, number(content.scale))
        return self._factor(digits, content.inner, access, content.scale)

    def hyperbolic(self, a: Tensor, sign: int) -> Tensor:
        """Return (exp(a) + sign * exp(-a)) / 2: cosh a for 1, sinh a for -1."""
        both = self.add(self.exponential(a), self.exponential(self.scale(a, -1)), sign)
        return self.scale(both, Fraction(1, 2))

    def log(self, a: Tensor) -> Tensor:
        """Return ln a on a > 0: the log of a product of positive factors is a sum."""
        return self.by_cases(a, self._log)

    def _log(self, a: Tensor) -> Tensor:
        c = a.poly.constant
        if c is not None and c <= 0:
            raise Undefined("the logarithm of a number that is not positive")
        if len(a.poly) != 1:
            return self._scaled_log(a)
        ((factors, guards), c) = next(iter(a.poly.items()))
        signs = [self.algebra.atoms.sign(atom) for atom, _, _ in factors]
        if guards or c < 0 or not factors or any(sign is not Sign.POSITIVE for sign in signs):
            return self._scaled_log(a)
        total = self._log_number(a, c)
        for atom, access, q in factors:
            total = self.add(total, self._log_factor(a.digits, atom, access), Fraction(q))
        return total

    def _log_factor(self, digits: Digits, atom: int, access: tuple[Affine, ...]) -> Tensor:
        inside = self._argument("exponential", digits, (atom, access, 1))
        if inside is not None:
            return inside
        return self.function("log", self._factor(digits, atom, access))

    def _scaled_log(self, a: Tensor) -> Tensor:
        """Return ln(c A) = ln c + ln A for c > 0."""
        number = a.poly.constant
        if number is not None:
            return self._log_number(a, number)
        for atom, access, q in self.denominators(a):
            if self.algebra.atoms.sign(atom) is Sign.POSITIVE:
                f = self._factor(a.digits, atom, access)
                inner = self._log(self.multiply(a, self.power(f, -q)))
                return self.add(inner, self._log_factor(a.digits, atom, access), q)
        self._require_support(a)
        a = self.written_out(a)
        c, atom, access = self.class_of(a)
        self.remember_sum(atom)
        if self.algebra.atoms.sign(atom) is not Sign.POSITIVE or c < 0:
            self.suppose(Domain.POSITIVE, a)
        if c <= 0:
            return self.function("log", a)
        inner = self.function("log", self._factor(a.digits, atom, access))
        return self.add(inner, self._log_number(a, c))

    def _log_number(self, like: Tensor, c: Fraction) -> Tensor:
        return self.number(like, 0) if c == 1 else self.function("log", self.number(like, c))
