"""Fingerprints: what a value comes to at a few indices, each entry of an atom a number of its own.

Values that are equal with their sums written out have one fingerprint; of two that differ it is
another one almost always. Nothing is proved with it: what it tells apart is not compared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import prod

from gradwright.certify.kernel.atoms import Atoms, Exponent, Factor, Monomial, Sum
from gradwright.certify.kernel.index import Guards, value_at
from gradwright.certify.kernel.sums import WHOLE
from gradwright.certify.kernel.tensor import Tensor

PRIME = 2**61 - 1
"""Sums are taken modulo it: of so many pairs of different ones about one is not told apart."""
ROOTS = 12
"""An entry is a power to this, so that its roots up to the fourth are numbers too."""
INDICES = 3
"""Indices that are looked at: borders of a picture leave most of a kernel out."""
POINTS = 2048
"""Points that a value may be summed over; what has more has no fingerprint."""


@dataclass(slots=True)
class Fingerprints:
    """Fingerprints of values over one table of atoms."""

    atoms: Atoms
    _points: dict[int, int] = field(default_factory=dict[int, int])
    _sums: dict[tuple[int, tuple[int, ...]], int] = field(
        default_factory=dict[tuple[int, tuple[int, ...]], int]
    )

    def at(self, tensor: Tensor, k: int) -> int | None:
        """Return what a value comes to at index k of a few, in whatever order of its dimensions.

        None for one of more points, or with exponents that are no roots up to the fourth.
        """
        if sum(map(self._count, tensor.poly)) > POINTS:
            return None
        at = _index(tensor, k)
        try:
            return sum(self._term(term, c, at) for term, c in tensor.poly.items()) % PRIME
        except _Rootless:
            return None

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

    def _term(self, monomial: Monomial, c: Fraction, at: Mapping[int, int]) -> int:
        factors, guards = monomial
        if not _hold(guards, at):
            return 0
        return self._product(factors, at) * c.numerator * pow(c.denominator, -1, PRIME)

    def _product(self, factors: Sequence[Factor], at: Mapping[int, int]) -> int:
        value = 1
        for atom, access, q in factors:
            place = tuple([value_at(e, at) for e in access])
            content = self.atoms.content(atom)
            if isinstance(content, Sum) and q in WHOLE:
                value = value * pow(self._sum(atom, content, place), int(q), PRIME) % PRIME
            else:
                value = value * self._entry(atom, place, q) % PRIME
        return value

    def _entry(self, atom: int, place: tuple[int, ...], q: Exponent) -> int:
        constant = self.atoms.entry(atom, place) if self.atoms.is_constant(atom) else None
        if constant is not None and isinstance(q, int):
            return pow(constant.numerator * pow(constant.denominator, -1, PRIME), q, PRIME)
        exponent = ROOTS * q
        if not isinstance(exponent, int):
            if exponent.denominator > 1:
                raise _Rootless
            exponent = exponent.numerator
        ordered = self.atoms.ordered(atom, tuple([(i, ()) for i in place]))
        return pow(hash((atom, ordered)) % PRIME or 1, exponent, PRIME)

    def _sum(self, atom: int, content: Sum, place: tuple[int, ...]) -> int:
        known = self._sums.get((atom, place))
        if known is None:
            known = 0
            for rest in product(*map(range, content.extents[content.outputs :])):
                at = dict(enumerate((*place, *rest)))
                if _hold(content.guards, at):
                    known += self._product(content.factors, at)
            known = self._sums[atom, place] = known % PRIME
        return known


class _Rootless(Exception):
    """An exponent that no entry has a number for."""


def _hold(guards: Guards, at: Mapping[int, int]) -> bool:
    return all(low <= value_at(e, at) < high for e, low, high in guards)


def _index(tensor: Tensor, k: int) -> Mapping[int, int]:
    """Return the digits of an index; dimensions of one extent have one, so that they may turn."""
    digits: list[int] = []
    for dimension in tensor.digits:
        rest = prod(dimension) * (2 * k + 1) // (2 * INDICES)
        found: list[int] = []
        for n in reversed(dimension):
            rest, digit = divmod(rest, n)
            found.append(digit)
        digits += reversed(found)
    return dict(enumerate(digits))
