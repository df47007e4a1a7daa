"""Equality of tensors beyond equal normal forms: sums that are cut into pieces differently.

A gradient assembled from one product per kernel position, or from one loop step per block of the
batch, is a sum of pieces where the derived one is a single sum. The difference of two values is
written out, sum after sum and class after class, into products of atoms read at integer points.
Those of the same atoms cancel where at every point their coefficients add up to 0.
"""

import enum
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from gradwright.certify.advice.opening import suggested_opening
from gradwright.certify.advice.points import differs_somewhere
from gradwright.certify.effort import TooLarge
from gradwright.certify.kernel.algebra import Algebra, Poly, Undenotable
from gradwright.certify.kernel.atoms import Class, Dense, Exponent, Sum
from gradwright.certify.kernel.clearing import cleared
from gradwright.certify.kernel.index import Extents
from gradwright.certify.kernel.pieces import (
    Kind,
    Orders,
    Piece,
    as_they_are,
    met_once,
    opened,
    symmetric,
    terms_of,
)
from gradwright.certify.kernel.reading import cancel
from gradwright.certify.kernel.tensor import Tensor

PIECES = 512
"""Pieces that a difference is written out into."""
SETS = 1024
"""Sets of points that are compared for one difference."""


class Depth(enum.Enum):
    """What is written out to compare two values; less finds fewer equal, and takes less time."""

    SUMS = enum.auto()
    CLASSES = enum.auto()


def equal(algebra: Algebra, a: Tensor, b: Tensor, depth: Depth = Depth.CLASSES) -> bool:
    """Return whether two tensors over the same digits are proved equal.

    The difference is shown to be 0 piece by piece; where classes are written out, also with its
    denominators cleared.
    """
    difference = a.poly - b.poly
    box = algebra.box(a.digits)
    if depth is Depth.SUMS:
        return not difference or _Difference(algebra, (Sum,)).cancels(difference, box)
    plain = cleared(algebra, difference, box)
    if not plain:
        return True
    forms = [difference] if plain == difference else [difference, plain]
    return any(_Difference(algebra, (Sum, Class, Dense)).cancels(form, box) for form in forms)


@dataclass(slots=True)
class _Difference:
    """What is left of a difference, by the atoms that the pieces are products of."""

    algebra: Algebra
    openable: tuple[type[Sum | Class | Dense], ...]
    left: dict[Kind, list[Piece]] = field(default_factory=dict[Kind, list[Piece]])
    open: set[Kind] = field(default_factory=set[Kind])
    """Kinds whose pieces, as they are now, were not seen to cancel before all is written out."""
    sets: int = 0
    """Sets of points that were compared."""

    def cancels(self, difference: Poly, box: Extents) -> bool:
        """Return whether all pieces cancel, when what both sides contain is written out last.

        Points are compared only when each kind has pieces of both signs: most unequal values
        never come to that.
        """
        new = [Piece(c, factors, guards, box) for (factors, guards), c in difference.items()]
        try:
            while True:
                self._take(new)
                alone = [kind for kind, pieces in self.left.items() if not _both_signs(pieces)]
                if not alone:
                    self._cancel_early()
                atom = suggested_opening(self.algebra.atoms, self.left, alone, self._opens)
                if atom is None:
                    return not alone and all(map(self._nothing, self.left.values()))
                new = list(self._written_out(atom))
        except (TooLarge, Undenotable):
            return False

    def _cancel_early(self) -> None:
        """Take out kinds that cancel with sums or classes in them as they are."""
        for kind in [kind for kind in self.left if kind not in self.open]:
            if any(self._opens(*a) for a in kind):
                if self._nothing(self.left[kind]):
                    del self.left[kind]
                else:
                    self.open.add(kind)

    def _take(self, new: Sequence[Piece]) -> None:
        self.algebra.spend(len(new))
        for piece in new:
            self.left.setdefault(piece.kind, []).append(piece)
            self.open.discard(piece.kind)
        if sum(map(len, self.left.values())) > PIECES:
            raise TooLarge("a difference of too many pieces")

    def _opens(self, atom: int, q: Exponent) -> bool:
        content = self.algebra.atoms.content(atom)
        known = isinstance(content, self.openable) and bool(terms_of(self.algebra.atoms, atom))
        return known and isinstance(q, int) and q > 0

    def _written_out(self, atom: int) -> Iterator[Piece]:
        """Take out the pieces with an atom and yield them with it written out."""

        def place(kind: Kind) -> int | None:
            here = (i for i, (a, q) in enumerate(kind) if a == atom and self._opens(a, q))
            return next(here, None)

        kinds = [kind for kind in self.left if place(kind) is not None]
        if not kinds:
            raise ValueError(f"atom {atom}, to be written out, is in no piece")
        for kind in kinds:
            pending = self.left.pop(kind)
            while pending:
                piece = pending.pop()
                at = place(piece.kind)
                if at is None:
                    yield piece
                else:
                    pending.extend(opened(self.algebra, piece, at))

    def _nothing(self, pieces: Sequence[Piece]) -> bool:
        """Return whether pieces of one kind add up to 0: their coefficients do, point by point."""
        single = [each for piece in pieces for each in met_once(self.algebra.atoms, piece)]
        repeats = any(len({*piece.kind}) < len(piece.kind) for piece in single)
        ways = (as_they_are, symmetric) if repeats else (as_they_are,)
        return any(self._balanced(single, orders) for orders in ways)

    def _balanced(self, pieces: Sequence[Piece], orders: Orders) -> bool:
        """Return whether coefficients add up to 0, at a point of each piece first."""
        readings = [
            (piece.reading(self.algebra.atoms, order), piece.coefficient)
            for piece in pieces
            for order in orders(piece)
        ]
        if differs_somewhere(readings):
            return False
        self.sets += len(readings)
        if self.sets > SETS:
            raise TooLarge("a comparison of too many sets of points")
        return cancel((reading.spelled(), c) for reading, c in readings)


def _both_signs(pieces: Iterable[Piece]) -> bool:
    return len({piece.coefficient > 0 for piece in pieces}) == 2
