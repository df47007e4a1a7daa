"""Every program that the repository emits: no result is unclaimed, and every claim is proved."""

from collections.abc import Callable
from itertools import product

import pytest

import gradwright as gw
from gradwright.certify import Effort, Report, Search
from gradwright.errors import UnsupportedError
from gradwright.hlo import ElementType
from gradwright.layers import (
    PORTABLE,
    TEXTBOOK,
    Activation,
    AvgPool,
    BatchNorm,
    Conv2d,
    Dense,
    DepthwiseConv2d,
    Divisor,
    Explicit,
    Flatten,
    Formulation,
    Function,
    Gate,
    GlobalAvgPool,
    Layer,
    MaxPool,
    Padding,
    RunningVariance,
    Sequential,
)
from gradwright.layers.blocks import InvertedResidual, ShuffleUnit
from gradwright.losses import (
    BinaryCrossEntropy,
    Labels,
    Loss,
    MeanSquaredError,
    Normalization,
    SoftmaxCrossEntropy,
)
from gradwright.optim import Sgd
from gradwright.programs import Program
from gradwright.spec import Entry, Flat, Image, NetSpec
from programs.nets import BLOCKS, LINEAR, MASKED, TOKENS

SEARCH = Search(seconds=0, effort=Effort.QUICK)
ENTROPY = SoftmaxCrossEntropy(label_smoothing=0.1)
FORMULATIONS = {"portable": PORTABLE, "textbook": TEXTBOOK}
WEIGHTS = (1.0, 2.0, 0.5)
LOSSES: dict[str, Loss] = {
    "plain": SoftmaxCrossEntropy(),
    "soft, smoothed": SoftmaxCrossEntropy(Labels.SOFT, label_smoothing=0.3),
    "weights": SoftmaxCrossEntropy(class_weights=WEIGHTS),
    "weights by count": SoftmaxCrossEntropy(
        class_weights=WEIGHTS, normalization=Normalization.COUNT
    ),
    "soft, weights": SoftmaxCrossEntropy(Labels.SOFT, class_weights=WEIGHTS),
    "ignored": SoftmaxCrossEntropy(ignore_index=-1),
    "ignored class, smoothed": SoftmaxCrossEntropy(
        class_weights=WEIGHTS, ignore_index=1, label_smoothing=0.1
    ),
    "focal": SoftmaxCrossEntropy(focal_gamma=2.0),
    "focal, weights, ignored": SoftmaxCrossEntropy(
        focal_gamma=0.5, class_weights=WEIGHTS, ignore_index=1
    ),
    "squares": MeanSquaredError(),
    "binary": BinaryCrossEntropy(),
}
PICTURE: dict[str, list[Entry]] = {
    "grouped": [Conv2d(4, 3, 2, Padding.SAME_UPPER, groups=2)],
    "dilated": [Conv2d(3, (3, 2), padding=Explicit((1, 2), (0, 1)), dilation=2, bias=False)],
    "depthwise": [DepthwiseConv2d(3, dilation=2, bias=False)],
    "norm": [Conv2d(2, 1), BatchNorm(running_variance=RunningVariance.BIASED)],
    "remainder": [MaxPool(2)],
    "averages": [AvgPool(3, 1, Padding.SYMMETRIC)],
    "averages of what is inside": [AvgPool(3, 2, Padding.SYMMETRIC, Divisor.EXCLUDE_PADDING)],
    "hard gate": [
        Conv2d(3, 3, 2, Padding.SYMMETRIC, bias=False),
        Activation(Function.HARD_SWISH),
        Gate(Sequential([GlobalAvgPool(), Dense(3), Activation(Function.HARD_SIGMOID)])),
    ],
    "maxima": [MaxPool(3, 2, Padding.SYMMETRIC)],
    "whole": [GlobalAvgPool()],
}


def certified(program: Program) -> Report:
    report = gw.certify(program, search=SEARCH)
    assert [(c.name, c.reason) for c in report.claims if c.verdict != "proved"] == []
    spoken = [claim.name for claim in report.claims]
    for port in program.outputs:
        name = port.name.removeprefix("d.")
        assert any(name in words.replace("'", "").split() for words in spoken), port.name
    return report


def entries(net: NetSpec, formulation: Formulation) -> list[Callable[[], Program]]:
    make = gw.programs
    return [
        lambda: make.forward(net, batch=2, formulation=formulation),
        lambda: make.eval(net, batch=2, formulation=formulation),
        lambda: make.vjp(net, batch=2, formulation=formulation),
        lambda: make.train_step(
            net, batch=2, loss=ENTROPY, optimizer=Sgd(), formulation=formulation
        ),
    ]


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("net", [LINEAR, MASKED, TOKENS], ids=lambda net: net.name)
def test_every_entry_is_proved(net: NetSpec, formulation: str) -> None:
    for make in entries(net, FORMULATIONS[formulation]):
        certified(make())


CHANNELS = 24
BETWEEN_NORMS: dict[str, Layer] = {
    "a stride over an uneven border": InvertedResidual(
        CHANNELS, 2 * CHANNELS, 3, 2, Padding.SAME_UPPER, Function.SWISH
    ),
    "a shuffle of groups that do not divide": ShuffleUnit(CHANNELS, 3, 3, 1, None),
}


@pytest.mark.parametrize("name", BETWEEN_NORMS)
def test_depthwise_convolutions_between_norms_are_proved_at_once(name: str) -> None:
    net = NetSpec("unit", Image(CHANNELS, 4, 4), [BETWEEN_NORMS[name], Flatten()])
    certified(gw.programs.train_step(net, batch=2, loss=ENTROPY, optimizer=Sgd()))


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("name", PICTURE)
def test_every_layer_is_what_it_states(name: str, formulation: str) -> None:
    net = NetSpec("layer", Image(2, 7, 6), [*PICTURE[name], Flatten()])
    for make in entries(net, FORMULATIONS[formulation])[:3]:
        certified(make())


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_maxima_of_tiles_are_what_they_state(formulation: str) -> None:
    net = NetSpec("tiles", Image(2, 4, 6), [BatchNorm(), MaxPool(2), Flatten()])
    certified(gw.programs.vjp(net, batch=2, formulation=FORMULATIONS[formulation]))


@pytest.mark.parametrize("function", Function)
def test_every_function_is_the_formula_that_it_states(function: Function) -> None:
    net = NetSpec("function", Flat(3), [Dense(2), Activation(function)])
    certified(gw.programs.vjp(net, batch=2))


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_compositions_are_what_they_state(formulation: str) -> None:
    chosen = FORMULATIONS[formulation]
    certified(gw.programs.forward(BLOCKS, batch=2, formulation=chosen))
    certified(gw.programs.eval(BLOCKS, batch=2, formulation=chosen))
    certified(gw.programs.capture(BLOCKS, batch=2, formulation=chosen))


@pytest.mark.parametrize("element", [ElementType.F32, ElementType.F64], ids=str)
@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_and_metric_is_what_it_states(name: str, element: ElementType) -> None:
    certified(
        gw.programs.train_step(LINEAR, batch=3, loss=LOSSES[name], optimizer=Sgd(), element=element)
    )


def test_an_update_alone_is_proved() -> None:
    for optimizer in (Sgd(), gw.optim.Nesterov(weight_decay=0.1), gw.optim.AdamW()):
        certified(gw.programs.optimizer_step(LINEAR, optimizer=optimizer))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "formulation"), list(product(gw.zoo.NETS, FORMULATIONS)))
def test_every_entry_of_a_named_net_is_proved(name: str, formulation: str) -> None:
    net, chosen = gw.zoo.get(name), FORMULATIONS[formulation]
    for make in entries(net, chosen):
        certified(make())
    try:
        capture = gw.programs.capture(net, batch=2, formulation=chosen)
    except UnsupportedError:
        return
    certified(capture)
