"""Names for the variables of a value, and for its indices, so that equal values get equal names.

Variables that occur differently are told apart by colour refinement; of those that are not, every
order is tried up to a limit.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import permutations, product
from math import factorial, prod

from gradwright.certify.kernel.atoms import Atoms, Exponent, Factor, Function, Monomial
from gradwright.certify.kernel.index import Affine, Extents

REFINEMENTS = 3
"""Rounds of colour refinement; more never told variables of real texts apart."""


Index = tuple[int, tuple[tuple[int, int], ...]]
"""An index expression, of the prover or of the checker of certificates."""
Product = tuple[
    tuple[tuple[int, tuple[Index, ...], Exponent], ...], tuple[tuple[Index, int, int], ...]
]
"""Factors read at index expressions, and guards."""


def refine(p: Iterable[Product], colours: Mapping[int, object]) -> dict[int, int]:
    """Return a number per variable; variables that occur differently get different numbers.

    Numbers are hashes of nested integers: used to order, never to identify.
    """
    current = {v: hash(colour) for v, colour in colours.items()}
    monomials = list(p)
    for _ in range(REFINEMENTS):
        if len(set(current.values())) == len(current):
            break
        places: dict[int, list[tuple[int, int, int]]] = {v: [] for v in current}
        for monomial in monomials:
            parts = list(_painted(monomial, current))
            whole = hash(tuple(sorted(paint for paint, _ in parts)))
            for paint, expressions in parts:
                for position, e in enumerate(expressions):
                    for v, k in e[1]:
                        places[v].append((whole, hash((paint, position)), k))
        current = {v: hash((current[v], tuple(sorted(places[v])))) for v in current}
    return current


def _painted(
    monomial: Product, colours: Mapping[int, int]
) -> Iterator[tuple[int, tuple[Index, ...]]]:
    """Yield (hash up to names, expressions) of each factor and guard."""
    factors, guards = monomial
    for atom, access, q in factors:
        yield hash((atom, q, tuple(_paint(e, colours) for e in access))), access
    for e, low, high in guards:
        yield hash((low, high, _paint(e, colours))), (e,)


def _paint(e: Index, colours: Mapping[int, int]) -> tuple[int, tuple[tuple[int, int], ...]]:
    return e[0], tuple(sorted((colours[v], k) for v, k in e[1]))


def suggested_orders(colours: Mapping[int, int], limit: int) -> Iterator[list[int]]:
    """Yield orders of the variables: by colour, equal ones in every order up to a limit."""
    groups: dict[int, list[int]] = {}
    for v in sorted(colours):
        groups.setdefault(colours[v], []).append(v)
    ordered = [groups[colour] for colour in sorted(groups)]
    if prod(factorial(len(group)) for group in ordered) > limit:
        yield [v for group in ordered for v in group]
        return
    for choice in product(*(permutations(group) for group in ordered)):
        yield [v for group in choice for v in group]


def suggested_variables(
    atoms: Atoms, p: Iterable[Monomial], extents: Extents
) -> Collection[Affine]:
    """Return index expressions of a class that are to be variables: what occurs in them only.

    Of those that read indices of one extent, and are not a variable over a whole one already. Of a
    sum of entries of one exponential at fixed distances they are its least indices: then it has one
    name wherever it stands.
    """
    p = list(p)
    corner = _corner(atoms, p)
    if corner is not None:
        return corner
    seen_in: dict[int, set[Affine]] = {}
    found: dict[Affine, set[int]] = {}
    for factors, guards in p:
        for e, extent in atoms.reads(factors):
            found.setdefault(e, set()).add(extent)
            for v in e.variables:
                seen_in.setdefault(v, set()).add(e)
        for e, _, _ in guards:
            for v in e.variables:
                seen_in.setdefault(v, set()).update((e, _GUARDED))
    return {
        e
        for e, sizes in found.items()
        if len(sizes) == 1
        and all(seen_in[v] == {e} for v in e.variables)
        and not e.is_whole(min(sizes), extents)
    }


def _corner(atoms: Atoms, p: Sequence[Monomial]) -> Collection[Affine] | None:
    """Return the least indices at which one exponential is read, None for any other sum."""
    reads = [factors[0] for factors, guards in p if len(factors) == 1 and not guards]
    if len(p) < 2 or len(reads) < len(p) or len({(atom, q) for atom, _, q in reads}) > 1:
        return None
    content = atoms.content(reads[0][0])
    if not isinstance(content, Function) or content.name != "exponential":
        return None
    columns = [*zip(*(access for _, access, _ in reads), strict=True)]
    fixed = all(len({terms for _, terms in column}) == 1 for column in columns)
    return {*map(min, columns)} if fixed else None


def suggested_outputs(
    factors: Iterable[Factor], tied: Iterable[int], atoms: Atoms
) -> Collection[Affine]:
    """Return index expressions of a contraction that are to be outputs of their own.

    It is each that shares no variable, and none of its variables, with what is summed or guarded:
    then slices and paddings of one contraction share one atom.
    """
    expressions = {e for e, _ in atoms.reads(factors)}
    held = set(tied)
    while reached := [e for e in expressions if not held.isdisjoint(e.variables)]:
        held.update(v for e in reached for v in e.variables)
        expressions.difference_update(reached)
    return expressions


_GUARDED = Affine(0, ((0, 0),))
"""Stands for "occurs in a guard": no expression has a coefficient 0."""
