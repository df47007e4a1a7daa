"""Named functions of tensors, of which only a symmetry, or what they do to integers, is known.

A nonlinear function of a value with a few masks is split into the cases of the masks:
f(P) = m f(P at m = 1) + (1 - m) f(P at m = 0).
"""

from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from math import floor

from gradwright.certify.kernel.algebra import Algebra, Poly, Undefined, constant_of
from gradwright.certify.kernel.atoms import Class, Function, Monomial, Sign
from gradwright.certify.kernel.conditions import DOMAINS, Domain
from gradwright.certify.kernel.contractions import Contractions
from gradwright.certify.kernel.instances import Instances, TooMany
from gradwright.certify.kernel.masks import Masks
from gradwright.certify.kernel.tensor import Tensor

Box = tuple[tuple[int, int], ...]


class Functions(Masks):
    """Named functions of tensors of one shape."""

    def __init__(self, algebra: Algebra, contractions: Contractions) -> None:
        super().__init__(algebra, contractions)
        self.where: list[Poly] = []
        """Masks of the indices at which what is worked on is read: elsewhere anything goes."""
        self._instances = Instances(algebra.atoms, self._generic.reached)
        self._met: set[tuple[Domain, frozenset[tuple[Monomial, Fraction]], Box]] = set()
        """Hypotheses that were seen to hold at indices at which no input changes a value."""

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
        c = constant_of(a.poly)
        if c is not None:
            atom = self.algebra.atoms.intern(Function(name, c, None), ())
            return self._factor(a.digits, atom, ())
        scale, inner, access = self.class_of(a)
        extents = self.algebra.atoms.extents(inner)
        atom = self.algebra.atoms.intern(Function(name, scale, inner), extents)
        return self._factor(a.digits, atom, access)

    def suppose(self, domain: Domain, a: Tensor) -> None:
        """List that a tensor lies in a domain.

        Errors: Undefined unless it is seen to, at each index at which no input changes it.
        """
        box, where = self.algebra.box(a.digits), tuple(self.where)
        key = domain, frozenset(a.poly.items()), tuple(sorted(box.items()))
        if where or key not in self._met:
            try:
                found = self._instances.constants(a.poly, box, where)
                met = all(domain.holds(each) for each in found)
            except TooMany:
                raise Undefined("a hypothesis about a value of too many indices") from None
            if not met:
                raise Undefined(
                    "a function of a constant that may be outside of its domain, at some index"
                )
            if not where:
                self._met.add(key)
        if any(self._generic.reached(f[0]) for m in a.poly for f in m[0]):
            self.conditions.supposed.add((domain, self.class_of(a)[1]))

    def is_positive_constant(self, a: Tensor) -> bool:
        """Return whether a is seen to be > 0 at each index, and the same for every input."""
        try:
            found = self._instances.values(a.poly, self.algebra.box(a.digits))
            return all(each is not None and Domain.POSITIVE.holds(each) for each in found)
        except TooMany:
            return False

    def within(self, domain: Domain, a: Tensor) -> Tensor:
        """Return a tensor; Undefined where the signs of its terms keep it below a domain.

        Of a whole operand only: a case of masks may be none of any input.
        """
        terms = tuple(a.poly.items())
        if len(terms) == 1:
            [((factors, guards), c)] = terms
            content = self.algebra.atoms.content(factors[0][0]) if len(factors) == 1 else None
            if isinstance(content, Class) and factors[0][2] == 1:
                terms = tuple(((f, (*g, *guards)), c * d) for (f, g), d in content.terms)
        sign = self.algebra.atoms.sum_sign(tuple((m, -c) for m, c in terms))
        if terms and sign >= (Sign.POSITIVE if domain is Domain.NONNEGATIVE else Sign.NONNEGATIVE):
            raise Undefined("a logarithm or root of what no input makes positive")
        return a

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
        c = constant_of(a.poly)
        return self.odd("truncate", a) if c is None else self.number(a, int(c))

    def floor(self, a: Tensor) -> Tensor:
        """Return the greatest integer that is at most a."""

        def of(case: Tensor) -> Tensor:
            c = constant_of(case.poly)
            return self.function("floor", case) if c is None else self.number(case, floor(c))

        return self.by_cases(a, of)

    def ceiling(self, a: Tensor) -> Tensor:
        """Return ceil a = -floor(-a)."""
        return self.scale(self.floor(self.scale(a, -1)), -1)
