"""Named functions of tensors, of which only a symmetry, or what they do to integers, is known.

A nonlinear function of a value with a few masks is split into the cases of the masks:
f(P) = m f(P at m = 1) + (1 - m) f(P at m = 0).
"""

from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from math import floor

from gradwright.certify.kernel.algebra import Poly
from gradwright.certify.kernel.atoms import Function
from gradwright.certify.kernel.conditions import DOMAINS, Between, Domain, Hypothesis
from gradwright.certify.kernel.contractions import Contractions
from gradwright.certify.kernel.masks import Masks
from gradwright.certify.kernel.tensor import Tensor


class Functions(Masks):
    """Named functions of tensors of one shape."""

    def __init__(self, contractions: Contractions) -> None:
        super().__init__(contractions)
        self.where: list[Poly] = []
        """Masks of the indices at which what is worked on is read: elsewhere anything goes."""

    def by_cases(self, a: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
        """Return a function of a tensor, piece by piece, case by case where it has few masks."""
        pieces = self.pieces(a)
        if pieces:
            parts = [self.multiply(at, self._inside(at, piece, function)) for at, piece in pieces]
            return reduce(self.add, parts)
        split = self.few_cases(a)
        if split is None:
            return function(a)
        m, on, off = split
        other = self.complement(m)
        return self.select(m, self._inside(m, on, function), self._inside(other, off, function))

    def _inside(self, at: Tensor, case: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
        """Return a function of a case that is read where a mask is 1 only."""
        self.where.append(at.poly)
        try:
            return self.by_cases(case, function)
        finally:
            self.where.pop()

    def function(self, name: str, a: Tensor) -> Tensor:
        """Return a named function of which nothing more is known."""
        if name in DOMAINS:
            self.suppose(DOMAINS[name], a)
        c = a.poly.constant
        if c is not None:
            atom = self.algebra.atoms.intern(Function(name, c, None), ())
            return self._factor(a.digits, atom, ())
        scale, inner, access = self.class_of(a)
        extents = self.algebra.atoms.extents(inner)
        atom = self.algebra.atoms.intern(Function(name, scale, inner), extents)
        return self._factor(a.digits, atom, access)

    def suppose(self, domain: Domain | Between, a: Tensor) -> None:
        """List that each entry of a tensor lies in a domain, in the case that is worked on."""
        box = tuple(sorted(self.algebra.box(a.digits).items()))
        where = tuple(tuple(mask.items()) for mask in self.where)
        self.conditions.suppose(Hypothesis(domain, tuple(a.poly.items()), box, where))

    def _mirrored(
        self, name: str, a: Tensor, at_zero: Fraction | int, mirror: Callable[[Tensor], Tensor]
    ) -> Tensor:
        """Return f(a), where f(0) is known and f(-x) is the mirror of f(x): that fixes the sign."""

        def of(case: Tensor) -> Tensor:
            if not case.poly:
                return self.number(case, at_zero)
            if self.leads_negative(case):
                return mirror(self.function(name, self.scale(case, -1)))
            return self.function(name, case)

        return self.by_cases(a, of)

    def odd(self, name: str, a: Tensor) -> Tensor:
        """Return an odd function of a: f(-x) = -f(x), f(0) = 0."""
        return self._mirrored(name, a, 0, lambda y: self.scale(y, -1))

    def cosine(self, a: Tensor) -> Tensor:
        """Return cos a: cos(-x) = cos x."""
        return self._mirrored("cosine", a, 1, lambda y: y)

    def logistic(self, a: Tensor) -> Tensor:
        """Return s = 1 / (1 + exp(-a)): s(-x) = 1 - s(x)."""
        return self._mirrored("logistic", a, Fraction(1, 2), self.negation)

    def tanh(self, a: Tensor) -> Tensor:
        """Return tanh a = 2 logistic(2 a) - 1."""
        return self.plus(self.scale(self.logistic(self.scale(a, 2)), 2), -1)

    def truncated(self, a: Tensor) -> Tensor:
        """Return a without its fraction, which is `a` where it takes integers only."""
        atoms = self.algebra.atoms
        if all(atoms.integral_term(factors, c) for (factors, _), c in a.poly.items()):
            return a
        c = a.poly.constant
        return self.odd("truncate", a) if c is None else self.number(a, int(c))

    def floor(self, a: Tensor) -> Tensor:
        """Return the greatest integer that is at most a."""

        def of(case: Tensor) -> Tensor:
            c = case.poly.constant
            return self.function("floor", case) if c is None else self.number(case, floor(c))

        return self.by_cases(a, of)

    def ceiling(self, a: Tensor) -> Tensor:
        """Return ceil a = -floor(-a)."""
        return self.scale(self.floor(self.scale(a, -1)), -1)
