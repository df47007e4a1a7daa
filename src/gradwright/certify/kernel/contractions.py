"""Multilinear forms at their operands: placing each into one product, and summing that."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from gradwright.certify.advice.digits import suggested_digits
from gradwright.certify.advice.opening import fix_some, multiplies_out
from gradwright.certify.kernel.algebra import (
    Algebra,
    Poly,
    add,
    number,
    product_of,
    summed_at,
    variables_of,
)
from gradwright.certify.kernel.atoms import Factor, Monomial, Sum
from gradwright.certify.kernel.classes import intern_class
from gradwright.certify.kernel.index import (
    Affine,
    Extents,
    Guard,
    combine,
    conjunction,
    constant,
    guards_at,
    radix,
    substitute,
    variable,
    variables,
)
from gradwright.certify.kernel.multilinear import Multilinear, Reads
from gradwright.certify.kernel.sums import WHOLE, Summation
from gradwright.certify.kernel.tensor import (
    Digits,
    Shape,
    Tensor,
    dimension_expressions,
    offsets,
    plain_digits,
    rearrangement,
)


class Contractions:
    """Applies multilinear operations to tensors."""

    def __init__(self, algebra: Algebra, summation: Summation) -> None:
        self.algebra = algebra
        self.summation = summation

    def apply(self, form: Multilinear, operands: Sequence[Tensor]) -> Tensor:
        """Return the result of a multilinear operation."""
        digits = suggested_digits(form, operands, self.algebra)
        _require_fit(digits, form.shape)
        term = _Assembly.start(form, digits, self.algebra.box(digits))
        factors = [self.as_term(x) if multiplies_out(form, x) else x for x in operands]
        polys = [
            self._placed(factor, read, term)
            for factor, read in zip(factors, form.reads, strict=True)
        ]
        guards = conjunction(term.guards, term.extents)
        if guards is None:
            return Tensor(digits, {})
        product = product_of(guards=guards)
        for poly in polys:
            product = self.algebra.multiply(product, poly, term.extents)
        total = self.summation.total(product, term.summed, term.extents)
        if len(operands) == 1 and max(form.summed, default=1) == 1:
            total = self._settled(total, self.algebra.box(digits))
        return Tensor(digits, total)

    def _settled(self, p: Poly, box: Extents) -> Poly:
        """Return terms whose sums reach over no fixed index, as where digits are read along."""
        total: Poly = {}
        for (factors, guards), c in p.items():
            term = product_of(guards=guards, c=c)
            for factor in factors:
                once = self._narrowed(factor, box)
                alone = product_of(factor)
                for part in [alone] if once is None else [once] * int(factor[2]):
                    term = self.algebra.multiply(term, part, box)
            total = add(total, term)
        return total

    def _narrowed(self, factor: Factor, box: Extents) -> Poly | None:
        """Return a sum of entries over fewer points, where its index fixes some; None of others.

        The factor is a whole power of it.
        """
        atom, access, q = factor
        content = self.algebra.atoms.content(atom)
        if not isinstance(content, Sum) or q not in WHOLE or len(content.factors) > 1:
            return None
        factors, guards, bound = summed_at(content, access, max((-1, *box)) + 1)
        extents = {**box, **bound}
        held = conjunction(guards, extents)
        if held is None or not fix_some(held, bound):
            return None
        inside = self.algebra.product(factors, held)
        return {} if inside is None else self.summation.total(dict([inside]), bound, extents)

    def in_one_digit(self, tensor: Tensor) -> Tensor:
        """Return a tensor with one digit per dimension: at any distance it is read as one atom."""
        return self.rearranged(tensor, plain_digits(tensor.shape), tensor.shape)

    def as_term(self, tensor: Tensor) -> Tensor:
        """Return the tensor as one term: a coefficient times a class atom, times common guards."""
        if len(tensor.poly) < 2:
            return tensor
        shared = set(next(iter(tensor.poly))[1])
        shared.intersection_update(*(guards for _, guards in tensor.poly))
        common = tuple(sorted(shared))
        bare = {_without(monomial, shared): c for monomial, c in tensor.poly.items()}
        c, atom, access = intern_class(self.algebra, bare, self.algebra.box(tensor.digits))
        return Tensor(tensor.digits, {(((atom, access, 1),), common): c})

    def rearranged(self, tensor: Tensor, digits: Digits, shape: Shape) -> Tensor:
        """Return the tensor of the same elements in row-major order over digits of a shape.

        Where these do not fit, each factor of a term is read at the old digits that are the new
        ones' number: f(d(i)) is the sum over d of [d = d(i)] f(d).
        """
        if tensor.digits == digits:
            return tensor
        _require_fit(digits, shape)
        mapping, tied = rearrangement(tensor.digits, digits)
        box = self.algebra.box(digits)
        if not tied:
            moved = self.algebra.substitute(tensor.poly, mapping, box)
            return Tensor(digits, self._settled(self.summation.total(moved, (), box), box))
        first = sum(map(len, digits))
        old = self.algebra.box(tensor.digits)
        extents = box | {first + v: n for v, n in old.items() if v >= 0}
        total: Poly = {}
        for (factors, guards), c in tensor.poly.items():
            term = number(c)
            for part in (*(((f,), ()) for f in factors), *(((), (g,)) for g in guards)):
                moved = self.algebra.substitute({part: Fraction(1)}, mapping, extents)
                met = [g for g in tied if not variables_of(moved).isdisjoint(variables(g[0]))]
                summed = {v for e, _, _ in met for v in variables(e) if v >= first}
                held = self.algebra.multiply(moved, product_of(guards=tuple(met)), extents)
                read = self.summation.total(held, summed, extents)
                term = self.algebra.multiply(term, read, box)
            total = add(total, term)
        return Tensor(digits, total)

    def _placed(self, operand: Tensor, read: Reads, term: "_Assembly") -> Poly:
        """Return the operand's polynomial in the variables of the term, guarded to its box."""
        mapping: dict[int, Affine] = {}
        first = offsets(operand.digits)
        for dimension, e in enumerate(read):
            places = term.digits_of(e, operand.digits[dimension])
            mapping.update({first[dimension] + i: place for i, place in enumerate(places)})
        return self.algebra.substitute(operand.poly, mapping, term.extents)


@dataclass(slots=True)
class _Assembly:
    """The variables and guards of a product while operands are placed into it."""

    extents: dict[int, int]
    summed: list[int]
    guards: list[Guard]
    places: dict[int, Affine]
    """Each variable of the form in terms of digits."""

    @staticmethod
    def start(form: Multilinear, digits: Digits, extents: dict[int, int]) -> "_Assembly":
        places = dict(enumerate(dimension_expressions(digits)))
        assembly = _Assembly(extents, [], [], places)
        for i, extent in enumerate(form.summed):
            lone = extent == 1
            places[len(form.shape) + i] = constant(0) if lone else variable(assembly.fresh(extent))
        assembly.guards = guards_at(form.guards, places)
        return assembly

    def fresh(self, extent: int) -> int:
        v = max((-1, *self.extents)) + 1
        self.extents[v] = extent
        self.summed.append(v)
        return v

    def digits_of(self, e: Affine, dimension: Sequence[int]) -> list[Affine]:
        """Return the digits of an index as expressions, adding the guard that it is in the box."""
        index = substitute(e, self.places)
        if len(dimension) < 2:
            self.guards.append((index, 0, dimension[0] if dimension else 1))
            return [index] * len(dimension)
        digits = [(extent, variable(self.fresh(extent))) for extent in dimension]
        self.guards.append((combine(((1, radix(digits)), (-1, index))), 0, 1))
        return [digit for _, digit in digits]


def _require_fit(digits: Digits, shape: Shape) -> None:
    fits = (prod(d) == n and min(d, default=2) > 1 for d, n in zip(digits, shape, strict=True))
    if not all(fits):
        raise ValueError(f"digits {digits} for a result of shape {shape}")


def _without(monomial: Monomial, guards: set[Guard]) -> Monomial:
    return monomial[0], tuple(guard for guard in monomial[1] if guard not in guards)
