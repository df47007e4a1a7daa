"""Multilinear operations, all of one form, and their one transposition rule.

result[o] = sum over r of guards(o, r) * operand1[e1(o, r)] * operand2[e2(o, r)] …, with affine e;
an operand read outside its box counts as 0. Convolution, dot, reduce, windows, pad, slice,
transpose, broadcast, reverse and concatenate are instances. The transpose with respect to one
operand exchanges it with the result.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gradwright.certify.kernel.index import (
    Affine,
    Guard,
    equation,
    guards_at,
    read_at,
    unused,
    variable,
)
from gradwright.certify.kernel.tensor import Shape, Tensor

Reads = tuple[Affine, ...]


@dataclass(frozen=True, slots=True)
class Multilinear:
    """The form above. Variables 0 … rank - 1 are the result's indices, then the summed ones."""

    shape: Shape
    summed: tuple[int, ...]
    reads: tuple[Reads, ...]
    guards: tuple[Guard, ...] = ()

    def transpose(self, operand: int, shape: Shape) -> "Multilinear":
        """Return the adjoint with respect to one operand, of this shape.

        Its operands are the same with the cotangent of the result in that operand's place. New
        variables: the operand's indices, then the old result's and summed ones; each old read of
        the operand becomes an equation between an index and the old variables.
        """
        rank = len(shape)
        extents = (*self.shape, *self.summed)
        place = {v: variable(rank + v) for v in range(len(extents))}
        guards: list[Guard] = []
        solved: set[int] = set()
        for d, e in enumerate(self.reads[operand]):
            v = _lone_variable(e)
            if v is not None and v not in solved:
                solved.add(v)
                sign = e.terms[0][1]
                place[v] = sign * (variable(d) - e.offset)
                guards.append((place[v], 0, extents[v]))
        for d, e in enumerate(self.reads[operand]):
            guards.append(equation(e.at(place), variable(d)))
        guards += guards_at(self.guards, place)
        reads = [read_at(read, place) for read in self.reads]
        reads[operand] = tuple(place[v] for v in range(len(self.shape)))
        # A solved variable leaves an unused one of extent 1 behind, so that numbers stay in step.
        left = tuple(1 if v in solved else extent for v, extent in enumerate(extents))
        return Multilinear(shape, left, tuple(reads), tuple(guards))


def _lone_variable(e: Affine) -> int | None:
    """Return v where e is a number plus or minus v."""
    return e.terms[0][0] if [abs(k) for _, k in e.terms] == [1] else None


@dataclass(slots=True)
class Sketch:
    """A sum while it is put together: extents of all variables, those summed over, and guards."""

    extents: dict[int, int]
    summed: list[int] = field(default_factory=list[int])
    guards: list[Guard] = field(default_factory=list[Guard])

    def fresh(self, extent: int) -> Affine:
        """Return a new variable to sum over."""
        v = unused(self.extents)
        self.extents[v] = extent
        self.summed.append(v)
        return variable(v)

    def equate(self, a: Affine, b: Affine) -> None:
        """Demand a = b."""
        self.guards.append(equation(a, b))

    def form(self, shape: Shape, *reads: Reads) -> Multilinear:
        """Return the form of this sum, over the indices of a shape, of operands read."""
        summed = tuple(self.extents[v] for v in self.summed)
        return Multilinear(shape, summed, reads, tuple(self.guards))


@dataclass(frozen=True, slots=True)
class Application:
    """A multilinear form at its operands.

    `slots` says which of them are operands of the operation at hand (operand number: place); the
    others are masks and selectors, which are locally constant.
    """

    form: Multilinear
    operands: tuple[Tensor, ...]
    slots: Mapping[int, int]
