"""Pointwise functions, with the identities of the logistic function and of whole numbers."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from gradwright.certify.kernel.algebra import ONE, Algebra, constant_of, simple, sorted_terms
from gradwright.certify.kernel.atoms import Factor, Function, Monomial
from gradwright.certify.kernel.functions import EXPANDED_POWER, Functions
from gradwright.certify.kernel.index import Affine
from gradwright.certify.kernel.multilinear import Contractions
from gradwright.certify.kernel.tensor import Digits, Tensor


class Pointwise(Functions):
    """Sums, products, powers and named functions of tensors of one shape."""

    def __init__(self, algebra: Algebra, contractions: Contractions) -> None:
        super().__init__(algebra, contractions)
        self._ups: dict[tuple[Digits, int, tuple[Affine, ...]], tuple[tuple[Factor, ...], ...]] = {}
        """The exponentials of the argument of a logistic, closed and open."""

    def multiply(self, a: Tensor, b: Tensor) -> Tensor:
        """Return a * b, where exp(u) logistic(u) = exp(u) - logistic(u) has been used."""
        plain = super().multiply(a, b)
        return self._without_mixed(plain) if self.algebra.atoms.logistics else plain

    def _without_mixed(self, a: Tensor) -> Tensor:
        """Rewrite the products of a logistic and an exponential of one argument."""
        for monomial, c in a.poly.items():
            rewritten = self._unmixed(a.digits, monomial)
            if rewritten is not None:
                rest = Tensor(a.digits, {m: k for m, k in a.poly.items() if m != monomial})
                return self._without_mixed(self.add(rest, rewritten, c))
        return a

    def _unmixed(self, digits: Digits, monomial: Monomial) -> Tensor | None:
        """Return exp(u) s(u) rest = (exp(u) - s(u)) rest, exp(-u) s(u) rest = (1 - s(u)) rest."""
        factors, guards = monomial
        for factor in factors:
            atom, access, q = factor
            if atom not in self.algebra.atoms.logistics or q < 1:
                continue
            s = self._factor(digits, atom, access)
            key = digits, atom, access
            if key not in self._ups:
                self._ups[key] = tuple(self._exponentials_of(*key))
            ways = product(self._ups[key], (1, -1))
            for up, sign in ways:
                rest = self._divided(monomial, (atom, access), up, sign)
                if rest is None:
                    continue
                e = Tensor(digits, {(up, ()): Fraction(1)})
                other = self.add(e, s, -1) if sign > 0 else self.negation(s)
                return super().multiply(other, Tensor(digits, {(rest, guards): Fraction(1)}))
        return None

    def _exponentials_of(
        self, digits: Digits, atom: int, access: tuple[Affine, ...]
    ) -> Iterator[tuple[Factor, ...]]:
        """Yield the factors of exp(u), where the atom is logistic(u), u closed, open, or n + v."""
        content = self.algebra.atoms.content(atom)
        assert isinstance(content, Function)
        if content.inner is None:
            return
        u = self._factor(digits, content.inner, access, content.scale)
        shift = self.number(u, self.opened(u).poly.get(ONE, 0))
        c, inner, at = self.class_of(self.add(self.opened(u), shift, -1))
        for argument in (u, self.opened(u), self.add(self._factor(digits, inner, at, c), shift)):
            ((factors, _), _) = next(iter(self._finite_exponential(argument).poly.items()))
            yield factors

    def _divided(
        self,
        monomial: Monomial,
        taken: tuple[int, tuple[Affine, ...]],
        up: tuple[Factor, ...],
        sign: int,
    ) -> tuple[Factor, ...] | None:
        """Return the factors left without `taken` and up ** sign; None where they are not there.

        A factor is there where its exponent is at least as large, in the direction of the sign.
        """
        exponents = {(atom, access): q for atom, access, q in monomial[0]}
        for atom, access, q in up:
            here = exponents.get((atom, access), 0)
            if abs(here) < abs(q) or (here > 0) != (q * sign > 0):
                return None
            exponents[atom, access] = here - q * sign
        exponents[taken] -= 1
        return tuple(sorted((*place, simple(q)) for place, q in exponents.items() if q))

    def _known_power(self, a: Tensor, exponent: Fraction) -> Tensor | None:
        """Return (c (1 + exp(u)) ** n) ** q as c ** q logistic(-u) ** (-n q), else None; q < 0."""
        if exponent.denominator != 1 or exponent >= 0:
            return None
        opened = self.opened(a)
        if len(opened.poly) == 2 and ONE not in opened.poly:
            return self._power_of_two(opened, exponent)
        n, constant = len(opened.poly) - 1, opened.poly.get(ONE, 0)
        if not 1 <= n <= EXPANDED_POWER or constant <= 0:
            return None
        for (factors, guards), _ in opened.poly.items():
            if guards or not factors or not all(self._is_exponential(f[0]) for f in factors):
                continue
            e = Tensor(a.digits, {(factors, ()): Fraction(1)})
            power = self._power(self.add(self.number(a, 1), e), Fraction(n)) if n > 1 else None
            if n == 1 or self.scale(Tensor(a.digits, power or {}), constant).poly == opened.poly:
                if n == 1 and opened.poly[factors, ()] != constant:
                    return None
                s = self.logistic(self.scale(self.log(e), -1))
                return self.scale(self.power(s, -n * exponent), constant**exponent.numerator)
        return None

    def _power_of_two(self, a: Tensor, exponent: Fraction) -> Tensor | None:
        """Return (c (exp(u) + exp(v))) ** q as c ** q exp(q u) logistic(u - v) ** -q, else None."""
        (left, c), (right, k) = sorted_terms(a.poly)
        alone = all(self._is_exponential(f[0]) for f in (*left[0], *right[0]))
        if not alone or left[1] or right[1] or c != k or c < 0:
            return None
        e, other = (Tensor(a.digits, {monomial: Fraction(1)}) for monomial in (left, right))
        s = self.logistic(self.add(self.log(e), self.log(other), -1))
        whole = self.multiply(self.power(e, exponent), self.power(s, -exponent))
        return self.scale(whole, c**exponent.numerator)

    def _is_exponential(self, atom: int) -> bool:
        content = self.algebra.atoms.content(atom)
        return isinstance(content, Function) and content.name == "exponential"

    def truncated(self, a: Tensor) -> Tensor:
        """Return a without its fraction, which is `a` where it takes integers only."""
        atoms = self.algebra.atoms
        if all(atoms.integral_term(factors, c) for (factors, _), c in a.poly.items()):
            return a
        c = constant_of(a.poly)
        if c is not None:
            whole = abs(c).numerator // c.denominator
            return self.number(a, whole if c > 0 else -whole)
        return self.odd("truncate", a)

    def ceiling(self, a: Tensor) -> Tensor:
        """Return ceil a = -floor(-a)."""
        return self.scale(self.floor(self.scale(a, -1)), -1)

    def floor(self, a: Tensor) -> Tensor:
        """Return the greatest integer that is at most a."""
        return self._by_cases(a, self._floor)

    def _floor(self, a: Tensor) -> Tensor:
        c = constant_of(a.poly)
        if c is not None:
            return self.number(a, c.numerator // c.denominator)
        return self.function("floor", a)

    def remainder(self, a: Tensor, b: Tensor) -> Tensor:
        """Return a - b trunc(a / b), on b != 0."""
        return self.add(a, self.multiply(b, self.quotient(a, b)), -1)

    def quotient(self, a: Tensor, b: Tensor) -> Tensor:
        """Return trunc(a / b), on b != 0."""
        return self.truncated(self.multiply(a, self.power(b, -1)))
