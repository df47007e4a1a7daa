"""Multilinear forms at their operands: placing each into one product, and summing that."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import prod

from gradwright.certify.advice.digits import suggested_digits
from gradwright.certify.advice.opening import fix_some, multiplies_out
from gradwright.certify.kernel.algebra import Poly, number, product_of, summed_at
from gradwright.certify.kernel.atoms import Factor, Sum
from gradwright.certify.kernel.classes import intern_class
from gradwright.certify.kernel.index import (
    Affine,
    Extents,
    conjunction,
    equation,
    guards_at,
    radix,
    read_at,
    unused,
    variable,
)
from gradwright.certify.kernel.multilinear import Multilinear, Reads, Sketch
from gradwright.certify.kernel.pieces import Piece
from gradwright.certify.kernel.sums import WHOLE, Summation, connected
from gradwright.certify.kernel.tensor import (
    Digits,
    Shape,
    Tensor,
    dimension_expressions,
    offsets,
    plain_digits,
)


class Contractions:
    """Applies multilinear operations to tensors."""

    def __init__(self, summation: Summation) -> None:
        self.algebra = summation.algebra
        self.summation = summation

    def apply(self, form: Multilinear, operands: Sequence[Tensor]) -> Tensor:
        """Return the result of a multilinear operation."""
        digits = suggested_digits(form, operands, self.algebra)
        _require_fit(digits, form.shape)
        box = self.algebra.box(digits)
        sketch, places = Sketch({**box}), dict(enumerate(dimension_expressions(digits)))
        for v, extent in enumerate(form.summed, len(form.shape)):
            places[v] = Affine(0) if extent == 1 else sketch.fresh(extent)
        sketch.guards += guards_at(form.guards, places)
        factors = [self.as_term(x) if multiplies_out(form, x) else x for x in operands]
        polys = [
            self._placed(factor, read_at(read, places), sketch)
            for factor, read in zip(factors, form.reads, strict=True)
        ]
        guards = conjunction(sketch.guards, sketch.extents)
        if guards is None:
            return Tensor(digits, Poly())
        product = product_of(guards=guards)
        for poly in polys:
            product = self.algebra.multiply(product, poly, sketch.extents)
        total = self.summation.total(product, sketch.summed, sketch.extents)
        if len(operands) == 1 and max(form.summed, default=1) == 1:
            total = self._settled(total, box)
        return Tensor(digits, total)

    def _settled(self, p: Poly, box: Extents) -> Poly:
        """Return terms whose sums reach over no fixed index, as where digits are read along."""
        return self.algebra.replaced(p, lambda factor: self._narrowed(factor, box), box)

    def _narrowed(self, factor: Factor, box: Extents) -> Poly | None:
        """Return a sum of entries, to a whole power, over fewer points, where its index fixes some.

        None of any other factor.
        """
        atom, access, q = factor
        content = self.algebra.atoms.content(atom)
        if not isinstance(content, Sum) or q not in WHOLE or len(content.factors) > 1:
            return None
        factors, guards, bound = summed_at(content, access, unused(box))
        extents = {**box, **bound}
        held = conjunction(guards, extents)
        if held is None or not fix_some(held, bound):
            return None
        inside = self.algebra.product(factors, held)
        once = self.summation.total(Poly([inside] if inside else []), bound, extents)
        return self.algebra.raised(once, int(q), box)

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
        bare = Poly(
            ((factors, tuple(guard for guard in guards if guard not in shared)), c)
            for (factors, guards), c in tensor.poly.items()
        )
        c, atom, access = intern_class(self.algebra, bare, self.algebra.box(tensor.digits))
        return Tensor(tensor.digits, product_of((atom, access, 1), guards=common, c=c))

    def rearranged(self, tensor: Tensor, digits: Digits, shape: Shape) -> Tensor:
        """Return the tensor of the same elements in row-major order over digits of a shape.

        Where these do not fit, each factor of a term is read at the old digits that are the new
        ones' number: f(d(i)) is the sum over d of [d = d(i)] f(d).
        """
        if tensor.digits == digits:
            return tensor
        _require_fit(digits, shape)
        placed = _in_digits(tensor.digits, digits)
        mapping, box = dict(enumerate(placed.factors[0][1])), self.algebra.box(digits)
        if not placed.guards:
            moved = self.algebra.substitute(tensor.poly, mapping, box)
            return Tensor(digits, self._settled(moved, box))
        extents, ties = {**box, **placed.extents}, connected(((), placed.guards), placed.summed)
        total = Poly()
        for (factors, guards), c in tensor.poly.items():
            term = number(c)
            for part in (*(((f,), ()) for f in factors), *(((), (g,)) for g in guards)):
                moved = self.algebra.substitute(Poly({part: Fraction(1)}), mapping, extents)
                for tie, reach in ties:
                    if not reach.isdisjoint(moved.variables):
                        held = self.algebra.multiply(moved, Poly({tie: Fraction(1)}), extents)
                        moved = self.summation.total(held, reach, extents)
                term = self.algebra.multiply(term, moved, box)
            total = total + term
        return Tensor(digits, total)

    def _placed(self, operand: Tensor, read: Reads, sketch: Sketch) -> Poly:
        """Return the operand's polynomial where it is read, guarded to its box."""
        mapping: dict[int, Affine] = {}
        for first, dimension, e in zip(offsets(operand.digits), operand.digits, read, strict=True):
            mapping.update(enumerate(_digits_of(e, dimension, sketch), first))
        return self.algebra.substitute(operand.poly, mapping, sketch.extents)


def _digits_of(index: Affine, dimension: Sequence[int], sketch: Sketch) -> list[Affine]:
    """Return the digits of an index, adding the guard that it is in the box."""
    if len(dimension) < 2:
        sketch.guards.append((index, 0, prod(dimension)))
        return [index] * len(dimension)
    digits = [sketch.fresh(extent) for extent in dimension]
    sketch.equate(radix(zip(dimension, digits, strict=True)), index)
    return digits


@cache
def _in_digits(old: Digits, new: Digits) -> Piece:
    """Return what reads old digits, over new ones of the same elements in row-major order.

    Old digits that the new ones do not determine by themselves are summed over, under guards.
    """
    olds, news = ([n for dimension in digits for n in dimension] for digits in (old, new))
    over = {len(news) + i: n for i, n in enumerate(olds)}
    extents = dict(enumerate(news)) | over
    read = ((0, tuple(map(variable, over)), 1),)
    places = [radix((extents[v], variable(v)) for v in names) for names in (over, range(len(news)))]
    solved = Piece(Fraction(1), read, (equation(*places),), extents, tuple(over)).solved()
    assert solved is not None  # each number has its digits
    return solved


def _require_fit(digits: Digits, shape: Shape) -> None:
    fits = (prod(d) == n and min(d, default=2) > 1 for d, n in zip(digits, shape, strict=True))
    if not all(fits):
        raise ValueError(f"digits {digits} for a result of shape {shape}")
