"""Convolutions on published cases and identities, in every formulation."""

import numpy as np
import pytest

from gradwright.layers import Conv2d, DepthwiseConv2d, Explicit, Formulation, Padding
from gradwright.spec import Entry, Image
from oracles.closeness import assert_rounded
from oracles.subject import Array, Arrays, Subject, forms

FORMS = (*forms("layout", "depthwise"), *forms("weight_gradient"))

pytestmark = [
    pytest.mark.interpreter,
    pytest.mark.parametrize("formulation", FORMS, ids=str),
]

EXACT = 1
"""Small integers: products and sums are exact, so one ulp of the result is generous."""


def run(
    layer: Conv2d | DepthwiseConv2d, formulation: Formulation, x: object, weight: object, dy: object
) -> tuple[Array, Arrays]:
    """Return (y, gradients) of a convolution without bias on one example of height 1."""
    picture = np.asarray(x, dtype=np.float64)[None, :, None, :]
    layers: list[Entry] = [("conv", layer)]
    subject = Subject(layers, Image(*picture.shape[1:]), 1, formulation)
    arrays = {
        "x": picture,
        "conv.weight": np.asarray(weight, dtype=np.float64)[:, :, None, :],
        "dy": np.asarray(dy, dtype=np.float64)[None, :, None, :],
    }
    return subject.forward(arrays)[0, :, 0], subject.gradients(arrays)


def check(found: Array, expected: object) -> None:
    wanted = np.asarray(expected, dtype=np.float64)
    assert_rounded(found.reshape(wanted.shape), wanted, terms=EXACT)


def test_grouped_and_strided(formulation: Formulation) -> None:
    """bugs A1, ml-explore/mlx#3800: groups > 1 at stride > 1; ignoring groups gives 301, 402."""
    layer = DepthwiseConv2d((1, 2), (1, 2), Padding.VALID, bias=False)
    x, weight = [[1, 2, 3, 4], [5, 6, 7, 8]], [[[1, 2]], [[3, 4]]]
    _, gradients = run(layer, formulation, x, weight, [[1, 10], [100, 1000]])
    check(gradients["x"], [[1, 2, 10, 20], [300, 400, 3000, 4000]])
    check(gradients["conv.weight"], [[31, 42], [7500, 8600]])


def test_stride_is_not_dilation(formulation: Formulation) -> None:
    """bugs A2, iree-org/iree-turbine#1223, huggingface/candle#2337: swapped gives [21, 43]."""
    layer = Conv2d(1, (1, 2), (1, 2), Padding.VALID, bias=False)
    _, gradients = run(layer, formulation, [[1, 2, 3, 4, 5]], [[[3, 4]]], [[1, 10]])
    check(gradients["conv.weight"], [31, 42])


def test_padding_stride_and_dilation_at_once(formulation: Formulation) -> None:
    """bugs A5, pytorch/pytorch#15501: a report whose numbers were right."""
    layer = Conv2d(2, (1, 2), (1, 2), Explicit((0, 0), (1, 1)), (1, 2), bias=False)
    subject = Subject([layer], Image(1, 1, 2), 2, formulation)
    arrays = {
        "x": np.array([7.0, 3.0, 3.0, 2.0]).reshape(2, 1, 1, 2),
        "conv1.weight": np.array([3.0, 6.0, 4.0, 2.0]).reshape(2, 1, 1, 2),
        "dy": np.ones((2, 2, 1, 1)),
    }
    check(subject.forward(arrays).ravel(), [18, 6, 12, 4])
    gradients = subject.gradients(arrays)
    check(gradients["conv1.weight"].ravel(), [0, 5, 0, 5])
    check(gradients["x"].ravel(), [0, 8, 0, 8])


def test_weight_gradient_is_a_sum(formulation: Formulation) -> None:
    """bugs A7, sebgao/cTensor#3: an average over batch and positions instead of the sum."""
    picture = np.ones((2, 1, 3, 5))
    subject = Subject([Conv2d(1, 1, bias=False)], Image(1, 3, 5), 2, formulation)
    arrays = {"x": picture, "dy": picture, "conv1.weight": np.ones((1, 1, 1, 1))}
    check(subject.gradients(arrays)["conv1.weight"], [2 * 3 * 5])


@pytest.mark.parametrize("kernel", [3, 5, 7])
@pytest.mark.parametrize(("padding", "phase"), [(Padding.SYMMETRIC, 0), (Padding.SAME_UPPER, 1)])
def test_stride_two_decimates_stride_one(
    formulation: Formulation, kernel: int, padding: Padding, phase: int
) -> None:
    """bugs A11, emitter T4: on even extents SYMMETRIC keeps even positions, SAME_UPPER odd ones.

    Forward, dx and dW: at stride 1 the cotangent is zero at the positions that are dropped.
    """
    picture = Image(2, 8, 10)
    strided = Subject([Conv2d(3, kernel, 2, padding)], picture, formulation=formulation)
    whole = Subject([Conv2d(3, kernel, 1)], picture, formulation=formulation)
    arrays = strided.draw()
    spread = np.zeros((2, 3, 8, 10))
    spread[:, :, phase::2, phase::2] = arrays["dy"]
    terms = spread.size
    kept = whole.forward(arrays)[:, :, phase::2, phase::2]
    assert_rounded(strided.forward(arrays), kept, terms=terms)
    gradients = whole.gradients({**arrays, "dy": spread})
    for name, gradient in strided.gradients(arrays).items():
        assert_rounded(gradient, gradients[name], terms=terms, name=name)


@pytest.mark.parametrize(("kernel", "stride"), [(1, 2), (2, 3), (1, 3)])
@pytest.mark.parametrize("extent", [6, 7, 8])
def test_positions_that_no_window_reads(
    formulation: Formulation, kernel: int, stride: int, extent: int
) -> None:
    """emitter T26: with a remainder the kernel's gradient keeps its extent, unread x gets 0."""
    layer = Conv2d(2, kernel, stride, Padding.VALID)
    subject = Subject([layer], Image(1, extent, extent), 1, formulation)
    gradients = subject.gradients(subject.draw())
    assert gradients["conv1.weight"].shape == (2, 1, kernel, kernel)
    read = {i * stride + u for i in range((extent - kernel) // stride + 1) for u in range(kernel)}
    unread = [position for position in range(extent) if position not in read]
    assert not gradients["x"][:, :, unread].any()
    assert gradients["x"][:, :, sorted(read)][..., sorted(read)].all()


def test_a_patch_embedding_reads_left_aligned(formulation: Formulation) -> None:
    """emitter 2.1: kernel = stride = 4, VALID: window i reads positions 4 i to 4 i + 3."""
    subject = Subject([Conv2d(2, 4, 4, Padding.VALID)], Image(3, 8, 12), 2, formulation)
    arrays = subject.draw()
    blocks = arrays["x"].reshape(2, 3, 2, 4, 3, 4)
    expected = np.einsum("ncpuqv,ocuv->nopq", blocks, arrays["conv1.weight"])
    expected += arrays["conv1.bias"][None, :, None, None]
    assert_rounded(subject.forward(arrays), expected, terms=48)
