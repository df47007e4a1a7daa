"""Pointwise functions of tensors, in normal form."""

from collections.abc import Callable
from fractions import Fraction
from functools import reduce

from gradwright.certify.kernel.algebra import (
    ONE,
    Algebra,
    Poly,
    TooLarge,
    Undenotable,
    add,
    constant_of,
    number,
    scaled,
    simple,
    sorted_terms,
)
from gradwright.certify.kernel.atoms import (
    Class,
    Coordinate,
    Exponent,
    Function,
    Mask,
    Monomial,
    Relation,
    Sign,
)
from gradwright.certify.kernel.classes import Scale, intern_class
from gradwright.certify.kernel.index import Affine, Guard, combine, conjunction
from gradwright.certify.kernel.multilinear import Contractions
from gradwright.certify.kernel.tensor import (
    Digits,
    Tensor,
    common_refinement,
    refinement_map,
)

EXPONENTIAL_TERMS = 8
"""Terms of a sum up to which its exponential is written as a product, one factor per term."""
EXPANDED_POWER = 4
"""Largest power of a sum that is multiplied out; a higher one stays a power of a class."""


class Pointwise:
    """Sums, products, powers and named functions of tensors of one shape."""

    def __init__(self, algebra: Algebra, contractions: Contractions) -> None:
        self.algebra = algebra
        self.contractions = contractions
        self.kinks: set[int] = set()
        """Atoms P for which [P < 0] was read as 1 - [P > 0]."""

    def align(self, *tensors: Tensor) -> list[Tensor]:
        """Return the tensors over common digits."""
        digits = reduce(_refined, (tensor.digits for tensor in tensors))
        return [self._over(tensor, digits) for tensor in tensors]

    def add(self, a: Tensor, b: Tensor, scale: Fraction | int = 1) -> Tensor:
        """Return a + scale * b."""
        a, b = self.align(a, b)
        return Tensor(a.digits, add(a.poly, b.poly, scale))

    def scale(self, a: Tensor, c: Fraction | int) -> Tensor:
        """Return c * a."""
        return Tensor(a.digits, scaled(a.poly, c))

    def multiply(self, a: Tensor, b: Tensor) -> Tensor:
        """Return a * b."""
        a, b = self.align(a, b)
        try:
            product = self.algebra.multiply(a.poly, b.poly, self.algebra.box(a.digits))
        except TooLarge:
            left, right = self.contractions.as_term(a), self.contractions.as_term(b)
            product = self.algebra.multiply(left.poly, right.poly, self.algebra.box(a.digits))
        return Tensor(a.digits, product)

    def power(self, a: Tensor, exponent: Exponent) -> Tensor:
        """Return a ** exponent; where the exponent is negative, on a != 0."""
        return Tensor(a.digits, self._power(a, Fraction(exponent)))

    def _power(self, a: Tensor, exponent: Fraction) -> Poly:
        if not a.poly:
            if exponent <= 0:
                raise Undenotable("a division by zero")
            return {}
        if len(a.poly) == 1:
            distributed = self.algebra.monomial_power(a.poly, exponent)
            if distributed is not None:
                return distributed
        if exponent.denominator == 1 and 0 <= exponent <= EXPANDED_POWER:
            product: Poly = number(1)
            for _ in range(int(exponent)):
                product = self.algebra.multiply(product, a.poly, self.algebra.box(a.digits))
            return product
        return self._class_power(a, exponent)

    def _class_power(self, a: Tensor, exponent: Fraction) -> Poly:
        """Return the power of a sum as c ** q * class ** q, c > 0 where the power is a root."""
        scale = Scale.SIZE if exponent.denominator > 1 else Scale.LEADING
        c, atom, access = intern_class(self.algebra, a.poly, self.algebra.box(a.digits), scale)
        root = self.algebra.monomial_power({ONE: c}, exponent)
        assert root is not None  # c > 0 or the exponent is an integer
        power: Poly = {(((atom, access, simple(exponent)),), ()): Fraction(1)}
        return self.algebra.multiply(root, power, self.algebra.box(a.digits))

    def exponential(self, a: Tensor) -> Tensor:
        """Return e ** a: one factor per term, exp(c log X) = X ** c on X > 0."""
        if len(a.poly) > EXPONENTIAL_TERMS:
            return self.function("exponential", a)
        product = Tensor(a.digits, number(1))
        for monomial, c in sorted_terms(a.poly):
            product = self.multiply(product, self._exponential_term(a.digits, monomial, c))
        return product

    def _exponential_term(self, digits: Digits, monomial: Monomial, c: Fraction) -> Tensor:
        term = Tensor(digits, {monomial: Fraction(1)})
        argument = self._logarithm_argument(term)
        if argument is not None:
            return self.power(argument, c)
        factor = self.function("exponential", term)
        return self.power(factor, c)

    def _logarithm_argument(self, term: Tensor) -> Tensor | None:
        """Return X where the term is log X, else None."""
        ((factors, guards), _) = next(iter(term.poly.items()))
        if guards or len(factors) != 1 or factors[0][2] != 1:
            return None
        atom, access, _ = factors[0]
        content = self.algebra.atoms.content(atom)
        if not isinstance(content, Function) or content.name != "log":
            return None
        if content.inner is None:
            return Tensor(term.digits, number(content.scale))
        return Tensor(term.digits, {(((content.inner, access, 1),), ()): content.scale})

    def log(self, a: Tensor) -> Tensor:
        """Return ln a on a > 0: the log of a product of positive factors is a sum."""
        if len(a.poly) != 1:
            return self._scaled_log(a)
        ((factors, guards), c) = next(iter(a.poly.items()))
        signs = [self.algebra.atoms.sign(atom) for atom, _, _ in factors]
        if guards or c < 0 or not factors or any(sign is not Sign.POSITIVE for sign in signs):
            return self._scaled_log(a)
        total = self._log_number(a.digits, c)
        for atom, access, q in factors:
            single = Tensor(a.digits, {(((atom, access, 1),), ()): Fraction(1)})
            total = self.add(total, self._log_factor(single, atom), Fraction(q))
        return total

    def _log_factor(self, single: Tensor, atom: int) -> Tensor:
        content = self.algebra.atoms.content(atom)
        if isinstance(content, Function) and content.name == "exponential":
            if content.inner is None:
                return Tensor(single.digits, number(content.scale))
            ((((_, access, _),), _), _) = next(iter(single.poly.items()))
            return Tensor(single.digits, {(((content.inner, access, 1),), ()): content.scale})
        return self.function("log", single)

    def _scaled_log(self, a: Tensor) -> Tensor:
        """Return ln(c A) = ln c + ln A for c > 0."""
        if constant_of(a.poly) is not None:
            return self.function("log", a)
        c, atom, access = self._class(a)
        if c <= 0:
            return self.function("log", a)
        inner = self.function("log", Tensor(a.digits, {(((atom, access, 1),), ()): Fraction(1)}))
        return self.add(inner, self._log_number(a.digits, c))

    def _log_number(self, digits: Digits, c: Fraction) -> Tensor:
        return Tensor(
            digits, {} if c == 1 else self.function("log", Tensor(digits, number(c))).poly
        )

    def logistic(self, a: Tensor) -> Tensor:
        """Return s = 1 / (1 + exp(-a)); s(-x) = 1 - s(x) fixes the sign."""
        if a.poly and _leads_negative(self, a):
            flipped = self.function("logistic", self.scale(a, -1))
            return self.add(Tensor(a.digits, number(1)), flipped, -1)
        return self.function("logistic", a)

    def tanh(self, a: Tensor) -> Tensor:
        """Return tanh a = 2 logistic(2 a) - 1."""
        return self.add(
            self.scale(self.logistic(self.scale(a, 2)), 2), Tensor(a.digits, number(1)), -1
        )

    def odd(self, name: str, a: Tensor) -> Tensor:
        """Return an odd function of a: f(-x) = -f(x) fixes the sign."""
        if not a.poly:
            return a
        if _leads_negative(self, a):
            return self.scale(self.function(name, self.scale(a, -1)), -1)
        return self.function(name, a)

    def even(self, name: str, a: Tensor) -> Tensor:
        """Return an even function of a: f(-x) = f(x) fixes the sign."""
        return self.function(name, self.scale(a, -1) if _leads_negative(self, a) else a)

    def sign(self, a: Tensor) -> Tensor:
        """Return [a > 0] - [a < 0]."""
        positive = self.mask(Relation.POSITIVE, a)
        return self.add(positive, self.mask(Relation.NEGATIVE, a), -1)

    def absolute(self, a: Tensor) -> Tensor:
        """Return |a| = a ([a > 0] - [a < 0])."""
        return self.multiply(a, self.sign(a))

    def function(self, name: str, a: Tensor) -> Tensor:
        """Return a named function of which nothing more is known."""
        c = constant_of(a.poly)
        if c is not None:
            atom = self.algebra.atoms.intern(Function(name, c, None), ())
            return Tensor(a.digits, {(((atom, (), 1),), ()): Fraction(1)})
        scale, inner, access = self._class(a)
        extents = self.algebra.atoms.extents(inner)
        atom = self.algebra.atoms.intern(Function(name, scale, inner), extents)
        return Tensor(a.digits, {(((atom, access, 1),), ()): Fraction(1)})

    def mask(self, relation: Relation, a: Tensor) -> Tensor:
        """Return [a > 0], [a < 0] or [a = 0].

        Over a constant it is a number; over coordinates a guard; masks that are factors of a
        product come out; a mask inside a sum is expanded by cases:
        [P] = m [P at m = 1] + (1 - m) [P at m = 0].
        """
        c = constant_of(a.poly)
        if c is not None:
            return Tensor(a.digits, number(int(_holds(relation, c))))
        guard = self._coordinate_guard(relation, a)
        if guard is not None:
            return Tensor(a.digits, guard)
        opened = self._opened_product(a)
        split = self._inner_mask(opened)
        if split is not None:
            m, on, off = split
            return self.select(m, self.mask(relation, on), self.mask(relation, off))
        return self._mask_atom(relation, a)

    def _mask_atom(self, relation: Relation, a: Tensor) -> Tensor:
        """Return [a < 0] as 1 - [a > 0]: equal off the kink a = 0, which is listed."""
        scale, inner, access = self._class(a)
        if scale < 0 and relation is not Relation.ZERO:
            relation = _OPPOSITE[relation]
        negated = relation is Relation.NEGATIVE
        if negated:
            self.kinks.add(inner)
            relation = Relation.POSITIVE
        extents = self.algebra.atoms.extents(inner)
        atom = self.algebra.atoms.intern(Mask(relation, inner), extents)
        mask = Tensor(a.digits, {(((atom, access, 1),), ()): Fraction(1)})
        return self.negation(mask) if negated else mask

    def _opened_product(self, a: Tensor) -> Tensor:
        """Return a class that is one product, written out; anything else as it is."""
        if len(a.poly) != 1:
            return a
        ((factors, guards), c) = next(iter(a.poly.items()))
        if guards or len(factors) != 1 or factors[0][2] != 1:
            return a
        content = self.algebra.atoms.content(factors[0][0])
        if not isinstance(content, Class) or len(content.terms) != 1:
            return a
        mapping = dict(enumerate(factors[0][1]))
        return Tensor(
            a.digits,
            scaled(
                self.algebra.substitute(dict(content.terms), mapping, self.algebra.box(a.digits)), c
            ),
        )

    def negation(self, m: Tensor) -> Tensor:
        """Return 1 - m."""
        return self.add(Tensor(m.digits, number(1)), m, -1)

    def select(self, m: Tensor, on: Tensor, off: Tensor) -> Tensor:
        """Return m * on + (1 - m) * off."""
        return self.add(off, self.multiply(m, self.add(on, off, -1)))

    def maximum(self, a: Tensor, b: Tensor) -> Tensor:
        """Return max(a, b) = b + [a > b] (a - b)."""
        return self.select(self.mask(Relation.POSITIVE, self.add(a, b, -1)), a, b)

    def minimum(self, a: Tensor, b: Tensor) -> Tensor:
        """Return min(a, b) = b + [a < b] (a - b)."""
        return self.select(self.mask(Relation.NEGATIVE, self.add(a, b, -1)), a, b)

    def _class(self, a: Tensor) -> tuple[Fraction, int, tuple[Affine, ...]]:
        return intern_class(self.algebra, a.poly, self.algebra.box(a.digits))

    def _over(self, tensor: Tensor, digits: Digits) -> Tensor:
        if tensor.digits == digits:
            return tensor
        extents = self.algebra.box(digits)
        mapping = refinement_map(tensor.digits, digits)
        return Tensor(digits, self.algebra.substitute(tensor.poly, mapping, extents))

    def _coordinate_guard(self, relation: Relation, a: Tensor) -> Poly | None:
        """Return the mask as guards where a is affine in coordinates with integer coefficients."""
        parts: list[tuple[int, Affine]] = []
        offset = 0
        for (factors, guards), c in a.poly.items():
            if guards or c.denominator != 1:
                return None
            if not factors:
                offset = int(c)
                continue
            if len(factors) != 1 or factors[0][2] != 1:
                return None
            atom, access, _ = factors[0]
            if not isinstance(self.algebra.atoms.content(atom), Coordinate):
                return None
            parts.append((int(c), access[0]))
        return self._guard_poly(relation, combine(parts, offset), a)

    def _guard_poly(self, relation: Relation, e: Affine, a: Tensor) -> Poly:
        box = self.algebra.box(a.digits)
        reach = 1 + abs(e[0]) + sum(abs(k) * box[v] for v, k in e[1])
        intervals: dict[Relation, tuple[int, int]] = {
            Relation.POSITIVE: (1, reach),
            Relation.NEGATIVE: (-reach, 0),
            Relation.ZERO: (0, 1),
        }
        guard: Guard = (e, *intervals[relation])
        guards = conjunction((guard,), self.algebra.box(a.digits))
        return {} if guards is None else {((), guards): Fraction(1)}

    def _inner_mask(self, a: Tensor) -> tuple[Tensor, Tensor, Tensor] | None:
        """Return (m, a at m = 1, a at m = 0) for a mask that is a factor in a, else None."""
        for factors, _ in a.poly:
            for factor in factors:
                if self.algebra.atoms.is_mask(factor[0]):
                    on = self._at(a, factor, 1)
                    off = self._at(a, factor, 0)
                    return Tensor(a.digits, {((factor,), ()): Fraction(1)}), on, off
        return None

    def _at(self, a: Tensor, factor: object, value: int) -> Tensor:
        total: Poly = {}
        for (factors, guards), c in a.poly.items():
            rest = tuple(f for f in factors if f != factor)
            if value or rest == factors:
                total = add(total, {(rest, guards): c})
        return Tensor(a.digits, total)


_OPPOSITE = {Relation.POSITIVE: Relation.NEGATIVE, Relation.NEGATIVE: Relation.POSITIVE}


def _refined(left: Digits, right: Digits) -> Digits:
    refined: list[tuple[int, ...]] = []
    for a, b in zip(left, right, strict=True):
        common = common_refinement(a, b)
        if common is None:
            raise Undenotable(f"dimensions split in ways that do not fit: {a} and {b}")
        refined.append(common)
    return tuple(refined)


def _leads_negative(pointwise: Pointwise, a: Tensor) -> bool:
    c = constant_of(a.poly)
    if c is not None:
        return c < 0
    return intern_class(pointwise.algebra, a.poly, pointwise.algebra.box(a.digits))[0] < 0


def _holds(relation: Relation, c: Fraction) -> bool:
    tests: dict[Relation, Callable[[Fraction], bool]] = {
        Relation.POSITIVE: lambda x: x > 0,
        Relation.NEGATIVE: lambda x: x < 0,
        Relation.ZERO: lambda x: x == 0,
    }
    return tests[relation](c)
