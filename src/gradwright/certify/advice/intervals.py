"""Terms that differ in the ends of one interval, and meet there, as one term."""

from collections.abc import Iterable

from gradwright.certify.kernel.algebra import Poly, product_of
from gradwright.certify.kernel.atoms import Monomial
from gradwright.certify.kernel.index import Extents, Guards, conjunction


def suggested_union(p: Poly, extents: Extents) -> Poly:
    """Return p with terms that differ in the ends of one interval, and meet there, as one term."""
    total = p
    pending = [monomial for monomial in p if monomial[1]]
    while pending:
        monomial = pending.pop()
        pair = _neighbour(monomial, pending, total)
        if pair is None:
            continue
        other, guards = pair
        c = total[monomial]
        total = Poly({m: k for m, k in total.items() if m not in (monomial, other)})
        pending.remove(other)
        whole = conjunction(guards, extents)
        if whole is not None:
            total += product_of(*monomial[0], guards=whole, c=c)
            pending.append((monomial[0], whole))
    return total


def _neighbour(
    monomial: Monomial, others: Iterable[Monomial], p: Poly
) -> tuple[Monomial, Guards] | None:
    """Return a term that a term goes on in, and the guards of both together."""
    for other in others:
        if other[0] != monomial[0] or p.get(other) != p.get(monomial):
            continue
        mine, theirs = set(monomial[1]) - set(other[1]), set(other[1]) - set(monomial[1])
        if len(mine) != 1 or len(theirs) != 1:
            continue
        [(e, low, high)], [(f, start, end)] = mine, theirs
        if e == f and (high == start or end == low):
            shared = (guard for guard in monomial[1] if guard in other[1])
            return other, (*shared, (e, min(low, start), max(high, end)))
    return None
