"""Applying a form to tensors."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from gradwright.check.affine import Affine, Box, Guard, conjunction, linear, placed, span, variable
from gradwright.check.forms import Form, Reads
from gradwright.check.names import Names
from gradwright.check.poly import Algebra, Poly
from gradwright.check.sums import Summation
from gradwright.check.tensor import Digits, Tensor, in_finer, radix, refinement, starts


@dataclass(slots=True)
class Assembly:
    """Digits of a form's variables, and the term they are put into."""

    digits: list[tuple[int, ...]]
    first: list[int]
    box: dict[int, int]
    summed: list[int]
    guards: list[Guard]

    def place(self, v: int) -> Affine:
        """Return a variable of the form in terms of its digits; one that counts trips as it is."""
        if v >= len(self.first):
            return variable(v)
        first = self.first[v]
        return radix((n, variable(first + i)) for i, n in enumerate(self.digits[v]))

    def digits_at(self, e: Affine, dimension: Sequence[int]) -> list[Affine]:
        """Return the digits of an operand's index as expressions, guarded to its extent."""
        if e[0] == 0 and len(e[1]) == 1 and e[1][0][1] == 1 and e[1][0][0] < len(self.first):
            v = e[1][0][0]
            fine = self.digits[v]
            same_size = dimension and prod(dimension) == prod(fine)
            if same_size and refinement(dimension, fine) == fine:
                return in_finer(dimension, self.digits[v], self.first[v])
        index = placed(e, {v: self.place(v) for v, _ in e[1]})
        if len(dimension) < 2:
            self.guards.append((index, 0, dimension[0] if dimension else 1))
            return [index] * len(dimension)
        apart = _divided(index, dimension, self.box)
        if apart is not None:
            self.guards.append((apart[0], 0, dimension[0]))
            return apart
        digits: list[tuple[int, Affine]] = []
        for n in dimension:
            v = max(self.box, default=-1) + 1
            self.box[v] = n
            self.summed.append(v)
            digits.append((n, variable(v)))
        self.guards.append((linear(((1, radix(digits)), (-1, index))), 0, 1))
        return [digit for _, digit in digits]


@dataclass(frozen=True, slots=True)
class Contractions:
    """Applies forms; an operand of several terms in a sum of products is named first."""

    algebra: Algebra
    names: Names
    summation: Summation

    def apply(self, form: Form, operands: Sequence[Tensor]) -> Tensor:
        """Return the result of a form at its operands."""
        laid, product = self.laid(form, operands)
        digits: Digits = tuple(laid.digits[: len(form.shape)])
        return Tensor(digits, self.summation.total(product, laid.summed, laid.box))

    def laid(self, form: Form, operands: Sequence[Tensor]) -> tuple[Assembly, Poly]:
        """Return the product of a form's operands before it is summed."""
        digits = _chosen_digits(form, operands)
        flat = self.algebra.box(digits)
        outputs = sum(len(d) for d in digits[: len(form.shape)])
        summed = list(range(outputs, sum(map(len, digits))))
        assembly = Assembly(digits, starts(tuple(digits)), flat, summed, [])
        terms = [self._as_term(operand) if len(operands) > 1 else operand for operand in operands]
        polys = [
            self._placed(operand, read, assembly)
            for operand, read in zip(terms, form.reads, strict=True)
        ]
        for e, low, high in form.guards:
            places = {v: assembly.place(v) for v, _ in e[1]}
            assembly.guards.append((placed(e, places), low, high))
        guards = conjunction(assembly.guards, assembly.box)
        product: Poly = {} if guards is None else {((), guards): Fraction(1)}
        for poly in polys:
            product = self.algebra.multiply(product, poly, assembly.box)
        return assembly, product

    def _placed(self, operand: Tensor, read: Reads, assembly: Assembly) -> Poly:
        places: dict[int, Affine] = {}
        for d, e in enumerate(read):
            at = assembly.digits_at(e, operand.digits[d])
            places.update(enumerate(at, starts(operand.digits)[d]))
        return self.algebra.substitute(operand.poly, places, assembly.box)

    def _as_term(self, tensor: Tensor) -> Tensor:
        """Return a tensor as one term; a concatenation of pieces stays in pieces."""
        if len(tensor.poly) < 2 or all(guards for _, guards in tensor.poly):
            return tensor
        return self.as_name(tensor)

    def as_name(self, tensor: Tensor) -> Tensor:
        """Return a tensor as a multiple of one atom."""
        found = self.names.name(tensor.poly, self.algebra.box(tensor.digits))
        return Tensor(tensor.digits, {(((found.atom, found.access, 1),), ()): found.scale})


def _divided(index: Affine, dimension: Sequence[int], box: Box) -> list[Affine] | None:
    """Return the digits of an index that is n * high + low with 0 <= low < n, digit by digit.

    None where a part that n does not divide may leave 0 ... n - 1.
    """
    digits: list[Affine] = []
    for n in reversed(dimension[1:]):
        offset, terms = index
        low: Affine = (offset % n, tuple((v, k) for v, k in terms if k % n))
        least, greatest = span(low, box)
        if least < 0 or greatest >= n:
            return None
        digits.append(low)
        index = (offset // n, tuple((v, k // n) for v, k in terms if k % n == 0))
    return [index, *reversed(digits)]


def _kept(dimension: Sequence[int], offset: int, extent: int) -> tuple[int, ...]:
    """Return as many of the lower digits as divide offset and extent, below what is left."""
    for i in range(len(dimension) + 1):
        below = prod(dimension[i:])
        if extent % below == 0 and offset % below == 0:
            return (extent // below, *dimension[i:])
    raise AssertionError  # the empty product divides all


def _differ_by_borders(a: int, b: int) -> bool:
    return a != b and max(a, b) < 2 * min(a, b)


def _chosen_digits(form: Form, operands: Sequence[Tensor]) -> list[tuple[int, ...]]:
    """Return digits for each variable of a form: those of the operands that it reads alone.

    Any choice is right. What is read from a multiple of the lower digits on keeps these, and so
    does what differs from it by borders: halves of channels are digits already. An output that a
    stride divides gets the remainder as a digit, if what is counted by less stays below it.
    """
    extents = (*form.shape, *form.summed)
    chosen: list[tuple[int, ...]] = [(n,) if n > 1 else () for n in extents]
    for operand, read in zip(operands, form.reads, strict=True):
        for dimension, (offset, terms) in zip(operand.digits, read, strict=True):
            if len(terms) != 1 or terms[0][1] != 1 or terms[0][0] >= len(extents):
                continue
            v, size = terms[0][0], prod(dimension)
            if not (size == extents[v] and not offset) and not _differ_by_borders(size, extents[v]):
                continue
            kept = _kept(dimension, offset, extents[v])
            chosen[v] = refinement(chosen[v], kept) or chosen[v]
    for (offset, terms), low, high in form.guards:
        if high == low + 1 and sorted(k for _, k in terms) == [-1, 1]:
            (v, k), (u, _) = terms
            if u >= len(extents):
                continue
            for a, b in ((v, u), (u, v)):
                if len(chosen[b]) > 1 and _differ_by_borders(extents[a], extents[b]):
                    kept = _kept(chosen[b], (low - offset) * k, extents[a])
                    chosen[a] = refinement(chosen[a], kept) or chosen[a]
    for (_, terms), low, high in form.guards:
        for v, k in terms:
            if high != low + 1 or v >= len(form.shape) or abs(k) != 1:
                continue
            others = sorted((abs(q), extents[u]) for u, q in terms if u != v)
            for i, (stride, _) in enumerate(others):
                reach = sum(q * (n - 1) for q, n in others[:i])
                if reach < stride and 1 < stride < extents[v] and extents[v] % stride == 0:
                    split = (extents[v] // stride, stride)
                    chosen[v] = refinement(chosen[v], split) or chosen[v]
    return chosen
