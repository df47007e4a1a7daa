"""A rule that several parameters share is written once, and means what it means in place."""

import re

import pytest

from gradwright import programs
from gradwright.certify import certify_equal
from gradwright.layers import Dense
from gradwright.losses import SoftmaxCrossEntropy
from gradwright.optim import Adam, AdamW, EpsilonPlacement, Nesterov, Optimizer, Sgd
from gradwright.programs import Fused, Program, updates
from gradwright.spec import Flat, NetSpec

DEEP = NetSpec("deep", Flat(3), [("a", Dense(3)), ("b", Dense(3)), ("c", Dense(3))])
RULES = [AdamW(), Adam(placement=EpsilonPlacement.OUTSIDE_RAW_ROOT), Nesterov(), Sgd(0.1)]


def step(net: NetSpec, optimizer: Optimizer) -> Program:
    return programs.train_step(net, batch=2, loss=SoftmaxCrossEntropy(), optimizer=optimizer)


@pytest.mark.parametrize("optimizer", RULES, ids=lambda rule: rule.kind)
def test_a_shared_rule_is_the_rule_in_place(
    optimizer: Optimizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = step(DEEP, optimizer).text
    assert re.findall(r"func private @(\w+)", shared) == ["update_decays_3x3", "update_exempt_3"]
    assert shared.count("func.call @update_decays_3x3(") == len(DEEP.plans)
    monkeypatch.setattr(updates, "SHARED_FROM", 4)
    in_place = step(DEEP, optimizer).text
    assert "func.call" not in in_place
    assert certify_equal(in_place, shared).verdict == "proved"


def test_a_fused_step_has_every_rule_in_place() -> None:
    fused = programs.train_step(
        DEEP, batch=2, loss=SoftmaxCrossEntropy(), optimizer=Sgd(), abi=Fused()
    )
    assert "func.call" not in fused.text
