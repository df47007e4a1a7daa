"""The multilinear form of each StableHLO operation that moves or contracts elements."""

from collections.abc import Sequence

from gradwright.certify.kernel.index import Affine, Guard, combine, constant, radix, variable
from gradwright.certify.kernel.multilinear import Multilinear, Reads
from gradwright.certify.kernel.tensor import Shape
from gradwright.hlo import attributes as attr


def transpose(shape: Shape, attributes: attr.Transpose) -> Multilinear:
    """result[o] = x[o permuted back]."""
    reads = [constant(0)] * len(shape)
    for position, dimension in enumerate(attributes.permutation):
        reads[dimension] = variable(position)
    return Multilinear(shape, (), (tuple(reads),))


def broadcast(operand: Shape, shape: Shape, attributes: attr.BroadcastInDim) -> Multilinear:
    """result[o] = x[o restricted to `dimensions`], index 0 where the extent is 1."""
    reads = tuple(
        constant(0) if extent == 1 else variable(target)
        for extent, target in zip(operand, attributes.dimensions, strict=True)
    )
    return Multilinear(shape, (), (reads,))


def reverse(shape: Shape, attributes: attr.Dimensions) -> Multilinear:
    """result[o] = x[n - 1 - o] along the reversed dimensions."""
    reads = tuple(
        combine(((-1, variable(d)),), n - 1) if d in attributes.dimensions else variable(d)
        for d, n in enumerate(shape)
    )
    return Multilinear(shape, (), (reads,))


def slice_(shape: Shape, attributes: attr.Slice) -> Multilinear:
    """result[o] = x[start + stride * o]."""
    reads = tuple(
        combine(((stride, variable(d)),), start)
        for d, (start, stride) in enumerate(zip(attributes.start, attributes.strides, strict=True))
    )
    return Multilinear(shape, (), (reads,))


def pad(operand: Shape, shape: Shape, attributes: attr.Pad) -> Multilinear:
    """result[low + (interior + 1) * i] = x[i], 0 elsewhere."""
    reads: list[Affine] = []
    summed: list[int] = []
    guards: list[Guard] = []
    edges = zip(attributes.low, attributes.interior, operand, strict=True)
    for d, (low, interior, extent) in enumerate(edges):
        at = combine(((1, variable(d)),), -low)
        if interior:
            i = variable(len(shape) + len(summed))
            summed.append(extent)
            guards.append((combine(((1, at), (-(interior + 1), i))), 0, 1))
            at = i
        reads.append(at)
    return Multilinear(shape, tuple(summed), (tuple(reads),), tuple(guards))


def concatenate(operand: Shape, shape: Shape, dimension: int, start: int) -> Multilinear:
    """The part of a concatenation that one operand fills: x[o - start], 0 elsewhere."""
    reads = tuple(
        combine(((1, variable(d)),), -start if d == dimension else 0) for d in range(len(operand))
    )
    return Multilinear(shape, (), (reads,))


def reduce(operand: Shape, attributes: attr.Dimensions) -> Multilinear:
    """result[o] = sum over the reduced dimensions of x."""
    kept = [d for d in range(len(operand)) if d not in attributes.dimensions]
    order = [*kept, *attributes.dimensions]
    reads = tuple(variable(order.index(d)) for d in range(len(operand)))
    shape = tuple(operand[d] for d in kept)
    return Multilinear(shape, tuple(operand[d] for d in attributes.dimensions), (reads,))


def dot(lhs: Shape, rhs: Shape, shape: Shape, attributes: attr.DotGeneral) -> Multilinear:
    """result[batch, i, j] = sum over the contracted dimensions of lhs * rhs."""
    left: dict[int, Affine] = {}
    right: dict[int, Affine] = {}
    position = 0
    for a, b in zip(attributes.lhs_batching, attributes.rhs_batching, strict=True):
        left[a] = right[b] = variable(position)
        position += 1
    summed = [lhs[a] for a in attributes.lhs_contracting]
    for i, (a, b) in enumerate(
        zip(attributes.lhs_contracting, attributes.rhs_contracting, strict=True)
    ):
        left[a] = right[b] = variable(len(shape) + i)
    for reads, operand in ((left, lhs), (right, rhs)):
        for d in range(len(operand)):
            if d not in reads:
                reads[d] = variable(position)
                position += 1
    return Multilinear(shape, tuple(summed), (_in_order(left), _in_order(right)))


def convolution(lhs: Shape, rhs: Shape, shape: Shape, conv: attr.Convolution) -> Multilinear:
    """result[n, o, q] = sum over c, k of lhs[n, c, p] * rhs[c, o, k], per group.

    On each spatial axis p * lhs_dilation = q * stride + k * rhs_dilation - low, with k counted from
    the end where the window is reversed. Group g of the features holds output features
    g * O' + o' and reads input features g * C' + c; group g of the batch is lhs batch g * N' + n.
    """
    dims = conv.dims
    form = _ConvolutionForm(shape)
    left: dict[int, Affine] = {dims.input_batch: variable(dims.output_batch)}
    c = form.summed_index(rhs[dims.kernel_input_feature])
    right: dict[int, Affine] = {
        dims.kernel_input_feature: c,
        dims.kernel_output_feature: variable(dims.output_feature),
    }
    left[dims.input_feature] = c
    groups = conv.feature_group_count * conv.batch_group_count
    if groups > 1:
        per_group = shape[dims.output_feature] // groups
        g, inner = form.summed_index(groups), form.summed_index(per_group)
        whole = radix(((groups, g), (per_group, inner)))
        form.equate(variable(dims.output_feature), whole)
        if conv.feature_group_count > 1:
            left[dims.input_feature] = radix(((groups, g), (rhs[dims.kernel_input_feature], c)))
        else:
            batch = shape[dims.output_batch]
            left[dims.input_batch] = radix(((groups, g), (batch, variable(dims.output_batch))))
    for axis in range(len(conv.strides)):
        _spatial(form, conv, axis, lhs, rhs, left, right)
    reads = (_in_order(left), _in_order(right))
    return Multilinear(shape, tuple(form.summed), reads, tuple(form.guards))


def window_sum(
    operand: Shape, shape: Shape, window: attr.Window, inside: Sequence[Guard] = ()
) -> Multilinear:
    """result[q] = sum over k of x[p], p * base = q * stride + k * dilation - low."""
    form = _ConvolutionForm(shape)
    reads: list[Affine] = []
    for d in range(len(shape)):
        k = form.summed_index(window.dimensions[d])
        parts = ((window.strides[d], variable(d)), (window.window_dilations[d], k))
        at = combine(parts, -window.padding[d][0])
        reads.append(form.undilated(at, window.base_dilations[d], operand[d]))
    return Multilinear(shape, tuple(form.summed), (tuple(reads),), (*form.guards, *inside))


class _ConvolutionForm:
    """Summed variables and equations while a form is assembled."""

    def __init__(self, shape: Shape) -> None:
        self.rank = len(shape)
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


def _spatial(
    form: _ConvolutionForm,
    conv: attr.Convolution,
    axis: int,
    lhs: Shape,
    rhs: Shape,
    left: dict[int, Affine],
    right: dict[int, Affine],
) -> None:
    dims = conv.dims
    extent = rhs[dims.kernel_spatial[axis]]
    k = form.summed_index(extent)
    right[dims.kernel_spatial[axis]] = k
    tap = combine(((-1, k),), extent - 1) if conv.window_reversal[axis] else k
    parts = (
        (conv.strides[axis], variable(dims.output_spatial[axis])),
        (conv.rhs_dilation[axis], tap),
    )
    at = combine(parts, -conv.padding[axis][0])
    dimension = dims.input_spatial[axis]
    left[dimension] = form.undilated(at, conv.lhs_dilation[axis], lhs[dimension])


def _in_order(reads: dict[int, Affine]) -> Reads:
    return tuple(reads[d] for d in range(len(reads)))
