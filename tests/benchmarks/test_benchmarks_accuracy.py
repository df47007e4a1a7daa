"""The comparison of accuracies: both sides start alike, another start is seen, noise is named."""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

from repository.tree import ROOT

pytestmark = [pytest.mark.torch, pytest.mark.xla]

SMALL = ["--data", "digits", "--pictures", "128", "--test", "64", "--epochs", "1", "--seeds", "2"]


@pytest.fixture
def accuracy(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    module = import_module("accuracy")
    monkeypatch.setattr(sys, "argv", ["accuracy.py", *SMALL])
    return module


def test_both_train_and_another_start_is_seen(
    accuracy: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert accuracy.main() in (0, 1)
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert [row.split()[1] for row in rows] == ["seed", "0", "1"]

    start = accuracy._module

    def another(dataset: object, seed: int) -> object:
        return start(dataset, seed + 1)

    monkeypatch.setattr(accuracy, "_module", another)
    assert accuracy.main() == 1
    assert "seed 0: the first losses differ by" in capsys.readouterr().err


@pytest.mark.parametrize(("ours", "good"), [((0.80, 0.84), True), ((0.70, 0.71), False)])
def test_only_a_difference_within_noise_is_good(
    accuracy: ModuleType, ours: tuple[float, float], good: bool
) -> None:
    def run(share: float) -> Any:  # noqa: ANN401 (of a script)
        return accuracy.Run(first_loss=1.0, accuracy=share, seconds=1.0)

    digits = accuracy.gw.data.load("digits")
    pairs = [(run(share), run(theirs)) for share, theirs in zip(ours, (0.82, 0.81), strict=True)]
    table, is_noise = accuracy._table(pairs, digits, "--data digits")
    assert is_noise is good
    assert ("within noise" if good else "beyond noise") in table
