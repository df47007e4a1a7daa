"""What texts compute on the official interpreter is what NumPy computes."""

# Some overloads of NumPy name types that pyright cannot resolve.
# pyright: reportUnknownMemberType=false

from collections.abc import Callable
from itertools import product
from typing import overload

import numpy as np
import pytest

from gradwright.hlo import Builder, ElementType, Module, TensorType, Value, evaluate
from gradwright.hlo.attributes import (
    Convolution,
    ConvolutionDims,
    Direction,
    Gather,
    Scatter,
    ScatterWindow,
    Window,
)

pytestmark = pytest.mark.interpreter

RNG = np.random.default_rng(7)
X = RNG.standard_normal((3, 4))
Y = RNG.standard_normal((3, 4))
POSITIVE = np.abs(X) + 0.25
ULPS = 4
"""Elementary functions of the interpreter and of NumPy may differ in the last bits."""


One = Callable[[Builder, Value], Value]
Two = Callable[[Builder, Value, Value], Value]
Three = Callable[[Builder, Value, Value, Value], Value]


@overload
def run(write: One, x: np.ndarray, /) -> np.ndarray: ...
@overload
def run(write: Two, x: np.ndarray, y: np.ndarray, /) -> np.ndarray: ...
@overload
def run(write: Three, x: np.ndarray, y: np.ndarray, z: np.ndarray, /) -> np.ndarray: ...
def run(write: Callable[..., Value], *arrays: np.ndarray) -> np.ndarray:
    """Return what the function that `write` writes computes."""
    b = Builder()
    names = [f"x{i}" for i in range(len(arrays))]
    types = [TensorType(array.shape, ElementType.of(array.dtype)) for array in arrays]
    result = write(b, *map(b.argument, names, types))
    return evaluate(Module("m", (b.finish("main", [result]),)), arrays)[0]


def same(left: np.ndarray, right: np.ndarray) -> None:
    """Check that two arrays are equal to a few ulps."""
    np.testing.assert_array_max_ulp(left, np.asarray(right, left.dtype), ULPS)


ERF = np.array([0.0, 0.1, -0.5, 1.0, 2.5])
# Abramowitz and Stegun, Handbook of Mathematical Functions, table 7.1.
ERF_VALUES = [0.0, 0.1124629160, -0.5204998778, 0.8427007929, 0.9995930480]


@pytest.mark.parametrize(
    ("name", "oracle", "x"),
    [
        ("abs", np.abs, X),
        ("negate", np.negative, X),
        ("exponential", np.exp, X),
        ("log", np.log, POSITIVE),
        ("log_plus_one", np.log1p, POSITIVE),
        ("tanh", np.tanh, X),
        ("sqrt", np.sqrt, POSITIVE),
    ],
)
def test_functions_of_one_operand(
    name: str, oracle: Callable[..., np.ndarray], x: np.ndarray
) -> None:
    for dtype in (np.float64, np.float32):
        operand = x.astype(dtype)
        same(run(lambda b, v: getattr(b, name)(v), operand), oracle(operand))


def test_logistic_rsqrt_and_erf() -> None:
    same(run(lambda b, v: b.logistic(v), X), 1 / (1 + np.exp(-X)))
    same(run(lambda b, v: b.rsqrt(v), POSITIVE), 1 / np.sqrt(POSITIVE))
    for dtype, digits in ((np.float64, 9), (np.float32, 6)):
        given = run(lambda b, v: b.erf(v), ERF.astype(dtype))
        assert given.dtype == dtype
        np.testing.assert_allclose(given, ERF_VALUES, rtol=0, atol=10.0**-digits)


@pytest.mark.parametrize(
    ("name", "oracle"),
    [
        ("add", np.add),
        ("subtract", np.subtract),
        ("multiply", np.multiply),
        ("divide", np.divide),
        ("maximum", np.maximum),
        ("minimum", np.minimum),
        ("remainder", np.fmod),
    ],
)
def test_functions_of_two_operands(name: str, oracle: Callable[..., np.ndarray]) -> None:
    same(run(lambda b, x, y: getattr(b, name)(x, y), X, Y), oracle(X, Y))


def test_operators_with_numbers() -> None:
    same(run(lambda b, x: 1 - 2 * (x / 4 + 0.5) / (3 - x), X), 1 - 2 * (X / 4 + 0.5) / (3 - X))
    same(run(lambda b, x: 1 / (x - 0.5) + -x, X), 1 / (X - 0.5) + -X)


@pytest.mark.parametrize("direction", Direction)
def test_compare_and_select(direction: Direction) -> None:
    oracle = {"EQ": np.equal, "NE": np.not_equal, "GE": np.greater_equal}
    oracle |= {"GT": np.greater, "LE": np.less_equal, "LT": np.less}
    truth = oracle[direction.value](X, Y)
    assert (run(lambda b, x, y: b.compare(direction, x, y), X, Y) == truth).all()
    same(run(lambda b, p, x, y: b.select(p, x, y), truth, X, Y), np.where(truth, X, Y))


def converting(target: ElementType) -> One:
    """Return the conversion to an element type."""
    return lambda b, x: b.convert(x, target)


def test_conversions_between_every_pair_of_small_types() -> None:
    for source, target in product((ElementType.BF16, ElementType.F16, ElementType.F32), repeat=2):
        x = X.astype(source.dtype)
        given = run(converting(target), x)
        assert given.tobytes() == x.astype(np.float32).astype(target.dtype).tobytes()


def test_moves() -> None:
    same(run(lambda b, x: b.reshape(x, (2, 6)), X), X.reshape(2, 6))
    same(run(lambda b, x: b.transpose(x, (1, 0)), X), X.T)
    same(run(lambda b, x: b.broadcast(x, (3, 2, 4), (0, 2)), X), np.stack([X, X], axis=1))
    same(run(lambda b, x: b.slice(x, (0, 1), (3, 4), (2, 2)), X), X[0:3:2, 1:4:2])
    same(run(lambda b, x: b.reverse(x, (1,)), X), X[:, ::-1])
    same(run(lambda b, x, y: b.concatenate([x, y], 1), X, Y), np.concatenate([X, Y], axis=1))
    padded = np.full((4, 7), 0.5)
    padded[1:, ::2] = X
    same(run(lambda b, x: b.pad(x, 0.5, (1, 0), (0, 0), (0, 1)), X), padded)
    same(run(lambda b, x: b.pad(x, 0, (-1, 0), (0, -2)), X), X[1:, :-2])


def test_reductions() -> None:
    same(run(lambda b, x: b.max(x, (1,)), X), X.max(axis=1))
    np.testing.assert_allclose(run(lambda b, x: b.sum(x, (0, 1)), X), X.sum(), rtol=1e-15)
    integers = np.array([[-5, -7], [-9, -2]], np.int32)
    assert (run(lambda b, x: b.max(x, (1,)), integers) == [-5, -2]).all()


def test_dot_products() -> None:
    left, right = RNG.standard_normal((2, 3, 5)), RNG.standard_normal((4, 5, 2))
    given = run(lambda b, x, y: b.dot(x, y, ((2,), (1,)), ((0,), (2,))), left, right)
    np.testing.assert_allclose(given, np.einsum("bik,jkb->bij", left, right), rtol=1e-13)


def windows(x: np.ndarray, low: int, high: int, fill: float) -> np.ndarray:
    """Return x with its two last dimensions padded (cut where negative)."""
    edges = [(0, 0)] * (x.ndim - 2) + [(max(low, 0), max(high, 0))] * 2
    wide = np.pad(x, edges, constant_values=fill)
    rows, columns = wide.shape[-2:]
    return wide[..., max(-low, 0) : rows - max(-high, 0), max(-low, 0) : columns - max(-high, 0)]


def convolved(x: np.ndarray, w: np.ndarray, conv: Convolution) -> np.ndarray:
    """Return the convolution of [N,C,H,W] with [O,I,H,W], index by index."""
    step, hole = conv.lhs_dilation[0], conv.rhs_dilation[0]
    shape = [(n - 1) * step + 1 for n in x.shape[2:]]
    spread = np.zeros((*x.shape[:2], *shape))
    spread[:, :, ::step, ::step] = x
    wide = windows(spread, *conv.padding[0], 0.0)
    kernel = w[
        :, :, :: -1 if conv.window_reversal[0] else 1, :: -1 if conv.window_reversal[1] else 1
    ]
    size = [(n - 1) * hole + 1 for n in w.shape[2:]]
    stride = conv.strides[0]
    extent = [(n - k) // stride + 1 for n, k in zip(wide.shape[2:], size, strict=True)]
    result = np.zeros((x.shape[0], w.shape[0], *extent))
    per_group = w.shape[0] // conv.feature_group_count
    for o, i, j in product(range(w.shape[0]), range(extent[0]), range(extent[1])):
        first = o // per_group * w.shape[1]
        block = wide[:, first : first + w.shape[1], i * stride :, j * stride :]
        patch = block[:, :, : size[0] : hole, : size[1] : hole]
        result[:, o, i, j] = (patch * kernel[o]).sum(axis=(1, 2, 3))
    return result


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("padding", [(0, 0), (1, 2), (-1, 1)])
@pytest.mark.parametrize(("stride", "spread", "hole"), [(1, 1, 1), (2, 1, 2), (1, 2, 1), (3, 2, 2)])
@pytest.mark.parametrize("flipped", [(False, False), (True, False)])
def test_convolution(
    groups: int,
    padding: tuple[int, int],
    stride: int,
    spread: int,
    hole: int,
    flipped: tuple[bool, bool],
) -> None:
    conv = Convolution(
        ConvolutionDims(0, 1, (2, 3), 1, 0, (2, 3), 0, 1, (2, 3)),
        *((stride, stride), (padding, padding), (spread, spread), (hole, hole), flipped, groups, 1),
    )
    x, w = RNG.standard_normal((2, 4, 7, 6)), RNG.standard_normal((6, 4 // groups, 3, 2))
    given = run(lambda b, a, c: b.convolution(a, c, conv), x, w)
    np.testing.assert_allclose(given, convolved(x, w, conv), rtol=1e-12, atol=1e-13)


def test_windows_and_the_first_of_equal_maxima() -> None:
    x = np.array([[1.0, 3.0, 3.0, 0.0], [3.0, 2.0, 0.0, 3.0]])
    window = Window((2, 2), (2, 2), (1, 1), (1, 1), ((0, 0), (0, 0)))
    same(run(lambda b, v: b.reduce_window(v, -np.inf, window, b.maxima), x), np.array([[3.0, 3.0]]))
    source = np.array([[5.0, 7.0]])
    plain = ScatterWindow((2, 2), (2, 2), ((0, 0), (0, 0)))
    given = run(lambda b, v, s: b.select_and_scatter(v, s, plain), x, source)
    same(given, np.array([[0.0, 5.0, 7.0, 0.0], [0.0, 0.0, 0.0, 0.0]]))


def test_gather_and_scatter_of_rows() -> None:
    indices = np.array([[2], [0], [2]], np.int32)
    gather = Gather((1,), (0,), (), (), (0,), 1, (1, 4), indices_are_sorted=False)
    scatter = Scatter((1,), (0,), (), (), (0,), 1, indices_are_sorted=False, unique_indices=False)
    same(run(lambda b, x, i: b.gather(x, i, gather), X, indices), X[indices[:, 0]])
    added = X.copy()
    for row, update in zip(indices[:, 0], Y, strict=True):
        added[row] += update
    same(run(lambda b, x, i, u: b.scatter_add(x, i, u, scatter), X, indices, Y), added)


def test_dynamic_slices_clamp_their_starts() -> None:
    place = np.array(9, np.int32)
    same(run(lambda b, x, i: b.dynamic_slice(x, [i, i], (2, 3)), X, place), X[1:, 1:])
    replaced = X.copy()
    replaced[1:, 1:] = Y[:2, :3]
    update = Y[:2, :3].copy()
    same(run(lambda b, x, u, i: b.dynamic_update_slice(x, u, [i, i]), X, update, place), replaced)


def test_while_counts() -> None:
    def write(b: Builder, x: Value) -> Value:
        zero = b.splat(0, TensorType((), ElementType.I32))

        def condition(i: Value, y: Value) -> Value:
            del y
            return b.compare(Direction.LT, i, b.splat_like(3, i))

        def body(i: Value, y: Value) -> list[Value]:
            return [i + 1, y * 2]

        return b.while_loop([zero, x], condition, body, ["i", "y"])[1]

    same(run(write, X), X * 8)


@pytest.mark.parametrize("element", ElementType)
def test_arrays_of_every_element_type_pass_through(element: ElementType) -> None:
    for values in ([0, 1, 1], [1, 1, 1], [1]):
        array = np.array(values, np.float32).astype(element.dtype)
        given = run(lambda b, x: b.reshape(x, (1, *x.shape)), array)
        assert given.dtype == array.dtype
        assert given.tobytes() == array.tobytes()
