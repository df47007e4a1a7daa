"""Contractions: sums of products whose equality is equality of integer relations.

A sum over r of a product of factors, read at affine indices and restricted by guards, is fixed by
the relation {(outputs, indices of factor 1, indices of factor 2, …)}, provided that each tuple is
met by one r only. Whether two relations are equal is decided by isl (Presburger arithmetic).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

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
from gradwright.certify.kernel.index import (
    Affine,
    Extents,
    Guards,
    combine,
    guards_at,
    is_whole,
    variable,
    variables,
)
from gradwright.certify.kernel.reading import Read, Reading, alike, met_again

LABEL_LIMIT = 120
"""Orders of indistinguishable variables tried to find a known relation."""


_Bundle = tuple[tuple[tuple[int, Exponent], ...], Read]
"""Atoms and exponents of factors that are read at the same indices, and those indices."""


@dataclass(frozen=True, slots=True)
class _Contraction:
    """A connected sum: `origin` says which expression of the caller each output stands for."""

    factors: tuple[Factor, ...]
    guards: Guards
    outputs: tuple[int, ...]
    summed: tuple[int, ...]
    extents: Mapping[int, int]
    origin: Mapping[int, Affine]

    def reading(self, outputs: Sequence[int], reads: Sequence[Read]) -> Reading:
        """Return what is read, with outputs and reads in a given order."""
        return Reading(tuple(reads), self.guards, tuple(outputs), self.summed, self.extents)


class Relations:
    """Finds or makes the Sum atom of a contraction."""

    def __init__(self, algebra: Algebra) -> None:
        self.algebra = algebra
        self._known: dict[object, list[tuple[isl.Set, int]]] = {}

    def atom(self, monomial: Monomial, summed: set[int], extents: Extents) -> Poly | None:
        """Return the sum of a monomial over variables as c * atom[access], or 0.

        None where two summed points read the same entries, which would count once.
        """
        contraction = self._interface(monomial, summed, extents)
        contraction = _merge_digits(contraction)
        if self._is_plain(contraction):
            return self._plain(contraction)
        return self._relation(contraction)

    def _interface(self, monomial: Monomial, summed: set[int], extents: Extents) -> _Contraction:
        """Return a sum whose outputs are variables, some in place of whole index expressions."""
        factors, guards = monomial
        tied = summed.union(*(variables(e) for e, _, _ in guards))
        chosen = suggested_outputs(factors, tied, self.algebra.atoms)
        if any(v in summed for e in chosen for v in variables(e)):
            raise ValueError(f"outputs {chosen} of a sum over {summed}")
        origin, moved, box = generalized(
            self.algebra.atoms, {monomial: Fraction(1)}, extents, chosen
        )
        [(factors, _)] = moved
        free = sorted({*monomial_variables((factors, guards))} - summed)
        origin = {v: origin.get(v, variable(v)) for v in free}
        return _Contraction(factors, guards, tuple(free), tuple(sorted(summed)), box, origin)

    def _is_plain(self, c: _Contraction) -> bool:
        """Whether every index is a whole variable: an einsum, equal by naming alone."""
        if c.guards:
            return False
        reads = self.algebra.atoms.reads(c.factors)
        return all(is_whole(e, extent, c.extents) for e, extent in reads)

    def _plain(self, c: _Contraction) -> Poly:
        names = {v: (0, c.extents[v]) for v in c.outputs} | {v: (1, c.extents[v]) for v in c.summed}
        colours = refine([(c.factors, ())], names)
        candidates = [
            (self._content(c, outputs, summed), outputs)
            for outputs in orders(c.outputs, colours, LABEL_LIMIT)
            for summed in orders(c.summed, colours, LABEL_LIMIT)
        ]
        content = min((content for content, _ in candidates), key=lambda content: content.factors)
        alike = [outputs for found, outputs in candidates if found == content]
        atom = interned_alike(
            self.algebra.atoms, content, content.extents[: content.outputs], alike
        )
        access = self.algebra.atoms.ordered(atom, tuple(c.origin[v] for v in alike[0]))
        return product_of((atom, access, 1))

    def _content(self, c: _Contraction, outputs: Sequence[int], summed: Sequence[int]) -> Sum:
        names = (*outputs, *summed)
        renaming = {v: variable(i) for i, v in enumerate(names)}
        factors = tuple(sorted(factors_at(c.factors, renaming)))
        guards = tuple(sorted(guards_at(c.guards, renaming)))
        return Sum(len(outputs), tuple(c.extents[v] for v in names), factors, guards)

    @bounded()
    def _relation(self, c: _Contraction) -> Poly | None:
        bundles = self._bundles(c.factors)
        reads = [read for _, read in bundles]
        reading = c.reading(c.outputs, reads)
        if met_again(reading):
            return None
        points = reading.points()
        if points.is_empty():
            return {}
        signatures = suggested_signatures(points, c.outputs, c.extents)
        bucket = tuple(kind for kind, _ in bundles), tuple(sorted(signatures.values()))
        known = self._known.setdefault(bucket, [])
        colours = {v: hash(signature) for v, signature in signatures.items()}
        for outputs in orders(c.outputs, colours, LABEL_LIMIT):
            for order in alike([kind for kind, _ in bundles]):
                candidate = c.reading(outputs, [reads[i] for i in order]).points()
                for other, atom in known:
                    if candidate is other or candidate.is_equal(other):
                        return _read(atom, outputs, c.origin)
        outputs = next(orders(c.outputs, colours, LABEL_LIMIT))
        content = self._content(c, outputs, c.summed)
        atom = self.algebra.atoms.intern(content, content.extents[: content.outputs])
        known.append((c.reading(outputs, reads).points(), atom))
        return _read(atom, outputs, c.origin)

    def _bundles(self, factors: Sequence[Factor]) -> list[_Bundle]:
        """Return the factors that are read at the same indices together, in a fixed order."""
        found: dict[Read, list[tuple[int, Exponent]]] = {}
        for atom, access, q in factors:
            read = tuple(self.algebra.atoms.reads(((atom, access, q),)))
            found.setdefault(read, []).append((atom, q))
        return sorted(((tuple(sorted(kind)), read) for read, kind in found.items()))


def _merge_digits(c: _Contraction) -> _Contraction:
    """Join two variables that occur only as digits of one number."""
    expressions = [e for _, access, _ in c.factors for e in access]
    expressions += [e for e, _, _ in c.guards]
    for group in (c.outputs, c.summed):
        pair = _digit_pair(expressions, group, c.extents)
        if pair is not None:
            return _merge_digits(_joined(c, *pair))
    return c


def _digit_pair(
    expressions: Iterable[Affine], group: Sequence[int], extents: Mapping[int, int]
) -> tuple[int, int] | None:
    compound = [dict(e[1]) for e in expressions if e[1]]
    for high in group:
        for low in group:
            if high != low and all(
                e.get(high, 0) == extents[low] * e.get(low, 0) for e in compound
            ):
                return high, low
    return None


def _joined(c: _Contraction, high: int, low: int) -> _Contraction:
    """Let `low` stand for extent(low) * high + low."""

    def drop(e: Affine) -> Affine:
        return e[0], tuple(term for term in e[1] if term[0] != high)

    factors = tuple((atom, tuple(drop(e) for e in access), q) for atom, access, q in c.factors)
    guards = tuple(sorted((drop(e), a, b) for e, a, b in c.guards))
    extents = dict(c.extents)
    origin = dict(c.origin)
    if low in origin:
        origin[low] = combine(((extents[low], origin.pop(high)), (1, origin[low])))
    extents[low] *= extents[high]
    outputs = tuple(v for v in c.outputs if v != high)
    summed = tuple(v for v in c.summed if v != high)
    return _Contraction(tuple(sorted(factors)), guards, outputs, summed, extents, origin)


def _read(atom: int, outputs: Sequence[int], origin: Mapping[int, Affine]) -> Poly:
    return product_of((atom, tuple(origin[v] for v in outputs), 1))
