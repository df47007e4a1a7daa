"""Pools: definitions on a grid, ties, borders, and the published wrong answers."""

from collections.abc import Mapping
from itertools import product

import numpy as np
import pytest

from gradwright.layers import (
    AvgPool,
    Divisor,
    Explicit,
    Formulation,
    GlobalAvgPool,
    MaxPool,
    Padding,
)
from gradwright.spec import Image
from gradwright.spec.padding import AnyPadding, Pair
from oracles.arithmetic import (
    Patches,
    avg_pool,
    complex_step,
    max_pool,
    max_pool_gradient,
    tensorflow_same,
    torch_symmetric,
)
from oracles.closeness import assert_rounded
from oracles.subject import Array, Subject, forms

pytestmark = pytest.mark.interpreter

KERNELS: tuple[Pair, ...] = ((2, 2), (3, 3), (2, 3), (5, 4), (1, 3))
STRIDES: tuple[Pair, ...] = ((1, 1), (2, 2), (3, 3), (4, 1))
"""Smaller than, equal to and larger than the kernel."""
PADDINGS: tuple[AnyPadding, ...] = (
    Padding.SYMMETRIC,
    Padding.SAME_UPPER,
    Padding.VALID,
    Explicit((0, 1), (1, 0)),
)
EXTENTS: Pair = (6, 7)


def fits(kernel: Pair, strides: Pair, padding: AnyPadding) -> bool:
    """Whether the padding stays below the window, as pools ask for."""
    return all(max(pad) < k for pad, k in zip(pads(kernel, strides, padding), kernel, strict=True))


def pads(kernel: Pair, strides: Pair, padding: AnyPadding) -> tuple[Pair, Pair]:
    if isinstance(padding, Explicit):
        return padding.height, padding.width
    first, second = (_pad(axis, kernel, strides, padding) for axis in (0, 1))
    return first, second


def _pad(axis: int, kernel: Pair, strides: Pair, padding: Padding) -> Pair:
    if padding is Padding.VALID:
        return 0, 0
    if padding is Padding.SYMMETRIC:
        return torch_symmetric(kernel[axis])
    return tensorflow_same(EXTENTS[axis], kernel[axis], strides[axis])


GRID = [choice for choice in product(KERNELS, STRIDES, PADDINGS) if fits(*choice)]
FORMS = forms("layout", "max_pool")
LAYOUTS = forms("layout")


def rows(subject: Subject, x: object, dy: object) -> tuple[Array, Array]:
    """Return (y, dx) of one picture given as a matrix."""
    arrays = {
        "x": np.asarray(x, dtype=np.float64)[None, None],
        "dy": np.asarray(dy, dtype=np.float64)[None, None],
    }
    return subject.forward(arrays)[0, 0], subject.gradients(arrays)["x"][0, 0]


def matrix(layer: MaxPool | AvgPool, height: int, width: int, form: Formulation) -> Subject:
    return Subject([layer], Image(1, height, width), 1, form)


def test_the_grid_has_every_relation_of_stride_and_window() -> None:
    relations = {np.sign(s - k) for (k, _), (s, _), _ in GRID}
    assert relations == {-1, 0, 1}


@pytest.mark.parametrize(("kernel", "strides", "padding"), GRID, ids=str)
@pytest.mark.parametrize("ties", ["distinct", "tied"])
def test_max_pool_equals_its_definition(
    kernel: Pair, strides: Pair, padding: AnyPadding, ties: str
) -> None:
    """bugs B2, ahrefs/ocannl#512, and T5: strides below the window, and ties, in both forms."""
    patches = Patches(EXTENTS, kernel, strides, (1, 1), pads(kernel, strides, padding))
    subject = Subject([MaxPool(kernel, strides, padding)], Image(3, *EXTENTS))
    arrays = subject.draw()
    if ties == "tied":  # what follows a relu: many windows of zeros
        arrays["x"] = np.maximum(np.round(arrays["x"]), 0)
    expected = max_pool_gradient(patches, arrays["x"], arrays["dy"])
    for form in FORMS:
        emitted = subject.under(form)
        assert np.array_equal(emitted.forward(arrays), max_pool(patches, arrays["x"]))
        found = emitted.gradients(arrays)["x"]
        assert_rounded(found, expected, terms=kernel[0] * kernel[1])


@pytest.mark.parametrize(("kernel", "strides", "padding"), GRID[::3], ids=str)
@pytest.mark.parametrize("divisor", Divisor)
def test_avg_pool_equals_its_definition(
    kernel: Pair, strides: Pair, padding: AnyPadding, divisor: Divisor
) -> None:
    """bugs B7, pytorch/pytorch#15997: the gradient divides by what the forward divides by."""
    patches = Patches(EXTENTS, kernel, strides, (1, 1), pads(kernel, strides, padding))
    subject = Subject([AvgPool(kernel, strides, padding, divisor)], Image(3, *EXTENTS))
    arrays = subject.draw()
    count_padding = divisor is Divisor.INCLUDE_PADDING

    def mean(given: Mapping[str, np.ndarray]) -> np.ndarray:
        return avg_pool(patches, given["x"], count_padding=count_padding)

    expected = complex_step(mean, arrays, "x")
    for form in LAYOUTS:
        emitted = subject.under(form)
        assert_rounded(emitted.forward(arrays), mean(arrays), terms=25)
        assert_rounded(emitted.gradients(arrays)["x"], expected, terms=25)


@pytest.mark.parametrize("form", FORMS, ids=str)
class TestPublishedMaxPools:
    """Numbers of public reports, in both forms and layouts."""

    def test_overlapping_windows_add_up(self, form: Formulation) -> None:
        """bugs B1, FluxML/Flux.jl#1197, FluxML/NNlib.jl#205: four windows share the 88."""
        x = np.arange(1.0, 25.0).reshape(4, 6)
        x[1, 1] = 88
        subject = matrix(MaxPool(3, 2, Padding.SYMMETRIC), 4, 6, form)
        _, dx = rows(subject, x, np.ones((2, 3)))
        expected = np.zeros((4, 6))
        expected[1, 1], expected[1, 5], expected[3, 5] = 4, 1, 1
        assert np.array_equal(dx, expected)

    def test_three_windows_share_one_maximum(self, form: Formulation) -> None:
        """bugs B1, snippet N4: overwriting gives [0, 1, 0]."""
        _, dx = rows(matrix(MaxPool((1, 2), (1, 1)), 1, 3, form), [[1, 5, 2]], [[1, 1]])
        assert dx.tolist() == [[0, 2, 0]]

    def test_stride_below_the_window(self, form: Formulation) -> None:
        """bugs B2, ahrefs/ocannl#512: last write wins gives [1, 2, 0, 0, 1]."""
        subject = matrix(MaxPool((1, 2), (1, 1)), 1, 5, form)
        _, dx = rows(subject, [[5, 3, 1, 2, 5]], [[1, 1, 1, 1]])
        assert dx.tolist() == [[1, 1, 0, 1, 1]]

    def test_the_border_counts_as_minus_infinity(self, form: Formulation) -> None:
        """bugs B4, pytorch/pytorch#33382: a border of zeros would win against negatives."""
        x = -1.0 - np.arange(16.0).reshape(4, 4)
        y, dx = rows(matrix(MaxPool(3, 2, Padding.SYMMETRIC), 4, 4, form), x, np.ones((2, 2)))
        assert y.tolist() == [[-1, -2], [-5, -6]]
        assert dx.tolist() == [[1, 1, 0, 0], [1, 1, 0, 0], [0] * 4, [0] * 4]

    def test_ties_go_to_the_first(self, form: Formulation) -> None:
        """bugs B6, facebookresearch/CrypTen#90, tensorflow/tensorflow#51681: one maximum, once."""
        subject = matrix(MaxPool(3, 2, Padding.SYMMETRIC), 4, 4, form)
        _, dx = rows(subject, np.ones((4, 4)), np.ones((2, 2)))
        assert dx.tolist() == [[1, 1, 0, 0], [1, 1, 0, 0], [0] * 4, [0] * 4]

    def test_windows_of_zeros_keep_the_sum(self, form: Formulation) -> None:
        """T5: all tied after a relu; the cotangent arrives once, at the first position."""
        _, dx = rows(matrix(MaxPool(2), 4, 4, form), np.zeros((4, 4)), [[1, 2], [3, 4]])
        assert dx.tolist() == [[1, 0, 2, 0], [0] * 4, [3, 0, 4, 0], [0] * 4]

    @pytest.mark.parametrize(
        ("padding", "expected"),
        [
            (Padding.SAME_UPPER, [2, 4, 6, 8, 10, 11]),
            (Padding.SYMMETRIC, [1, 3, 5, 7, 9, 11]),
        ],
    )
    def test_the_grid_depends_on_the_padding(
        self, form: Formulation, padding: Padding, expected: list[int]
    ) -> None:
        """bugs A11, keras-team/keras#16363, pytorch/pytorch#67551: same shape, other windows."""
        subject = matrix(MaxPool((1, 3), (1, 2), padding), 1, 12, form)
        y, _ = rows(subject, np.arange(12.0)[None], np.ones((1, 6)))
        assert y.tolist() == [expected]

    def test_padded_equals_explicitly_padded(self, form: Formulation) -> None:
        """bugs B5, jax-ml/jax#6010: the same pool over a picture bordered by hand."""
        padded = Subject([MaxPool(3, 2, Padding.SYMMETRIC)], Image(2, 6, 7), 2, form)
        plain = Subject([MaxPool(3, 2)], Image(2, 8, 9), 2, form)
        arrays = padded.draw()
        edge = ((0, 0), (0, 0), (1, 1), (1, 1))
        bordered = {**arrays, "x": np.pad(arrays["x"], edge, constant_values=-np.inf)}
        assert np.array_equal(padded.forward(arrays), plain.forward(bordered))
        inner = plain.gradients(bordered)["x"][:, :, 1:-1, 1:-1]
        assert np.array_equal(padded.gradients(arrays)["x"], inner)

    def test_more_taps_than_a_byte_counts(self, form: Formulation) -> None:
        """A 12 x 12 window has 144 taps, more than a signed byte tells apart."""
        x = np.zeros((12, 12))
        x[11, 10] = 1
        _, dx = rows(matrix(MaxPool(12), 12, 12, form), x, [[5]])
        assert np.array_equal(dx, 5 * x)


@pytest.mark.parametrize("form", LAYOUTS, ids=str)
class TestPublishedAvgPools:
    """Divisors at the border."""

    @pytest.mark.parametrize(
        ("divisor", "expected"),
        [(Divisor.INCLUDE_PADDING, 10 / 9), (Divisor.EXCLUDE_PADDING, 10 / 4)],
    )
    def test_divisor_of_a_corner(
        self, form: Formulation, divisor: Divisor, expected: float
    ) -> None:
        """bugs B7, apache/tvm#1144, tracel-ai/burn#5450: 10/9 or 10/4."""
        layer = AvgPool(3, 1, Padding.SYMMETRIC, divisor)
        y, _ = rows(matrix(layer, 2, 2, form), [[1, 2], [3, 4]], np.ones((2, 2)))
        assert_rounded(y, np.full((2, 2), expected), terms=9)

    def test_gradient_divides_by_what_the_forward_divides_by(self, form: Formulation) -> None:
        """bugs B7, pytorch/pytorch#15997, snippet N6: dividing by 3 gives 0.6667."""
        layer = AvgPool((1, 3), (1, 1), Padding.SYMMETRIC, Divisor.EXCLUDE_PADDING)
        _, dx = rows(matrix(layer, 1, 2, form), [[1, 2]], [[1, 1]])
        assert_rounded(dx, np.ones((1, 2)), terms=3)

    @pytest.mark.parametrize(
        ("divisor", "expected"),
        [(Divisor.INCLUDE_PADDING, -0.5994 / 7), (Divisor.EXCLUDE_PADDING, -0.5994 / 3)],
    )
    def test_half_a_window_outside(
        self, form: Formulation, divisor: Divisor, expected: float
    ) -> None:
        """bugs B7, microsoft/onnxruntime#16203: 3 positions in a window of 7."""
        layer = AvgPool((1, 7), (1, 7), Explicit((0, 0), (4, 0)), divisor)
        y, _ = rows(matrix(layer, 1, 3, form), [[-0.1, -0.2, -0.2994]], [[1]])
        assert_rounded(y, np.full((1, 1), expected), terms=7)


@pytest.mark.parametrize("form", LAYOUTS, ids=str)
def test_global_average(form: Formulation) -> None:
    subject = Subject([GlobalAvgPool()], Image(3, 5, 7), 2, form)
    arrays = subject.draw()
    assert_rounded(subject.forward(arrays), arrays["x"].mean(axis=(2, 3)), terms=35)
    expected = np.broadcast_to(arrays["dy"][:, :, None, None] / 35, (2, 3, 5, 7))
    assert_rounded(subject.gradients(arrays)["x"], expected, terms=1)
