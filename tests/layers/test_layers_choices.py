"""Choices for single sites: they change the text of their site alone, and every one is proved."""

from dataclasses import replace

import pytest

import gradwright as gw
from gradwright.certify import Verdict
from gradwright.errors import SpecError
from gradwright.layers import (
    PORTABLE,
    TEXTBOOK,
    Choice,
    Conv2d,
    ConvolutionForm,
    DepthwiseConv2d,
    DepthwiseForm,
    InputGradient,
    Layer,
    Layout,
    MaxPool,
    MaxPoolForm,
    Padding,
    Site,
    WeightGradient,
    sites_of,
)
from gradwright.layers.domains import ROW_TILED, TILES, defined_forms
from gradwright.programs.probes import net_probe
from gradwright.spec import Image, NetSpec

BATCH = 2
LAYERS = (
    Conv2d(3, 3),
    Conv2d(3, 1, 2, Padding.VALID),
    DepthwiseConv2d(3),
)
KINDS = (ConvolutionForm, InputGradient, WeightGradient)
TILED = (*TILES, *ROW_TILED)
"""Proved in test_layers_winograd and test_layers_row_tiles."""


def alone(layer: Layer) -> NetSpec:
    return NetSpec("alone", Image(2, 4, 4), [layer])


def site_of(net: NetSpec, number: int = 0) -> Site:
    return sites_of(net, BATCH)[number]


def probe(net: NetSpec, *choices: Choice) -> gw.Program:
    return net_probe(net, batch=BATCH, formulation=replace(PORTABLE, choices=choices))


def test_a_choice_changes_its_site_alone() -> None:
    net = NetSpec("two", Image(3, 4, 4), [Conv2d(3, 3), MaxPool(2), Conv2d(3, 3), Conv2d(4, 1)])
    shape = site_of(net, 2)
    assert shape != site_of(net)
    chosen = (
        Choice(shape, ConvolutionForm.DIRECT),
        Choice(shape, WeightGradient.CONVOLUTION),
    )
    usual, other = probe(net).text, probe(net, *chosen).text
    for name in ("conv1", "maxpool1", "conv3"):
        assert written(usual, name) == written(other, name)
    assert "stablehlo.dot_general" in "".join(written(usual, "conv2"))
    assert "stablehlo.dot_general" not in "".join(written(other, "conv2"))
    assert probe(net, *chosen).text == other


def written(text: str, layer: str) -> list[str]:
    """Return the operations of a layer."""
    return [line.partition(":")[0] for line in text.splitlines() if f"    %{layer}." in line]


def test_layers_that_compute_the_same_share_a_site() -> None:
    explicit = gw.layers.Explicit((1, 1), (1, 1))
    sites = [site_of(alone(layer)) for layer in (Conv2d(3, 3), Conv2d(3, (3, 3), 1, explicit))]
    assert sites[0] == sites[1]
    assert str(sites[0]) == "convolution 3x3 stride 1 padding 1, 2 -> 3, 2 x 4 x 4"


@pytest.mark.parametrize("layer", LAYERS, ids=str)
def test_every_form_in_its_domain_is_proved(layer: Layer) -> None:
    net = alone(layer)
    forms = tuple(defined_forms(site_of(net), Layout.NHWC))
    texts = {probe(net, Choice(site_of(net), form)).text: form for form in forms}
    texts = {text: form for text, form in texts.items() if form not in TILED}
    assert len(texts) > 1
    for form in texts.values():
        assert gw.certify(probe(net, Choice(site_of(net), form))).verdict is Verdict.PROVED, form


@pytest.mark.interpreter
def test_wrong_texts_of_a_choice_are_refuted() -> None:
    net = alone(Conv2d(3, 3))
    shape = site_of(net)
    right = probe(net, Choice(shape, WeightGradient.SHIFTED_DOTS)).text
    forward = gw.programs.forward(net, batch=BATCH, formulation=TEXTBOOK).text
    backward = gw.programs.vjp(
        net,
        batch=BATCH,
        formulation=replace(PORTABLE, choices=(Choice(shape, WeightGradient.SHIFTED_DOTS),)),
    ).text
    assert backward != right
    piece = next(line for line in backward.splitlines() if "stablehlo.slice" in line)
    wrong = backward.replace(piece, piece.replace("0:4", "1:5", 1))
    assert wrong != backward
    assert gw.certify_vjp(forward, backward).verdict is Verdict.PROVED
    assert gw.certify_vjp(forward, wrong).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("layer", "form"),
    [
        (Conv2d(3, 3, 2, Padding.SYMMETRIC), ConvolutionForm.WINOGRAD),
        (Conv2d(3, 3), InputGradient.CHANNEL_DOTS),
        (Conv2d(3, 3), WeightGradient.BY_SHAPE),
        (Conv2d(4, 3, groups=2), WeightGradient.SHIFTED_DOTS),
        (DepthwiseConv2d(3), ConvolutionForm.DIRECT),
        (MaxPool(2), DepthwiseForm.CONVOLUTION),
        (MaxPool(2), MaxPoolForm.SCATTER),
    ],
)
def test_a_form_outside_its_domain_is_refused(layer: Layer, form: ConvolutionForm) -> None:
    with pytest.raises(SpecError, match="a form that is defined at"):
        replace(PORTABLE, choices=(Choice(site_of(alone(layer)), form),))


def test_two_forms_of_one_part_are_refused() -> None:
    shape = site_of(alone(DepthwiseConv2d(3)))
    choices = tuple(Choice(shape, form) for form in DepthwiseForm)
    with pytest.raises(SpecError, match="one DepthwiseForm at convolution 3x3"):
        replace(PORTABLE, choices=choices)
