"""A budget may end anywhere: what is not settled by then is unknown, and nothing else happens."""

from collections.abc import Sequence
from itertools import count

import pytest

import gradwright as gw
from gradwright.certify import Search, Verdict, effort
from gradwright.certify.kernel.denotation import Denotation
from gradwright.certify.kernel.tensor import Tensor
from gradwright.hlo import Operation


class Counted:
    """A clock that goes on by a second each time it is read."""

    def __init__(self) -> None:
        self.monotonic = count(1.0).__next__


def verdict_within(step: gw.programs.Program, seconds: float, patch: pytest.MonkeyPatch) -> str:
    patch.setattr(effort, "time", Counted())
    return gw.certify(step, search=Search(seconds=0, budget=seconds)).verdict.value


@pytest.mark.parametrize("seconds", [0, 224, 328])
def test_what_is_late_is_unknown(seconds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert verdict_within(small_step(), seconds, monkeypatch) == "unknown"


def test_once_time_is_over_each_operation_is_looked_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    step, looked_at = small_step(), list[Operation]()
    denoted = Denotation.operation

    def counted(
        self: Denotation, operation: Operation, operands: Sequence[Tensor]
    ) -> Sequence[Tensor]:
        looked_at.append(operation)
        return denoted(self, operation, operands)

    monkeypatch.setattr(Denotation, "operation", counted)
    assert gw.certify(step, search=Search(seconds=0, budget=0)).verdict is Verdict.UNKNOWN
    assert len(looked_at) == len(set(map(id, looked_at))) > 0


@pytest.mark.slow
def test_what_is_late_is_unknown_wherever_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    step = small_step()
    late = [verdict_within(step, s, monkeypatch) for s in range(readings(step, monkeypatch))]
    assert set(late) == {"unknown", "proved"}
    assert late == sorted(late, reverse=True)  # once all is proved, later is no worse


def small_step() -> gw.programs.Program:
    """Return a step in whose proof values are met again at its 224th to 333rd look at the clock."""
    layers = [gw.layers.Conv2d(2, 3, padding=gw.layers.Padding.SYMMETRIC), gw.layers.Flatten()]
    net = gw.NetSpec("small", gw.Image(1, 4, 4), [*layers, gw.layers.Dense(2)])
    loss, rule = gw.losses.SoftmaxCrossEntropy(), gw.optim.Sgd()
    return gw.programs.train_step(net, batch=2, loss=loss, optimizer=rule)


def readings(step: gw.programs.Program, patch: pytest.MonkeyPatch) -> int:
    """Return how often a whole proof reads the clock."""
    clock = Counted()
    patch.setattr(effort, "time", clock)
    report = gw.certify(step, search=Search(seconds=0, budget=1e12))
    assert report.verdict is Verdict.PROVED
    return int(clock.monotonic())
