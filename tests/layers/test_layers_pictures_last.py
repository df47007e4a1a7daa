"""Weight gradients by convolutions of blocks of pictures; input gradients by pairs of columns."""

from dataclasses import replace

import pytest

import gradwright as gw
from gradwright.certify.verdicts import Verdict
from gradwright.layers import (
    PORTABLE,
    TEXTBOOK,
    Conv2d,
    Formulation,
    InputGradient,
    Padding,
    WeightGradient,
)
from gradwright.layers import weight_gradient as forms_of_dw
from gradwright.spec import Image, NetSpec

BATCH = 6
NET = NetSpec("one", Image(2, 6, 5), [Conv2d(3, 3, 2, Padding.SAME_UPPER)])
PLAIN = NetSpec("one", Image(2, 5, 6), [Conv2d(3, 3)])
BLOCKS = replace(PORTABLE, weight_gradient=WeightGradient.BLOCKED_CONVOLUTION)
PAIRS = replace(PORTABLE, input_gradient=InputGradient.COLUMN_PAIRS)
TWO_PICTURES = 4 * 2 * (2 * 6 * 5 + 3 * 3 * 3)
"""Bytes of two pictures and their cotangents."""


def backward(net: NetSpec, formulation: Formulation) -> str:
    return gw.programs.vjp(net, batch=BATCH, formulation=formulation).text


def verdict(net: NetSpec, text: str) -> Verdict:
    forward = gw.programs.forward(net, batch=BATCH, formulation=TEXTBOOK).text
    return gw.certify_vjp(forward, text).verdict


@pytest.fixture
def blocked(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(forms_of_dw, "FEW_CHANNELS", 0)
    monkeypatch.setattr(forms_of_dw, "BLOCK_BYTES", TWO_PICTURES)
    return backward(NET, BLOCKS)


def test_few_channels_are_taken_at_once() -> None:
    assert "stablehlo.while" not in backward(NET, BLOCKS)


def test_blocks_of_pictures_are_channels_in_a_loop_and_proved(blocked: str) -> None:
    assert "stablehlo.while" in blocked
    assert "tensor<2x6x5x2xf32>, tensor<3x3x2x3xf32>) -> tensor<2x3x3x3xf32>" in blocked
    assert verdict(NET, blocked) is Verdict.PROVED


@pytest.mark.interpreter
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("dense<6> : tensor<i32>", "dense<4> : tensor<i32>"),  # the last block is left out
        ("pad = [[0, 1], [1, 1]], rhs", "pad = [[1, 0], [1, 1]], rhs"),
        ("dims = [3, 0, 1, 2]", "dims = [3, 0, 2, 1]"),
        ("dims = [1, 2, 0, 3]", "dims = [2, 1, 0, 3]"),
    ],
)
def test_wrong_blocks_of_pictures_are_refuted(right: str, wrong: str, blocked: str) -> None:
    assert blocked.count(right) == 1
    assert verdict(NET, blocked.replace(right, wrong)) is Verdict.REFUTED


@pytest.mark.interpreter
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("dims = [2, 3]", "dims = [2]"),  # one direction is not reversed
        ("stride = [1, 2], pad = [[1, 1]", "stride = [1, 2], pad = [[2, 0]"),
        ("low = [0, 0, 0, 1], high = [0, 0, 0, 0]", "low = [0, 0, 0, 0], high = [0, 0, 0, 1]"),
    ],
)
def test_wrong_pairs_of_columns_of_an_input_gradient_are_refuted(right: str, wrong: str) -> None:
    text = backward(PLAIN, PAIRS)
    assert verdict(PLAIN, text) is Verdict.PROVED
    assert right in text, text
    assert verdict(PLAIN, text.replace(right, wrong)) is Verdict.REFUTED
