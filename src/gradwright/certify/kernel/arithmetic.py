"""Ring operations on tensors of one shape: sums, products, and choices by a mask."""

from collections.abc import Iterable
from fractions import Fraction
from functools import reduce

from gradwright.certify.advice.digits import suggested_refinement
from gradwright.certify.effort import TooLarge
from gradwright.certify.kernel.algebra import ONE, Poly, number, product_of
from gradwright.certify.kernel.atoms import Coordinate, Exponent, Factor
from gradwright.certify.kernel.classes import Scale, intern_class
from gradwright.certify.kernel.conditions import Conditions
from gradwright.certify.kernel.contractions import Contractions
from gradwright.certify.kernel.index import Affine
from gradwright.certify.kernel.tensor import Digits, Tensor

SPLIT_LIMIT = 4
"""Masks of an argument by which a nonlinear function of it is split into cases."""


class Arithmetic:
    """Sums, products and choices, exact everywhere; `conditions` gathers what is assumed."""

    def __init__(self, contractions: Contractions) -> None:
        self.algebra = contractions.algebra
        self.contractions = contractions
        self.conditions = Conditions()

    def align(self, *tensors: Tensor) -> list[Tensor]:
        """Return the tensors over common digits."""
        digits = suggested_refinement([tensor.digits for tensor in tensors])
        return [self.contractions.rearranged(tensor, digits, tensor.shape) for tensor in tensors]

    def add(self, a: Tensor, b: Tensor, scale: Fraction | int = 1) -> Tensor:
        """Return a + scale * b."""
        a, b = self.align(a, b)
        return Tensor(a.digits, a.poly + scale * b.poly)

    def scale(self, a: Tensor, c: Fraction | int) -> Tensor:
        """Return c * a."""
        return Tensor(a.digits, c * a.poly)

    def multiply(self, a: Tensor, b: Tensor) -> Tensor:
        """Return a * b."""
        a, b = self.align(a, b)
        try:
            product = self.algebra.multiply(a.poly, b.poly, self.algebra.box(a.digits))
        except TooLarge:
            left, right = self.contractions.as_term(a), self.contractions.as_term(b)
            product = self.algebra.multiply(left.poly, right.poly, self.algebra.box(a.digits))
        return Tensor(a.digits, product)

    def times(self, *factors: Tensor) -> Tensor:
        """Return a product."""
        return reduce(self.multiply, factors)

    def negation(self, m: Tensor) -> Tensor:
        """Return 1 - m."""
        return self.add(self.number(m, 1), m, -1)

    def plus(self, a: Tensor, c: Fraction | int) -> Tensor:
        """Return a + c."""
        return self.add(a, self.number(a, c))

    def either(self, m: Tensor, n: Tensor) -> Tensor:
        """Return m + n - m n, for m and n in {0, 1}."""
        return self.add(self.add(m, n), self.multiply(m, n), -1)

    def select(self, m: Tensor, on: Tensor, off: Tensor) -> Tensor:
        """Return m * on + (1 - m) * off, for m in {0, 1}."""
        return self.add(off, self.multiply(m, self.add(on, off, -1)))

    def number(self, like: Tensor, c: Fraction | int) -> Tensor:
        """Return the constant c at the shape of a tensor."""
        return Tensor(like.digits, number(c))

    def cases(self, a: Tensor) -> tuple[Tensor, Tensor, Tensor] | None:
        """Return (m, a at m = 1, a at m = 0) for a mask that is a factor in a, else None."""
        mask = next(iter(self._masks(a.poly)), None)
        if mask is None:
            return None
        m = Tensor(a.digits, product_of(mask))
        return m, self._at(a, mask, 1), self._at(a, mask, 0)

    def few_cases(self, a: Tensor) -> tuple[Tensor, Tensor, Tensor] | None:
        """Return the cases of `a` where it has few masks, else None."""
        return self.cases(a) if len(set(self._masks(a.poly))) <= SPLIT_LIMIT else None

    def _masks(self, p: Poly) -> Iterable[Factor]:
        return (f for factors, _ in p for f in factors if self.algebra.atoms.is_mask(f[0]))

    def _at(self, a: Tensor, mask: Factor, value: int) -> Tensor:
        """Return a where a mask has one value."""
        box = self.algebra.box(a.digits)
        fixed = self.algebra.replaced(a.poly, lambda f: number(value) if f == mask else None, box)
        return Tensor(a.digits, fixed)

    def opened(self, a: Tensor) -> Tensor:
        """Return a single class written out; anything else as it is."""
        lone = a.poly.single_factor
        if lone is None:
            return a
        terms = self.algebra.written_out((*lone[1:], 1), self.algebra.box(a.digits))
        return a if terms is None else Tensor(a.digits, lone[0] * terms)

    def affine(self, a: Tensor) -> Affine | None:
        """Return a tensor as an expression in indices and loop counters, None where it is none."""
        total = Affine(0)
        for (factors, guards), c in a.poly.items():
            if guards or len(factors) > 1 or c.denominator != 1:
                return None
            e = Affine(1)
            for atom, access, q in factors:
                if q != 1 or not isinstance(self.algebra.atoms.content(atom), Coordinate):
                    return None
                e = access[0]
            total += int(c) * e
        return total

    def class_of(
        self, a: Tensor, scale: Scale = Scale.LEADING
    ) -> tuple[Fraction, int, tuple[Affine, ...]]:
        """Return (c, atom, access) with a = c * atom[access]."""
        poly = self._unshifted(a).poly
        return intern_class(self.algebra, poly, self.algebra.box(a.digits), scale)

    def denominators(self, a: Tensor) -> list[Factor]:
        """Return the factors, to exponents < 0, whose product times a sum of other terms `a` is."""
        lowest: dict[tuple[int, tuple[Affine, ...]], Exponent] = {}
        for factors, _ in a.poly:
            for atom, access, q in factors:
                lowest[atom, access] = min(lowest.get((atom, access), 0), q)
        return [(*place, q) for place, q in lowest.items() if q < 0]

    def _factor(
        self, digits: Digits, atom: int, access: tuple[Affine, ...], c: Fraction | int = 1
    ) -> Tensor:
        return Tensor(digits, product_of((atom, access, 1), c=c))

    def _unshifted(self, a: Tensor) -> Tensor:
        """Return a number plus a class as the terms of both: as one sum it has one name."""
        shift = a.poly.get(ONE)
        if shift is None or len(a.poly) != 2:
            return a
        rest = Tensor(a.digits, a.poly - number(shift))
        opened = self.opened(rest)
        if opened is rest:
            return a
        return self._unshifted(self.add(opened, self.number(a, shift)))
