"""Pointwise functions, with the identities of products of exponentials and logistic functions."""

from collections.abc import Iterator
from itertools import product

from gradwright.certify.advice.opening import are_there
from gradwright.certify.kernel.algebra import ONE, Poly, product_of
from gradwright.certify.kernel.atoms import Factor, Function, Monomial
from gradwright.certify.kernel.contractions import Contractions
from gradwright.certify.kernel.index import Affine
from gradwright.certify.kernel.powers import Powers
from gradwright.certify.kernel.tensor import Digits, Tensor


class Pointwise(Powers):
    """Sums, products, powers and named functions of tensors of one shape."""

    def __init__(self, contractions: Contractions) -> None:
        super().__init__(contractions)
        self._ups: dict[tuple[Digits, int, tuple[Affine, ...]], tuple[tuple[Factor, ...], ...]] = {}
        """The exponentials of the argument of a logistic, closed and open."""

    def multiply(self, a: Tensor, b: Tensor) -> Tensor:
        """Return a * b, where exp(u) logistic(u) = exp(u) - logistic(u) has been used."""
        plain = super().multiply(a, b)
        return self._without_mixed(plain) if self.algebra.atoms.logistics else plain

    def _without_mixed(self, a: Tensor) -> Tensor:
        """Rewrite the products of a logistic and an exponential of one argument, one by one."""
        while True:
            tries = ((monomial, self._unmixed(a.digits, monomial)) for monomial in a.poly)
            monomial, rewritten = next((t for t in tries if t[1] is not None), (None, None))
            if monomial is None or rewritten is None:
                return a
            rest = Tensor(a.digits, Poly({m: k for m, k in a.poly.items() if m != monomial}))
            a = self.add(rest, rewritten, a.poly[monomial])

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
                there = [(*f[:2], f[2] * sign) for f in up]
                if not are_there(there, factors):
                    continue
                less = ((*f[:2], -f[2]) for f in there)
                rest = self.algebra.product((*factors, (atom, access, -1), *less), guards)
                assert rest is not None  # a part of a product that is none
                e = Tensor(digits, product_of(*up))
                other = self.add(e, s, -1) if sign > 0 else self.negation(s)
                return super().multiply(other, Tensor(digits, Poly([rest])))
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

    def remainder(self, a: Tensor, b: Tensor) -> Tensor:
        """Return a - b trunc(a / b), on b != 0."""
        return self.add(a, self.multiply(b, self.quotient(a, b)), -1)

    def quotient(self, a: Tensor, b: Tensor) -> Tensor:
        """Return trunc(a / b), on b != 0."""
        return self.truncated(self.multiply(a, self.power(b, -1)))
