"""The forms of a maximum over indices: one value that the kernel knows under several names.

Which form is built decides what can be recognised, never what is true: each is the same maximum.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from gradwright.certify.kernel.denotation import Denotation
from gradwright.certify.kernel.index import Affine, variable
from gradwright.certify.kernel.multilinear import Multilinear
from gradwright.certify.kernel.tensor import Shape, Tensor
from gradwright.certify.kernel.windows import selector
from gradwright.hlo import attributes as attr


@dataclass(frozen=True, slots=True)
class Extreme:
    """A maximum or minimum of reads of a value: variables are the result's indices, then the bound.

    Shapes: the result has extents `shape`; the bound indices `bound`.
    """

    maximum: bool
    operand: Tensor
    reads: tuple[Affine, ...]
    shape: Shape
    bound: Shape


def reduced(den: Denotation, extreme: Extreme) -> Iterator[Tensor]:
    """Yield the extreme over whole dimensions of its operand, as a reduction has it."""
    rank = len(extreme.shape)
    places = [_lone(e) for e in extreme.reads]
    kept = [v for v in places if v is not None and v < rank]
    taken = [d for d, v in enumerate(places) if v is not None and v >= rank]
    whole = sorted(v for v in places if v is not None) == list(range(rank + len(extreme.bound)))
    extents = (*extreme.shape, *extreme.bound)
    if not whole or kept != list(range(rank)):
        return
    if tuple(extents[v] for v in places if v is not None) != extreme.operand.shape:
        return
    opcode = "reduce_maximum" if extreme.maximum else "reduce_minimum"
    den.require_finite(extreme.operand)
    yield den.opaque(opcode, [extreme.operand], attr.Dimensions(tuple(taken)), extreme.shape)


def windowed(den: Denotation, extreme: Extreme) -> Iterator[Tensor]:
    """Yield the extreme over windows that slide over its operand, as a windowed reduction has it.

    How far the padding goes on above the last window is no part of what it computes: all are tried.
    """
    rank = len(extreme.shape)
    if rank != len(extreme.reads):
        return
    axes = [_axis(extreme, d) for d in range(rank)]
    if any(axis is None for axis in axes):
        return
    sides = [axis for axis in axes if axis is not None]
    ones = (1,) * rank
    den.require_finite(extreme.operand)
    for highs in product(*(axis.highs for axis in sides)):
        window = attr.Window(
            tuple(axis.extent for axis in sides),
            tuple(axis.stride for axis in sides),
            ones,
            tuple(axis.dilation for axis in sides),
            tuple((axis.low, high) for axis, high in zip(sides, highs, strict=True)),
        )
        x = extreme.operand
        chosen = selector(den, x, extreme.shape, window, maximum=extreme.maximum, first=True)
        outputs = tuple(variable(d) for d in range(rank))
        inputs = tuple(variable(rank + d) for d in range(rank))
        form = Multilinear(extreme.shape, x.shape, ((*outputs, *inputs), inputs))
        yield den.linear(form, chosen, x)


@dataclass(frozen=True, slots=True)
class _Axis:
    """A window along one dimension of an operand."""

    extent: int
    stride: int
    dilation: int
    low: int
    highs: range


def _axis(extreme: Extreme, d: int) -> _Axis | None:
    """Return the window that a read stride * i + dilation * tap - low walks, None for others."""
    rank = len(extreme.shape)
    offset, terms = extreme.reads[d]
    weights = dict(terms)
    stride = weights.pop(d, 0)
    if stride < 1 or len(weights) > 1 or offset > 0 or any(v < rank for v in weights):
        return None
    extent, dilation = 1, 1
    for v, weight in weights.items():
        extent, dilation = extreme.bound[v - rank], weight
    if dilation < 1 or sum(v in dict(e[1]) for e in extreme.reads for v in weights) > 1:
        return None
    reach = (extreme.shape[d] - 1) * stride + (extent - 1) * dilation + 1
    high = reach + offset - extreme.operand.shape[d]
    return _Axis(extent, stride, dilation, -offset, range(high, high + stride))


def _lone(e: Affine) -> int | None:
    """Return v where the expression is the variable v."""
    return e[1][0][0] if e[0] == 0 and len(e[1]) == 1 and e[1][0][1] == 1 else None
