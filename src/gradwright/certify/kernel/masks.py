"""Comparisons and what is built from them: masks in {0, 1}, maxima, minima, absolute values.

Masks are exact: [a >= 0] is [a > 0] + [a = 0]. Only where the zeros of a function are a null set
is [a = 0] read as 0, and then the function is listed as a kink.
"""

from fractions import Fraction
from functools import reduce
from itertools import combinations
from math import gcd, lcm

from gradwright.certify.advice.opening import is_of_one_value, is_piecewise
from gradwright.certify.kernel.algebra import ONE, Poly, Undenotable, number, product_of
from gradwright.certify.kernel.arithmetic import Arithmetic
from gradwright.certify.kernel.atoms import Mask, Relation, Sign
from gradwright.certify.kernel.contractions import Contractions
from gradwright.certify.kernel.generic import Generic
from gradwright.certify.kernel.index import Affine, Extents, Guards, conjunction, variable
from gradwright.certify.kernel.infinite import Parts, parts, recombined
from gradwright.certify.kernel.patterns import constant_poly
from gradwright.certify.kernel.reading import covered
from gradwright.certify.kernel.tensor import Tensor

PIECES = 32
"""Pieces, joined along a dimension, of a tensor of which a mask is taken piece by piece."""


class Masks(Arithmetic):
    """Comparisons of tensors of one shape."""

    def __init__(self, contractions: Contractions) -> None:
        super().__init__(contractions)
        self.generic = Generic(self.algebra)

    def compare(self, relation: Relation, a: Tensor, b: Tensor) -> Tensor:
        """Return [a > b], [a < b] or [a = b], where either may be infinite."""
        if relation is Relation.NEGATIVE:
            return self.compare(Relation.POSITIVE, b, a)
        left, right = parts(self, a), parts(self, b)
        mask = self.mask(relation, self.add(left.finite, right.finite, -1))
        if left.is_finite and right.is_finite:
            return mask
        mask = self.multiply(mask, self.multiply(left.where_finite, right.where_finite))
        if relation is Relation.ZERO:
            both = (left.above, right.above), (left.below, right.below)
        else:
            both = (
                (left.above, self.negation(right.above)),
                (self.negation(left.below), right.below),
            )
            overlap = self.multiply(left.above, right.below)
            mask = self.add(mask, overlap, -1)
        for p, q in both:
            mask = self.add(mask, self.multiply(p, q))
        return mask

    def complement(self, m: Tensor) -> Tensor:
        """Return 1 - m; of a bound on coordinates that leaves one side free, the opposite bound."""
        if len(m.poly) != 1:
            return self.negation(m)
        ((factors, guards), c) = next(iter(m.poly.items()))
        if factors or len(guards) != 1 or c != 1:
            return self.negation(m)
        e, low, high = guards[0]
        box = self.algebra.box(m.digits)
        least, greatest = e.bounds(box)
        sides = [conjunction((s,), box) for s in ((e, least, low), (e, high, greatest + 1))]
        left = [side for side in sides if side is not None]
        if len(left) != 1:
            return self.negation(m)
        return Tensor(m.digits, product_of(guards=left[0]))

    def mask(self, relation: Relation, a: Tensor) -> Tensor:
        """Return [a > 0], [a < 0] or [a = 0] of a finite tensor.

        Over a constant it is a number; over coordinates a guard; of pieces it is told piece by
        piece; of a product that is one class it is the mask of the product; a mask inside a sum
        is expanded by cases: [P] = m [P at m = 1] + (1 - m) [P at m = 0].
        """
        if relation is Relation.NEGATIVE:
            return self.mask(Relation.POSITIVE, self.scale(a, -1))
        c = a.poly.constant
        if c is not None:
            return self.number(a, int(c > 0 if relation is Relation.POSITIVE else c == 0))
        a = self._numerator(a)
        guard = self._coordinate_guard(relation, a)
        if guard is not None:
            return Tensor(a.digits, guard)
        fixed = self._constant_mask(relation, a)
        if fixed is not None:
            return fixed
        opened = self.opened(self._unshifted(a))
        pieces = self.pieces(opened)
        if pieces:
            return reduce(self.add, (self.multiply(at, self.mask(relation, p)) for at, p in pieces))
        if is_piecewise(self.algebra.atoms, a.poly) and not any(g for _, g in opened.poly):
            a = opened  # the one of its pieces that the indices say
        of_one_value = is_of_one_value(self.algebra.thresholds, opened.poly)
        split = self.cases(opened if of_one_value else a)
        if split is not None:
            m, on, off = split
            return self.select(m, self.mask(relation, on), self.mask(relation, off))
        whole = self._whole(a) if relation is Relation.POSITIVE else None
        if whole is not None:
            return self._whole_mask(whole)
        return self._mask_atom(relation, a)

    def _numerator(self, a: Tensor) -> Tensor:
        """Return a tensor times what its terms divide by, as far as that is > 0."""
        for atom, access, q in self.denominators(a):
            if q % 2 == 0 or self.algebra.atoms.sign(atom) is not Sign.ANY:
                a = self.multiply(a, Tensor(a.digits, product_of((atom, access, -q))))
        return a

    def _constant_mask(self, relation: Relation, a: Tensor) -> Tensor | None:
        """Return the mask of a constant tensor, entry by entry; None of any other."""
        box = self.algebra.box(a.digits)
        opened = self.opened(a)
        entries = self.contractions.summation.entries(opened.poly, box)
        if entries is None:
            return None
        positive = relation is Relation.POSITIVE
        held = [Fraction(x > 0 if positive else x == 0) for x in entries]
        names = sorted(opened.poly.variables)
        shape = tuple(box[v] for v in names)
        found = constant_poly(self.algebra, shape, held)
        places = {i: variable(v) for i, v in enumerate(names)}
        return Tensor(a.digits, self.algebra.substitute(found, places, box))

    def pieces(self, a: Tensor) -> list[tuple[Tensor, Tensor]]:
        """Return where a tensor is which other one, of pieces that cover it; none of any other."""
        groups: dict[Guards, Poly] = {}
        for (factors, guards), c in a.poly.items():
            groups.setdefault(guards, Poly()).gather((factors, ()), c)
        everywhere = groups.pop((), Poly())
        box = self.algebra.box(a.digits)
        marks = Poly({((), guards): Fraction(1) for guards in groups})
        if not 1 < len(groups) <= PIECES or not covered(marks, box):
            return []
        if any(conjunction((*p, *q), box) is not None for p, q in combinations(groups, 2)):
            return []
        return [
            (
                Tensor(a.digits, product_of(guards=guards)),
                Tensor(a.digits, self._where(guards, piece + everywhere, box)),
            )
            for guards, piece in groups.items()
        ]

    def _where(self, guards: Guards, p: Poly, box: Extents) -> Poly:
        """Return a polynomial with the indices that guards fix replaced by what they are."""
        fixed = {
            e.lone: Affine(low) for e, low, high in guards if high == low + 1 and e.lone is not None
        }
        return self.algebra.substitute(p, fixed, box)

    def _whole(self, a: Tensor) -> Tensor | None:
        """Return an integer S - t that is > 0 where `a` is; None where `a` takes other numbers.

        With a = g S + c for an integer S and g > 0, a > 0 is S > -c / g, hence S > floor(-c / g).
        """
        opened = self.opened(self._unshifted(a))
        shift = opened.poly.get(ONE, Fraction(0))
        terms = opened.poly - number(shift)
        below = lcm(*(c.denominator for c in terms.values()))
        g = Fraction(gcd(*(int(c * below) for c in terms.values())), below)
        whole = 1 / g * terms
        integral = self.algebra.atoms.integral_term
        if not all(integral(factors, c) for (factors, _), c in whole.items()):
            return None
        threshold = -shift / g
        floor = threshold.numerator // threshold.denominator
        return Tensor(a.digits, whole - number(floor))

    def _whole_mask(self, a: Tensor) -> Tensor:
        """Return [a > 0] of integers as a mask of one of two signs: [a > 0] is 1 - [1 - a > 0]."""
        scale, inner, _ = self.class_of(a)
        if scale * self.algebra.thresholds.line(inner).slope > 0:
            return self._mask_atom(Relation.POSITIVE, a)
        opposite = self.add(self.number(a, 1), a, -1)
        return self.negation(self._mask_atom(Relation.POSITIVE, opposite))

    def _mask_atom(self, relation: Relation, a: Tensor) -> Tensor:
        """Return a mask as an atom; [-P > 0] is 1 - [P > 0] - [P = 0].

        Which of P and -P is tested goes by the leading term that is no constant, so that the masks
        of one value at all thresholds test it from one side.
        """
        scale, inner, access = self.class_of(a)
        if self.algebra.atoms.sign(inner) is Sign.POSITIVE:
            return self.number(a, int(relation is Relation.POSITIVE and scale > 0))
        if relation is Relation.ZERO:
            return self._zero(a, inner, access)
        slope = self.algebra.thresholds.line(inner).slope
        relation = Relation.POSITIVE if slope > 0 else Relation.NEGATIVE
        mask = self._as_tensor(a, Mask(relation, inner), access)
        if scale * slope > 0:
            return mask
        return self.add(self.negation(mask), self._zero(a, inner, access), -1)

    def _zero(self, a: Tensor, inner: int, access: tuple[Affine, ...]) -> Tensor:
        if self.generic.vanishes_rarely(inner):
            self.conditions.kinks.add(inner)
            return self.number(a, 0)
        return self._as_tensor(a, Mask(Relation.ZERO, inner), access)

    def _as_tensor(self, a: Tensor, mask: Mask, access: tuple[Affine, ...]) -> Tensor:
        """Return a mask at the shape of a tensor; a number where a hypothesis decides it."""
        atoms = self.algebra.atoms
        atom = atoms.intern(mask, atoms.extents(mask.inner))
        monomial = self.algebra.product(((atom, access, 1),), ())
        return Tensor(a.digits, Poly([monomial] if monomial else []))

    def sum(self, a: Tensor, b: Tensor) -> Tensor:
        """Return a + b, where entries may be infinite but no two of opposite sign meet."""
        left, right = parts(self, a), parts(self, b)
        if left.is_finite and right.is_finite:
            return self.add(a, b)
        for p, q in ((left.below, right.above), (left.above, right.below)):
            if self.multiply(p, q).poly:
                raise Undenotable("a sum of infinities of opposite sign")
        below = self.either(left.below, right.below)
        above = self.either(left.above, right.above)
        finite = self.add(left.finite, right.finite)
        where = self.multiply(left.where_finite, right.where_finite)
        return recombined(self, Parts(self.multiply(finite, where), below, above))

    def opposite(self, a: Tensor) -> Tensor:
        """Return -a, where entries may be infinite."""
        split = parts(self, a)
        if split.is_finite:
            return self.scale(a, -1)
        return recombined(self, Parts(self.scale(split.finite, -1), split.above, split.below))

    def sign(self, a: Tensor) -> Tensor:
        """Return [a > 0] - [a < 0]."""
        positive = self.mask(Relation.POSITIVE, a)
        return self.add(positive, self.mask(Relation.NEGATIVE, a), -1)

    def absolute(self, a: Tensor) -> Tensor:
        """Return |a| = max(a, -a)."""
        return self.maximum(a, self.scale(a, -1))

    def maximum(self, a: Tensor, b: Tensor) -> Tensor:
        """Return max(a, b) = b + [a > b] (a - b), the same for max(b, a); either may be infinite.

        An operand gives way to the other where it is -inf.
        """
        left, right = parts(self, a), parts(self, b)
        if left.is_finite and right.is_finite:
            return self._finite_maximum(a, b)
        finite = self._finite_maximum(left.finite, right.finite)
        total = self.times(finite, left.where_finite, right.where_finite)
        total = self.add(total, self.times(left.finite, left.where_finite, right.below))
        total = self.add(total, self.times(right.finite, right.where_finite, left.below))
        above = self.either(left.above, right.above)
        return recombined(self, Parts(total, self.multiply(left.below, right.below), above))

    def minimum(self, a: Tensor, b: Tensor) -> Tensor:
        """Return min(a, b) = -max(-a, -b)."""
        return self.opposite(self.maximum(self.opposite(a), self.opposite(b)))

    def _finite_maximum(self, a: Tensor, b: Tensor) -> Tensor:
        difference = self.add(a, b, -1)
        reach = self._reach(difference)
        if reach is not None and (reach[0] >= 0 or reach[1] <= 0):
            return a if reach[0] >= 0 else b
        if self.leads_negative(difference):
            a, b, difference = b, a, self.scale(difference, -1)
        return self.select(self.mask(Relation.POSITIVE, difference), a, b)

    def _reach(self, a: Tensor) -> tuple[Fraction, Fraction] | None:
        """Return the least and the greatest value of a tensor where hypotheses bound it."""
        if not self.algebra.thresholds.ranges or a.poly.constant is not None:
            return None
        scale, inner, _ = self.class_of(a)
        known = self.algebra.thresholds.reach(inner)
        if known is None:
            return None
        low, high = sorted(scale * end for end in known)
        return low, high

    def leads_negative(self, a: Tensor) -> bool:
        """Return whether the coefficient that a class would divide out is negative."""
        c = a.poly.constant
        return (self.class_of(a)[0] if c is None else c) < 0

    def _coordinate_guard(self, relation: Relation, a: Tensor) -> Poly | None:
        """Return the mask as guards where a is affine in coordinates."""
        e = self.affine(self.scale(a, lcm(*(c.denominator for c in a.poly.values()))))
        if e is None:
            return None
        box = self.algebra.box(a.digits)
        high = max(e.bounds(box)[1], 0) + 1
        low, high = (1, high) if relation is Relation.POSITIVE else (0, 1)
        guards = conjunction(((e, low, high),), box)
        return Poly() if guards is None else product_of(guards=guards)
