"""Joins: a value that is a known one cut into other pieces is taken for the known one.

A cotangent of a convolution may be derived as a sum of two sums, one for even columns and one for
odd ones, and be returned as a single sum. Each form is normal, so that nothing that is computed
from one of them would meet its counterpart; where they are proved equal, one form goes on.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations

from gradwright.certify.kernel.algebra import Poly
from gradwright.certify.kernel.atoms import Exponent, Monomial, Sum
from gradwright.certify.kernel.equality import Depth
from gradwright.certify.kernel.index import variable
from gradwright.certify.kernel.multilinear import Multilinear
from gradwright.certify.kernel.tensor import Shape, Tensor
from gradwright.certify.prove import Proof

Leaves = tuple[tuple[int, Exponent], ...]
"""What a product reads when its sums are written out: atoms and exponents, sorted."""
_Likeness = tuple[Shape, frozenset[tuple[Leaves, Fraction]]]
"""What values that are sums of the same pieces have in common, in any order of dimensions."""
_Known = tuple[Tensor, Tensor]
"""A value written out, and as it is."""


@dataclass(slots=True)
class Joins:
    """Values to be met again, by what they read."""

    proof: Proof
    _known: dict[_Likeness, list[_Known]] = field(default_factory=dict[_Likeness, list[_Known]])
    _leaves: dict[int, Leaves] = field(default_factory=dict[int, Leaves])

    def expect(self, tensors: Iterable[Tensor]) -> None:
        """Remember values."""
        for tensor in tensors:
            written = self.proof.den.pointwise.opened(tensor)
            if self._sums(written.poly):
                alike = self._known.setdefault(self._likeness(written), [])
                if (written, tensor) not in alike:
                    alike.append((written, tensor))

    def joined(self, tensor: Tensor) -> Tensor:
        """Return the remembered value that is proved equal to this one, else this one."""
        written = self.proof.den.pointwise.opened(tensor)
        if len(written.poly) < 2 and not self._sums(written.poly):
            return tensor
        alike = self._known.get(self._likeness(written), [])
        if any(tensor == known for _, known in alike):
            return tensor
        for form, known in alike:
            for order in _orders(known.shape, tensor.shape):
                if self.proof.same(self._transposed(form, order), written, Depth.SUMS):
                    return self._transposed(known, order)
        return tensor

    def _transposed(self, tensor: Tensor, order: Sequence[int]) -> Tensor:
        """Return a tensor whose dimension i is dimension order[i] of the given one."""
        shape = tuple(tensor.shape[d] for d in order)
        reads = tuple(variable(order.index(d)) for d in range(len(order)))
        return self.proof.den.linear(Multilinear(shape, (), (reads,)), tensor)

    def _sums(self, p: Poly) -> bool:
        atoms = self.proof.den.atoms
        return any(
            isinstance(atoms.content(atom), Sum) for factors, _ in p for atom, _, _ in factors
        )

    def _likeness(self, tensor: Tensor) -> _Likeness:
        pieces = frozenset((self._read(m), abs(c)) for m, c in tensor.poly.items())
        return tuple(sorted(tensor.shape)), pieces

    def _read(self, monomial: Monomial) -> Leaves:
        found: list[tuple[int, Exponent]] = []
        for atom, _, q in monomial[0]:
            found += self._opened(atom) if q == 1 else [(atom, q)]
        return tuple(sorted(found))

    def _opened(self, atom: int) -> Leaves:
        known = self._leaves.get(atom)
        if known is None:
            content = self.proof.den.atoms.content(atom)
            is_sum = isinstance(content, Sum)
            known = self._read((content.factors, ())) if is_sum else ((atom, 1),)
            self._leaves[atom] = known
        return known


def _orders(source: Shape, target: Shape) -> Iterator[Sequence[int]]:
    """Yield the orders of dimensions that make one shape of another, the given one first."""
    for order in permutations(range(len(source))):
        if tuple(source[d] for d in order) == target:
            yield order
