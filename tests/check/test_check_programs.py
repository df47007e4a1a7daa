"""Whole programs: nothing that is proved of them is left out of their certificates."""

from collections.abc import Callable

import pytest

import gradwright as gw
from gradwright.certify import Report, Search
from gradwright.layers import PORTABLE, TEXTBOOK
from gradwright.losses import MeanSquaredError, SoftmaxCrossEntropy
from gradwright.optim import AdamW, Sgd
from gradwright.programs import Program
from gradwright.spec import NetSpec
from oracles.blocks import BLOCKS
from programs.nets import LINEAR, MASKED, TOKENS

SEARCH = Search(seconds=0)
ENTRIES: dict[str, Callable[[NetSpec], Program]] = {
    "forward": lambda net: gw.programs.forward(net, batch=2),
    "eval": lambda net: gw.programs.eval(net, batch=2),
    "vjp": lambda net: gw.programs.vjp(net, batch=2),
    "optimizer": lambda net: gw.programs.optimizer_step(net, optimizer=AdamW()),
    "squares": lambda net: gw.programs.train_step(
        net, batch=2, loss=MeanSquaredError(), optimizer=Sgd()
    ),
    "entropy": lambda net: gw.programs.train_step(
        net, batch=2, loss=SoftmaxCrossEntropy(), optimizer=AdamW()
    ),
}
FORMS = {"textbook": TEXTBOOK, "portable": PORTABLE}
IN_CI = {
    "textbook": ("basic-projected", "convnext-block", "inverted-residual-not-widened"),
    "portable": ("basic-projected", "dense-block"),
}
OPEN = {
    ("unet", "portable"): "a convolution in pairs of columns in the middle of a net",
    ("universal", "portable"): "weights of a depthwise convolution, rows of columns joined",
}
"""Blocks of which a certificate leaves claims out, and what it stops at."""


def left_out(program: Program) -> set[str]:
    """Return the claims that were proved and are not in the certificate, which must hold."""
    report: Report = gw.certify(program, search=SEARCH)
    proved = {claim.name for claim in report.claims if claim.verdict == "proved"}
    texts = [program.text] if program.primal is None else [program.primal.text, program.text]
    checked = gw.check(report.certificate, *texts)
    assert checked.reason is None
    differentiated = any("what is differentiated" in claim for claim in checked.claims)
    assert len(checked.claims) + len(checked.uncovered) == len(report.claims) + differentiated
    return proved & set(checked.uncovered)


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("net", [LINEAR, MASKED, TOKENS], ids=lambda net: net.name)
def test_nothing_is_left_out_of_a_net(net: NetSpec, entry: str) -> None:
    assert left_out(ENTRIES[entry](net)) == set()


@pytest.mark.parametrize(
    ("form", "name"),
    [
        pytest.param(form, name, marks=() if name in IN_CI[form] else pytest.mark.slow)
        for form in FORMS
        for name in BLOCKS
    ],
)
def test_nothing_is_left_out_of_a_block(form: str, name: str) -> None:
    left = left_out(BLOCKS[name].under(FORMS[form]).vjp_program())
    assert bool(left) == ((name, form) in OPEN)


def test_the_blocks_that_are_named_are_there() -> None:
    named = {name for names in IN_CI.values() for name in names}
    assert named | {name for name, _ in OPEN} <= BLOCKS.keys()
