"""Convolutions as matrix products and as sums of products: where, proved, and mutants refuted."""

import pytest

import gradwright as gw
from gradwright.certify import Search, Verdict
from gradwright.certify.mutants_campaign import Found
from gradwright.certify.mutants_programs import program_campaign
from gradwright.layers import (
    PORTABLE,
    TEXTBOOK,
    Conv2d,
    DepthwiseConv2d,
    Explicit,
    Formulation,
    Padding,
)
from gradwright.losses import MeanSquaredError
from gradwright.optim import Sgd
from gradwright.spec import Image, NetSpec

POINTWISE = Conv2d(3, 1, 2, Padding.VALID)


def net(layer: gw.layers.Layer) -> NetSpec:
    return NetSpec("one", Image(2, 4, 5), [layer, gw.layers.GlobalAvgPool()])


def backward(layer: gw.layers.Layer, formulation: Formulation = PORTABLE) -> str:
    return gw.programs.vjp(net(layer), batch=2, formulation=formulation).text


@pytest.mark.parametrize(
    ("layer", "formulation", "convolutions"),
    [
        (POINTWISE, PORTABLE, 0),
        (POINTWISE, TEXTBOOK, 2),
        (Conv2d(3, 1, 1, Explicit((1, 0), (0, 1))), PORTABLE, 1),
        (Conv2d(4, 1, groups=2), PORTABLE, 2),
        (DepthwiseConv2d(3, 2, Padding.SYMMETRIC), PORTABLE, 0),
        (DepthwiseConv2d(3, 2, Padding.SYMMETRIC), TEXTBOOK, 2),
    ],
)
def test_where_products_are_used(
    layer: gw.layers.Layer, formulation: Formulation, convolutions: int
) -> None:
    assert backward(layer, formulation).count("stablehlo.convolution") == convolutions


@pytest.mark.parametrize("out", [1, 3])
def test_the_narrower_operand_of_a_weight_gradient_goes_first(out: int) -> None:
    line = next(one for one in backward(Conv2d(out, 1)).splitlines() if "tap = " in one)
    narrow, wide = sorted((2, out))
    assert line.endswith(f"tensor<{narrow}x{wide}xf32>")


@pytest.mark.interpreter
@pytest.mark.parametrize(
    "layer", [POINTWISE, Conv2d(1, 1), DepthwiseConv2d(3, 2, Padding.SAME_UPPER)]
)
def test_products_are_proved_and_wrong_ones_are_refuted(layer: gw.layers.Layer) -> None:
    step = gw.programs.train_step(net(layer), batch=2, loss=MeanSquaredError(), optimizer=Sgd())
    found = program_campaign(step, count=4, seed=3, search=Search(60), observe=lambda _: None)
    assert found.original is Verdict.PROVED
    assert len(found.wrong) >= 2
    assert found.count(Found.REFUTED) == len(found.wrong)
