"""Train steps: every result is proved, a wrong one is not."""

from dataclasses import replace

import pytest

from certify.programs.edited import edited, plain
from gradwright import layers, losses, optim, programs, zoo
from gradwright.certify.claims import Kind, Report
from gradwright.certify.programs import certify_program
from gradwright.certify.texts_settle import Search
from gradwright.certify.verdicts import Verdict
from gradwright.layers import blocks
from gradwright.optim import Optimizer
from gradwright.programs import Program
from gradwright.spec import Entry, Image, NetSpec

SMOOTHED = losses.SoftmaxCrossEntropy(label_smoothing=0.1)
OPTIMIZERS = [
    optim.Sgd(weight_decay=0.01),
    optim.Momentum(),
    optim.Nesterov(weight_decay=0.01),
    optim.Nesterov(form=optim.NesterovForm.SUTSKEVER),
    *(optim.Adam(placement=place, weight_decay=0.01) for place in optim.EpsilonPlacement),
    *(optim.AdamW(decay_scale=scale) for scale in optim.DecayScale),
]


PROOF_ONLY = Search(seconds=0)


def step(name: str, optimizer: Optimizer) -> Program:
    return programs.train_step(zoo.get(name), batch=8, loss=SMOOTHED, optimizer=optimizer)


def unproved(report: Report) -> list[str]:
    return [claim.name for claim in report.claims if claim.verdict is not Verdict.PROVED]


@pytest.mark.parametrize("name", list(zoo.NETS))
def test_every_claim_of_a_named_net_is_proved(name: str) -> None:
    program = step(name, optim.AdamW())
    report = certify_program(program)
    assert unproved(report) == []
    kinds = [claim.kind for claim in report.claims]
    parameters = len(program.net.parameters)
    assert kinds.count(Kind.GRADIENT) == parameters
    assert kinds.count(Kind.UPDATE) == 3 * parameters
    assert kinds.count(Kind.LOSS) == 1
    assert kinds.count(Kind.MEANING) == 1 + len(program.net.statistics)


SAME = layers.Padding.SYMMETRIC
GATE = blocks.SqueezeExcite(4, layers.Function.RELU, layers.Function.HARD_SIGMOID)
WIDENED = blocks.InvertedResidual(4, 8, 3, 1, SAME, layers.Function.HARD_SWISH, GATE)
STRIDED = [
    blocks.InvertedResidual(3, 3, kernel, stride, layers.Padding.SAME_UPPER, layers.Function.SWISH)
    for kernel, stride in ((5, 1), (3, 2), (3, 2), (3, 2))
]
STACKS: dict[str, list[Entry]] = {
    "efficientnet": [layers.ConvBn(3, 1, activation=layers.Function.SWISH), *STRIDED],
    "densenet": [blocks.DenseLayer(2), blocks.DenseLayer(2), blocks.DenseTransition(3)],
    "mobilenetv3": [WIDENED],
    "googlenet": [blocks.Inception(2, (3, 4), (2, 3), 2, 3)],
}
"""The blocks of published nets whose cotangents have many parts, after a convolution."""
QUICK = ("squeezenet1.1",)
"""Published nets whose proof takes a few seconds at 32 x 32 pixels."""


@pytest.mark.parametrize("name", STACKS)
def test_every_claim_of_blocks_of_a_published_net_is_proved(name: str) -> None:
    head = [layers.BatchNorm(), layers.GlobalAvgPool(), layers.Dense(3)]
    net = NetSpec(name, Image(3, 8, 8), [layers.ConvBn(4, 1), *STACKS[name], *head])
    program = programs.train_step(net, batch=2, loss=SMOOTHED, optimizer=optim.AdamW())
    assert unproved(certify_program(program, search=PROOF_ONLY)) == []


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[] if n in QUICK else pytest.mark.slow) for n in zoo.PUBLISHED]
)
def test_every_claim_of_a_published_net_is_proved(name: str) -> None:
    net = zoo.get(name, size=32 if name in QUICK else 64)
    program = programs.train_step(net, batch=8, loss=SMOOTHED, optimizer=optim.AdamW())
    assert unproved(certify_program(program, search=PROOF_ONLY)) == []


@pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=str)
def test_every_update_rule_is_proved(optimizer: Optimizer) -> None:
    assert unproved(certify_program(step("mnist-linear", optimizer))) == []


@pytest.mark.parametrize(
    ("nth", "old", "new", "spoiled"),
    [
        (0, "dense<0.01>", "dense<0.02>", "loss as declared"),  # label smoothing / classes
        (0, "dense<0.999>", "dense<0.998>", "update of dense1.weight"),  # bias correction
        (1, "dense<0.999>", "dense<0.998>", "update of dense1.weight.v"),
        (0, "dense<0.1>", "dense<0.11>", "update of dense1.weight.m"),
        (1, "dense<0.01>", "dense<0.02>", "update of dense1.weight"),  # weight decay
    ],
)
def test_a_wrong_constant_is_not_proved(nth: int, old: str, new: str, spoiled: str) -> None:
    program = step("mnist-linear", optim.AdamW())
    wrong = edited(program, old, new, nth)
    assert spoiled in unproved(certify_program(wrong, search=PROOF_ONLY))


def test_the_rule_of_another_optimizer_is_not_proved() -> None:
    program = step("mnist-linear", optim.Adam())
    other = replace(plain(program), updates=step("mnist-linear", optim.AdamW()).updates)
    assert unproved(certify_program(other, search=PROOF_ONLY)) == ["update of dense1.weight"]


def test_the_textbook_form_is_proved_without_pools() -> None:
    program = programs.train_step(
        zoo.get("mnist-mlp"),
        batch=8,
        loss=SMOOTHED,
        optimizer=optim.AdamW(),
        formulation=layers.TEXTBOOK,
    )
    assert unproved(certify_program(program)) == []
