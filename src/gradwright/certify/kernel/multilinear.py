"""Multilinear operations, all of one form, and their one transposition rule.

result[o] = sum over r of guards(o, r) * operand1[e1(o, r)] * operand2[e2(o, r)] …, with affine e;
an operand read outside its box counts as 0. Convolution, dot, reduce, windows, pad, slice,
transpose, broadcast, reverse and concatenate are instances. The transpose with respect to one
operand exchanges it with the result.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from gradwright.certify.kernel.algebra import Algebra, Poly
from gradwright.certify.kernel.atoms import Monomial
from gradwright.certify.kernel.classes import intern_class
from gradwright.certify.kernel.index import (
    Affine,
    Guard,
    combine,
    conjunction,
    constant,
    radix,
    substitute,
    variable,
)
from gradwright.certify.kernel.sums import Summation
from gradwright.certify.kernel.tensor import (
    Digits,
    Shape,
    Tensor,
    common_refinement,
    offsets,
    plain_digits,
)

Reads = tuple[Affine, ...]


@dataclass(frozen=True, slots=True)
class Multilinear:
    """The form above. Variables 0 … rank - 1 are the result's indices, then the summed ones."""

    shape: Shape
    summed: tuple[int, ...]
    reads: tuple[Reads, ...]
    guards: tuple[Guard, ...] = ()

    def transpose(self, operand: int, shape: Shape) -> "Multilinear":
        """Return the adjoint with respect to one operand, of this shape.

        Its operands are the same with the cotangent of the result in that operand's place. New
        variables: the operand's indices, then the old result's and summed ones; each old read of
        the operand becomes an equation between an index and the old variables.
        """
        rank = len(shape)
        extents = (*self.shape, *self.summed)
        place = {v: variable(rank + v) for v in range(len(extents))}
        guards: list[Guard] = []
        solved: set[int] = set()
        for d, e in enumerate(self.reads[operand]):
            v = _lone_variable(e)
            if v is not None and v not in solved:
                solved.add(v)
                sign = e[1][0][1]
                place[v] = combine(((sign, variable(d)),), -sign * e[0])
                guards.append((place[v], 0, extents[v]))
        for d, e in enumerate(self.reads[operand]):
            guards.append((combine(((1, substitute(e, place)), (-1, variable(d)))), 0, 1))
        guards += [(substitute(e, place), low, high) for e, low, high in self.guards]
        reads = [tuple(substitute(e, place) for e in read) for read in self.reads]
        reads[operand] = tuple(place[v] for v in range(len(self.shape)))
        # A solved variable leaves an unused one of extent 1 behind, so that numbers stay in step.
        left = tuple(1 if v in solved else extent for v, extent in enumerate(extents))
        return Multilinear(shape, left, tuple(reads), tuple(guards))


def _lone_variable(e: Affine) -> int | None:
    """Return v where e is a number plus or minus v."""
    return e[1][0][0] if len(e[1]) == 1 and abs(e[1][0][1]) == 1 else None


@dataclass(frozen=True, slots=True)
class Application:
    """A multilinear form at its operands.

    `slots` says which of them are operands of the operation at hand (operand number: place); the
    others are masks and selectors, which are locally constant.
    """

    form: Multilinear
    operands: tuple[Tensor, ...]
    slots: Mapping[int, int]


class Contractions:
    """Applies multilinear operations to tensors."""

    def __init__(self, algebra: Algebra, summation: Summation) -> None:
        self.algebra = algebra
        self.summation = summation

    def apply(self, form: Multilinear, operands: Sequence[Tensor]) -> Tensor:
        """Return the result of a multilinear operation."""
        digits = tuple(
            _result_digits(form, operands, i, extent) for i, extent in enumerate(form.shape)
        )
        term = _Assembly.start(form, digits, self.algebra.box(digits))
        factors = [self._operand(form, operand) for operand in operands]
        polys = [
            self._placed(factor, read, term)
            for factor, read in zip(factors, form.reads, strict=True)
        ]
        guards = conjunction(term.guards, term.extents)
        if guards is None:
            return Tensor(digits, {})
        product: Poly = {((), guards): Fraction(1)}
        for poly in polys:
            product = self.algebra.multiply(product, poly, term.extents)
        return Tensor(digits, self.summation.total(product, term.summed, term.extents))

    def _operand(self, form: Multilinear, operand: Tensor) -> Tensor:
        """Return the operand, as one term where a product under a sum would multiply terms out."""
        multiplies_out = len(form.reads) > 1 and form.summed and len(operand.poly) > 1
        piecewise = all(guards for _, guards in operand.poly)  # a concatenation of pieces
        if multiplies_out and not piecewise and not self.summation.unfold_all:
            return self.as_term(operand)
        return operand

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
        places = dict(
            enumerate(
                radix((extent, variable(first + i)) for i, extent in enumerate(dimension))
                for first, dimension in zip(offsets(digits), digits, strict=True)
            )
        )
        assembly = _Assembly(extents, [], [], places)
        for i, extent in enumerate(form.summed):
            lone = extent == 1
            places[len(form.shape) + i] = constant(0) if lone else variable(assembly.fresh(extent))
        assembly.guards = [(substitute(e, places), low, high) for e, low, high in form.guards]
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


def _without(monomial: Monomial, guards: set[Guard]) -> Monomial:
    return monomial[0], tuple(guard for guard in monomial[1] if guard not in guards)


def _result_digits(
    form: Multilinear, operands: Sequence[Tensor], result: int, extent: int
) -> tuple[int, ...]:
    """Return digits for a result dimension that suit the operands read along it.

    Any choice is right; a good one lets the operands' digits be solved for.
    """
    best: tuple[int, ...] = plain_digits((extent,))[0]
    for operand, read in zip(operands, form.reads, strict=True):
        for dimension, (offset, terms) in zip(operand.digits, read, strict=True):
            if len(terms) == 1 and terms[0][0] == result and abs(terms[0][1]) == 1:
                suited = _suited(dimension, offset if terms[0][1] == 1 else 0, extent)
                best = common_refinement(best, suited) or best
    for (offset, terms), low, high in form.guards:
        strides = {abs(k) for v, k in terms if v != result}
        if high == low + 1 and len(strides) == 1 and abs(dict(terms).get(result, 0)) == 1:
            (stride,) = strides
            if stride > 1 and extent % stride == 0 and extent > stride:
                best = common_refinement(best, (extent // stride, stride)) or best
        best = (
            common_refinement(best, _written(form, result, (terms, low - offset, high - offset)))
            or best
        )
    return best


def _written(
    form: Multilinear, result: int, guard: tuple[tuple[tuple[int, int], ...], int, int]
) -> tuple[int, ...]:
    """Return the digits of a result index that an equation says to be written in other indices."""
    terms, low, high = guard
    extents = (*form.shape, *form.summed)
    sign = -dict(terms).get(result, 0)
    others = sorted((k * sign, extents[v]) for v, k in terms if v != result and extents[v] > 1)
    weight = 1
    for k, extent in others:
        if (low, high) != (0, 1) or abs(sign) != 1 or k != weight:
            return ()
        weight *= extent
    return tuple(extent for _, extent in reversed(others)) if weight == extents[result] else ()


def _suited(dimension: Sequence[int], offset: int, extent: int) -> tuple[int, ...]:
    """Return the lower digits of a dimension that survive a shift, under a leading digit."""
    lower: list[int] = []
    weight = 1
    for digit in reversed(dimension[1:]):
        if offset % (weight * digit) or extent % (weight * digit):
            break
        weight *= digit
        lower.append(digit)
    leading = extent // weight
    return tuple(d for d in (leading, *reversed(lower)) if d > 1)
