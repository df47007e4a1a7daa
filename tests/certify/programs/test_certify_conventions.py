"""Steps under other conventions: right ones are proved, each seeded defect is refuted by replay."""

from dataclasses import dataclass

import pytest

import gradwright as gw
from certify.programs.edited import edited
from gradwright import programs
from gradwright.certify import Report, Search, Verdict
from gradwright.certify.mutants_campaign import Found, Trial, campaign
from gradwright.certify.texts import subject_of_pair
from gradwright.certify.texts_settle import Effort
from gradwright.layers import (
    BF16,
    TEXTBOOK,
    Activation,
    BatchNorm,
    Conv2d,
    Dense,
    Flatten,
    Function,
    Padding,
    Statistics,
)
from gradwright.losses import Labels, MeanSquaredError, SoftmaxCrossEntropy
from gradwright.optim import AdamW, Nesterov, Sgd
from gradwright.programs import Abi, Cotangent, Fused, Packed, Program, Reported, Standard
from gradwright.spec import Image, NetSpec

pytestmark = pytest.mark.interpreter

QUICK = Search(effort=Effort.QUICK)
NET = NetSpec(
    "net",
    Image(1, 4, 4),
    [
        Conv2d(2, 3, padding=Padding.SYMMETRIC),
        BatchNorm(0.1),
        Activation(Function.SWISH),
        Flatten(),
        Dense(3),
    ],
)
SOFT = SoftmaxCrossEntropy(labels=Labels.SOFT)
EACH = Statistics.EXAMPLE
FUSED = programs.train_step(
    NET,
    batch=4,
    loss=SOFT,
    optimizer=Sgd(),
    formulation=TEXTBOOK,
    abi=Fused(statistics=EACH, loss=Reported.LOSS, rate=0.3),
)
PACKED = programs.train_step(
    NET, batch=4, loss=SOFT, optimizer=AdamW(), formulation=TEXTBOOK, abi=Packed(statistics=EACH)
)
MOMENTUM = programs.train_step(
    NET,
    batch=4,
    loss=SOFT,
    optimizer=Nesterov(),
    formulation=TEXTBOOK,
    abi=Packed(statistics=EACH),
    precision=BF16,
)


@dataclass(frozen=True, slots=True)
class Defect:
    """One piece of a text replaced, and the claim that it must spoil."""

    step: Program
    old: str
    new: str
    claim: str


DEFECTS = {
    "the rate of another batch": Defect(FUSED, "dense<0.075>", "dense<0.3>", "update of W1"),
    "labels less the softmax": Defect(
        FUSED,
        "subtract %loss.multiply_2, %onehot",
        "subtract %onehot, %loss.multiply_2",
        "gradient of W1",
    ),
    "a mean of the reported loss over nine": Defect(
        FUSED,
        "%batch = stablehlo.constant dense<4.0>",
        "%batch = stablehlo.constant dense<9.0>",
        "loss as declared",
    ),
    "another momentum": Defect(
        MOMENTUM,
        "%mu = stablehlo.constant dense<0.9>",
        "%mu = stablehlo.constant dense<0.91>",
        "update of W1",
    ),
    "the fresh share of the other moment": Defect(
        PACKED,
        "%ob1 = stablehlo.constant dense<0.1>",
        "%ob1 = stablehlo.constant dense<0.001>",
        "update of W1m",
    ),
    "corrections exchanged": Defect(
        PACKED, "%bc1, %bc2 : tensor", "%bc2, %bc1 : tensor", "bc1' as declared"
    ),
    "statistics of rows": Defect(
        PACKED, "divide %bn1.dshift, %c16", "divide %bn1.dscale, %c16", "gradient of W1"
    ),
    "a cotangent before its time": Defect(
        MOMENTUM, "convert %bn1.dx", "convert %act1.dx", "gradient of W1"
    ),
}


def refuted(report: Report) -> list[str]:
    return [claim.name for claim in report.claims if claim.counterexample is not None]


@pytest.mark.parametrize("step", [FUSED, PACKED, MOMENTUM], ids=["fused", "packed", "momentum"])
def test_the_right_steps_are_proved(step: Program) -> None:
    assert gw.certify(step).verdict == "proved"


def test_the_scope_says_of_what_the_gradients_are() -> None:
    line = "gradients are of total, which a text of its own computes from the same arguments"
    assert line in gw.certify(FUSED).scope
    assert line not in gw.certify(PACKED).scope
    [rounded] = [r for r in gw.certify(MOMENTUM).scope if r.startswith("roundings")]
    assert "straight through in gradients (to bf16: line " in rounded


IN_CI = ("corrections exchanged", "a cotangent before its time")


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[] if n in IN_CI else pytest.mark.slow) for n in DEFECTS]
)
def test_a_defect_is_refuted_at_its_claim(name: str) -> None:
    defect = DEFECTS[name]
    report = gw.certify(edited(defect.step, defect.old, defect.new), search=QUICK)
    assert defect.claim in refuted(report)


def ignore(_: Trial) -> None:
    return


@pytest.mark.parametrize("count", [3, pytest.param(60, marks=pytest.mark.slow)])
def test_wrong_mutants_of_a_norm_of_each_example_are_refuted(count: int) -> None:
    net = NetSpec("norm", Image(2, 2, 2), [BatchNorm(0.1)])
    abi = Standard(statistics=EACH)
    forward, backward = (
        entry(net, batch=2, formulation=TEXTBOOK, abi=abi).text
        for entry in (programs.forward, programs.vjp)
    )
    subject = subject_of_pair(forward, backward)
    found = campaign(subject, count=count, seed=0, search=Search(seconds=60), observe=ignore)
    assert found.original is Verdict.PROVED
    assert found.count(Found.MISSED) == 0
    assert found.count(Found.FALSE_ALARM) == 0
    assert found.count(Found.REFUTED) == len(found.wrong) > 0


CONVENTIONS: dict[str, Abi] = {
    "standard, sum": Standard(cotangent=Cotangent.SUM),
    "fused, mean": Fused(cotangent=Cotangent.MEAN, rate=0.25),
    "packed, sum": Packed(cotangent=Cotangent.SUM),
}


@pytest.mark.parametrize("name", CONVENTIONS)
def test_sums_and_means_of_any_loss_are_proved(name: str) -> None:
    """Weighted and mean squared losses too, whose sums are not what they divide."""
    losses = (
        SoftmaxCrossEntropy(class_weights=(1.0, 2.0, 0.5)),
        SoftmaxCrossEntropy(ignore_index=1, label_smoothing=0.1),
        MeanSquaredError(),
    )
    for loss in losses:
        step = programs.train_step(
            NET, batch=4, loss=loss, optimizer=Sgd(), abi=CONVENTIONS[name], formulation=TEXTBOOK
        )
        report = gw.certify(step, search=Search(seconds=0))
        assert report.verdict == "proved"
