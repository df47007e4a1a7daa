"""Constructors of `dot_general` and `convolution`."""

from collections.abc import Sequence

from gradwright.hlo.attributes import Convolution, DotGeneral
from gradwright.hlo.ir import Value
from gradwright.hlo.types import Shape
from gradwright.hlo.writing import Writer


class Contraction(Writer):
    """Products summed over shared indices."""

    def dot(
        self,
        lhs: Value,
        rhs: Value,
        contract: tuple[Sequence[int], Sequence[int]],
        batch: tuple[Sequence[int], Sequence[int]] = ((), ()),
        *,
        hint: str = "",
    ) -> Value:
        """Return the sum over `contract` pairs of lhs * rhs, for each index of `batch` pairs.

        Shapes: result = batch dimensions, then the other ones of lhs, then the other ones of rhs.
        """
        attributes = DotGeneral(
            tuple(batch[0]), tuple(batch[1]), tuple(contract[0]), tuple(contract[1])
        )
        left = (*attributes.lhs_batching, *attributes.lhs_contracting)
        right = (*attributes.rhs_batching, *attributes.rhs_contracting)
        if not _pairs_fit(lhs, rhs, left, right):
            expected = "distinct dimension pairs of equal extent and one element type"
            found = f"{list(left)} of {lhs.type} with {list(right)} of {rhs.type}"
            raise self.mismatch("stablehlo.dot_general", expected, found)
        shape = (
            *(lhs.shape[i] for i in attributes.lhs_batching),
            *(extent for i, extent in enumerate(lhs.shape) if i not in left),
            *(extent for i, extent in enumerate(rhs.shape) if i not in right),
        )
        type = lhs.type.with_shape(shape)
        return self.emit_one("stablehlo.dot_general", (lhs, rhs), type, attributes, hint=hint)

    def convolution(
        self, lhs: Value, rhs: Value, attributes: Convolution, *, hint: str = ""
    ) -> Value:
        """Return the convolution (cross-correlation) of input lhs with kernel rhs.

        Shapes: with effective extents n' = (n - 1) * lhs_dilation + 1 and
        k' = (k - 1) * rhs_dilation + 1, a spatial output extent is
        (n' + low + high - k') // stride + 1.
        """
        problem = _convolution_problem(lhs, rhs, attributes)
        if problem:
            raise self.mismatch("stablehlo.convolution", *problem)
        type = lhs.type.with_shape(convolution_shape(lhs.shape, rhs.shape, attributes))
        return self.emit_one("stablehlo.convolution", (lhs, rhs), type, attributes, hint=hint)


def convolution_shape(lhs: Shape, rhs: Shape, attributes: Convolution) -> Shape:
    """Return the shape of the result of a convolution."""
    dims = attributes.dims
    shape = [0] * len(lhs)
    shape[dims.output_batch] = lhs[dims.input_batch] // attributes.batch_group_count
    shape[dims.output_feature] = rhs[dims.kernel_output_feature]
    for axis, position in enumerate(dims.output_spatial):
        low, high = attributes.padding[axis]
        extent = dilated(lhs[dims.input_spatial[axis]], attributes.lhs_dilation[axis])
        kernel = dilated(rhs[dims.kernel_spatial[axis]], attributes.rhs_dilation[axis])
        shape[position] = window_count(extent + low + high, kernel, attributes.strides[axis])
    return tuple(shape)


def dilated(extent: int, dilation: int) -> int:
    """Return the extent after dilation - 1 holes between neighbours."""
    return (extent - 1) * dilation + 1 if extent > 0 else 0


def window_count(extent: int, window: int, stride: int) -> int:
    """Return how many windows fit into an extent at a stride."""
    return max((extent - window) // stride + 1, 0)


def _pairs_fit(lhs: Value, rhs: Value, left: Shape, right: Shape) -> bool:
    if lhs.type.element is not rhs.type.element or len(left) != len(right):
        return False
    if len(set(left)) != len(left) or len(set(right)) != len(right):
        return False
    return all(
        0 <= i < lhs.type.rank and 0 <= j < rhs.type.rank and lhs.shape[i] == rhs.shape[j]
        for i, j in zip(left, right, strict=True)
    )


def _convolution_problem(lhs: Value, rhs: Value, conv: Convolution) -> tuple[str, str] | None:
    """Return (expected, found) of the first rule that the operands break."""
    dims = conv.dims
    rank = lhs.type.rank
    spatial = rank - 2
    if rhs.type.rank != rank or lhs.type.element is not rhs.type.element:
        return "operands of one rank and element type", f"{lhs.type} and {rhs.type}"
    layouts = (
        (dims.input_batch, dims.input_feature, *dims.input_spatial),
        (dims.kernel_input_feature, dims.kernel_output_feature, *dims.kernel_spatial),
        (dims.output_batch, dims.output_feature, *dims.output_spatial),
    )
    if any(sorted(layout) != list(range(rank)) for layout in layouts):
        return f"dimension numbers that name each of {rank} dimensions once", str(layouts)
    fields = (conv.strides, conv.padding, conv.lhs_dilation, conv.rhs_dilation)
    if any(len(entries) != spatial for entries in (*fields, conv.window_reversal)):
        return f"{spatial} entries per window attribute", str(fields)
    if any(n < 1 for n in (*conv.strides, *conv.lhs_dilation, *conv.rhs_dilation)):
        return "strides and dilations >= 1", str(fields)
    if any(rhs.shape[i] < 1 for i in dims.kernel_spatial):
        return "kernel extents >= 1", str(rhs.type)
    return _group_problem(lhs, rhs, conv)


def _group_problem(lhs: Value, rhs: Value, conv: Convolution) -> tuple[str, str] | None:
    dims = conv.dims
    features, batch = conv.feature_group_count, conv.batch_group_count
    channels, out = lhs.shape[dims.input_feature], rhs.shape[dims.kernel_output_feature]
    if features < 1 or batch < 1 or (features > 1 and batch > 1):
        return "one group count >= 1, the other 1", f"{features} and {batch}"
    if rhs.shape[dims.kernel_input_feature] * features != channels:
        found = f"{rhs.shape[dims.kernel_input_feature]} x {features} groups"
        return f"kernel input features x groups = {channels} input features", found
    if out % features or out % batch or lhs.shape[dims.input_batch] % batch:
        return f"{out} output features and the batch divisible by the groups", str(
            max(features, batch)
        )
    return None
