"""Formulas of other projects, written with the builder: each as stated, in another form, and wrong.

The texts are equal or unequal functions; where a row names a convention, each choice has its row.
"""

from collections.abc import Callable, Sequence

from gradwright.hlo import Builder, Module, TensorType, Value, print_module
from gradwright.hlo.attributes import Direction, Window

Write = Callable[[Builder, Sequence[Value]], Value]


def text(write: Write, *shapes: tuple[int, ...]) -> str:
    b = Builder()
    arguments = [b.argument(f"x{i}", TensorType(shape)) for i, shape in enumerate(shapes)]
    return print_module(Module("m", (b.finish("main", [write(b, arguments)]),)))


def adam(b: Builder, g: Value, *, corrected: bool) -> Value:
    """The first step of Adam, in units of the rate."""
    m, v = g * 0.1, g * g * 0.001
    return m / 0.1 / b.sqrt(v / 0.001) if corrected else m / b.sqrt(v)


def pooled(b: Builder, x: Value, border: float) -> Value:
    padded = b.pad(x, border, (1,), (1,), (0,))
    return b.reduce_window(
        padded, float("-inf"), Window((3,), (2,), (1,), (1,), ((0, 0),)), b.maxima
    )


def smoothed(b: Builder, v: Sequence[Value], classes: int) -> Value:
    """Label smoothing of 3 classes, of which the text believes there are so many."""
    return v[0] * 0.9 + b.splat(0.1, v[0].type) / classes


def total(b: Builder, x: Value) -> Value:
    return b.broadcast(b.sum(x, (0,)), x.shape, ())


def normalized(b: Builder, v: Sequence[Value]) -> Value:
    centred = v[0] - total(b, v[0]) / 4
    return centred * b.rsqrt(total(b, centred * centred) / 4 + 0.001)


def normalized_back(b: Builder, v: Sequence[Value], *, varies: bool) -> Value:
    x, g = v
    centred = x - total(b, x) / 4
    scale = b.rsqrt(total(b, centred * centred) / 4 + 0.001)
    y = centred * scale
    back = g - total(b, g) / 4
    return scale * (back - y * (total(b, g * y) / 4) if varies else back)


def averaged(b: Builder, v: Sequence[Value], *, weighted: bool) -> Value:
    """The mean over shards of 1 and 3 entries."""
    first, rest = b.slice(v[0], (0,), (1,), (1,)), b.slice(v[0], (1,), (4,), (1,))
    means = b.sum(first, (0,)), b.sum(rest, (0,)) / 3
    return means[0] / 4 + means[1] * 0.75 if weighted else (means[0] + means[1]) / 2


def norm(b: Builder, x: Value) -> Value:
    return b.sqrt(total(b, x * x))


def clipped(b: Builder, x: Value) -> Value:
    """x at a norm of at most 1."""
    return x / b.maximum(norm(b, x), b.splat(1, x.type))


LAST, FIRST = 1, 0
"""The last key of query 0 among 3, where 2 queries end at the last key or begin at the first."""


def attention(b: Builder, v: Sequence[Value], last: int, *, selected: bool = False) -> Value:
    """Causal attention of 2 queries to 3 keys: masked by a factor, or by selection."""
    scores, values = v
    query, key = (b.iota(scores.type, dimension) for dimension in (0, 1))
    weights = b.exponential(scores)
    if selected:
        shown = b.compare(Direction.LT, key, query + (last + 1))
        weights = b.select(shown, weights, b.splat(0, scores.type))
    else:
        kept = b.compare(Direction.LE, key, query + last)
        weights = weights * b.convert(kept, scores.type.element)
    weights = weights / b.broadcast(b.sum(weights, (1,)), (2, 3), (0,))
    spread = b.broadcast(weights, (2, 3, 2), (0, 1)) * b.broadcast(values, (2, 3, 2), (1, 2))
    return b.sum(spread, (1,))


WIDE = (3, 3, 1, 0), (0, 1, 3, 3)
NARROW = (1, 1, 0, 0), (0, 0, 1, 1)
"""4 positions halved: linear weights over 2 new extents, in sevenths, and over 2 old ones."""


def resized(b: Builder, x: Value, weights: Sequence[Sequence[int]]) -> Value:
    """The weighted sums, element by element."""
    parts = [
        sum_of([b.slice(x, (i,), (i + 1,), (1,)) * w for i, w in enumerate(row)]) for row in weights
    ]
    return b.concatenate(parts, 0)


def sum_of(parts: Sequence[Value]) -> Value:
    first, *rest = parts
    for each in rest:
        first = first + each
    return first


ROWS: dict[str, tuple[Write, Write, Write, tuple[tuple[int, ...], ...]]] = {
    "Adam without bias correction (bugs H1)": (
        lambda b, v: v[0] / b.sqrt(v[0] * v[0]),
        lambda b, v: adam(b, v[0], corrected=True),
        lambda b, v: adam(b, v[0], corrected=False),
        ((4,),),
    ),
    "decay through the normalisation (bugs H4)": (
        lambda b, v: v[0] - (v[1] / (b.abs(v[1]) + 1) + v[0] * 0.05) * 0.001,
        lambda b, v: v[0] * 0.99995 - v[1] / (b.abs(v[1]) + 1) * 0.001,
        lambda b, v: v[0] - (v[1] + v[0] * 0.05) / (b.abs(v[1] + v[0] * 0.05) + 1) * 0.001,
        ((4,), (4,)),
    ),
    "a max pool that pads with 0 (bugs B4)": (
        lambda b, v: b.reduce_window(
            v[0], float("-inf"), Window((3,), (2,), (1,), (1,), ((1, 1),)), b.maxima
        ),
        lambda b, v: pooled(b, v[0], float("-inf")),
        lambda b, v: pooled(b, v[0], 0.0),
        ((5,),),
    ),
    "smoothing by a number of classes that is another (bugs D8)": (
        lambda b, v: v[0] - (v[0] - b.splat(1, v[0].type) / 3) * 0.1,
        lambda b, v: smoothed(b, v, 3),
        lambda b, v: smoothed(b, v, 10),
        ((2, 3),),
    ),
    "means of shards without weights (bugs C5)": (
        lambda b, v: b.sum(v[0], (0,)) / 4,
        lambda b, v: averaged(b, v, weighted=True),
        lambda b, v: averaged(b, v, weighted=False),
        ((4,),),
    ),
    "the bugs H7 trust ratio of a vector is 1": (
        lambda b, v: v[0] - v[1] * 0.01,
        lambda b, v: (v[0] * 100 - v[1]) / 100,
        lambda b, v: v[0] - v[1] * (norm(b, v[0]) / norm(b, v[1])) * 0.01,
        ((2,), (2,)),
    ),
    "the bugs H7 trust ratio of a kernel": (
        lambda b, v: v[0] - v[1] * (norm(b, v[0]) / norm(b, v[1])) * 0.01,
        lambda b, v: v[0] - norm(b, v[0]) * v[1] * b.rsqrt(total(b, v[1] * v[1])) * 0.01,
        lambda b, v: v[0] - v[1] * 0.01,
        ((2,), (2,)),
    ),
    "bugs H10, epsilon outside the root": (
        lambda b, v: v[0] / (b.sqrt(v[1] * v[1]) + 0.001),
        lambda b, v: v[0] * 2 / (b.sqrt(v[1] * v[1]) * 2 + 0.002),
        lambda b, v: v[0] / b.sqrt(v[1] * v[1] + 0.001),
        ((4,), (4,)),
    ),
    "bugs H10, epsilon inside the root": (
        lambda b, v: v[0] / b.sqrt(v[1] * v[1] + 0.001),
        lambda b, v: v[0] * b.rsqrt(v[1] * v[1] + 0.001),
        lambda b, v: v[0] / (b.abs(v[1]) + 0.001),
        ((4,), (4,)),
    ),
    "bugs H10, the rate inside the momentum": (
        lambda b, v: v[0] - (v[1] * 0.9 + v[3] * v[2]),
        lambda b, v: v[0] - v[1] * 0.9 - v[2] * v[3],
        lambda b, v: v[0] - v[3] * (v[1] * 0.9 + v[2]),
        ((4,), (4,), (4,), (4,)),
    ),
    "bugs I2, a norm clipped to 1": (
        lambda b, v: v[0] * b.minimum(b.splat(1, v[0].type), 1 / norm(b, v[0])),
        lambda b, v: v[0] * b.minimum(b.rsqrt(total(b, v[0] * v[0])), b.splat(1, v[0].type)),
        lambda b, v: v[0] / norm(b, v[0]),
        ((4,),),
    ),
    "bugs I8, clipped once on the mean": (
        lambda b, v: clipped(b, (v[0] + v[1]) / 2),
        lambda b, v: clipped(b, v[0] * 0.5 + v[1] * 0.5),
        lambda b, v: (clipped(b, v[0]) + clipped(b, v[1])) / 2,
        ((4,), (4,)),
    ),
    "bugs F2, a causal mask aligned at the last key": (
        lambda b, v: attention(b, v, LAST),
        lambda b, v: attention(b, v, LAST, selected=True),
        lambda b, v: attention(b, v, FIRST),
        ((2, 3), (3, 2)),
    ),
    "bugs F2, a causal mask aligned at the first key": (
        lambda b, v: attention(b, v, FIRST),
        lambda b, v: attention(b, v, FIRST, selected=True),
        lambda b, v: attention(b, v, LAST),
        ((2, 3), (3, 2)),
    ),
    "bugs G7, halved with antialiasing": (
        lambda b, v: resized(b, v[0], WIDE) / 7,
        lambda b, v: resized(b, v[0] / 7, WIDE),
        lambda b, v: resized(b, v[0], NARROW) / 2,
        ((4,),),
    ),
    "momentum for its complement (bugs C2)": (
        lambda b, v: v[0] + (v[1] - v[0]) * 0.01,
        lambda b, v: v[0] * 0.99 + v[1] * 0.01,
        lambda b, v: v[0] * 0.01 + v[1] * 0.99,
        ((4,), (4,)),
    ),
}
SWEPT = (
    "the bugs H7 trust ratio of a kernel",
    "bugs H10, epsilon inside the root",
    "bugs H10, the rate inside the momentum",
    "bugs F2, a causal mask aligned at the first key",
)
"""Not in CI: another row of the same bug is."""
