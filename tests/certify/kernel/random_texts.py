"""Random straight programs over the operations that the kernel denotes, at small shapes."""

from collections.abc import Callable, Sequence

import numpy as np
from hypothesis import strategies as st

from gradwright.errors import ShapeError
from gradwright.hlo import Builder, ElementType, Function, TensorType, Value
from gradwright.hlo.attributes import (
    Convolution,
    ConvolutionDims,
    Direction,
    Gather,
    Scatter,
    ScatterWindow,
    Window,
)

Draw = st.DrawFn
F64 = ElementType.F64
I32 = ElementType.I32
UNARY = ("abs", "exponential", "log", "log_plus_one", "logistic", "negate", "rsqrt", "sqrt", "tanh")
MORE_UNARY = (
    *("cbrt", "ceil", "cosine", "exponential_minus_one", "floor", "round_nearest_afz"),
    *("round_nearest_even", "sign", "sine", "tan"),
)
BINARY = (
    *("add", "atan2", "divide", "maximum", "minimum", "multiply", "power", "remainder"),
    "subtract",
)
OF_BOOLEANS = ("and", "or", "add", "multiply", "maximum", "minimum")
PADS = st.tuples(st.integers(-1, 2), st.integers(-1, 2))
SMALL = st.lists(st.integers(1, 4), max_size=3).map(tuple)
Step = Callable[[Draw, Builder, Value, Sequence[Value]], Value]


def several(draw: Draw, rank: int, low: int, high: int) -> tuple[int, ...]:
    """Draw one integer per dimension."""
    return tuple(draw(st.lists(st.integers(low, high), min_size=rank, max_size=rank)))


def some_dimensions(draw: Draw, rank: int) -> tuple[int, ...]:
    """Draw distinct dimensions in rising order."""
    return tuple(i for i in range(rank) if draw(st.booleans()))


def partner(draw: Draw, x: Value, values: Sequence[Value]) -> Value:
    """Draw a value of the same type."""
    return draw(st.sampled_from([value for value in values if value.type == x.type]))


@st.composite
def programs(draw: Draw, steps: Sequence[Step], longest: int = 8) -> Function:
    """Draw a function that returns every value it computes; steps that do not fit are left out."""
    b = Builder()
    values = [
        b.argument(f"x{i}", TensorType(draw(SMALL), F64)) for i in range(draw(st.integers(1, 2)))
    ]
    for _ in range(draw(st.integers(1, longest))):
        step = draw(st.sampled_from(steps))
        try:
            value = step(draw, b, draw(st.sampled_from(values)), values)
        except ShapeError:
            continue
        if 0 < value.type.size <= 64:
            values.append(value)
    return b.finish("main", values)


def unary(draw: Draw, b: Builder, x: Value, _: Sequence[Value]) -> Value:
    """Draw an elementwise function."""
    name = draw(st.sampled_from((*UNARY, *MORE_UNARY)))
    return b.unary(f"stablehlo.{name}", x)


def binary(draw: Draw, b: Builder, x: Value, values: Sequence[Value]) -> Value:
    """Draw an elementwise function of two values."""
    return b.binary(f"stablehlo.{draw(st.sampled_from(BINARY))}", x, partner(draw, x, values))


def choice(draw: Draw, b: Builder, x: Value, values: Sequence[Value]) -> Value:
    """Draw a selection by a comparison, which may be with itself."""
    y, z = partner(draw, x, values), partner(draw, x, values)
    mask = b.compare(draw(st.sampled_from(Direction)), x, y)
    other = b.compare(draw(st.sampled_from(Direction)), y, z)
    both = b.binary(f"stablehlo.{draw(st.sampled_from(OF_BOOLEANS))}", mask, b.logical_not(other))
    picked = draw(st.sampled_from([mask, both]))
    if draw(st.booleans()):
        return b.convert(picked, F64)
    return b.select(picked, x, z)


def clamp(draw: Draw, b: Builder, x: Value, _: Sequence[Value]) -> Value:
    """Draw a clamp between numbers."""
    low = draw(st.integers(-2, 1))
    scalar = x.type.with_shape(())
    return b.clamp(b.splat(low, scalar), x, b.splat(low + draw(st.integers(0, 2)), scalar))


def constant(draw: Draw, b: Builder, x: Value, _: Sequence[Value]) -> Value:
    """Draw a dense constant, a splat, or coordinates."""
    rank = x.type.rank
    kind = draw(st.sampled_from(["dense", "splat", "iota"]))
    if kind == "iota" and rank:
        return b.convert(b.iota(x.type.with_element(I32), draw(st.integers(0, rank - 1))), F64)
    if kind == "splat":
        return b.splat(draw(st.integers(-2, 2)), x.type)
    numbers = draw(st.lists(st.integers(-2, 2), min_size=x.type.size, max_size=x.type.size))
    return b.constant(np.array(numbers, dtype=np.float64).reshape(x.shape))


def move(draw: Draw, b: Builder, x: Value, values: Sequence[Value]) -> Value:
    """Draw an operation that moves elements."""
    rank = x.type.rank
    start = tuple(draw(st.integers(0, n - 1)) for n in x.shape)
    limit = tuple(draw(st.integers(a + 1, n)) for a, n in zip(start, x.shape, strict=True))
    edges = several(draw, rank, -1, 2), several(draw, rank, -1, 2), several(draw, rank, 0, 2)
    position = draw(st.integers(0, rank))
    wide = (*x.shape[:position], draw(st.integers(1, 3)), *x.shape[position:])
    match draw(st.integers(0, 6)):
        case 0:
            return b.reshape(x, draw(st.sampled_from(_factorizations(x.type.size))))
        case 1:
            return b.transpose(x, draw(st.permutations(range(rank))))
        case 2:
            return b.broadcast(x, wide, [d for d in range(rank + 1) if d != position])
        case 3:
            return b.slice(x, start, limit, several(draw, rank, 1, 3))
        case 4:
            return b.reverse(x, some_dimensions(draw, rank))
        case 5:
            other = draw(st.sampled_from(values))
            return b.concatenate([x, other, x], draw(st.integers(0, max(rank - 1, 0))))
        case _:
            return b.pad(x, draw(st.sampled_from([0.0, 0.5])), *edges)


def _factorizations(n: int) -> list[tuple[int, ...]]:
    pairs = [(a, n // a) for a in range(1, n + 1) if n % a == 0]
    triples = [(a, b, c // b) for a, c in pairs for b in range(1, c + 1) if c % b == 0]
    return [(n,), *pairs, *triples]


def product(draw: Draw, b: Builder, x: Value, values: Sequence[Value]) -> Value:
    """Draw a dot of values of one shape."""
    paired = some_dimensions(draw, x.type.rank)
    cut = draw(st.integers(0, len(paired)))
    y = partner(draw, x, values)
    return b.dot(x, y, (paired[cut:], paired[cut:]), (paired[:cut], paired[:cut]))


def convolution(draw: Draw, b: Builder, x: Value, values: Sequence[Value]) -> Value:
    """Draw a convolution whose kernel is cut from the values; groups where the extents allow."""
    del values
    rank = x.type.rank
    if rank < 2:
        raise ShapeError(where="test", expected="two dimensions", found=str(rank), remedy="")
    spatial = rank - 2
    order = draw(st.permutations(range(rank)))
    dims = ConvolutionDims(
        *(order[0], order[1], tuple(order[2:])),
        *(order[1], order[0], tuple(order[2:])),
        *(order[0], order[1], tuple(order[2:])),
    )
    features, batches = draw(st.sampled_from([(1, 1), (2, 1), (1, 2)]))
    shape = [draw(st.integers(1, 3)) for _ in range(rank)]
    shape[order[1]] = x.shape[order[1]] // features
    shape[order[0]] = draw(st.integers(1, 2)) * features * batches
    size = int(np.prod(shape))
    numbers = draw(st.lists(st.integers(-3, 3), min_size=size, max_size=size))
    kernel = b.constant(np.array(numbers, dtype=np.float64).reshape(shape))
    conv = Convolution(
        dims,
        several(draw, spatial, 1, 3),
        tuple(draw(st.lists(PADS, min_size=spatial, max_size=spatial))),
        several(draw, spatial, 1, 2),
        several(draw, spatial, 1, 2),
        tuple(draw(st.lists(st.booleans(), min_size=spatial, max_size=spatial))),
        features,
        batches,
    )
    return b.convolution(x, kernel, conv)


def products(b: Builder) -> Callable[..., list[Value]]:
    """Return the region of a product."""

    def combine(lhs: Value, rhs: Value) -> list[Value]:
        return [b.multiply(lhs, rhs)]

    return combine


def reduction(draw: Draw, b: Builder, x: Value, _: Sequence[Value]) -> Value:
    """Draw a sum, a product or an extreme over dimensions."""
    over = some_dimensions(draw, x.type.rank)
    kind = draw(st.integers(0, 3))
    if kind == 3:
        return b.reduce((x,), (2,), over, products(b))[0]
    if kind == 0:
        return b.reduce((x,), (draw(st.integers(0, 2)),), over, b.adds)[0]
    if kind == 1:
        return b.max(x, over)
    return b.reduce((x,), (float("inf"),), over, b.minima)[0]


def window(draw: Draw, b: Builder, x: Value, _: Sequence[Value]) -> Value:
    """Draw a reduction over windows: dilated, strided, padded on either side."""
    rank = x.type.rank
    shape = Window(
        several(draw, rank, 1, 3),
        several(draw, rank, 1, 3),
        several(draw, rank, 1, 2),
        several(draw, rank, 1, 2),
        tuple(draw(st.lists(PADS, min_size=rank, max_size=rank))),
    )
    kind = draw(st.integers(0, 2))
    start = (0.0, float("-inf"), float("inf"))[kind]
    return b.reduce_window(x, start, shape, (b.adds, b.maxima, b.minima)[kind])


def scatter_window(draw: Draw, b: Builder, x: Value, _: Sequence[Value]) -> Value:
    """Draw a scatter to the winners of windows, each of which meets the operand.

    The interpreter aborts where one does not.
    """
    rank = x.type.rank
    extents = several(draw, rank, 1, 3)
    pads = tuple((draw(st.integers(0, n - 1)), draw(st.integers(0, n - 1))) for n in extents)
    plain = ScatterWindow(extents, several(draw, rank, 1, 3), pads)
    ones = (1,) * rank
    pooled = Window(plain.dimensions, plain.strides, ones, ones, plain.padding)
    source = b.reduce_window(x, 0, pooled, b.adds)
    return b.select_and_scatter(x, source, plain)


def place(draw: Draw, b: Builder, x: Value, values: Sequence[Value]) -> Value:
    """Draw a slice, update, gather or scatter at indices in range."""
    rank = x.type.rank
    sizes = tuple(draw(st.integers(1, n)) for n in x.shape)
    scalar = TensorType((), I32)
    starts = [
        b.splat(draw(st.integers(0, n - size)), scalar)
        for n, size in zip(x.shape, sizes, strict=True)
    ]
    block = b.dynamic_slice(x, starts, sizes)
    kind = draw(st.integers(0, 3))
    if kind == 0:
        return block
    if kind == 1:
        return b.dynamic_update_slice(partner(draw, x, values), block, starts)
    dropped = some_dimensions(draw, rank)
    count = draw(st.integers(1, 3))
    rows = [[draw(st.integers(0, x.shape[d] - 1)) for d in dropped] for _ in range(count)]
    indices = b.constant(np.array(rows, dtype=np.int32).reshape(count, len(dropped)))
    offset = tuple(range(1, 1 + rank - len(dropped)))
    ones = tuple(1 if i in dropped else n for i, n in enumerate(x.shape))
    flags = dropped, (), (), dropped, 1
    read = b.gather(x, indices, Gather(offset, *flags, ones, indices_are_sorted=False))
    if kind == 2:
        return read
    numbers = Scatter(offset, *flags, indices_are_sorted=False, unique_indices=False)
    return b.scatter_add(partner(draw, x, values), indices, read, numbers)


STEPS: tuple[Step, ...] = (
    *(unary, binary, choice, clamp, constant, move, product, convolution, reduction, window),
    *(scatter_window, place),
)
"""Every kind of operation that the kernel denotes."""
