"""Padding rules: amounts by name, against rules and numbers written elsewhere."""

import pytest

from gradwright.layers import Explicit, Padding
from gradwright.spec.padding import Windows
from oracles.arithmetic import tensorflow_same, torch_symmetric

EXTENTS = range(1, 40)
KERNELS = (1, 2, 3, 4, 5, 7, 11)
STRIDES = (1, 2, 3, 4, 7)
DILATIONS = (1, 2, 3)


def over(extent: int, kernel: int, stride: int, dilation: int, padding: Padding) -> Windows:
    pairs = ((n, n) for n in (extent, kernel, stride, dilation))
    extents, kernels, strides, dilations = pairs
    return Windows.over(extents, kernels, strides, dilations, padding)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("stride", STRIDES)
@pytest.mark.parametrize("dilation", DILATIONS)
def test_same_upper_is_tensorflows(kernel: int, stride: int, dilation: int) -> None:
    for extent in EXTENTS:
        windows = over(extent, kernel, stride, dilation, Padding.SAME_UPPER)
        assert windows.padding[0] == tensorflow_same(extent, kernel, stride, dilation)
        assert windows.counts[1] == (extent + stride - 1) // stride


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("dilation", DILATIONS)
def test_symmetric_is_torchvisions(kernel: int, dilation: int) -> None:
    for extent in EXTENTS:
        windows = over(extent, kernel, 1, dilation, Padding.SYMMETRIC)
        assert windows.padding == (torch_symmetric(kernel, dilation),) * 2
        if windows.spans[0] % 2 == 1:
            assert windows.counts == (extent, extent)


@pytest.mark.parametrize(
    ("padding", "extent", "kernel", "stride", "amounts"),
    [
        (Padding.SAME_UPPER, 224, 7, 2, (2, 3)),
        (Padding.SYMMETRIC, 224, 7, 2, (3, 3)),
        (Padding.SAME_UPPER, 8, 3, 2, (0, 1)),
        (Padding.SAME_UPPER, 8, 5, 2, (1, 2)),
        (Padding.SAME_UPPER, 8, 2, 2, (0, 0)),
        (Padding.SAME_UPPER, 8, 3, 1, (1, 1)),
        (Padding.SAME_UPPER, 9, 3, 2, (1, 1)),
        (Padding.SYMMETRIC, 9, 3, 2, (1, 1)),
        (Padding.SYMMETRIC, 8, 4, 2, (1, 1)),
        (Padding.VALID, 8, 4, 2, (0, 0)),
    ],
)
def test_published_amounts(
    padding: Padding, extent: int, kernel: int, stride: int, amounts: tuple[int, int]
) -> None:
    """bugs A11, emitter 2.1: 224 with 7/2 pads (2, 3) in TensorFlow and (3, 3) in torchvision."""
    assert over(extent, kernel, stride, 1, padding).padding == (amounts, amounts)


def test_explicit_amounts_are_taken_as_they_are() -> None:
    windows = Windows.over((9, 12), (3, 4), (2, 3), (1, 2), Explicit((0, 2), (3, 1)))
    assert windows.padding == ((0, 2), (3, 1))
    assert windows.spans == (3, 7)
    assert windows.counts == ((9 + 2 - 3) // 2 + 1, (12 + 4 - 7) // 3 + 1)
    assert windows.remainder == (0, 0)
    assert Windows.over((10, 12), (3, 4), (2, 3), (1, 2), Padding.VALID).remainder == (1, 2)
