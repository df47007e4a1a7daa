"""Gradients that are other sums than the derived ones are proved; wrong ones near them are not."""

from dataclasses import replace

import pytest

from certify.random.test_certify_random import claims, texts
from gradwright import layers as ly
from gradwright.certify import Effort, Search, certify_program
from gradwright.certify.mutants_campaign import Found, Trial, campaign
from gradwright.certify.programs_reading import Declared
from gradwright.certify.texts import subject_of_pair
from gradwright.certify.verdicts import Verdict
from gradwright.layers import Formulation
from gradwright.losses import SoftmaxCrossEntropy
from gradwright.optim import Momentum
from gradwright.programs import Program, train_step
from gradwright.spec import Image, NetSpec

SAME = ly.Padding.SAME_UPPER
SCALED = NetSpec(
    "scaled",
    Image(2, 5, 5),
    [ly.DepthwiseConv2d(1), ly.LayerScale(0.5), ly.Conv2d(2, 3, padding=SAME)],
)
INSIDE = ly.AvgPool(3, 2, ly.Padding.SYMMETRIC, ly.Divisor.EXCLUDE_PADDING)
AVERAGED = NetSpec("averaged", Image(2, 5, 5), [INSIDE])
NORMED = NetSpec(
    "normed",
    Image(2, 4, 4),
    [ly.BatchNorm(), ly.AvgPool((2, 3), (2, 1), SAME, ly.Divisor.EXCLUDE_PADDING)],
)
POOLED = NetSpec("pooled", Image(2, 4, 6), [ly.MaxPool(3, 2, SAME)])
GATED = NetSpec(
    "gated",
    Image(2, 3, 3),
    [ly.ConvBn(2, 1, activation=ly.Function.HARD_SWISH), ly.DepthwiseConv2d(3)],
)
JOINED = NetSpec(
    "joined",
    Image(2, 4, 4),
    [
        ly.Branches(
            [ly.AvgPool(3, 2, SAME), ly.ConvBn(2, 3, 2, SAME, activation=ly.Function.IDENTITY)]
        ),
        ly.Activation(ly.Function.RELU),
    ],
)
FORMS = {
    "a class under a sum, written out": (SCALED, ly.PORTABLE),
    "a divisor read twice": (AVERAGED, ly.TEXTBOOK),
    "entries that are met twice": (NORMED, ly.PORTABLE),
    "maxima of windows at an even size": (POOLED, ly.PORTABLE),
    "a slope that no value of the text is": (GATED, ly.PORTABLE),
    "a mask of joined channels": (JOINED, ly.TEXTBOOK),
}
TILES = NetSpec(
    "tiles", Image(2, 4, 4), [ly.ConvBn(2, 3, padding=SAME), ly.GlobalAvgPool(), ly.Dense(2)]
)
SEARCH = Search(seconds=60, effort=Effort.QUICK)


def ignore(_: Trial) -> None:
    return


LONG = {
    *("a slope that no value of the text is", "a class under a sum, written out"),
    *("entries that are met twice", "a mask of joined channels"),
}
"""Forms whose mutants take more than ten seconds to refute; the sweep tries those of all."""


@pytest.mark.parametrize("name", FORMS)
def test_gradients_in_another_form_are_proved(name: str) -> None:
    net, formulation = FORMS[name]
    for chosen in (formulation, ly.PORTABLE, ly.TEXTBOOK):
        found = claims(*texts(net, 3, chosen))
        assert [c.name for c in found if c.verdict is not Verdict.PROVED] == []


@pytest.mark.interpreter
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] if n in LONG else []) for n in FORMS]
)
def test_wrong_gradients_near_them_are_not(name: str) -> None:
    net, formulation = FORMS[name]
    assert missed(net, formulation) == 0


def missed(net: NetSpec, formulation: Formulation) -> int:
    """Return how many wrong mutants of a gradient are proved, of at least one."""
    forward, backward = texts(net, 2, formulation)
    inputs = [port.name for port in forward.signature.inputs]
    wrt = [inputs.index(port.name.removeprefix("d.")) for port in backward.signature.outputs]
    subject = subject_of_pair(forward.text, backward.text, wrt=wrt)
    found = campaign(subject, count=4, seed=1, search=SEARCH, observe=ignore)
    assert found.original is Verdict.PROVED
    assert found.wrong
    return found.count(Found.MISSED)


def test_a_step_with_convolutions_in_tiles_is_proved_whole() -> None:
    step = in_tiles()
    report = certify_program(step, search=Search(seconds=0, effort=Effort.QUICK))
    assert [c.name for c in report.claims if c.verdict is not Verdict.PROVED] == []


@pytest.mark.slow
@pytest.mark.interpreter
def test_a_wrong_tile_is_refuted() -> None:
    report = certify_program(with_a_wrong_tile(), search=SEARCH)
    stated = [c for c in report.claims if c.name == "loss as declared"]
    assert [c.verdict for c in stated] == [Verdict.REFUTED]


def with_a_wrong_tile() -> Declared:
    """Return the step with a sum of products in place of a difference."""
    step = in_tiles()
    right = next(line for line in step.text.splitlines() if "conv.subtract_" in line)
    wrong = step.text.replace(right, right.replace(".subtract %", ".add %"))
    assert wrong != step.text
    return Declared.of(step, wrong)


def in_tiles() -> Program:
    """Return a training step whose convolution is in tiles behind a batch norm."""
    formulation = replace(ly.PORTABLE, convolution=ly.ConvolutionForm.ROW_TILES)
    loss, optimizer = SoftmaxCrossEntropy(), Momentum()
    return train_step(TILES, batch=2, loss=loss, optimizer=optimizer, formulation=formulation)
