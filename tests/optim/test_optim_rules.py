"""Every update rule over several steps against its definition, and published one-step numbers."""

from dataclasses import replace

import numpy as np
import pytest

from gradwright.hlo import ElementType
from gradwright.optim import (
    Adam,
    AdamW,
    DecayScale,
    EpsilonPlacement,
    Momentum,
    Nesterov,
    NesterovForm,
    Optimizer,
    Partition,
    Sgd,
)
from gradwright.programs import optimizer_step
from losses.closeness import CHAINED, QUOTED, assert_ulps
from optim.steps import DECAYING, GRADIENTS, NET, OPTIMIZERS, START, check_rule, one, steps

pytestmark = pytest.mark.interpreter
EVERY = pytest.mark.parametrize("optimizer", OPTIMIZERS.values(), ids=OPTIMIZERS.keys())
NOTHING = [{name: np.zeros_like(value) for name, value in START.items()}] * 2


@EVERY
def test_the_steps_are_those_of_the_definition(optimizer: Optimizer) -> None:
    check_rule(optimizer, optimizer)


@EVERY
def test_the_velocity_starts_at_the_gradient_itself(optimizer: Optimizer) -> None:
    """torch/optim#27: with dampening on the first step, (1 - d) g was used instead of g."""
    [first] = steps(optimizer, gradients=GRADIENTS[:1], rates=[1.0])
    for name, g in GRADIENTS[0].items():
        for moment in optimizer.moments:
            decay = getattr(optimizer, "weight_decay", 0.0)
            coupled = not isinstance(optimizer, AdamW)
            decays = name in DECAYING or getattr(optimizer, "partition", "") is Partition.ALL
            whole = g + decay * START[name] if coupled and decays else g
            sutskever = getattr(optimizer, "form", None) is NesterovForm.SUTSKEVER
            expected = {
                "u": -whole if sutskever else whole,
                "m": (1 - getattr(optimizer, "beta1", 0.0)) * whole,
                "v": (1 - getattr(optimizer, "beta2", 0.0)) * whole**2,
            }[moment]
            assert_ulps(first[f"{name}.{moment}"], expected, CHAINED)


@pytest.mark.parametrize("element", [ElementType.F32, ElementType.F64])
@pytest.mark.parametrize("name", [n for n in OPTIMIZERS if n.startswith("adam")])
def test_the_second_moment_is_never_negative(name: str, element: ElementType) -> None:
    for state in steps(OPTIMIZERS[name], element=element):
        for key, value in state.items():
            assert not key.endswith(".v") or (value >= 0).all()


@pytest.mark.parametrize("g", [1.0, -3.0, 1e-3])
def test_the_first_step_of_adam_is_the_learning_rate(g: float) -> None:
    """oxiglade/mlx-rs#301, BVLC/caffe#4224: without bias correction it is 3.162278 lr."""
    [theta] = one(Adam(epsilon=1e-30), 0.0, g, 0.1)
    assert_ulps(theta, -0.1 * np.sign(g), CHAINED)


@pytest.mark.parametrize(
    ("placement", "first"),
    [
        (EpsilonPlacement.OUTSIDE_CORRECTED_ROOT, 0.5),
        (EpsilonPlacement.OUTSIDE_RAW_ROOT, 0.030653),
        (EpsilonPlacement.INSIDE_ROOT, 1.0e-4),
    ],
)
def test_the_place_of_epsilon_decides_about_a_small_gradient(
    placement: EpsilonPlacement, first: float
) -> None:
    """tensorflow/tensorflow#9047, #35102, pytorch/pytorch#22628, #41477, keras#17391."""
    [theta] = one(Adam(epsilon=1e-8, placement=placement), 0.0, 1e-8, 1.0)
    assert_ulps(-theta, first, 2**37)  # five digits are published


def test_decoupled_decay_does_not_vanish_in_the_normalisation() -> None:
    """lean4-mlir 3944ae27, cybertronai/pytorch-lamb#3: coupled decay gave 0.999000."""
    [decoupled] = one(AdamW(weight_decay=0.05), 1.0, 1.0, 1e-3)
    [coupled] = one(Adam(weight_decay=0.05), 1.0, 1.0, 1e-3)
    assert_ulps([decoupled, coupled], [0.998950, 0.999000], QUOTED)


@pytest.mark.parametrize("form", NesterovForm)
def test_three_steps_of_nesterov(form: NesterovForm) -> None:
    """ml-explore/mlx#87, #473: its first draft ended at -0.059601."""
    *_, last = one(Nesterov(0.9, form=form), 0.0, 1.0, 0.1, 3)
    assert_ulps(last, -0.8049, CHAINED)


def test_the_forms_of_nesterov_part_when_the_rate_moves() -> None:
    torch, sutskever = (steps(Nesterov(0.9, form=form))[-1] for form in NesterovForm)
    assert np.abs(torch["dense.weight"] - sutskever["dense.weight"]).max() > 0.01
    rates = [0.1] * len(GRADIENTS)
    torch, sutskever = (steps(Nesterov(0.9, form=form), rates=rates)[-1] for form in NesterovForm)
    for name in START:
        assert_ulps(torch[name], sutskever[name], CHAINED)
        assert_ulps(-0.1 * torch[f"{name}.u"], sutskever[f"{name}.u"], CHAINED)


def test_momentum_is_the_heavy_ball_and_not_nesterov() -> None:
    *_, last = one(Momentum(0.9), 0.0, 1.0, 0.1, 3)
    assert_ulps(last, -0.1 * (1 + 1.9 + 2.71), CHAINED)


@pytest.mark.parametrize("t", [1, 2, 3])
def test_bias_correction_counts_steps_from_one(t: int) -> None:
    """A constant gradient, corrected, gives steps of exactly lr whatever t."""
    path = one(Adam(0.9, 0.999, 1e-30), 0.0, 2.0, 0.1, t)
    assert_ulps(path[-1], -0.1 * t, CHAINED)


Decaying = Sgd | Momentum | Nesterov | Adam | AdamW
DECAYS: list[Decaying] = [
    Sgd(weight_decay=0.125),
    Momentum(weight_decay=0.125),
    Nesterov(weight_decay=0.125),
    Nesterov(weight_decay=0.125, form=NesterovForm.SUTSKEVER),
    Adam(weight_decay=0.125),
    AdamW(weight_decay=0.125),
    AdamW(weight_decay=0.125, decay_scale=DecayScale.NONE),
]


@pytest.mark.parametrize("optimizer", DECAYS, ids=str)
def test_without_a_gradient_exactly_the_kernels_move(optimizer: Decaying) -> None:
    """lean4-mlir 65b09cb6, ae0f40bb: norms and biases decayed. By name: a count is blind to swaps.

    The same kernel moves and the same others stand still whatever the declaration's order.
    """
    for state in steps(optimizer, gradients=NOTHING, rates=[0.1, 0.1]):
        moved = {name for name in START if (state[name] != START[name]).any()}
        assert moved == DECAYING


@pytest.mark.parametrize("optimizer", DECAYS, ids=str)
def test_on_request_everything_decays(optimizer: Decaying) -> None:
    every = replace(optimizer, partition=Partition.ALL)
    for state in steps(every, gradients=NOTHING, rates=[0.1, 0.1]):
        assert all((state[name] != START[name]).all() for name in START)


@pytest.mark.parametrize(
    ("with_decay", "without"),
    [(o, replace(o, weight_decay=0.0)) for o in DECAYS],
)
def test_no_decay_writes_no_operation(with_decay: Decaying, without: Decaying) -> None:
    def operations(optimizer: Optimizer) -> int:
        function = optimizer_step(NET, optimizer=optimizer).module.main
        return len(function.body.operations)

    extra = operations(with_decay) - operations(without)
    # The constant, the product and the sum; and the product with lr where it scales the decay.
    scaled = isinstance(with_decay, AdamW) and with_decay.decay_scale is DecayScale.LEARNING_RATE
    assert extra == (4 if scaled else 3)


def test_plain_descent_and_decay_without_rate_stand_still() -> None:
    for optimizer in (Sgd(weight_decay=0.1), AdamW(weight_decay=0.1), Momentum()):
        for state in steps(optimizer, gradients=GRADIENTS[:1], rates=[0.0]):
            assert all((state[name] == START[name]).all() for name in START)
