"""Every update rule over several steps against torch.optim, in float64."""

import importlib
from typing import Any, TypeAlias

import pytest

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
)
from losses.closeness import CHAINED, Array, assert_ulps
from optim.steps import DECAYING, GRADIENTS, OPTIMIZERS, RATES, START, steps

pytestmark = [pytest.mark.torch, pytest.mark.interpreter]
Torch: TypeAlias = Any
"""PyTorch's module and its objects: this checkout need not have it."""

# PyTorch adds epsilon outside the root only, and has Sutskever's form only at a constant rate.
ROWS = {
    name: optimizer
    for name, optimizer in OPTIMIZERS.items()
    if getattr(optimizer, "placement", None) is not EpsilonPlacement.INSIDE_ROOT
}


def peer(torch: Torch, optimizer: Optimizer, parameters: list[Torch], decay: float) -> Torch:
    """Return torch's optimizer of the same rule."""
    if isinstance(optimizer, Adam | AdamW):
        kind = torch.optim.AdamW if isinstance(optimizer, AdamW) else torch.optim.Adam
        betas = (optimizer.beta1, optimizer.beta2)
        return kind(parameters, betas=betas, eps=optimizer.epsilon, weight_decay=decay)
    momentum = float(getattr(optimizer, "momentum", 0.0))
    nesterov = isinstance(optimizer, Nesterov)
    return torch.optim.SGD(
        parameters, lr=1.0, momentum=momentum, nesterov=nesterov, weight_decay=decay
    )


def trajectory(optimizer: Optimizer, name: str, rates: tuple[float, ...]) -> list[Array]:
    """Return one parameter after each of torch's steps."""
    torch: Torch = importlib.import_module("torch")
    theta = torch.nn.Parameter(torch.tensor(START[name]))
    everything = getattr(optimizer, "partition", None) is Partition.ALL
    decay = float(getattr(optimizer, "weight_decay", 0)) * (name in DECAYING or everything)
    rule = peer(torch, optimizer, [theta], decay)
    path: list[Array] = []
    for t, (lr, gradients) in enumerate(zip(rates, GRADIENTS, strict=True), 1):
        group = rule.param_groups[0]
        group["lr"] = lr
        if getattr(optimizer, "decay_scale", None) is DecayScale.NONE:
            group["weight_decay"] = decay / lr
        if getattr(optimizer, "placement", None) is EpsilonPlacement.OUTSIDE_RAW_ROOT:
            assert isinstance(optimizer, Adam | AdamW)
            group["eps"] = optimizer.epsilon / (1 - optimizer.beta2**t) ** 0.5
        theta.grad = torch.tensor(gradients[name])
        rule.step()
        path.append(theta.detach().numpy().copy())
    return path


@pytest.mark.parametrize("optimizer", ROWS.values(), ids=ROWS.keys())
def test_the_steps_are_those_of_pytorch(optimizer: Optimizer) -> None:
    sutskever = getattr(optimizer, "form", None) is NesterovForm.SUTSKEVER
    rates = (0.1,) * len(RATES) if sutskever else RATES
    found = steps(optimizer, rates=rates)
    for name in START:
        for state, theta in zip(found, trajectory(optimizer, name, rates), strict=True):
            assert_ulps(state[name], theta, CHAINED)


def test_the_velocity_is_that_of_pytorch() -> None:
    torch: Torch = importlib.import_module("torch")
    theta = torch.nn.Parameter(torch.tensor(START["dense.weight"]))
    rule = torch.optim.SGD([theta], lr=0.1, momentum=0.9)
    for state, gradients in zip(steps(Momentum(0.9)), GRADIENTS, strict=True):
        theta.grad = torch.tensor(gradients["dense.weight"])
        rule.step()
        buffer = rule.state[theta]["momentum_buffer"].numpy()
        assert_ulps(state["dense.weight.u"], buffer, CHAINED)
