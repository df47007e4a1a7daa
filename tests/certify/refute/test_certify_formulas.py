"""Known wrong formulas of other projects are told from the right ones, written in another form.

Each row: the formula, the same one in another form, and the wrong one that was shipped.
"""

from collections.abc import Callable, Sequence

import pytest

from gradwright.certify import Verdict, certify_equal, certify_vjp
from gradwright.hlo import Builder, Module, TensorType, Value, print_module
from gradwright.hlo.attributes import Direction, Window

Write = Callable[[Builder, Sequence[Value]], Value]
pytestmark = pytest.mark.interpreter


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


ROWS: dict[str, tuple[Write, Write, Write, tuple[tuple[int, ...], ...]]] = {
    "Adam without bias correction (H1)": (
        lambda b, v: v[0] / b.sqrt(v[0] * v[0]),
        lambda b, v: adam(b, v[0], corrected=True),
        lambda b, v: adam(b, v[0], corrected=False),
        ((4,),),
    ),
    "decay through the normalisation (H4)": (
        lambda b, v: v[0] - (v[1] / (b.abs(v[1]) + 1) + v[0] * 0.05) * 0.001,
        lambda b, v: v[0] * 0.99995 - v[1] / (b.abs(v[1]) + 1) * 0.001,
        lambda b, v: v[0] - (v[1] + v[0] * 0.05) / (b.abs(v[1] + v[0] * 0.05) + 1) * 0.001,
        ((4,), (4,)),
    ),
    "a max pool that pads with 0 (B4)": (
        lambda b, v: b.reduce_window(
            v[0], float("-inf"), Window((3,), (2,), (1,), (1,), ((1, 1),)), b.maxima
        ),
        lambda b, v: pooled(b, v[0], float("-inf")),
        lambda b, v: pooled(b, v[0], 0.0),
        ((5,),),
    ),
    "smoothing by a number of classes that is another (D8)": (
        lambda b, v: v[0] - (v[0] - b.splat(1, v[0].type) / 3) * 0.1,
        lambda b, v: smoothed(b, v, 3),
        lambda b, v: smoothed(b, v, 10),
        ((2, 3),),
    ),
    "means of shards without weights (C5)": (
        lambda b, v: b.sum(v[0], (0,)) / 4,
        lambda b, v: averaged(b, v, weighted=True),
        lambda b, v: averaged(b, v, weighted=False),
        ((4,),),
    ),
    "momentum for its complement (C2)": (
        lambda b, v: v[0] + (v[1] - v[0]) * 0.01,
        lambda b, v: v[0] * 0.99 + v[1] * 0.01,
        lambda b, v: v[0] * 0.01 + v[1] * 0.99,
        ((4,), (4,)),
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_wrong_formula_is_refuted_and_the_right_one_proved(name: str) -> None:
    stated, right, wrong, shapes = ROWS[name]
    assert certify_equal(text(stated, *shapes), text(right, *shapes)).verdict is Verdict.PROVED
    report = certify_equal(text(stated, *shapes), text(wrong, *shapes))
    assert report.verdict is Verdict.REFUTED


def test_a_variance_taken_for_constant_is_refuted() -> None:
    """C11: the gradient of a batch norm whose variance does not depend on its input."""
    forward = text(normalized, (4,))
    right = text(lambda b, v: normalized_back(b, v, varies=True), (4,), (4,))
    wrong = text(lambda b, v: normalized_back(b, v, varies=False), (4,), (4,))
    assert certify_vjp(forward, right).verdict is Verdict.PROVED
    assert certify_vjp(forward, wrong).verdict is Verdict.REFUTED


def rectified_back(b: Builder, v: Sequence[Value], direction: Direction, at: float) -> Value:
    x, g = v
    zero = b.splat(0, x.type)
    return b.select(b.compare(direction, x, b.splat(at, x.type)), g, zero)


@pytest.mark.parametrize("direction", [Direction.GT, Direction.GE])
def test_a_convention_at_a_kink_is_reported_as_one(direction: Direction) -> None:
    """E2: 0 or 1 at 0 are both gradients of max(x, 0) off its kink; a moved kink is wrong."""
    forward = text(lambda b, v: b.maximum(v[0], b.splat(0, v[0].type)), (4,))
    report = certify_vjp(forward, text(lambda b, v: rectified_back(b, v, direction, 0), (4,), (4,)))
    assert report.verdict is Verdict.PROVED
    assert any("kink" in line or "tie" in line for line in report.scope)
    moved = text(lambda b, v: rectified_back(b, v, direction, 0.5), (4,), (4,))
    assert certify_vjp(forward, moved).verdict is Verdict.REFUTED
