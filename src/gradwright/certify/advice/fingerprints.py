"""Fingerprints: what a value comes to at a few indices, each entry of an atom a number of its own.

Values that are equal with their sums written out have one fingerprint; of two that differ it is
another one almost always. Nothing is proved with it: what it tells apart is not compared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod

import numpy as np
from numpy.typing import NDArray

from gradwright.certify.kernel.atoms import Atoms, Dense, Exponent, Factor, Monomial, Sum
from gradwright.certify.kernel.index import Affine, Guards
from gradwright.certify.kernel.sums import WHOLE
from gradwright.certify.kernel.tensor import Tensor

PRIME = 2**31 - 1
"""Sums are taken modulo it, so that products fit into 64 bits: of so many pairs of different ones
about one is not told apart at one index."""
ROOTS = 12
"""An entry is a power to this, so that its roots up to the fourth are numbers too."""
INDICES = 3
"""Indices that are looked at: borders of a picture leave most of a kernel out."""
POINTS = 2048
"""Points that a value may be summed over; what has more has no fingerprint."""
MIXERS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
"""Odd factors of the mixing of SplitMix64 (Steele, Lea and Flood 2014)."""

_Numbers = NDArray[np.uint64]
"""Numbers modulo PRIME, one for each point."""
_Places = Mapping[int, NDArray[np.int64]]
"""Where each variable is, at each point."""


@dataclass(slots=True)
class Fingerprints:
    """Fingerprints of values over one table of atoms."""

    atoms: Atoms
    _points: dict[int, int] = field(default_factory=dict[int, int])
    _entries: dict[int, _Numbers] = field(default_factory=dict[int, _Numbers])
    """The entries of constant tensors."""

    def at(self, tensor: Tensor, k: int) -> int | None:
        """Return what a value comes to at index k of a few, in whatever order of its dimensions.

        None for one of more points, or with exponents that are no roots up to the fourth.
        """
        if sum(map(self._count, tensor.poly)) > POINTS:
            return None
        at = _index(tensor, k)
        try:
            terms = (_modular(c) * self._term(term, at) for term, c in tensor.poly.items())
            return sum(terms) % PRIME
        except _Rootless:
            return None

    def may_be_equal(self, a: Tensor, b: Tensor) -> bool:
        """Return whether no fingerprint tells two values of one shape apart."""
        pairs = ((self.at(a, k), self.at(b, k)) for k in range(INDICES))
        return all(one == other for one, other in pairs if None not in (one, other))

    def _count(self, monomial: Monomial) -> int:
        """Return at how many points a product of sums is written out."""
        return prod(self._points_of(atom) for atom, _, q in monomial[0] if q in WHOLE)

    def _points_of(self, atom: int) -> int:
        known = self._points.get(atom)
        if known is None:
            content = self.atoms.content(atom)
            known = 1
            if isinstance(content, Sum):
                inner = self._count((content.factors, content.guards))
                known = inner * prod(content.extents[content.outputs :])
            self._points[atom] = known
        return known

    def _term(self, monomial: Monomial, at: _Places) -> int:
        factors, guards = monomial
        return int(self._product(factors, at, 1)[0]) if _hold(guards, at, 1)[0] else 0

    def _product(self, factors: Sequence[Factor], at: _Places, count: int) -> _Numbers:
        """Return a product of factors at so many points."""
        value = np.ones(count, np.uint64)
        for atom, access, q in factors:
            places = [_value_at(e, at, count) for e in access]
            content = self.atoms.content(atom)
            if isinstance(content, Sum) and q in WHOLE:
                base, exponent = self._sum(content, places, count), int(q)
            else:
                base, exponent = self._entry(atom, places, count), self._exponent(atom, q)
            value = value * _power(base, exponent) % PRIME
        return value

    def _exponent(self, atom: int, q: Exponent) -> int:
        """Return the power of an entry's number that stands for a power of the entry."""
        is_itself = self.atoms.is_constant(atom) and isinstance(q, int)
        exponent = q if is_itself else ROOTS * q
        if Fraction(exponent).denominator > 1:
            raise _Rootless
        return int(exponent)

    def _entry(self, atom: int, places: Sequence[NDArray[np.int64]], count: int) -> _Numbers:
        """Return the numbers of the entries of an atom at so many places."""
        extents = self.atoms.extents(atom)
        orders = self.atoms.symmetries.get(atom) or (range(len(extents)),)
        flat = [_flat([places[i] for i in order], extents, count) for order in orders]
        place = np.minimum.reduce(flat)
        if not self.atoms.is_constant(atom):
            return _mixed(place.astype(np.uint64) + np.uint64(_seed(atom)))
        entries = self._entries.get(atom)
        if entries is None:
            content = self.atoms.content(atom)
            size = self.atoms.size(atom)
            numbers = content.entries if isinstance(content, Dense) else map(Fraction, range(size))
            entries = np.fromiter(map(_modular, numbers), np.uint64, size)
            self._entries[atom] = entries
        return entries[np.clip(place, 0, len(entries) - 1)]

    def _sum(self, content: Sum, places: Sequence[NDArray[np.int64]], count: int) -> _Numbers:
        """Return a sum at so many indices, each with all points that it is over."""
        ranges = content.extents[content.outputs :]
        size = prod(ranges)
        own = {i: np.repeat(place, size) for i, place in enumerate(places)}
        grid = np.indices(ranges).reshape(len(ranges), size)
        own |= {content.outputs + i: np.tile(row, count) for i, row in enumerate(grid)}
        [held] = np.nonzero(_hold(content.guards, own, count * size))
        kept = {v: place[held] for v, place in own.items()}
        value = np.zeros(count * size, np.uint64)
        value[held] = self._product(content.factors, kept, len(held))
        return value.reshape(count, size).sum(axis=1, dtype=np.uint64) % PRIME


class _Rootless(Exception):
    """An exponent that no entry has a number for."""


def _modular(c: Fraction) -> int:
    return c.numerator * pow(c.denominator, -1, PRIME) % PRIME


def _power(base: _Numbers, exponent: int) -> _Numbers:
    """Return powers of numbers that are not 0, or whole powers."""
    value, rest = np.ones_like(base), exponent % (PRIME - 1)
    while rest:
        if rest % 2:
            value = value * base % PRIME
        base, rest = base * base % PRIME, rest // 2
    return value


def _seed(atom: int) -> int:
    """Return a number of 64 bits that places of one atom are counted from."""
    return (atom + 1) * MIXERS[1] * MIXERS[0] % 2**64


def _mixed(x: _Numbers) -> _Numbers:
    """Return numbers from 1 to PRIME - 1 that have nothing to do with each other."""
    for factor in MIXERS:
        x = (x ^ (x >> np.uint64(30))) * np.uint64(factor)
    return (x ^ (x >> np.uint64(31))) % np.uint64(PRIME - 1) + np.uint64(1)


def _value_at(e: Affine, at: _Places, count: int) -> NDArray[np.int64]:
    value = np.full(count, e[0], np.int64)
    for v, k in e[1]:
        value = value + k * at[v]
    return value


def _flat(
    places: Sequence[NDArray[np.int64]], extents: Sequence[int], count: int
) -> NDArray[np.int64]:
    """Return places in row-major order."""
    flat = np.zeros(count, np.int64)
    for place, extent in zip(places, extents, strict=True):
        flat = flat * extent + place
    return flat


def _hold(guards: Guards, at: _Places, count: int) -> NDArray[np.bool_]:
    held = np.ones(count, np.bool_)
    for e, low, high in guards:
        value = _value_at(e, at, count)
        held &= (low <= value) & (value < high)
    return held


def _index(tensor: Tensor, k: int) -> _Places:
    """Return the digits of an index; dimensions of one extent have one, so that they may turn."""
    digits: list[int] = []
    for dimension in tensor.digits:
        rest = prod(dimension) * (2 * k + 1) // (2 * INDICES)
        found: list[int] = []
        for n in reversed(dimension):
            rest, digit = divmod(rest, n)
            found.append(digit)
        digits += reversed(found)
    return {v: np.array([digit], np.int64) for v, digit in enumerate(digits)}
