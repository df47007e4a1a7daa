"""Random programs over the whole vocabulary: print, parse, verify and read are one identity."""

from contextlib import suppress

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gradwright.errors import ParseError, ShapeError
from gradwright.hlo import (
    Builder,
    ElementType,
    Module,
    TensorType,
    Value,
    print_module,
    read_module,
    same_module,
    to_bytecode,
    verify,
)
from gradwright.hlo.attributes import (
    Convolution,
    ConvolutionDims,
    Direction,
    Gather,
    Scatter,
    ScatterWindow,
    Window,
)
from hlo.vocabulary import BINARY, UNARY

Draw = st.DrawFn
ELEMENTS = st.sampled_from([ElementType.F32, ElementType.F64, ElementType.BF16, ElementType.F16])
PADS = st.tuples(st.integers(-2, 3), st.integers(-2, 3))
THOROUGH = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def several(draw: Draw, rank: int, low: int, high: int) -> tuple[int, ...]:
    """Draw one integer per dimension."""
    return tuple(draw(st.lists(st.integers(low, high), min_size=rank, max_size=rank)))


def some_dimensions(draw: Draw, rank: int) -> tuple[int, ...]:
    """Draw distinct dimensions in rising order."""
    return tuple(i for i in range(rank) if draw(st.booleans()))


@st.composite
def programs(draw: Draw) -> Module:
    """Draw a module; a step whose operands do not fit is left out."""
    b = Builder()
    element = draw(ELEMENTS)
    shape = st.lists(st.integers(0, 4), max_size=4).map(tuple)
    values = [
        b.argument(draw(st.text(max_size=3)), TensorType(draw(shape), element))
        for _ in range(draw(st.integers(1, 3)))
    ]
    for _ in range(draw(st.integers(1, 12))):
        step = draw(st.sampled_from(STEPS))
        section = draw(st.sampled_from(["", "conv1 forward", "conv1 backward"]))
        with b.scope(draw(st.sampled_from(["", "a.b", "1"])), section):
            try:
                values += step(draw, b, draw(st.sampled_from(values)), values)
            except ShapeError:
                continue
    results = draw(st.lists(st.sampled_from(values), max_size=5))
    return Module("m", (b.finish("main", results),), replicas=draw(st.integers(1, 2)))


def pointwise(draw: Draw, b: Builder, x: Value, values: list[Value]) -> list[Value]:
    """Draw an elementwise operation."""
    same = [value for value in values if value.type == x.type]
    y = draw(st.sampled_from(same))
    positive = b.compare(draw(st.sampled_from(Direction)), x, y)
    return [
        getattr(b, draw(st.sampled_from(UNARY)))(x),
        getattr(b, draw(st.sampled_from(BINARY)))(x, y),
        b.select(b.logical_not(positive), x, y) * draw(st.floats(width=16)),
        b.clamp(x, y, x),
        b.convert(b.convert(x, draw(ELEMENTS)), x.type.element),
        b.reduce_precision(x, draw(st.integers(1, 8)), draw(st.integers(0, 23))),
    ]


def moves(draw: Draw, b: Builder, x: Value, values: list[Value]) -> list[Value]:
    """Draw an operation that moves elements."""
    rank = x.type.rank
    start = tuple(draw(st.integers(0, n)) for n in x.shape)
    limit = tuple(draw(st.integers(a, n)) for a, n in zip(start, x.shape, strict=True))
    edges = several(draw, rank, -2, 3), several(draw, rank, -2, 3), several(draw, rank, 0, 2)
    wide = (*x.shape, draw(st.integers(0, 3)))
    return [
        b.reshape(x, (1, *x.shape)),
        b.transpose(x, draw(st.permutations(range(rank)))),
        b.broadcast(x, wide, range(rank)),
        b.slice(x, start, limit, several(draw, rank, 1, 3)),
        b.reverse(x, some_dimensions(draw, rank)),
        b.concatenate([x, draw(st.sampled_from(values))], draw(st.integers(0, max(rank - 1, 0)))),
        b.pad(x, draw(st.floats(width=16)), *edges),
    ]


def products(draw: Draw, b: Builder, x: Value, values: list[Value]) -> list[Value]:
    """Draw a dot and a convolution."""
    y = draw(st.sampled_from([value for value in values if value.type == x.type]))
    paired = some_dimensions(draw, x.type.rank)
    cut = draw(st.integers(0, len(paired)))
    dot = b.dot(x, y, (paired[cut:], paired[cut:]), (paired[:cut], paired[:cut]))
    spatial = x.type.rank - 2
    if spatial < 0:
        return [dot]
    order = draw(st.permutations(range(x.type.rank)))
    dims = ConvolutionDims(
        *(order[0], order[1], tuple(order[2:])),
        *(order[1], order[0], tuple(order[2:])),
        *(order[0], order[1], tuple(order[2:])),
    )
    groups = draw(st.sampled_from([(1, 1), (2, 1), (1, 2)]))
    kernel = [2] * x.type.rank
    kernel[order[1]] = max(x.shape[order[1]] // groups[0], 1)
    conv = Convolution(
        dims,
        several(draw, spatial, 1, 3),
        tuple(draw(st.lists(PADS, min_size=spatial, max_size=spatial))),
        several(draw, spatial, 1, 2),
        several(draw, spatial, 1, 2),
        tuple(draw(st.lists(st.booleans(), min_size=spatial, max_size=spatial))),
        *groups,
    )
    return [dot, b.convolution(x, b.splat(0.5, x.type.with_shape(tuple(kernel))), conv)]


def windows(draw: Draw, b: Builder, x: Value, values: list[Value]) -> list[Value]:
    """Draw reductions over dimensions and over windows."""
    del values
    rank = x.type.rank

    def combine(total: Value, best: Value, left: Value, right: Value) -> list[Value]:
        return [total + left * 2, b.maximum(best, right)]

    over = some_dimensions(draw, rank)
    window = Window(
        several(draw, rank, 1, 3),
        several(draw, rank, 1, 3),
        several(draw, rank, 1, 2),
        several(draw, rank, 1, 2),
        tuple(draw(st.lists(PADS, min_size=rank, max_size=rank))),
    )
    plain = ScatterWindow(several(draw, rank, 1, 2), several(draw, rank, 1, 2), ((0, 0),) * rank)
    pooled = Window(plain.dimensions, plain.strides, (1,) * rank, (1,) * rank, plain.padding)
    source = b.reduce_window(x, 0, pooled, b.maxima)
    return [
        b.sum(x, over),
        *b.reduce((x, x), (0, 1), over, combine),
        b.reduce_window(x, draw(st.floats(width=16)), window, b.adds),
        b.select_and_scatter(x, source, plain),
    ]


def places(draw: Draw, b: Builder, x: Value, values: list[Value]) -> list[Value]:
    """Draw operations at indices."""
    del values
    rank = x.type.rank
    dropped = some_dimensions(draw, rank)
    place = b.splat(draw(st.integers(0, 3)), TensorType((), ElementType.I32))
    sizes = tuple(draw(st.integers(0, n)) for n in x.shape)
    block = b.dynamic_slice(x, [place] * rank, sizes)
    indices = b.iota(TensorType((3, len(dropped)), ElementType.I32), 0)
    offset = tuple(range(1, 1 + rank - len(dropped)))
    ones = tuple(min(n, 1) if i in dropped else n for i, n in enumerate(x.shape))
    flag = draw(st.booleans())
    rows = b.gather(x, indices, Gather(offset, dropped, (), (), dropped, 1, ones, flag))
    added = Scatter(offset, dropped, (), (), dropped, 1, flag, not flag)
    return [
        block,
        b.dynamic_update_slice(x, block, [place] * rank),
        rows,
        b.scatter_add(x, indices, rows, added),
    ]


def control(draw: Draw, b: Builder, x: Value, values: list[Value]) -> list[Value]:
    """Draw a loop, a barrier and a sum over replicas."""
    y = draw(st.sampled_from(values))
    limit = b.splat(draw(st.integers(-3, 3)), TensorType((), ElementType.I32))

    def condition(i: Value, carried: Value) -> Value:
        del carried
        return b.compare(Direction.LT, i, limit)

    def body(i: Value, carried: Value) -> list[Value]:
        return [i + 1, b.add(carried, x)]

    looped = b.while_loop([limit, x], condition, body, ["i", "x"])
    return [looped[1], *b.optimization_barrier(x, y), b.all_reduce(x, [[0, 1]])]


STEPS = [pointwise, moves, products, windows, places, control]


@THOROUGH
@given(programs())
def test_a_random_program_comes_back_equal(module: Module) -> None:
    text = print_module(module)
    verify(text)
    read = read_module(text)
    assert same_module(read, module)
    assert print_module(read) == text
    assert print_module(module) == text


@THOROUGH
@given(programs())
def test_bytecode_is_as_good_as_text(module: Module) -> None:
    bytecode = to_bytecode(print_module(module))
    read = read_module(bytecode)
    assert [op.opcode for op in read.main.body.walk()] == [
        op.opcode for op in module.main.body.walk()
    ]
    assert same_module(read_module(to_bytecode(print_module(read))), read)


@THOROUGH
@given(programs(), st.data())
def test_damaged_texts_are_refused_or_read_but_never_crash(
    module: Module, data: st.DataObject
) -> None:
    text = print_module(module)
    position = data.draw(st.integers(0, len(text) - 1))
    damaged = text[:position] + data.draw(st.text(max_size=2)) + text[position + 1 :]
    with suppress(ParseError):
        read_module(damaged)


@THOROUGH
@given(programs(), st.data())
def test_damaged_bytecode_is_refused_or_read_but_never_crashes(
    module: Module, data: st.DataObject
) -> None:
    bytecode = to_bytecode(print_module(module))
    cut = data.draw(st.integers(0, len(bytecode) - 1))
    with suppress(ParseError):
        read_module(bytecode[:cut])
