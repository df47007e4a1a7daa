"""Gathers and scatters by computed indices, as sums over all places.

block[b, o] = sum over i of [start[b] + o = i] * x[i], where the start is in range; that is assumed,
unless it shows. A scatter is the transposed sum: what several indices send to a place adds up.
"""

from collections.abc import Sequence

from gradwright.check.affine import Affine, variable
from gradwright.check.atoms import Test
from gradwright.check.forms import ZERO, Form, Reads
from gradwright.check.functions import Functions
from gradwright.check.tensor import Shape, Tensor
from gradwright.hlo import attributes as attr


def gathered(
    f: Functions, a: attr.Gather | attr.Scatter, block: Shape, x: Tensor, indices: Tensor
) -> tuple[Form, Sequence[Tensor]]:
    """Return the sum that a gather of this shape is; its last operand is x."""
    match a:
        case attr.Gather(window, collapsed, batching, index_batching, mapped, vector, _, _):
            pass
        case attr.Scatter(window, collapsed, batching, index_batching, mapped, vector, _, _):
            pass
    places = [variable(d) for d in range(len(block)) if d not in window]
    offsets = iter(window)
    reads: list[Affine] = []
    masks: list[tuple[Tensor, Reads]] = []
    summed: list[int] = []
    for d, extent in enumerate(x.shape):
        whole = d not in collapsed and d not in batching
        offset = [next(offsets)] if whole else []
        if d in mapped:
            at = variable(len(block) + len(summed))
            summed.append(extent)
            sizes = tuple(block[v] for v in offset)
            start = _component(f, indices, vector, mapped.index(d))
            _require_inside(f, start, extent - sum(sizes) if sizes else extent - 1)
            mask = _place(f, start, (*start.shape, *sizes, extent))
            masks.append((mask, (*places, *map(variable, offset), at)))
            reads.append(at)
        elif d in batching:
            dimension = index_batching[batching.index(d)]
            reads.append(places[dimension - (dimension > vector)])
        else:
            reads.append(variable(offset[0]) if offset else ZERO)
    form = Form(block, tuple(summed), (*(read for _, read in masks), tuple(reads)))
    return form, [*(mask for mask, _ in masks), x]


def _component(f: Functions, indices: Tensor, vector: int, position: int) -> Tensor:
    """Return one component of the index vectors, batch by batch."""
    reads = [variable(d - (d > vector)) for d in range(len(indices.shape))]
    if vector < len(reads):
        reads[vector] = (position, ())
    batch = tuple(n for d, n in enumerate(indices.shape) if d != vector)
    return f.contractions.apply(Form(batch, (), (tuple(reads),)), [indices])


def _place(f: Functions, start: Tensor, shape: Shape) -> Tensor:
    """Return [start + offset = place]; the dimensions of a shape are those, the offset if any."""
    rank = len(start.shape)
    read = tuple(variable(d) for d in range(rank))
    at = f.contractions.apply(Form(shape, (), (read,)), [start])
    if len(shape) == rank + 2:
        at = f.add(at, f.index_along(shape, rank))
    return f.mask(Test.ZERO, f.add(at, f.index_along(shape, len(shape) - 1), -1))


def _require_inside(f: Functions, start: Tensor, last: int) -> None:
    """Assume 0 <= start <= last, unless it shows that this is so."""
    below = f.compare("LT", start, f.number(start, 0))
    above = f.compare("GT", start, f.number(start, last))
    if f.add(below, above).poly:
        f.assume_inside(start, last)
