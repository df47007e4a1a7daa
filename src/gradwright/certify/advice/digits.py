"""Digits for the dimensions of values.

Any that multiply to the extents are right; good ones let the operands' digits, and equations, be
solved for, and let values meet.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import accumulate, pairwise
from math import gcd, prod

from gradwright.certify.kernel.algebra import Algebra
from gradwright.certify.kernel.atoms import Sum
from gradwright.certify.kernel.index import Affine, Guard
from gradwright.certify.kernel.multilinear import Multilinear
from gradwright.certify.kernel.tensor import Digits, Shape, Tensor, offsets, plain_digits


def suggested_digits(form: Multilinear, operands: Sequence[Tensor], algebra: Algebra) -> Digits:
    """Return digits for each dimension of the result of a multilinear form."""
    found: list[tuple[int, ...]] = []
    for i, extent in enumerate(form.shape):
        best: tuple[int, ...] = plain_digits((extent,))[0]
        for lower in filter(None, _suited_to(form, operands, algebra, i)):
            kept = _fitting(lower, extent)
            whole = tuple(n for n in (extent // prod(kept), *kept) if n > 1)
            best = _common_refinement(best, whole) or best
        found.append(best)
    return tuple(found)


def suggested_refinement(all_digits: Iterable[Digits]) -> Digits:
    """Return digits for tensors of one shape and different digits."""
    return reduce(_refined, all_digits)


def suggested_regrouping(digits: Digits, shape: Shape) -> Digits:
    """Return digits of another shape: where the old ones end if that divides, else one."""
    ends = _weights([n for dimension in digits for n in dimension])
    grouped: list[tuple[int, ...]] = []
    below = 1
    for n in reversed(shape):
        cuts = [below, *(end for end in ends if below < end < below * n), below * n]
        parts = tuple(b // a for a, b in reversed([*pairwise(cuts)]) if b > a)
        grouped.append(parts if prod(parts) == n else (n,))
        below *= n
    return tuple(reversed(grouped))


def _refined(left: Digits, right: Digits) -> Digits:
    """Return digits that both go on in, one per dimension where there are none."""
    pairs = zip(left, right, strict=True)
    return tuple(a if a == b else _common_refinement(a, b) or (prod(a),) for a, b in pairs)


def _common_refinement(left: Sequence[int], right: Sequence[int]) -> tuple[int, ...] | None:
    """Return the coarsest digits that both lists group into; None where there are none."""
    digits: list[int] = []
    below = 1
    for weight in sorted({*_weights(left), *_weights(right)}):
        if weight % below:
            return None
        digits.append(weight // below)
        below = weight
    return tuple(digit for digit in reversed(digits) if digit > 1)


def _suited_to(
    form: Multilinear, operands: Sequence[Tensor], algebra: Algebra, result: int
) -> Iterator[Sequence[int]]:
    """Yield digits below the first one that suit what is read along a result dimension."""
    yield _written(form.guards, result, dict(enumerate((*form.shape, *form.summed))))
    for operand, read in zip(operands, form.reads, strict=True):
        firsts = offsets(operand.digits)
        for first, dimension, e in zip(firsts, operand.digits, read, strict=True):
            others = dict(e[1])
            if abs(others.pop(result, 0)) == 1:
                yield _fitting(dimension[1:], gcd(*others.values()))
                if not others and len(dimension) == 1:
                    yield from _written_at(operand, first, algebra)


def _written_at(tensor: Tensor, v: int, algebra: Algebra) -> Iterator[Sequence[int]]:
    """Yield digits that suit the guards of a tensor at a variable, and those of sums read there."""
    extents = algebra.box(tensor.digits)
    for factors, guards in tensor.poly:
        yield _written(guards, v, extents)
        for atom, access, _ in factors:
            content = algebra.atoms.content(atom)
            if isinstance(content, Sum):
                for i, e in enumerate(access):
                    if _is_shifted(e, v):
                        yield _written(content.guards, i, dict(enumerate(content.extents)))


def _is_shifted(e: Affine, v: int) -> bool:
    """Return whether an expression is a number plus or minus a variable."""
    return [(w, abs(k)) for w, k in e[1]] == [(v, 1)]


def _written(guards: Iterable[Guard], v: int, extents: Mapping[int, int]) -> Sequence[int]:
    """Return the digits below the first one of an index that an equation writes in other ones.

    A variable without an extent is the counter of a loop that is looked at as a whole.

    Those of +-v = s * (b + B * (c + C * ...)) + number, with b < B and c < C, are ..., C, B, s.
    """
    for (_, terms), low, high in guards:
        if any(w not in extents for w, _ in terms):
            continue
        others = sorted((abs(k), extents[w]) for w, k in terms if w != v and extents[w] > 1)
        if high != low + 1 or abs(dict(terms).get(v, 0)) != 1 or not others:
            continue
        lower = [extent for _, extent in others[-2::-1]] + [others[0][0]]
        if [k for k, _ in others] == _weights(lower):
            return lower
    return ()


def _fitting(lower: Sequence[int], extent: int) -> Sequence[int]:
    """Return the last ones of some digits, as far as their product divides an extent."""
    count = sum(extent % weight == 0 for weight in _weights(lower))
    return lower[len(lower) - count :]


def _weights(digits: Sequence[int]) -> list[int]:
    """Return what a digit and those below count together, from the last one on."""
    return list(accumulate(reversed(digits), lambda below, extent: below * extent))
