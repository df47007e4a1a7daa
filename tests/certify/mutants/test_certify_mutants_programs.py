"""Defects anywhere in a whole train step: none is proved, and all that are wrong are refuted."""

import pytest

from gradwright.certify import Search, Verdict, mutants_programs
from gradwright.certify.mutants_campaign import Found, Trial, chosen
from gradwright.certify.mutants_programs import program_campaign
from gradwright.certify.mutants_truth import Truth
from gradwright.certify.texts_calls import inlined
from gradwright.certify.verdicts import Counterexample, Distribution, Input
from gradwright.certify.witness import draw
from gradwright.certify.witness_process import Evaluator
from gradwright.errors import SpecError
from gradwright.hlo import read_module
from gradwright.layers import Activation, Dense, Function, GlobalAvgPool
from gradwright.losses import SoftmaxCrossEntropy
from gradwright.optim import Sgd
from gradwright.probes.blocks import BLOCKS
from gradwright.programs import Program, train_step
from gradwright.programs.updates import SHARED_FROM
from gradwright.spec import Flat, Image, NetSpec

NORMAL = Distribution.NORMAL
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
def test_too_little_time_is_said_before_the_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    def prove(*_: object, **__: object) -> None:
        raise AssertionError("proved a text that cannot be evaluated")

    monkeypatch.setattr(mutants_programs, "certify_program", prove)
    with pytest.raises(SpecError) as caught:
        program_campaign(step(SMALL), count=1, seed=0, search=Search(seconds=1e-4), observe=ignore)
    assert caught.value.found.startswith("the interpreter ")
    assert caught.value.remedy == (
        "Give it more --seconds, a smaller --batch or --size, or change one layer alone: "
        "--entry probe:LAYER"
    )


def test_a_rule_that_parameters_share_is_changed_where_one_calls_it() -> None:
    net = NetSpec("deep", Flat(2), [*[Dense(2) for _ in range(SHARED_FROM)]])
    text = step(net).text
    assert "func.call @update_decays_2x2" in text
    function = inlined(read_module(text))
    updates = [o for o in function.body.operations if o.results[0].name == "new"]
    assert len(updates) == 2 * SHARED_FROM
    spared = {id(r) for o in function.body.operations if o not in updates for r in o.results}
    assert len([*chosen(function, spared, 0)]) > len(updates)


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


BOUNDED = """func.func public @main(%x: tensor<40xf32>, %dy: tensor<40xf32>) -> tensor<40xf32> {
  %bound = stablehlo.constant dense<3.5> : tensor<40xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<40xf32>
  %y = stablehlo.minimum %x, %bound : tensor<40xf32>
  %inside = stablehlo.compare LT, %y, %bound : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xi1>
  %dx = stablehlo.select %inside, %dy, %zero : tensor<40xi1>, tensor<40xf32>
  return %dx : tensor<40xf32>
}
"""


@pytest.mark.interpreter
def test_a_mutant_that_differs_beyond_a_bound_only_is_wrong() -> None:
    """Few drawn inputs go beyond the bound; that of a counterexample does."""
    function, changed = (read_module(text).main for text in (BOUNDED, BOUNDED.replace("LT", "LE")))
    types = [value.type for value in function.body.arguments]

    def example(seed: int) -> Counterexample:
        inputs = [Input(v.name, v.type.shape, "f32", NORMAL, None) for v in function.body.arguments]
        return Counterexample(seed, tuple(inputs), (0,), 0.0, 0.0, 0.0)

    beyond = next(s for s in range(10**4) if draw(types, s, NORMAL)[0].max() > 3.5)
    within = next(s for s in range(10**4) if draw(types, s, NORMAL)[0].max() < 3.5)
    with Evaluator(60) as evaluate:
        truth = Truth(function, evaluate)
        assert not truth.differs(changed)
        assert not truth.differs_at(changed, [example(within)])
        assert truth.differs_at(changed, [example(beyond)])
        assert truth.differs(changed)
        assert not truth.differs(function)
