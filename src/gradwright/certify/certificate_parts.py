"""Where to cut one among sums of equal factors so that its parts are the others."""

from collections.abc import Iterable, Mapping
from itertools import pairwise

from gradwright.check.affine import span
from gradwright.check.atoms import Sum
from gradwright.check.guide import Parted, Split

WRITTEN_OUT = 2
"""Values of a summed variable that are written out one by one."""
CUTS = 64
"""Places at which the range of a summed variable is cut."""


def parting(sums: Mapping[int, Sum]) -> Split | Parted | None:
    """Cut a sum where other sums begin or end, or write its shortest variable out."""
    atom = max(sums, key=lambda a: len(sums[a].extents) - sums[a].outputs)
    longest = sums[atom]
    summed = range(longest.outputs, len(longest.extents))
    others = [content for a, content in sums.items() if a != atom]
    cuts = {v: _cuts(longest, v, others) for v in summed}
    found = [v for v in summed if 0 < len(cuts[v]) <= CUTS]
    if found:
        v = min(found, key=lambda v: len(cuts[v]))
        return Split(atom, v, cuts[v])
    guarded = next((p for a in sums if (p := _between(a, sums)) is not None), None)
    if guarded is not None:
        return guarded
    low = _low_digits(longest)
    v = min(summed, key=lambda v: (longest.extents[v], v not in low, v), default=None)
    if v is None or longest.extents[v] > WRITTEN_OUT:
        return None
    return Split(atom, v, tuple(range(1, longest.extents[v])))


def _between(atom: int, sums: Mapping[int, Sum]) -> Parted | None:
    """Cut the range of a guard where those of the same expression in the other sums end."""
    others = [guard for a, content in sums.items() if a != atom for guard in content.guards]
    for place, (e, low, high) in enumerate(sums[atom].guards):
        ends = {end for other, *ends in others if other == e for end in ends if low < end < high}
        if 0 < len(ends) <= CUTS:
            return Parted(atom, place, tuple(sorted(ends)))
    return None


def _cuts(content: Sum, v: int, others: Iterable[Sum]) -> tuple[int, ...]:
    """Return where to cut the range of a variable so that other sums read each of the parts."""
    ranges: set[tuple[int, int]] = set()
    for other in others:
        for (_, mine, _), (_, theirs, _) in zip(content.factors, other.factors, strict=True):
            for (offset, terms), e in zip(mine, theirs, strict=True):
                if terms == ((v, 1),):
                    least, greatest = span(e, dict(enumerate(other.extents)))
                    ranges.add((least - offset, greatest + 1 - offset))
    ends = sorted({0, content.extents[v], *(end for part in ranges for end in part)})
    whole = ends[0] == 0 and ends[-1] == content.extents[v]
    return tuple(ends[1:-1]) if whole and ranges >= {*pairwise(ends)} else ()


def _low_digits(content: Sum) -> set[int]:
    """Return the variables that an index counts by one beside others that it counts by more."""
    indices = [dict(e[1]) for _, access, _ in content.factors for e in access]
    return {v for e in indices for v, k in e.items() if abs(k) == 1 < max(map(abs, e.values()))}
