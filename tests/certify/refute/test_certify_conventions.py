"""Conventions: of several defensible answers exactly the declared one is proved.

A convention that changes values is a part of the declaration: the text of another one is refuted.
One that matters at kinks and ties only is named in the scope, and every choice there is proved.
"""

from itertools import permutations

import pytest

import gradwright as gw
from certify.programs.edited import edited
from certify.refute import cases
from certify.refute.declared_pairs import IN_CI, LINEAR, PAIRS, Pair
from gradwright.certify import Declared, Effort, Report, Search, Verdict, certify_vjp
from gradwright.layers import Activation, Function
from gradwright.optim import Adam, EpsilonPlacement, Nesterov
from gradwright.spec import Flat, NetSpec

QUICK = Search(effort=Effort.QUICK)
UNSEARCHED = Search(seconds=0, effort=Effort.QUICK)
pytestmark = pytest.mark.interpreter


def refuted(report: Report) -> list[str]:
    return [claim.name for claim in report.claims if claim.counterexample is not None]


@pytest.mark.parametrize(
    "pair",
    [
        pytest.param(pair, id=name, marks=[] if name in IN_CI else pytest.mark.slow)
        for name, pair in PAIRS.items()
    ],
)
def test_the_declared_convention_is_proved_and_the_other_refuted(pair: Pair) -> None:
    for declared in (pair.first, pair.second):
        assert gw.certify(declared, search=UNSEARCHED).verdict is Verdict.PROVED
    report = gw.certify(Declared.of(pair.first, pair.second.text), search=QUICK)
    assert sorted(refuted(report)) == sorted(pair.claims)
    assert all(claim.site for claim in report.claims if claim.counterexample)


@pytest.mark.parametrize(("declared", "written"), list(permutations(EpsilonPlacement, 2)))
def test_an_epsilon_too_small_to_see_is_not_proved_elsewhere(
    declared: EpsilonPlacement, written: EpsilonPlacement
) -> None:
    """bugs H2: at the usual 1e-8 no ordinary input refutes, and yet nothing else is accepted."""
    steps = [
        gw.programs.optimizer_step(LINEAR, optimizer=Adam(placement=placement))
        for placement in (declared, written)
    ]
    report = gw.certify(Declared.of(steps[0], steps[1].text), search=UNSEARCHED)
    assert report.verdict is Verdict.UNKNOWN


@pytest.mark.slow
def test_a_dampened_first_step_is_refuted() -> None:
    """bugs H9: the velocity takes g itself, not (1 - momentum) g."""
    step = gw.programs.optimizer_step(LINEAR, optimizer=Nesterov())
    [line] = [each for each in step.text.splitlines() if "%dense1.bias.new_u = " in each]
    name, operands = line.split(" = stablehlo.add ")
    velocity, gradient = operands.split(" : ")[0].split(", ")
    type = operands.split(" : ")[1]
    dampened = (
        f"%tenth = stablehlo.constant dense<0.1> : {type}\n"
        f"%taken = stablehlo.multiply {gradient}, %tenth : {type}\n"
        f"{name} = stablehlo.add {velocity}, %taken : {type}"
    )
    report = gw.certify(edited(step, line, dampened), search=QUICK)
    assert "update of dense1.bias.u" in refuted(report)


HARD_SWISH = gw.programs.vjp(NetSpec("net", Flat(2), [Activation(Function.HARD_SWISH)]), batch=1)
BELOW, ABOVE = "compare GT, %x, %cm3", "compare LT, %x, %c3"


@pytest.mark.parametrize(
    ("old", "new"),
    [(BELOW, BELOW.replace("GT", "GE")), (ABOVE, ABOVE.replace("LT", "LE"))],
    ids=["bugs E1 closed at -3", "bugs E1 closed at 3"],
)
def test_hard_swish_may_close_its_interval(old: str, new: str) -> None:
    for report in (gw.certify(HARD_SWISH), gw.certify(edited(HARD_SWISH, old, new))):
        assert report.verdict is Verdict.PROVED
        assert any("kinks and ties; conventions there: clamp" in line for line in report.scope)


MOVED = "%cm3 = stablehlo.constant dense<-3.0>", "%cm3 = stablehlo.constant dense<-1.0>"
ROUNDED = "stablehlo.divide %x, %c6", "stablehlo.multiply %x, %third"
"""0.3333 for 1 / 3"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(*MOVED, id="bugs E1 moved kink"),
        pytest.param(*ROUNDED, id="bugs E1 short third", marks=pytest.mark.slow),
    ],
)
def test_hard_swish_may_do_nothing_else(old: str, new: str) -> None:
    third = "%third = stablehlo.constant dense<0.16665> : tensor<1x2xf32>\n"
    head = "%c3 = stablehlo.constant"
    wrong = edited(HARD_SWISH, old, new)
    text = wrong.text.replace(head, third + head, 1)
    report = gw.certify(Declared.of(HARD_SWISH, text), search=QUICK)
    assert refuted(report) == ["gradient of x"]


def test_the_first_winner_of_a_tie_is_the_convention() -> None:
    """bugs B6: the first winner is proved and named, the last one is not proved."""
    first, last = (
        certify_vjp(cases.MAX_POOL.forward, cases.max_pool(cases.ADDING, winner), search=UNSEARCHED)
        for winner in ("GE", "GT")
    )
    assert (first.verdict, last.verdict) == (Verdict.PROVED, Verdict.UNKNOWN)
    assert any("window maxima with the first winner" in line for line in first.scope)


@pytest.mark.slow
def test_another_winner_of_a_tie_is_not_refuted() -> None:
    """bugs B6: the last of equal maxima is right off ties, where all inputs are drawn."""
    report = certify_vjp(cases.MAX_POOL.forward, cases.max_pool(cases.ADDING, "GT"))
    assert report.verdict is Verdict.UNKNOWN


@pytest.mark.slow
def test_the_least_of_a_window_is_no_convention() -> None:
    """bugs B6: what gets the cotangent of a maximum is not the minimum."""
    report = certify_vjp(cases.MAX_POOL.forward, cases.max_pool(cases.ADDING, "LE"))
    assert report.verdict is Verdict.REFUTED
