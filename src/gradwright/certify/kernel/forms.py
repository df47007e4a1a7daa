"""The multilinear form of each StableHLO operation that moves or contracts elements."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count

from gradwright.certify.kernel.index import Affine, radix, variable
from gradwright.certify.kernel.multilinear import Multilinear, Reads, Sketch
from gradwright.certify.kernel.tensor import Shape
from gradwright.hlo import attributes as attr

Shapes = Sequence[Shape]


def _transpose(_: Shapes, shape: Shape, a: attr.Transpose) -> Multilinear:
    """result[o] = x[o permuted back]."""
    return _moved(shape, in_order({d: variable(i) for i, d in enumerate(a.permutation)}))


def _broadcast(x: Shapes, shape: Shape, a: attr.BroadcastInDim) -> Multilinear:
    """result[o] = x[o restricted to `dimensions`], index 0 where the extent is 1."""
    places = zip(x[0], a.dimensions, strict=True)
    return _moved(shape, (Affine(0) if n == 1 else variable(d) for n, d in places))


def _reverse(_: Shapes, shape: Shape, a: attr.Dimensions) -> Multilinear:
    """result[o] = x[n - 1 - o] along the reversed dimensions."""
    ways = ((-1, n - 1) if d in a.dimensions else (1, 0) for d, n in enumerate(shape))
    return _moved(shape, (k * variable(d) + at for d, (k, at) in enumerate(ways)))


def _slice(_: Shapes, shape: Shape, a: attr.Slice) -> Multilinear:
    """result[o] = x[start + stride * o]."""
    ways = enumerate(zip(a.strides, a.start, strict=True))
    return _moved(shape, (k * variable(d) + start for d, (k, start) in ways))


def concatenate(shape: Shape, dimension: int, start: int) -> Multilinear:
    """The part of a concatenation that one operand fills: x[o - start], 0 elsewhere."""
    starts = (start if d == dimension else 0 for d in range(len(shape)))
    return _moved(shape, (variable(d) - at for d, at in enumerate(starts)))


def _moved(shape: Shape, reads: Iterable[Affine]) -> Multilinear:
    return Multilinear(shape, (), (tuple(reads),))


def _pad(x: Shapes, shape: Shape, a: attr.Pad) -> Multilinear:
    """result[low + (interior + 1) * i] = x[i], 0 elsewhere."""
    form = Sketch(dict(enumerate(shape)))
    edges = enumerate(zip(a.low, a.interior, x[0], strict=True))
    reads = (
        _undilated(form, variable(d) - low, interior + 1, extent)
        for d, (low, interior, extent) in edges
    )
    return form.form(shape, tuple(reads))


def _reduce(x: Shapes, shape: Shape, a: attr.Dimensions) -> Multilinear:
    """result[o] = sum over the reduced dimensions of x."""
    order = [*(d for d in range(len(x[0])) if d not in a.dimensions), *a.dimensions]
    reads = tuple(variable(order.index(d)) for d in range(len(x[0])))
    return Multilinear(shape, tuple(x[0][d] for d in a.dimensions), (reads,))


def _dot(x: Shapes, shape: Shape, a: attr.DotGeneral) -> Multilinear:
    """result[batch, i, j] = sum over the contracted dimensions of lhs * rhs."""
    batch, contracted = count(), count(len(shape))
    left = {d: variable(next(batch)) for d in a.lhs_batching}
    right = dict(zip(a.rhs_batching, left.values(), strict=True))
    summed = {d: variable(next(contracted)) for d in a.lhs_contracting}
    right |= zip(a.rhs_contracting, summed.values(), strict=True)
    left |= summed
    for reads, operand in zip((left, right), x, strict=True):
        reads |= {d: variable(next(batch)) for d in range(len(operand)) if d not in reads}
    return Multilinear(
        shape, tuple(x[0][d] for d in a.lhs_contracting), (in_order(left), in_order(right))
    )


def _convolution(x: Shapes, shape: Shape, conv: attr.Convolution) -> Multilinear:
    """result[n, o, q] = sum over c, k of lhs[n, c, p] * rhs[c, o, k], per group.

    On each spatial axis p * lhs_dilation = q * stride + k * rhs_dilation - low, with k counted from
    the end where the window is reversed. Group g of the features holds output features
    g * O' + o' and reads input features g * C' + c; group g of the batch is lhs batch g * N' + n.
    """
    (lhs, rhs), dims = x, conv.dims
    form = Sketch(dict(enumerate(shape)))
    c = form.fresh(rhs[dims.kernel_input_feature])
    left = {dims.input_batch: variable(dims.output_batch), dims.input_feature: c}
    right = {
        dims.kernel_input_feature: c,
        dims.kernel_output_feature: variable(dims.output_feature),
    }
    groups = conv.feature_group_count * conv.batch_group_count
    if groups > 1:
        per_group = shape[dims.output_feature] // groups
        g, inner = form.fresh(groups), form.fresh(per_group)
        whole = radix(((groups, g), (per_group, inner)))
        form.equate(variable(dims.output_feature), whole)
        shared = dims.input_feature if conv.feature_group_count > 1 else dims.input_batch
        left[shared] = radix(((groups, g), (lhs[shared] // groups, left[shared])))
    for axis, d in enumerate(dims.input_spatial):
        kernel = dims.kernel_spatial[axis]
        k = form.fresh(rhs[kernel])
        right[kernel] = k
        tap = -1 * k + (rhs[kernel] - 1) if conv.window_reversal[axis] else k
        q = variable(dims.output_spatial[axis])
        at = conv.strides[axis] * q + conv.rhs_dilation[axis] * tap - conv.padding[axis][0]
        left[d] = _undilated(form, at, conv.lhs_dilation[axis], lhs[d])
    return form.form(shape, in_order(left), in_order(right))


def window_sum(operand: Shape, shape: Shape, window: attr.Window) -> Multilinear:
    """result[q] = sum over k of x[p], p * base = q * stride + k * dilation - low."""
    form = Sketch(dict(enumerate(shape)))
    reads: list[Affine] = []
    for d, extent in enumerate(window.dimensions):
        k = form.fresh(extent)
        taps = window.strides[d] * variable(d) + window.window_dilations[d] * k
        at = taps - window.padding[d][0]
        reads.append(_undilated(form, at, window.base_dilations[d], operand[d]))
    return form.form(shape, tuple(reads))


def _undilated(form: Sketch, at: Affine, dilation: int, extent: int) -> Affine:
    """Return i with i * dilation = at."""
    if dilation == 1:
        return at
    i = form.fresh(extent)
    form.equate(at, dilation * i)
    return i


def in_order(reads: Mapping[int, Affine]) -> Reads:
    """Return the reads of all dimensions, from the first on."""
    return tuple(reads[d] for d in range(len(reads)))


FORMS: dict[str, Callable[..., Multilinear]] = {
    "stablehlo.transpose": _transpose,
    "stablehlo.broadcast_in_dim": _broadcast,
    "stablehlo.reverse": _reverse,
    "stablehlo.slice": _slice,
    "stablehlo.pad": _pad,
    "stablehlo.reduce": _reduce,
    "stablehlo.dot_general": _dot,
    "stablehlo.convolution": _convolution,
}
"""The form of each operation by the shapes of its operands, that of its result, its attributes."""
