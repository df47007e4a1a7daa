"""Tensors as polynomials in index variables.

A dimension is a list of digits, most significant first (none where its extent is 1): `reshape`
only regroups the digits, so that it costs nothing and introduces no division. The variables of a
tensor are its digits, numbered 0, 1, 2 … from the first dimension on.
"""

from dataclasses import dataclass
from itertools import accumulate
from math import prod

from gradwright.certify.kernel.algebra import Poly
from gradwright.certify.kernel.index import Affine, radix, variable

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
