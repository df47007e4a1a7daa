"""What each operation that moves, joins or contracts elements computes, as one kind of sum.

result[o] = sum over r of the product of operand_i[reads_i(o, r)], where the guards hold; an operand
read outside its extents counts as 0. Variables: the result's indices, then the summed ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from gradwright.check.affine import Affine, Guard, linear, placed, variable
from gradwright.check.atoms import Uncheckable
from gradwright.check.tensor import Shape, radix
from gradwright.hlo import Operation
from gradwright.hlo import attributes as attr

Reads = tuple[Affine, ...]
ZERO: Affine = (0, ())


@dataclass(frozen=True, slots=True)
class Form:
    """The sum above."""

    shape: Shape
    summed: tuple[int, ...]
    reads: tuple[Reads, ...]
    guards: tuple[Guard, ...] = ()

    def transposed(self, operand: int, shape: Shape) -> "Form":
        """Return the form of the cotangent of one operand of this shape.

        dA[a] = sum over o, r of g[o] * the other operands where reads_A(o, r) = a: g is read in the
        place of the operand, everything else as before.
        """
        rank = len(shape)
        extents = (*self.shape, *self.summed)
        places = {v: variable(rank + v) for v in range(len(extents))}
        guards: list[Guard] = []
        solved: set[int] = set()
        for d, (offset, terms) in enumerate(self.reads[operand]):
            if offset == 0 and len(terms) == 1 and terms[0][1] == 1 and terms[0][0] not in solved:
                v = terms[0][0]
                solved.add(v)
                places[v] = variable(d)
                guards.append((variable(d), 0, extents[v]))
        for d, e in enumerate(self.reads[operand]):
            guards.append((linear(((1, placed(e, places)), (-1, variable(d)))), 0, 1))
        guards += [(placed(e, places), low, high) for e, low, high in self.guards]
        reads = [tuple(placed(e, places) for e in read) for read in self.reads]
        reads[operand] = tuple(places[v] for v in range(len(self.shape)))
        left = tuple(1 if v in solved else n for v, n in enumerate(extents))
        return Form(shape, left, tuple(reads), tuple(guards))


@dataclass(slots=True)
class _Draft:
    """Summed variables and equations while a form is written."""

    rank: int
    summed: list[int] = field(default_factory=list[int])
    guards: list[Guard] = field(default_factory=list[Guard])

    def sum_over(self, extent: int) -> Affine:
        if extent == 1:
            return ZERO
        self.summed.append(extent)
        return variable(self.rank + len(self.summed) - 1)

    def equate(self, a: Affine, b: Affine) -> None:
        self.guards.append((linear(((1, a), (-1, b))), 0, 1))

    def divided(self, e: Affine, by: int, extent: int) -> Affine:
        """Return the index i < extent with by * i = e."""
        if by == 1:
            return e
        i = self.sum_over(extent)
        self.equate(linear(((by, i),)), e)
        return i

    def form(self, shape: Shape, *reads: Sequence[Affine]) -> Form:
        return Form(shape, tuple(self.summed), tuple(map(tuple, reads)), tuple(self.guards))


def form_of(operation: Operation) -> Form:
    """Return the form of a transpose, broadcast, slice, reverse, pad, dot, convolution or reduce.

    Of a pad it is the part that the operand fills; of a reduce, the sum.
    """
    shapes = [value.shape for value in operation.operands]
    shape = operation.results[0].shape
    x = shapes[0]
    match operation.attributes:
        case attr.Transpose(permutation):
            reads = [variable(permutation.index(d)) for d in range(len(x))]
        case attr.BroadcastInDim(dimensions):
            reads = [ZERO if n == 1 else variable(d) for n, d in zip(x, dimensions, strict=True)]
        case attr.Slice(start, _, strides):
            pairs = zip(start, strides, strict=True)
            reads = [linear(((k, variable(d)),), s) for d, (s, k) in enumerate(pairs)]
        case attr.Dimensions(dimensions) if operation.opcode == "stablehlo.reverse":
            turned = [linear(((-1, variable(d)),), n - 1) for d, n in enumerate(x)]
            reads = [turned[d] if d in dimensions else variable(d) for d in range(len(x))]
        case attr.Pad(low, _, interior):
            draft = _Draft(len(shape))
            edges = enumerate(zip(low, interior, x, strict=True))
            parts = [(linear(((1, variable(d)),), -a), k + 1, n) for d, (a, k, n) in edges]
            return draft.form(shape, [draft.divided(*part) for part in parts])
        case attr.Dimensions(dimensions) if operation.opcode == "stablehlo.reduce":
            draft = _Draft(len(shape))
            kept = [d for d in range(len(x)) if d not in dimensions]
            reads = [
                variable(kept.index(d)) if d in kept else draft.sum_over(x[d])
                for d in range(len(x))
            ]
            return draft.form(shape, reads)
        case attr.Window() as window if operation.opcode == "stablehlo.reduce_window":
            return window_of(x, shape, window)
        case attr.DotGeneral() as dot:
            return _dot(x, shapes[1], shape, dot)
        case attr.Convolution() as conv:
            return _convolution(x, shapes[1], shape, conv)
        case _:
            raise Uncheckable(f"{operation.opcode} is no sum of products that this checker knows")
    return Form(shape, (), (tuple(reads),))


def reduction(shape: Shape, summed: Shape) -> Form:
    """Return the sum over the last dimensions of an operand."""
    return Form(shape, summed, (tuple(map(variable, range(len(shape) + len(summed)))),))


def part_of_concatenation(x: Shape, shape: Shape, dimension: int, start: int) -> Form:
    """Return the part of a concatenation that one operand fills."""
    reads = [linear(((1, variable(d)),), -start * (d == dimension)) for d in range(len(x))]
    return Form(shape, (), (tuple(reads),))


def slice_at(starts: Sequence[Affine], shape: Shape) -> Form:
    """Return a block of this shape of a tensor, read from starts on that no variable here moves."""
    reads = tuple(linear(((1, variable(d)), (1, start))) for d, start in enumerate(starts))
    return Form(shape, (), (reads,))


def window_of(x: Shape, shape: Shape, window: attr.Window) -> Form:
    """Return the sum over windows that slide over an operand, row by row."""
    draft = _Draft(len(shape))
    reads: list[Affine] = []
    for d, n in enumerate(x):
        k = draft.sum_over(window.dimensions[d])
        parts = ((window.strides[d], variable(d)), (window.window_dilations[d], k))
        at = linear(parts, -window.padding[d][0])
        reads.append(draft.divided(at, window.base_dilations[d], n))
    return draft.form(shape, reads)


def _dot(x: Shape, y: Shape, shape: Shape, dot: attr.DotGeneral) -> Form:
    """Result dimensions: the batching ones, then what is left of x, then what is left of y."""
    draft = _Draft(len(shape))
    left: dict[int, Affine] = {}
    right: dict[int, Affine] = {}
    for i, (a, b) in enumerate(zip(dot.lhs_batching, dot.rhs_batching, strict=True)):
        left[a] = right[b] = variable(i)
    for a, b in zip(dot.lhs_contracting, dot.rhs_contracting, strict=True):
        left[a] = right[b] = draft.sum_over(x[a])
    position = len(dot.lhs_batching)
    for reads, rank in ((left, len(x)), (right, len(y))):
        for d in (d for d in range(rank) if d not in reads):
            reads[d] = variable(position)
            position += 1
    return draft.form(shape, [left[d] for d in range(len(x))], [right[d] for d in range(len(y))])


def _convolution(x: Shape, w: Shape, shape: Shape, conv: attr.Convolution) -> Form:
    """Sum over input feature c and taps k; per group of features, or of the batch.

    x is read at p with lhs_dilation * p = stride * q + rhs_dilation * k - padding.
    """
    dims, draft = conv.dims, _Draft(len(shape))
    c = draft.sum_over(w[dims.kernel_input_feature])
    n, o = variable(dims.output_batch), variable(dims.output_feature)
    left = {dims.input_batch: n, dims.input_feature: c}
    right = {dims.kernel_input_feature: c, dims.kernel_output_feature: o}
    groups = conv.feature_group_count * conv.batch_group_count
    if groups > 1:
        size = shape[dims.output_feature] // groups
        g, inner = draft.sum_over(groups), draft.sum_over(size)
        draft.equate(o, radix(((groups, g), (size, inner))))
        if conv.feature_group_count > 1:
            left[dims.input_feature] = radix(((groups, g), (w[dims.kernel_input_feature], c)))
        else:
            left[dims.input_batch] = radix(((groups, g), (shape[dims.output_batch], n)))
    for i, (a, b) in enumerate(zip(dims.input_spatial, dims.kernel_spatial, strict=True)):
        k = draft.sum_over(w[b])
        right[b] = k
        tap = linear(((-1, k),), w[b] - 1) if conv.window_reversal[i] else k
        parts = ((conv.strides[i], variable(dims.output_spatial[i])), (conv.rhs_dilation[i], tap))
        at = linear(parts, -conv.padding[i][0])
        left[a] = draft.divided(at, conv.lhs_dilation[i], x[a])
    reads = [[side[d] for d in range(len(side))] for side in (left, right)]
    return draft.form(shape, *reads)
