"""Joins: a value that is a known one cut into other pieces is taken for the known one.

A cotangent of a convolution may be derived as a sum of two sums, one for even columns and one for
odd ones, and be returned as a single sum. Each form is normal, so that nothing that is computed
from one of them would meet its counterpart; where they are proved equal, one form goes on.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from gradwright.certify.kernel.algebra import Poly
from gradwright.certify.kernel.atoms import Exponent, Monomial, Sum
from gradwright.certify.kernel.tensor import Shape, Tensor
from gradwright.certify.prove import Proof

Leaves = tuple[tuple[int, Exponent], ...]
"""What a product reads when its sums are written out: atoms and exponents, sorted."""
_Likeness = tuple[Shape, frozenset[tuple[Leaves, Fraction]]]
"""What values that are sums of the same pieces have in common."""


@dataclass(slots=True)
class Joins:
    """Values to be met again, by what they read."""

    proof: Proof
    _known: dict[_Likeness, list[Tensor]] = field(default_factory=dict[_Likeness, list[Tensor]])
    _leaves: dict[int, Leaves] = field(default_factory=dict[int, Leaves])

    def expect(self, tensors: Iterable[Tensor]) -> None:
        """Remember values."""
        for tensor in tensors:
            if self._sums(tensor.poly):
                alike = self._known.setdefault(self._likeness(tensor), [])
                if tensor not in alike:
                    alike.append(tensor)

    def joined(self, tensor: Tensor) -> Tensor:
        """Return the remembered value that is proved equal to this one, else this one."""
        if not self._sums(tensor.poly):
            return tensor
        alike = self._known.get(self._likeness(tensor), [])
        if tensor in alike:
            return tensor
        return next((known for known in alike if self.proof.same(known, tensor)), tensor)

    def _sums(self, p: Poly) -> bool:
        atoms = self.proof.den.atoms
        return any(
            isinstance(atoms.content(atom), Sum) for factors, _ in p for atom, _, _ in factors
        )

    def _likeness(self, tensor: Tensor) -> _Likeness:
        pieces = frozenset((self._read(m), abs(c)) for m, c in tensor.poly.items())
        return tensor.shape, pieces

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
