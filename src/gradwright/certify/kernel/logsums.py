"""Sums of exponentials whose logarithm was taken: what they divide is kept in lowest terms.

Such a sum C of positive terms has one name. With a part T of C, 1 - T / C is (C - T) / C, where
C - T is again one name, or one term: the slopes of a scan of logarithms of sums are then single
products, which cancel. Which terms to put together is suggested, and seen here to be the same.
"""

from fractions import Fraction

from gradwright.certify.advice.lowest_terms import LowestTerms
from gradwright.certify.kernel.algebra import ONE, Poly, product_of
from gradwright.certify.kernel.atoms import Class, Factor, Function, Sign
from gradwright.certify.kernel.clearing import Place, are_equal
from gradwright.certify.kernel.contractions import Contractions
from gradwright.certify.kernel.functions import Functions
from gradwright.certify.kernel.tensor import Tensor


class LogSums(Functions):
    """Sums and products of tensors, with the sums of exponentials that they know."""

    def __init__(self, contractions: Contractions) -> None:
        super().__init__(contractions)
        self._sums: set[int] = set()
        """Classes of positive terms whose logarithm was taken, and what terms leave of them."""
        self._lowest_terms = LowestTerms(self.algebra, self._sums)

    def add(self, a: Tensor, b: Tensor, scale: Fraction | int = 1) -> Tensor:
        """Return a + scale * b, in lowest terms."""
        return self._in_lowest_terms(super().add(a, b, scale))

    def multiply(self, a: Tensor, b: Tensor) -> Tensor:
        """Return a * b, in lowest terms."""
        return self._in_lowest_terms(super().multiply(a, b))

    def remember_sum(self, atom: int) -> None:
        """Note that the logarithm of a class was taken; 1 + exp(u) is a logistic function."""
        content, atoms = self.algebra.atoms.content(atom), self.algebra.atoms
        if isinstance(content, Class) and (
            len(content.terms) > 2 or ONE not in dict(content.terms)
        ):
            signs = [atoms.product_sign(factors) for (factors, _), _ in content.terms]
            plain = all(c > 0 and not guards for (_, guards), c in content.terms)
            if plain and min(signs) is Sign.POSITIVE:
                self._sums.add(atom)

    def holds_sums(self, a: Tensor) -> bool:
        """Return whether such sums, or functions of them, are factors: as terms they may cancel."""
        return bool(self._sums) and any(self._is_of_sum(f[0]) for m in a.poly for f in m[0])

    def _is_of_sum(self, atom: int) -> bool:
        content = self.algebra.atoms.content(atom)
        inner = content.inner if isinstance(content, Function) else None
        return atom in self._sums or (inner is not None and self._is_of_sum(inner))

    def is_sum(self, a: Tensor) -> bool:
        """Return whether a tensor is such a sum, but for what all of its terms divide by."""
        if not self._sums:
            return False
        for atom, access, q in self.denominators(a):
            a = super().multiply(a, Tensor(a.digits, product_of((atom, access, -q))))
        return self.class_of(self.written_out(a))[1] in self._sums

    def written_out(self, a: Tensor) -> Tensor:
        """Return a sum of several terms with the sums that are factors in it multiplied out."""
        box = self.algebra.box(a.digits)

        def opened(f: Factor) -> Poly | None:
            return self.algebra.written_out(f, box) if f[0] in self._sums and f[2] >= 1 else None

        while self._sums and len(a.poly) > 1:
            terms = self.algebra.replaced(a.poly, opened, box)
            if terms == a.poly:
                break
            a = Tensor(a.digits, terms)
        return a

    def _in_lowest_terms(self, a: Tensor) -> Tensor:
        """Return a tensor with suggested terms put together, as long as there are any.

        What is suggested is brought into normal form; it has fewer terms, and divides by nothing
        new but what is positive.
        """
        box = self.algebra.box(a.digits)
        while self._sums and len(a.poly) > 1:
            found = self._lowest_terms.suggested(a.poly, box)
            if found is None:
                break
            made = Poly({m: c for m, c in found.items() if a.poly.get(m) != c})
            kept = Poly({m: c for m, c in found.items() if m not in made})
            found = kept + self.algebra.substitute(made, {}, box)
            new = _divisors(found) - _divisors(a.poly)
            positive = all(self.algebra.atoms.sign(atom) is Sign.POSITIVE for atom, _ in new)
            fewer = len(found) < len(a.poly)
            if not (fewer and positive and are_equal(self.algebra, a.poly, found, box)):
                break
            a = Tensor(a.digits, found)
        return a


def _divisors(p: Poly) -> set[Place]:
    return {(atom, access) for factors, _ in p for atom, access, q in factors if q < 0}
