"""Defects anywhere in a whole train step: none is proved, and all that are wrong are refuted."""

import pytest

from gradwright.certify import Search, Verdict
from gradwright.certify.mutants_campaign import Found, Trial
from gradwright.certify.mutants_programs import program_campaign
from gradwright.layers import Activation, Dense, Function, GlobalAvgPool
from gradwright.losses import SoftmaxCrossEntropy
from gradwright.optim import Sgd
from gradwright.probes.blocks import BLOCKS
from gradwright.programs import Program, train_step
from gradwright.spec import Flat, Image, NetSpec

SMALL = NetSpec("small", Flat(3), [Dense(4), Activation(Function.RELU), ("head", Dense(3))])


def step(net: NetSpec) -> Program:
    return train_step(net, batch=2, loss=SoftmaxCrossEntropy(), optimizer=Sgd())


def ignore(_: Trial) -> None:
    return


@pytest.mark.interpreter
def test_defects_in_a_step_are_refuted() -> None:
    search = Search(seconds=120)
    found = program_campaign(step(SMALL), count=6, seed=0, search=search, observe=ignore)
    assert found.original is Verdict.PROVED
    assert found.count(Found.MISSED) == found.count(Found.FALSE_ALARM) == 0
    assert found.count(Found.REFUTED) == len(found.wrong) > 3


@pytest.mark.interpreter
@pytest.mark.slow
@pytest.mark.parametrize("name", BLOCKS)
def test_defects_in_the_step_of_a_block_are_not_proved(name: str) -> None:
    probe = BLOCKS[name]
    ends = () if isinstance(probe.layers[-1], GlobalAvgPool) else (GlobalAvgPool(),)
    assert isinstance(probe.input, Image)
    net = NetSpec(name, probe.input, [*probe.layers, *ends, ("head", Dense(3))])
    found = program_campaign(step(net), count=2, seed=1, search=Search(seconds=300), observe=ignore)
    assert found.count(Found.MISSED) == found.count(Found.FALSE_ALARM) == 0
    assert len(found.trials) == 2
