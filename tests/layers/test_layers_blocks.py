"""Blocks: what they refuse, and their gradients by differences, by the certifier, by PyTorch."""

import pytest

from gradwright.certify import Search, certify_vjp
from gradwright.errors import SpecError
from gradwright.layers import PORTABLE, TEXTBOOK, Formulation, Function, Layer, Padding, blocks
from gradwright.spec import Image, NetSpec
from oracles import torch_nets
from oracles.blocks import BLOCKS
from oracles.closeness import EPSILON, EPSILON32, assert_rounded
from oracles.differences import assert_gradients
from oracles.subject import Subject

EVERY = pytest.mark.parametrize("subject", BLOCKS.values(), ids=BLOCKS)
TERMS = 4096
"""Roundings in the longest chain of sums of the table."""


def test_the_table_holds_every_block() -> None:
    plans = [plan for subject in BLOCKS.values() for plan in subject.net.walk()]
    assert {type(plan.layer).__name__ for plan in plans} >= set(blocks.__all__)


def unproved(subject: Subject, form: Formulation) -> set[str]:
    subject = subject.under(form)
    report = certify_vjp(
        subject.forward_program().text, subject.vjp_program().text, search=Search(seconds=0)
    )
    return {claim.verdict.value for claim in report.claims if claim.verdict != "proved"}


@pytest.mark.parametrize("name", BLOCKS)
def test_every_gradient_of_a_block_is_proved(name: str) -> None:
    assert unproved(BLOCKS[name], TEXTBOOK) == set()


@pytest.mark.slow
@pytest.mark.parametrize("name", BLOCKS)
def test_every_gradient_of_the_portable_form_is_proved(name: str) -> None:
    assert unproved(BLOCKS[name], PORTABLE) == set()


@pytest.mark.interpreter
@pytest.mark.slow
@EVERY
def test_central_differences(subject: Subject) -> None:
    assert_gradients(subject, subject.draw())


@pytest.mark.interpreter
@pytest.mark.torch
@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_is_torchs(name: str) -> None:
    subject = BLOCKS[name]
    arrays = subject.draw()
    output, gradients = torch_nets.gradients(subject.net, arrays)
    assert_rounded(subject.forward(arrays), output, terms=TERMS)
    # PyTorch's backward of hardsigmoid multiplies by a sixth that was rounded to float32.
    epsilon = EPSILON32 / TERMS if name == "mbconv-v3" else EPSILON
    for slot, gradient in subject.gradients(arrays).items():
        assert_rounded(gradient, gradients[slot], terms=TERMS, epsilon=epsilon, name=slot)


STRIDED: tuple[Layer, ...] = (
    blocks.BasicBlock(4, 2),
    blocks.Bottleneck(4, 2),
    blocks.InvertedResidual(4, 4, 3, 2, None, Function.RELU6),
    blocks.FusedInvertedResidual(4, 8, 3, 2, None, Function.SWISH),
    blocks.UniversalInvertedBottleneck(4, 2, 0, 3, 2, None, Function.RELU),
    blocks.SeparableConv(4, 2, None, Function.RELU, Function.IDENTITY),
    blocks.ShuffleUnit(8, 2, 1, 2, None),
    blocks.ShuffleV2Unit(8, 2, None),
)


@pytest.mark.parametrize("block", STRIDED, ids=lambda block: type(block).__name__)
def test_a_stride_without_a_padding_is_refused(block: Layer) -> None:
    with pytest.raises(SpecError, match="expected a named padding, since conventions differ"):
        NetSpec("n", Image(4, 8, 8), [block])


def test_a_stride_that_nothing_carries_is_refused() -> None:
    bare = blocks.UniversalInvertedBottleneck(4, 2, 0, 0, 2, Padding.SYMMETRIC, Function.RELU)
    with pytest.raises(SpecError, match="a depthwise convolution to carry the stride"):
        NetSpec("n", Image(4, 8, 8), [bare])
