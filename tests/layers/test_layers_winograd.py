"""Minimal filtering: the identity over fractions, where it is used, and its proof on the text."""

from dataclasses import replace
from fractions import Fraction

import pytest

import gradwright as gw
from gradwright.certify import Search, Verdict
from gradwright.layers import (
    FAST,
    PORTABLE,
    TEXTBOOK,
    Conv2d,
    ConvBn,
    ConvolutionForm,
    Dense,
    Flatten,
    Formulation,
    Layout,
    Padding,
    Primitive,
    Site,
    WeightGradient,
)
from gradwright.layers.cost_rule import fastest_forms, table
from gradwright.layers.winograd import filtering
from gradwright.spec import Image, NetSpec
from gradwright.spec.padding import Windows

TILED = replace(
    PORTABLE,
    convolution=ConvolutionForm.WINOGRAD,
    weight_gradient=WeightGradient.WINOGRAD,
)
LARGE_TILES = replace(
    PORTABLE,
    convolution=ConvolutionForm.WINOGRAD_4X4,
    weight_gradient=WeightGradient.WINOGRAD_4X4,
)
BOTH_TILES = pytest.mark.parametrize("formulation", [TILED, LARGE_TILES], ids=["2x2", "4x4"])


def applied(matrix: tuple[tuple[int, ...], ...], vector: list[Fraction]) -> list[Fraction]:
    return [sum((a * b for a, b in zip(row, vector, strict=True)), Fraction(0)) for row in matrix]


@pytest.mark.parametrize("tile", [2, 3, 4])
def test_filtering_is_the_correlation(tile: int) -> None:
    rule = filtering(tile)
    x = [Fraction(3 * k * k - 7 * k + 2, k + 1) for k in range(tile + 2)]
    w = [Fraction(5, 3), Fraction(-2, 7), Fraction(11)]
    halves = zip(applied(rule.kernel, w), applied(rule.input, x), rule.divisors, strict=True)
    y = applied(rule.output, [a * b / divisor for a, b, divisor in halves])
    assert y == [sum(w[k] * x[i + k] for k in range(3)) for i in range(tile)]


def net(channels: int, layer: Conv2d) -> NetSpec:
    return NetSpec("one", Image(channels, 4, 5), [layer])


def backward(formulation: Formulation, channels: int, layer: Conv2d) -> str:
    return gw.programs.vjp(net(channels, layer), batch=2, formulation=formulation).text


@pytest.mark.parametrize(
    ("formulation", "channels", "layer", "convolutions"),
    [
        (TILED, 3, Conv2d(2, 3), 0),
        (TILED, 3, Conv2d(2, 3, 2, Padding.SYMMETRIC), 1),
        (TILED, 4, Conv2d(4, 3, groups=2), 2),
        (TILED, 3, Conv2d(2, 5), 1),
        (LARGE_TILES, 3, Conv2d(2, 3), 0),
        (PORTABLE, 3, Conv2d(20, 3), 1),
        (TEXTBOOK, 3, Conv2d(20, 3), 2),
        (FAST, 3, Conv2d(20, 3), 1),
    ],
)
def test_where_tiles_are_used(
    formulation: Formulation, channels: int, layer: Conv2d, convolutions: int
) -> None:
    text = backward(formulation, channels, layer)
    assert text.count("stablehlo.convolution") == convolutions


@pytest.mark.parametrize(
    ("channels", "extent", "batch", "convolutions"),
    [(512, 7, 8, 0), (512, 7, 64, 0), (512, 30, 8, 1), (256, 2, 8, 1)],
)
def test_fast_takes_what_was_measured_near(
    channels: int, extent: int, batch: int, convolutions: int
) -> None:
    one = NetSpec("one", Image(channels, extent, extent), [Conv2d(channels, 3)])
    text = gw.programs.vjp(one, batch=batch, formulation=FAST).text
    assert text.count("stablehlo.convolution") == convolutions


def test_every_row_of_the_cost_rule_is_found_by_its_own_site() -> None:
    assert table()
    for row in table():
        channels, out, height, width = row.sizes
        padding = (1, 1) if row.kernel == (3, 3) else (0, 0)
        windows = Windows((height, width), row.kernel, row.strides, (1, 1), (padding, padding))
        site = Site(Primitive.CONVOLUTION, windows, row.pictures, channels, out)
        assert fastest_forms(site, Layout.NHWC) == row.forms


@pytest.mark.interpreter
@BOTH_TILES
def test_tiles_are_proved_and_a_wrong_one_is_refuted(formulation: Formulation) -> None:
    """At even and odd extents: of five columns the last tile has one that is no result."""
    layer = Conv2d(3, 3)
    assert (
        gw.certify(gw.programs.forward(net(2, layer), batch=2, formulation=formulation)).verdict
        is Verdict.PROVED
    )
    forward = gw.programs.forward(net(2, layer), batch=2, formulation=TEXTBOOK).text
    right = backward(formulation, 2, layer)
    assert gw.certify_vjp(forward, right).verdict is Verdict.PROVED
    first = next(line for line in right.splitlines() if "stablehlo.subtract" in line)
    wrong = right.replace(first, first.replace("stablehlo.subtract", "stablehlo.add"))
    assert gw.certify_vjp(forward, wrong).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    "formulation",
    [
        pytest.param(TILED, id="2x2"),
        pytest.param(LARGE_TILES, id="4x4", marks=pytest.mark.slow),
    ],
)
def test_tiles_in_all_parts_are_proved_in_a_step(formulation: Formulation) -> None:
    """Forward and weight gradient share the tiles of what both read."""
    layers = [ConvBn(4, 3, padding=Padding.SYMMETRIC), ConvBn(3, 3), Flatten(), Dense(2)]
    step = gw.programs.train_step(
        NetSpec("two", Image(2, 4, 6), layers),
        batch=3,
        loss=gw.losses.SoftmaxCrossEntropy(),
        optimizer=gw.optim.Sgd(),
        formulation=formulation,
    )
    assert gw.certify(step, search=Search(seconds=0)).verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("name", "batch"),
    [
        ("digits-cnn", 8),
        *(
            pytest.param(name, batch, marks=pytest.mark.slow)
            for name, batch in [
                ("digits-cnn", 64),
                ("mnist-cnn", 64),
                ("mnist-cnn", 128),
                ("cifar8", 128),
                ("cifar8-bn", 128),
            ]
        ),
    ],
)
def test_every_claim_of_a_fast_step_is_proved(name: str, batch: int) -> None:
    step = gw.programs.train_step(
        gw.zoo.get(name),
        batch=batch,
        loss=gw.losses.SoftmaxCrossEntropy(),
        optimizer=gw.optim.Momentum(),
        formulation=FAST,
    )
    report = gw.certify(step, search=Search(seconds=0))
    assert [claim.name for claim in report.claims if claim.verdict is not Verdict.PROVED] == []
