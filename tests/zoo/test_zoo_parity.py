"""Published nets beside their reference implementations, on shared random weights, in float64."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gradwright import zoo
from zoo import parity
from zoo.parity import QUICK, THOROUGH, Case, apart, measured

pytestmark = [pytest.mark.torch, pytest.mark.xla]

CASES = [*QUICK, *(pytest.param(case, marks=pytest.mark.slow) for case in THOROUGH)]
COUSINS = {"vgg16-bn-pooled", *(f"shufflenet-{width}" for width in ("0.5", "1.0", "2.0"))}
"""Nets that no library has."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("parity")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_net_is_its_references(case: Case, folder: Path) -> None:
    found = measured(case, folder)
    assert found.is_within(case.tolerance), found


def test_every_net_that_a_library_has_is_compared() -> None:
    assert {case.name for case in [*QUICK, *THOROUGH]} | COUSINS == {*zoo.PUBLISHED}


def test_a_share_of_the_largest_element_is_seen() -> None:
    expected = np.array([[3.0, -200.0]])
    assert apart(expected + np.array([[0.0, 2.0]]), expected) == pytest.approx(0.01)


def test_another_rule_is_seen(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A weight decay off by a tenth moves the step and nothing else."""
    monkeypatch.setattr(parity, "RECIPE", replace(parity.RECIPE, decay=0.011))
    found = measured(QUICK[0], folder)
    assert found.step > 1e-4
    assert max(found.logits, found.gradients, found.statistics) < QUICK[0].tolerance
