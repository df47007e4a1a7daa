"""Tensors as polynomials in index variables.

A dimension is a list of digits, most significant first (none where its extent is 1): `reshape`
only regroups the digits, so that it costs nothing and introduces no division. The variables of a
tensor are its digits, numbered 0, 1, 2 … from the first dimension on.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from math import prod

from gradwright.certify.kernel.algebra import Poly
from gradwright.certify.kernel.index import Affine, Guard, combine, constant, radix, variable

Shape = tuple[int, ...]
Digits = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Tensor:
    """A value: element [i0, i1, …] is the polynomial at the digits of the indices."""

    digits: Digits
    poly: Poly

    @property
    def shape(self) -> Shape:
        """Extents of the dimensions."""
        return tuple(prod(dimension) for dimension in self.digits)


def plain_digits(shape: Shape) -> Digits:
    """Return one digit per dimension."""
    return tuple((extent,) if extent != 1 else () for extent in shape)


def offsets(digits: Digits) -> list[int]:
    """Return the number of the first variable of each dimension."""
    return [0, *accumulate(len(dimension) for dimension in digits)][: len(digits)]


def dimension_expressions(digits: Digits) -> list[Affine]:
    """Return the index of each dimension in terms of its digits."""
    return [
        radix((extent, variable(first + i)) for i, extent in enumerate(dimension))
        for first, dimension in zip(offsets(digits), digits, strict=True)
    ]


def rearrangement(old: Digits, new: Digits) -> tuple[Mapping[int, Affine], list[Guard]]:
    """Return each variable of old digits in terms of new ones, and equations.

    Both are of the same elements in row-major order. Old digits that the new ones do not split
    stay variables, numbered after the new ones, which an equation ties to these.
    """
    olds, news = ([n for dimension in digits for n in dimension] for digits in (old, new))
    mapping: dict[int, Affine] = {}
    tied: list[Guard] = []
    last = position = 0
    while last < len(olds):
        first, size, covered, index = last, olds[last], 1, constant(0)
        last += 1
        while covered != size:
            if covered < size:
                covered *= news[position]
                index = combine(((news[position], index), (1, variable(position))))
                position += 1
            else:
                size *= olds[last]
                last += 1
        mapping[first] = index
        if last > first + 1:
            mapping.update((v, variable(len(news) + v)) for v in range(first, last))
            whole = radix((olds[v], mapping[v]) for v in range(first, last))
            tied.append((combine(((1, whole), (-1, index))), 0, 1))
    return mapping, tied
