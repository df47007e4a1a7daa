"""Joins: a value that is a known one cut into other pieces is taken for the known one.

A cotangent of a convolution may be derived as a sum of two sums, one for even columns and one for
odd ones, and be returned as a single sum. Each form is normal, so that nothing that is computed
from one of them would meet its counterpart; where they are proved equal, one form goes on.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations

from gradwright.certify.advice.fingerprints import INDICES, Fingerprints
from gradwright.certify.effort import TooLarge
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
Order = tuple[int, ...]
"""Which dimension of a value each dimension of another one is."""
_Known = tuple[Tensor, Tensor]
"""A value written out, and as it is."""


@dataclass(slots=True)
class _Alike:
    """Values of one likeness, such as the products of a kernel's positions with one picture."""

    values: list[_Known] = field(default_factory=list[_Known])
    met: set[int] = field(default_factory=set[int])
    last: int = -1
    turned: dict[tuple[int, Order], Tensor] = field(
        default_factory=dict[tuple[int, tuple[int, ...]], Tensor]
    )
    """Values written out, by place, with their dimensions in another order."""
    prints: dict[tuple[int, int], int | None] = field(
        default_factory=dict[tuple[int, int], int | None]
    )
    """Fingerprints of values, by place and index, as far as asked for."""

    def in_turn(self) -> list[int]:
        """Return the places of the values: texts meet each once, and one next to the last one."""
        places = range(len(self.values))
        return sorted(places, key=lambda i: (i in self.met, abs(i - self.last), -i))

    def meet(self, place: int) -> None:
        """Remember that a value was met."""
        self.met.add(place)
        self.last = place


@dataclass(slots=True)
class Joins:
    """Values to be met again, by what they read."""

    proof: Proof
    _known: dict[_Likeness, _Alike] = field(default_factory=dict[_Likeness, _Alike])
    _leaves: dict[int, Leaves] = field(default_factory=dict[int, Leaves])
    _fingerprints: Fingerprints = field(init=False)

    def __post_init__(self) -> None:
        """Take fingerprints of the values of this proof."""
        self._fingerprints = Fingerprints(self.proof.den.atoms)

    def expect(self, tensors: Iterable[Tensor]) -> None:
        """Remember values."""
        for tensor in tensors:
            written = self._written(tensor)
            if self._sums(written.poly):
                alike = self._known.setdefault(self._likeness(written), _Alike())
                if (written, tensor) not in alike.values:
                    alike.values.append((written, tensor))

    def joined(self, tensor: Tensor) -> Tensor:
        """Return the remembered value that is proved equal to this one, else this one.

        It is this one too where terms or time are over before that is known. A value that was
        remembered before an equal one was cut, as a sum to which zeros are added, is that cut.
        """
        try:
            return self.proof.as_cut(self._joined(tensor))
        except TooLarge:
            return tensor

    def _joined(self, tensor: Tensor) -> Tensor:
        written = self._written(tensor)
        if len(written.poly) < 2 and not self._sums(written.poly):
            return tensor
        alike = self._known.get(self._likeness(written), _Alike())
        same = next((i for i, (_, known) in enumerate(alike.values) if tensor == known), None)
        if same is not None:
            alike.meet(same)
            return tensor
        for place in self._possible(alike, written):
            known = alike.values[place][1]
            for order in orders(known.shape, tensor.shape):
                if self.proof.same(self._form(alike, place, order), written, Depth.SUMS):
                    alike.meet(place)
                    return self._transposed(known, order)
        return tensor

    def _possible(self, alike: _Alike, written: Tensor) -> Sequence[int]:
        """Return the places of the values that may be equal to this one."""
        places = alike.in_turn()
        for k in range(INDICES):
            wanted = self._fingerprints.at(written, k) if places else None
            if wanted is not None:
                places = [i for i in places if self._print(alike, i, k) in (None, wanted)]
        return places

    def _print(self, alike: _Alike, place: int, k: int) -> int | None:
        if (place, k) not in alike.prints:
            alike.prints[place, k] = self._fingerprints.at(alike.values[place][0], k)
        return alike.prints[place, k]

    def _form(self, alike: _Alike, place: int, order: Order) -> Tensor:
        """Return a known value written out, its dimensions in an order that is asked for often."""
        known = alike.turned.get((place, order))
        if known is None:
            known = alike.turned[place, order] = self._transposed(alike.values[place][0], order)
        return known

    def _written(self, tensor: Tensor) -> Tensor:
        """Return a value written out, as it is where no terms or time are left for that."""
        try:
            return self.proof.den.pointwise.opened(tensor)
        except TooLarge:
            return tensor

    def _transposed(self, tensor: Tensor, order: Order) -> Tensor:
        """Return a tensor whose dimension i is dimension order[i] of the given one."""
        if order == tuple(range(len(order))):
            return tensor
        shape = tuple(tensor.shape[d] for d in order)
        reads = tuple(variable(order.index(d)) for d in range(len(order)))
        return self.proof.den.linear(Multilinear(shape, (), (reads,)), tensor)

    def _sums(self, p: Poly) -> bool:
        atoms = self.proof.den.atoms
        return any(
            isinstance(atoms.content(atom), Sum) for factors, _ in p for atom, _, _ in factors
        )

    def reads(self, tensor: Tensor) -> frozenset[Leaves]:
        """Return what the products read that a value is a sum of."""
        return frozenset(map(self._read, self._written(tensor).poly))

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


def orders(source: Shape, target: Shape) -> Iterator[Order]:
    """Yield the orders of dimensions that make one shape of another, the given one first."""
    for order in permutations(range(len(source))):
        if tuple(source[d] for d in order) == target:
            yield order
