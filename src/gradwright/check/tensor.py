"""Tensors as polynomials in the digits of their indices.

A dimension is a list of digits, most significant first, none where its extent is 1; `reshape`
regroups them. The variables of a tensor are its digits, numbered from the first dimension on.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import prod

from gradwright.check.affine import Affine, linear, variable
from gradwright.check.poly import Poly

Shape = tuple[int, ...]
Digits = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Tensor:
    """Element [i0, i1, …] is the polynomial at the digits of the indices."""

    digits: Digits
    poly: Poly

    @property
    def shape(self) -> Shape:
        """Extents of the dimensions."""
        return tuple(prod(dimension) for dimension in self.digits)

    @property
    def box(self) -> dict[int, int]:
        """Extent of each variable."""
        return box_of(self.digits)


def box_of(digits: Digits) -> dict[int, int]:
    """Return the extent of each digit."""
    return dict(enumerate(n for dimension in digits for n in dimension))


def plain(shape: Shape) -> Digits:
    """Return one digit per dimension."""
    return tuple((extent,) if extent != 1 else () for extent in shape)


def starts(digits: Digits) -> list[int]:
    """Return the number of the first digit of each dimension."""
    return [0, *accumulate(len(dimension) for dimension in digits)][: len(digits)]


def radix(digits: Iterable[tuple[int, Affine]]) -> Affine:
    """Return the number with the digits (extent, expression), most significant first."""
    value: Affine = (0, ())
    for extent, digit in digits:
        value = linear(((extent, value), (1, digit)))
    return value


def refinement(left: Sequence[int], right: Sequence[int]) -> tuple[int, ...] | None:
    """Return the coarsest digits that both lists group into; None where there are none."""
    digits: list[int] = []
    below = 1
    for weight in sorted({*_weights(left), *_weights(right)}):
        if weight % below:
            return None
        digits.append(weight // below)
        below = weight
    return tuple(n for n in reversed(digits) if n > 1)


def _weights(digits: Sequence[int]) -> list[int]:
    return list(accumulate(reversed(digits), lambda below, extent: below * extent))


def in_finer(coarse: Sequence[int], fine: Sequence[int], first: int) -> list[Affine]:
    """Return each coarse digit in terms of finer ones, which are numbered from `first`."""
    found: list[Affine] = []
    position = 0
    for extent in coarse:
        group: list[tuple[int, Affine]] = []
        while prod(n for n, _ in group) < extent:
            group.append((fine[position], variable(first + position)))
            position += 1
        found.append(radix(group))
    return found


def regrouped(digits: Digits, shape: Shape) -> tuple[Digits, Mapping[int, Affine]] | None:
    """Return the digits of the same elements, in row-major order, at another shape.

    Beside them each old digit in terms of new ones. None where a boundary of the new shape cuts a
    digit without dividing it.
    """
    pending = [(extent, old) for old, extent in enumerate(n for d in digits for n in d)]
    parts: dict[int, list[tuple[int, Affine]]] = {old: [] for _, old in pending}
    grouped: list[tuple[int, ...]] = []
    count = 0
    for target in shape:
        dimension: list[int] = []
        while target > 1:
            extent, old = pending.pop(0)
            part = min(extent, target)
            if extent % part or target % part:
                return None
            if part < extent:
                pending.insert(0, (extent // part, old))
            dimension.append(part)
            parts[old].append((part, variable(count)))
            count += 1
            target //= part
        grouped.append(tuple(dimension))
    return tuple(grouped), {old: radix(digits_) for old, digits_ in parts.items()}
