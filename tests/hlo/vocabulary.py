"""One module that uses every constructor of the builder."""

import numpy as np

from gradwright.hlo import Block, Builder, ElementType, Function, Module, TensorType, Value
from gradwright.hlo.attributes import (
    Convolution,
    ConvolutionDims,
    Direction,
    Gather,
    Scatter,
    ScatterWindow,
    Window,
)

F32 = ElementType.F32
I32 = ElementType.I32
IMAGE_DIMS = ConvolutionDims(0, 1, (2, 3), 1, 0, (2, 3), 0, 1, (2, 3))
POOL = Window((1, 1, 2, 2), (1, 1, 2, 1), (1, 1, 1, 2), (1, 1, 2, 1), ((0, 0),) * 3 + ((1, 0),))
UNARY = (
    *(
        "abs",
        "erf",
        "exponential",
        "exponential_minus_one",
        "log",
        "log_plus_one",
        "logistic",
        "negate",
        "rsqrt",
        "sqrt",
    ),
    "tanh",
)
BINARY = ("add", "divide", "maximum", "minimum", "multiply", "power", "remainder", "subtract")


def vocabulary(element: ElementType = F32) -> Module:
    """Return a module whose `main` uses each constructor at least once."""
    helper = Builder()
    operand = helper.argument("operand", TensorType((5, 4), element))
    double = helper.finish("double", [operand + operand])
    main = _main(element, double)
    return Module("vocabulary", (main, double), replicas=2)


def _main(element: ElementType, double: Function) -> Function:
    b = Builder()
    table = b.argument("table", TensorType((5, 4), element))
    image = b.argument("image", TensorType((2, 4, 7, 6), element))
    kernel = b.argument("conv1.weight", TensorType((6, 2, 3, 2), element))
    indices = b.argument("indices", TensorType((3, 1), I32))
    place = b.argument("place", TensorType((), I32))
    results: list[Value] = []
    with b.scope("pointwise", "pointwise forward"):
        results += _pointwise(b, table)
    with b.scope("shaping", "shaping forward"):
        results += _shaping(b, table, image)
    with b.scope("products", "products forward"):
        results += _products(b, table, image, kernel)
    with b.scope("windows", "windows\nforward"):
        results += _windows(b, image)
    with b.scope("places", "places forward"):
        results += _places(b, table, indices, place)
    with b.scope("control", ""):
        results += _control(b, table, place, double)
    return b.finish("main", [table, *results], aliases=((0, 0),))


def _pointwise(b: Builder, table: Value) -> list[Value]:
    results = [getattr(b, name)(table) for name in UNARY]
    results += [getattr(b, name)(table, table) for name in BINARY]
    below = b.compare(Direction.LT, table, b.splat(0.1, table.type))
    above = b.compare(Direction.GE, table, b.splat(-1, table.type))
    both = b.logical_or(b.logical_and(below, above), b.logical_not(below))
    scalar = table.type.with_shape(())
    return [
        *results,
        b.select(both, table, -table),
        b.clamp(b.splat(-1, scalar), table, b.splat(2.5, scalar)),
        b.clamp(table, table, table),
        b.convert(table, ElementType.BF16),
        b.reduce_precision(table, 5, 2),
        b.iota(TensorType((3, 2), I32), 1),
        b.constant(np.arange(6, dtype=np.float64).reshape(2, 3) / 3),
        b.constant(np.arange(70, dtype=np.int32)),
        b.constant(np.array([True, False])),
    ]


def _shaping(b: Builder, table: Value, image: Value) -> list[Value]:
    return [
        b.reshape(table, (2, 10)),
        b.transpose(image, (0, 3, 1, 2)),
        b.broadcast(table, (5, 2, 4), (0, 2)),
        b.slice(table, (1, 0), (5, 4), (2, 1)),
        b.pad(table, 0.5, (1, -1), (0, 2), (0, 1)),
        b.concatenate([table, table * 2], 1),
        b.reverse(image, (2, 3)),
    ]


def _products(b: Builder, table: Value, image: Value, kernel: Value) -> list[Value]:
    grouped = Convolution(
        IMAGE_DIMS, (2, 1), ((1, -1), (0, 2)), (1, 2), (2, 1), (True, False), 2, 1
    )
    return [
        b.dot(table, table, ((1,), (1,))),
        b.dot(image, image, ((2,), (2,)), ((0, 1), (0, 1))),
        b.convolution(image, kernel, grouped, hint="y"),
    ]


def _windows(b: Builder, image: Value) -> list[Value]:
    plain = ScatterWindow((1, 1, 2, 2), (1, 1, 2, 2), ((0, 0), (0, 0), (0, 1), (0, 0)))
    source = b.slice(image, (0, 0, 0, 0), (2, 4, 4, 3))

    def combine(total: Value, product: Value, x: Value, y: Value) -> list[Value]:
        return [total + x, product * y]

    mixed = b.reduce((image, image), (0, 1), (1, 3), combine, hint="pair")
    return [
        b.sum(image, (0, 2, 3)),
        b.max(image, (1,)),
        *mixed,
        b.reduce_window(image, float("-inf"), POOL, b.maxima),
        b.select_and_scatter(image, source, plain),
    ]


def _places(b: Builder, table: Value, indices: Value, place: Value) -> list[Value]:
    gather = Gather((1,), (0,), (), (), (0,), 1, (1, 4), indices_are_sorted=False)
    scatter = Scatter((1,), (0,), (), (), (0,), 1, indices_are_sorted=False, unique_indices=True)
    rows = b.gather(table, indices, gather)
    block = b.dynamic_slice(table, [place, place], (2, 3))
    return [
        rows,
        b.scatter_add(table, indices, rows, scatter),
        b.dynamic_update_slice(table, block, [place, place]),
    ]


def _control(b: Builder, table: Value, place: Value, double: Function) -> list[Value]:
    def body(i: Value, x: Value) -> list[Value]:
        return [i + 1, b.add(x, table)]  # table is captured

    def condition(i: Value, x: Value) -> Value:
        del x
        return b.compare(Direction.LT, i, place)

    looped = b.while_loop([place, table], condition, body, ["i", "x"])
    called = b.call(double, [table])
    return [*looped, *called, b.all_reduce(table, [[0, 1]]), *b.optimization_barrier(table, place)]


def blocks(block: Block) -> list[Block]:
    """Return a block and the blocks nested in it."""
    inner = [region for operation in block.operations for region in operation.regions]
    return [block, *(nested for region in inner for nested in blocks(region))]
