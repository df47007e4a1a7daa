"""The multilinear form of each StableHLO operation that moves or contracts elements."""

from collections.abc import Iterable, Mapping
from itertools import count

from gradwright.certify.kernel.index import Affine, Guard, combine, constant, radix, variable
from gradwright.certify.kernel.multilinear import Multilinear, Reads
from gradwright.certify.kernel.tensor import Shape
from gradwright.hlo import attributes as attr


def transpose(shape: Shape, a: attr.Transpose) -> Multilinear:
    """result[o] = x[o permuted back]."""
    return _moved(shape, in_order({d: variable(i) for i, d in enumerate(a.permutation)}))


def broadcast(operand: Shape, shape: Shape, a: attr.BroadcastInDim) -> Multilinear:
    """result[o] = x[o restricted to `dimensions`], index 0 where the extent is 1."""
    places = zip(operand, a.dimensions, strict=True)
    return _moved(shape, (constant(0) if n == 1 else variable(d) for n, d in places))


def reverse(shape: Shape, a: attr.Dimensions) -> Multilinear:
    """result[o] = x[n - 1 - o] along the reversed dimensions."""
    ways = ((-1, n - 1) if d in a.dimensions else (1, 0) for d, n in enumerate(shape))
    return _moved(shape, (combine(((k, variable(d)),), at) for d, (k, at) in enumerate(ways)))


def slice_(shape: Shape, a: attr.Slice) -> Multilinear:
    """result[o] = x[start + stride * o]."""
    ways = enumerate(zip(a.strides, a.start, strict=True))
    return _moved(shape, (combine(((k, variable(d)),), start) for d, (k, start) in ways))


def concatenate(shape: Shape, dimension: int, start: int) -> Multilinear:
    """The part of a concatenation that one operand fills: x[o - start], 0 elsewhere."""
    starts = (start if d == dimension else 0 for d in range(len(shape)))
    return _moved(shape, (combine(((1, variable(d)),), -at) for d, at in enumerate(starts)))


def _moved(shape: Shape, reads: Iterable[Affine]) -> Multilinear:
    return Multilinear(shape, (), (tuple(reads),))


def pad(operand: Shape, shape: Shape, a: attr.Pad) -> Multilinear:
    """result[low + (interior + 1) * i] = x[i], 0 elsewhere."""
    form = _Windows(len(shape))
    edges = enumerate(zip(a.low, a.interior, operand, strict=True))
    reads = (
        form.undilated(combine(((1, variable(d)),), -low), interior + 1, extent)
        for d, (low, interior, extent) in edges
    )
    return form.done(shape, tuple(reads))


def reduce(operand: Shape, attributes: attr.Dimensions) -> Multilinear:
    """result[o] = sum over the reduced dimensions of x."""
    kept = [d for d in range(len(operand)) if d not in attributes.dimensions]
    order = [*kept, *attributes.dimensions]
    reads = tuple(variable(order.index(d)) for d in range(len(operand)))
    shape = tuple(operand[d] for d in kept)
    return Multilinear(shape, tuple(operand[d] for d in attributes.dimensions), (reads,))


def dot(lhs: Shape, rhs: Shape, shape: Shape, a: attr.DotGeneral) -> Multilinear:
    """result[batch, i, j] = sum over the contracted dimensions of lhs * rhs."""
    batch, contracted = count(), count(len(shape))
    left = {d: variable(next(batch)) for d in a.lhs_batching}
    right = dict(zip(a.rhs_batching, left.values(), strict=True))
    summed = {d: variable(next(contracted)) for d in a.lhs_contracting}
    right |= zip(a.rhs_contracting, summed.values(), strict=True)
    left |= summed
    for reads, operand in ((left, lhs), (right, rhs)):
        reads |= {d: variable(next(batch)) for d in range(len(operand)) if d not in reads}
    return Multilinear(
        shape, tuple(lhs[d] for d in a.lhs_contracting), (in_order(left), in_order(right))
    )


def convolution(lhs: Shape, rhs: Shape, shape: Shape, conv: attr.Convolution) -> Multilinear:
    """result[n, o, q] = sum over c, k of lhs[n, c, p] * rhs[c, o, k], per group.

    On each spatial axis p * lhs_dilation = q * stride + k * rhs_dilation - low, with k counted from
    the end where the window is reversed. Group g of the features holds output features
    g * O' + o' and reads input features g * C' + c; group g of the batch is lhs batch g * N' + n.
    """
    dims = conv.dims
    form = _Windows(len(shape))
    c = form.summed_index(rhs[dims.kernel_input_feature])
    left = {dims.input_batch: variable(dims.output_batch), dims.input_feature: c}
    right = {
        dims.kernel_input_feature: c,
        dims.kernel_output_feature: variable(dims.output_feature),
    }
    groups = conv.feature_group_count * conv.batch_group_count
    if groups > 1:
        per_group = shape[dims.output_feature] // groups
        g, inner = form.summed_index(groups), form.summed_index(per_group)
        whole = radix(((groups, g), (per_group, inner)))
        form.equate(variable(dims.output_feature), whole)
        shared = dims.input_feature if conv.feature_group_count > 1 else dims.input_batch
        left[shared] = radix(((groups, g), (lhs[shared] // groups, left[shared])))
    for axis, d in enumerate(dims.input_spatial):
        kernel = dims.kernel_spatial[axis]
        k = form.summed_index(rhs[kernel])
        right[kernel] = k
        tap = combine(((-1, k),), rhs[kernel] - 1) if conv.window_reversal[axis] else k
        q = variable(dims.output_spatial[axis])
        taps = (conv.strides[axis], q), (conv.rhs_dilation[axis], tap)
        at = combine(taps, -conv.padding[axis][0])
        left[d] = form.undilated(at, conv.lhs_dilation[axis], lhs[d])
    return form.done(shape, in_order(left), in_order(right))


def window_sum(operand: Shape, shape: Shape, window: attr.Window) -> Multilinear:
    """result[q] = sum over k of x[p], p * base = q * stride + k * dilation - low."""
    form = _Windows(len(shape))
    reads: list[Affine] = []
    for d, extent in enumerate(window.dimensions):
        k = form.summed_index(extent)
        parts = ((window.strides[d], variable(d)), (window.window_dilations[d], k))
        at = combine(parts, -window.padding[d][0])
        reads.append(form.undilated(at, window.base_dilations[d], operand[d]))
    return form.done(shape, tuple(reads))


class _Windows:
    """Summed variables and equations while a form is assembled."""

    def __init__(self, rank: int) -> None:
        self.rank = rank
        self.summed: list[int] = []
        self.guards: list[Guard] = []

    def summed_index(self, extent: int) -> Affine:
        self.summed.append(extent)
        return variable(self.rank + len(self.summed) - 1)

    def equate(self, a: Affine, b: Affine) -> None:
        self.guards.append((combine(((1, a), (-1, b))), 0, 1))

    def undilated(self, at: Affine, dilation: int, extent: int) -> Affine:
        """Return i with i * dilation = at."""
        if dilation == 1:
            return at
        i = self.summed_index(extent)
        self.equate(at, combine(((dilation, i),)))
        return i

    def done(self, shape: Shape, *reads: Reads) -> Multilinear:
        return Multilinear(shape, tuple(self.summed), reads, tuple(self.guards))


def in_order(reads: Mapping[int, Affine]) -> Reads:
    """Return the reads of all dimensions, from the first on."""
    return tuple(reads[d] for d in range(len(reads)))
