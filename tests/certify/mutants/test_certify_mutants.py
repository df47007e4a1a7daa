"""Campaigns of seeded defects: no wrong mutant is proved, no harmless one refuted."""

import re

import pytest

from certify.refute import cases
from certify.refute.cases import Case
from gradwright.certify import Search, Verdict
from gradwright.certify.mutants import mutants
from gradwright.certify.mutants_attributes import Defect
from gradwright.certify.mutants_campaign import Campaign, Found, Trial, campaign
from gradwright.certify.texts import subject_of_pair
from gradwright.hlo import read_module

SEARCH = Search(seconds=60)


def ignore(_: Trial) -> None:
    return


def judged(case: Case, count: int, seed: int = 0) -> Campaign:
    subject = subject_of_pair(case.forward, case.backward)
    return campaign(subject, count=count, seed=seed, search=SEARCH, observe=ignore)


@pytest.mark.interpreter
@pytest.mark.parametrize(
    "case",
    [cases.TANH, cases.WEIGHT, cases.LOG_SOFTMAX, cases.AVERAGE_POOL],
    ids=["tanh", "convolution", "log-softmax", "average pool"],
)
def test_wrong_mutants_are_refuted(case: Case) -> None:
    found = judged(case, 8)
    assert found.original is Verdict.PROVED
    assert found.count(Found.MISSED) == 0
    assert found.count(Found.FALSE_ALARM) == 0
    assert found.count(Found.REFUTED) == len(found.wrong) > 0


@pytest.mark.interpreter
def test_a_campaign_is_seeded() -> None:
    first, again, other = (judged(cases.TANH, 4, seed) for seed in (1, 1, 2))
    assert [t.label for t in first.trials] == [t.label for t in again.trials]
    assert [t.label for t in first.trials] != [t.label for t in other.trials]


@pytest.mark.interpreter
def test_usual_checks_miss_a_factor_near_one() -> None:
    found = judged(cases.TANH, 12)
    scaled = [trial for trial in found.trials if trial.defect is Defect.SCALE]
    negated = [trial for trial in found.wrong if trial.defect is Defect.SIGN]
    assert scaled
    assert not any(trial.by_elements or trial.by_direction for trial in scaled)
    assert any(trial.by_elements and trial.by_direction for trial in negated)


def test_a_wrong_constant_is_told_by_its_value() -> None:
    [function] = read_module(cases.AVERAGE_POOL.backward).functions
    wrong = [m.label for m in mutants(function, set()) if m.defect is Defect.CONSTANT]
    assert wrong
    assert all(re.search(r" = stablehlo\.constant: \S+ -> \S+$", label) for label in wrong)


def test_every_kind_of_defect_is_planted() -> None:
    kinds = {
        mutant.defect
        for case in (cases.WEIGHT, cases.LOG_SOFTMAX, cases.MAX_POOL, cases.AVERAGE_POOL, KINDS)
        for mutant in mutants(read_module(case.backward).main, set())
    }
    assert kinds == set(Defect)


KINDS = Case(
    "",
    cases.main(
        "%x: tensor<3xf32>",
        "tensor<3xf32>",
        """
  %n = stablehlo.constant dense<3.0> : tensor<3xf32>
  %i = stablehlo.iota dim = 0 : tensor<3xf32>
  %m = stablehlo.compare GT, %x, %n, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %s = stablehlo.select %m, %x, %i : tensor<3xi1>, tensor<3xf32>
  %a = stablehlo.add %s, %x : tensor<3xf32>
  return %a : tensor<3xf32>""",
    ),
    (),
)


def test_spared_operations_stay() -> None:
    function = read_module(KINDS.backward).main
    spared = {id(result) for op in function.body.operations for result in op.results}
    assert list(mutants(function, spared)) == []
