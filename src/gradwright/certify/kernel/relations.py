"""Contractions: sums of products whose equality is equality of integer relations.

A sum over r of a product of factors, read at affine indices and restricted by guards, is fixed by
the relation {(outputs, indices of factor 1, indices of factor 2, …)}, provided that each tuple is
met by one r only. Whether two relations are equal is decided by isl (Presburger arithmetic).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import permutations

import islpy as isl

from gradwright.certify.advice.naming import refine, suggested_outputs
from gradwright.certify.advice.signatures import suggested_signatures
from gradwright.certify.effort import bounded
from gradwright.certify.kernel.algebra import (
    Algebra,
    Poly,
    factors_at,
    monomial_variables,
    product_of,
)
from gradwright.certify.kernel.atoms import Exponent, Factor, Monomial, Sum
from gradwright.certify.kernel.classes import generalized, interned_alike, orders
from gradwright.certify.kernel.index import Affine, Extents, guarded, guards_at, variable
from gradwright.certify.kernel.pieces import Piece
from gradwright.certify.kernel.reading import Read, Reading, alike, met_again

LABEL_LIMIT = 120
"""Orders of indistinguishable variables tried to find a known relation."""


_Bundle = tuple[tuple[tuple[int, Exponent], ...], Read]
"""Atoms and exponents of factors that are read at the same indices, and those indices."""
_Placed = tuple[Piece, Mapping[int, Affine]]
"""A connected sum, and which expression of the caller each of its outputs stands for."""


class Relations:
    """Finds or makes the Sum atom of a contraction."""

    def __init__(self, algebra: Algebra) -> None:
        self.algebra = algebra
        self._known: dict[object, list[tuple[isl.Set, int]]] = {}

    def atom(self, monomial: Monomial, summed: set[int], extents: Extents) -> Poly | None:
        """Return the sum of a monomial over variables as c * atom[access], or 0.

        None where two summed points read the same entries, which would count once.
        """
        piece, origin = _merged(*self._interface(monomial, summed, extents))
        return self._plain(piece, origin) or self._relation(piece, origin)

    def _interface(self, monomial: Monomial, summed: set[int], extents: Extents) -> _Placed:
        """Return a sum whose outputs are variables, some in place of whole index expressions."""
        factors, guards = monomial
        chosen = suggested_outputs(factors, summed | guarded(guards), self.algebra.atoms)
        if any(v in summed for e in chosen for v in e.variables):
            raise ValueError(f"outputs {chosen} of a sum over {summed}")
        alone = Poly({monomial: Fraction(1)})
        origin, moved, box = generalized(self.algebra.atoms, alone, extents, chosen)
        [(factors, _)] = moved
        outputs = sorted({*monomial_variables((factors, guards))} - summed)
        over = tuple(sorted(summed))
        piece = Piece(Fraction(1), factors, guards, {v: box[v] for v in (*outputs, *over)}, over)
        return piece, {v: origin.get(v, variable(v)) for v in outputs}

    def _plain(self, piece: Piece, origin: Mapping[int, Affine]) -> Poly | None:
        """Return an einsum, where every index is a whole variable: equal by naming alone."""
        reads = self.algebra.atoms.reads(piece.factors)
        if piece.guards or not all(e.is_whole(extent, piece.extents) for e, extent in reads):
            return None
        names = {v: (int(v in piece.summed), n) for v, n in piece.extents.items()}
        colours = refine([(piece.factors, ())], names)
        candidates = [
            (_content(piece, outputs, summed), outputs)
            for outputs in orders(piece.outputs, colours, LABEL_LIMIT)
            for summed in orders(piece.summed, colours, LABEL_LIMIT)
        ]
        content = min((content for content, _ in candidates), key=lambda content: content.factors)
        alike = [outputs for found, outputs in candidates if found == content]
        return product_of((*interned_alike(self.algebra.atoms, content, alike, origin), 1))

    @bounded()
    def _relation(self, piece: Piece, origin: Mapping[int, Affine]) -> Poly | None:
        bundles = self._bundles(piece.factors)

        def reading(outputs: Sequence[int], order: Iterable[int]) -> Reading:
            reads = tuple(bundles[i][1] for i in order)
            return Reading(reads, piece.guards, tuple(outputs), piece.summed, piece.extents)

        def read(atom: int, outputs: Sequence[int]) -> Poly:
            return product_of((atom, tuple(origin[v] for v in outputs), 1))

        as_they_are = range(len(bundles))
        if met_again(reading(piece.outputs, as_they_are)):
            return None
        points = reading(piece.outputs, as_they_are).points()
        if points.is_empty():
            return Poly()
        signatures = suggested_signatures(points, piece.outputs, piece.extents)
        bucket = tuple(kind for kind, _ in bundles), tuple(sorted(signatures.values()))
        known = self._known.setdefault(bucket, [])
        colours = {v: hash(signature) for v, signature in signatures.items()}
        for outputs in orders(piece.outputs, colours, LABEL_LIMIT):
            for order in alike([kind for kind, _ in bundles]):
                candidate = reading(outputs, order).points()
                for other, atom in known:
                    if candidate is other or candidate.is_equal(other):
                        return read(atom, outputs)
        outputs = next(orders(piece.outputs, colours, LABEL_LIMIT))
        content = _content(piece, outputs, piece.summed)
        atom = self.algebra.atoms.intern(content, content.extents[: content.outputs])
        known.append((reading(outputs, as_they_are).points(), atom))
        return read(atom, outputs)

    def _bundles(self, factors: Sequence[Factor]) -> list[_Bundle]:
        """Return the factors that are read at the same indices together, in a fixed order."""
        found: dict[Read, list[tuple[int, Exponent]]] = {}
        for atom, access, q in factors:
            read = tuple(self.algebra.atoms.reads(((atom, access, q),)))
            found.setdefault(read, []).append((atom, q))
        return sorted(((tuple(sorted(kind)), read) for read, kind in found.items()))


def _content(piece: Piece, outputs: Sequence[int], summed: Sequence[int]) -> Sum:
    """Return a sum with its variables numbered in a given order."""
    names = (*outputs, *summed)
    renaming = {v: variable(i) for i, v in enumerate(names)}
    factors = tuple(sorted(factors_at(piece.factors, renaming)))
    guards = tuple(sorted(guards_at(piece.guards, renaming)))
    return Sum(len(outputs), tuple(piece.extents[v] for v in names), factors, guards)


def _merged(piece: Piece, origin: Mapping[int, Affine]) -> _Placed:
    """Join variables that occur only as digits of one number: low stands for n * high + low."""
    read = [e for _, access, _ in piece.factors for e in access]
    compound = [dict(e.terms) for e in (*read, *(e for e, _, _ in piece.guards)) if e.terms]
    for group in (piece.outputs, piece.summed):
        for high, low in permutations(group, 2):
            n = piece.extents[low]
            if all(e.get(high, 0) == n * e.get(low, 0) for e in compound):
                alone = {high: Affine(0)}
                joined = replace(
                    piece.without([high]),
                    factors=tuple(sorted(factors_at(piece.factors, alone))),
                    guards=tuple(sorted(guards_at(piece.guards, alone))),
                )
                extents = {**joined.extents, low: n * piece.extents[high]}
                if low in origin:
                    origin = {**origin, low: n * origin[high] + origin[low]}
                return _merged(replace(joined, extents=extents), origin)
    return piece, origin
