"""Tensors with infinite entries: where they are infinite, and what they are elsewhere.

An infinite constant is an atom of its own. Selections, paddings and maxima only move it, so that
it occurs linearly and its coefficient is 1 where the entry is infinite and 0 elsewhere.
"""

from dataclasses import dataclass

from gradwright.certify.kernel.algebra import Poly, Undenotable, number, product_of
from gradwright.certify.kernel.arithmetic import Arithmetic
from gradwright.certify.kernel.atoms import Infinity
from gradwright.certify.kernel.reading import vanishes
from gradwright.certify.kernel.tensor import Tensor


@dataclass(frozen=True, slots=True)
class Parts:
    """The finite part, and the masks of the entries that are -inf and +inf."""

    finite: Tensor
    below: Tensor
    above: Tensor

    @property
    def is_finite(self) -> bool:
        """Whether no entry is infinite."""
        return not self.below.poly and not self.above.poly

    @property
    def where_finite(self) -> Tensor:
        """The mask of the finite entries."""
        finite = number(1) - self.below.poly - self.above.poly
        return Tensor(self.finite.digits, finite)

    def side(self, sign: int) -> Tensor:
        """The mask of the entries that are infinite with a sign."""
        return self.below if sign < 0 else self.above


def parts(arithmetic: Arithmetic, a: Tensor) -> Parts:
    """Split a tensor; Undenotable where an infinity was multiplied by anything but a mask."""
    atoms = arithmetic.algebra.atoms
    if not atoms.infinities:
        nothing = Tensor(a.digits, Poly())
        return Parts(a, nothing, nothing)
    split = Poly(), Poly(), Poly()
    for (factors, guards), c in a.poly.items():
        infinite = [f for f in factors if f[0] in atoms.infinities]
        if not infinite:
            split[0][factors, guards] = c
            continue
        content = atoms.content(infinite[0][0])
        if not isinstance(content, Infinity):
            raise Undenotable("a NaN constant that is not selected away")
        rest = tuple(f for f in factors if f not in infinite)
        masks = all(atoms.is_mask(f[0]) for f in rest)
        if len(infinite) > 1 or infinite[0][2] != 1 or not masks:
            raise Undenotable("arithmetic of an infinite constant")
        split[1 if content.negative else 2][rest, guards] = c
    finite, below, above = (Tensor(a.digits, part) for part in split)
    return Parts(finite, below, above)


def recombined(arithmetic: Arithmetic, split: Parts) -> Tensor:
    """Return the tensor of these parts; a mask that is 0 at every index adds nothing."""
    total = split.finite
    for part, negative in ((split.below, True), (split.above, False)):
        box = arithmetic.algebra.box(part.digits)
        if not part.poly or vanishes(part.poly, box):
            continue
        atom = arithmetic.algebra.atoms.intern(Infinity(negative), ())
        infinite = Tensor(part.digits, product_of((atom, (), 1)))
        total = arithmetic.add(total, arithmetic.multiply(part, infinite))
    return total
