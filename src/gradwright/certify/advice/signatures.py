"""Which output of one relation may be which of an equal one: those of one signature."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import islpy as isl

from gradwright.certify.kernel.linear import row_echelon


def suggested_signatures(
    points: isl.Set, outputs: Sequence[int], extents: Mapping[int, int]
) -> dict[int, tuple[object, ...]]:
    """Return for each output how the relation's equations tie it to factor indices."""
    count = len(outputs)
    width = points.dim(isl.dim_type.set)
    rows = [
        [
            *(_value(k.get_coefficient_val(isl.dim_type.set, i)) for i in range(width)),
            _value(k.get_constant_val()),
        ]
        for k in points.affine_hull().get_constraints()
        if k.is_equality()
    ]
    echelon = row_echelon(rows)
    found: dict[int, tuple[object, ...]] = {}
    for i, v in enumerate(outputs):
        row = next((r for r in echelon if r[i] and not any(r[:i])), _UNTIED)
        tie = [(j - count, Fraction(x, row[i])) for j, x in enumerate(row) if j > i and x]
        others = sum(1 for j, _ in tie if j < 0)
        found[v] = (extents[v], others, tuple((j, x) for j, x in tie if j >= 0))
    return found


_UNTIED: Sequence[int] = ()


def _value(v: isl.Val) -> int:
    return int(v.get_num_si())
