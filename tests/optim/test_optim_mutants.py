"""Negative controls: an optimizer with a defect fails the check that the right one passes."""

from dataclasses import replace

import pytest

from gradwright.hlo import Builder
from gradwright.optim import (
    Adam,
    AdamW,
    Clock,
    DecayScale,
    Momentum,
    Nesterov,
    NesterovForm,
    Optimizer,
    Partition,
    Sgd,
)
from gradwright.spec import Decay
from optim.steps import Change, Mutant, MutantAdam, MutantMomentum, Seen, check_rule

pytestmark = pytest.mark.interpreter


def _gradient_times(factor: float) -> Change:
    return lambda b, seen: replace(seen, g=seen.g * factor)


def _rate_times(factor: float) -> Change:
    return lambda b, seen: replace(seen, clock=Clock(seen.clock.lr * factor, seen.clock.t))


def _uncorrected(b: Builder, seen: Seen) -> Seen:
    """With t large both corrections are 1."""
    return replace(seen, clock=Clock(seen.clock.lr, b.splat_like(1e9, seen.clock.lr)))


def _late(b: Builder, seen: Seen) -> Seen:
    assert seen.clock.t is not None
    return replace(seen, clock=Clock(seen.clock.lr, seen.clock.t + 1))


def _swapped_partition(b: Builder, seen: Seen) -> Seen:
    """One slot in, one out: the count of decaying slots stays the same."""
    decay = {"dense.weight": Decay.EXEMPT, "bn.weight": Decay.DECAYS}
    return replace(seen, slot=replace(seen.slot, decay=decay.get(seen.slot.name, Decay.EXEMPT)))


ADAMW = AdamW(weight_decay=0.1)
CHANGES: dict[str, tuple[type[Mutant], Optimizer, Change]] = {
    "sgd, rate scaled by 1.001": (Mutant, Sgd(), _rate_times(1.001)),
    "sgd, the other sign": (Mutant, Sgd(), _gradient_times(-1)),
    "momentum, dampened": (MutantMomentum, Momentum(), _gradient_times(0.1)),
    "momentum, gradient scaled by 1.001": (MutantMomentum, Momentum(), _gradient_times(1.001)),
    "adam, rate scaled by 1.001": (MutantAdam, Adam(), _rate_times(1.001)),
    "adam, the other sign": (MutantAdam, Adam(), _gradient_times(-1)),
    "adam, gradient scaled by 1.001": (MutantAdam, Adam(epsilon=1e-3), _gradient_times(1.001)),
    "adam, no bias correction": (MutantAdam, Adam(), _uncorrected),
    "adam, t off by one": (MutantAdam, Adam(), _late),
    "adamw, no bias correction": (MutantAdam, ADAMW, _uncorrected),
    "adamw, the swapped partition": (MutantAdam, ADAMW, _swapped_partition),
}
OTHERS: dict[str, tuple[Optimizer, Optimizer]] = {
    "betas swapped": (Adam(0.9, 0.999), Adam(0.999, 0.9)),
    "decay forgotten": (ADAMW, replace(ADAMW, weight_decay=0.0)),
    "decay coupled": (ADAMW, Adam(weight_decay=0.1)),
    "decay not scaled by lr": (ADAMW, replace(ADAMW, decay_scale=DecayScale.NONE)),
    "decay of everything": (ADAMW, replace(ADAMW, partition=Partition.ALL)),
    "momentum for nesterov": (Nesterov(), Momentum()),
    "the other form": (Nesterov(), Nesterov(form=NesterovForm.SUTSKEVER)),
    "ten times epsilon": (Adam(epsilon=1e-8), Adam(epsilon=1e-7)),
}


@pytest.mark.parametrize(("kind", "optimizer", "change"), CHANGES.values(), ids=CHANGES.keys())
def test_a_defect_is_found(kind: type[Mutant], optimizer: Optimizer, change: Change) -> None:
    check_rule(kind(optimizer, lambda b, seen: seen), optimizer)
    with pytest.raises(AssertionError, match="ulps apart"):
        check_rule(kind(optimizer, change), optimizer)


@pytest.mark.parametrize(("declared", "emitted"), OTHERS.values(), ids=OTHERS.keys())
def test_another_rule_is_found(declared: Optimizer, emitted: Optimizer) -> None:
    with pytest.raises(AssertionError, match="ulps apart"):
        check_rule(emitted, declared)
