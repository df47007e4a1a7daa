"""Tensors as polynomials in index variables.

A dimension is a list of digits, most significant first (none where its extent is 1): `reshape`
only regroups the digits, so that it costs nothing and introduces no division. The variables of a
tensor are its digits, numbered 0, 1, 2 … from the first dimension on.
"""

from collections.abc import Mapping, Sequence
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


def common_refinement(left: Sequence[int], right: Sequence[int]) -> tuple[int, ...] | None:
    """Return the coarsest digits that both lists group into; None where there are none."""
    weights = sorted({*_weights(left), *_weights(right)})
    digits: list[int] = []
    below = 1
    for weight in weights:
        if weight % below:
            return None
        digits.append(weight // below)
        below = weight
    return tuple(digit for digit in reversed(digits) if digit > 1)


def refinement_map(coarse: Digits, fine: Digits) -> Mapping[int, Affine]:
    """Return each variable of coarse digits in terms of the variables of finer ones."""
    mapping: dict[int, Affine] = {}
    old = new = 0
    for dimension, finer in zip(coarse, fine, strict=True):
        position = 0
        for extent in dimension:
            group: list[int] = []
            covered = 1
            while covered < extent:
                covered *= finer[position]
                group.append(position)
                position += 1
            mapping[old] = radix((finer[i], variable(new + i)) for i in group)
            old += 1
        new += len(finer)
    return mapping


def regroup(digits: Digits, shape: Shape) -> tuple[Digits, Mapping[int, Affine]] | None:
    """Return digits of another shape with the same elements in row-major order, and the map.

    The map gives each old variable in terms of new ones, where a digit had to be split. None where
    a boundary of the new shape falls inside a digit without dividing it.
    """
    pending = [(extent, old) for old, extent in enumerate(e for d in digits for e in d)]
    parts: dict[int, list[tuple[int, Affine]]] = {old: [] for _, old in pending}
    grouped: list[tuple[int, ...]] = []
    new = 0
    for target in shape:
        dimension: list[int] = []
        remaining = target
        while remaining > 1:
            extent, old = pending.pop(0)
            part = min(extent, remaining)
            if max(extent, remaining) % part:
                return None
            if part < extent:
                pending.insert(0, (extent // part, old))
            # A split takes the leading part first: what is left over is the lower part.
            dimension.append(part)
            parts[old].append((part, variable(new)))
            new += 1
            remaining //= part
        grouped.append(tuple(dimension))
    return tuple(grouped), {old: radix(digits_) for old, digits_ in parts.items()}


def _weights(digits: Sequence[int]) -> list[int]:
    return list(accumulate(reversed(digits), lambda below, extent: below * extent))
