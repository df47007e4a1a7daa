"""Digits for the result of a multilinear form.

Any that multiply to the extents are right; good ones let the operands' digits be solved for.
"""

from collections.abc import Sequence

from gradwright.certify.kernel.multilinear import Multilinear
from gradwright.certify.kernel.tensor import Digits, Tensor, common_refinement, plain_digits


def suggested_digits(form: Multilinear, operands: Sequence[Tensor]) -> Digits:
    """Return digits for each dimension of the result."""
    return tuple(_suited_to(form, operands, i, n) for i, n in enumerate(form.shape))


def _suited_to(
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
