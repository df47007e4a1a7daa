"""The table of backends: both are measured by float64, and one that is off is not good."""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from repository.tree import ROOT

EXACT = [[1.0, 2.0], [0.5, -0.25]]


@pytest.fixture
def backends(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    return import_module("zoo_backends")


def measured(error: float) -> dict[str, object]:
    """Return what a backend found whose second gradient is off by a share of its length."""
    return {"compile": 1.0, "ms": 2.0, "gradients": [EXACT[0], [0.5, -0.25 + 0.5 * error]]}


@pytest.mark.parametrize(
    ("moved", "xla", "iree", "good"),
    [
        (1e-7, 1e-6, 2e-4, True),
        (1e-7, 1e-6, 6e-2, False),
        (1e-7, 6e-2, 1e-6, False),
        (1e-2, 1e-6, 6e-2, True),
        (1e-7, 3e-2, 6e-2, True),
    ],
)
def test_a_backend_may_be_off_where_rounding_or_the_other_one_is(
    backends: ModuleType, moved: float, xla: float, iree: float, good: bool
) -> None:
    exact = {"gradients": EXACT, "moved": moved}
    row = backends.Row("net", "2x3", exact, measured(xla), measured(iree))
    assert row.off == pytest.approx((xla, iree))
    assert row.is_good is good


def test_an_error_of_a_gradient_that_vanishes_is_beside_the_longest(backends: ModuleType) -> None:
    exact, found = [[1.0, 2.0], [0.0, 0.0]], [[1.0, 2.0], [1e-8, 1e-8]]
    assert backends.distance(found, exact) == pytest.approx(1e-6)


def test_what_did_not_run_is_not_good(backends: ModuleType) -> None:
    exact = {"gradients": EXACT, "moved": 1e-7}
    row = backends.Row("net", "2x3", exact, measured(1e-7), "failed: a word")
    assert not row.is_good
    assert row.cells == ["net", "2x3", "1.0", "2", "failed: a word", "", "1e-07", "", ""]


@pytest.mark.xla
@pytest.mark.iree
def test_rows_take_their_places_and_others_stay(tmp_path: Path) -> None:
    results = tmp_path / "results.md"
    old = "| program |\n|---|\n| artifact:linear | as it was |\n| mnist-linear | old |"
    results.write_text(f"Before.\n\n<!-- zoo-backends -->\n{old}\n<!-- /zoo-backends -->\n")
    script = str(ROOT / "benchmarks" / "zoo_backends.py")
    done = subprocess.run(
        [sys.executable, script, "mnist-linear", "--results", str(results), "--write"],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    rows = [line for line in results.read_text("utf-8").splitlines() if line.startswith("| ")]
    assert rows[1:] == [done.stdout.strip(), "| artifact:linear | as it was |"]
    assert all(json.loads(cell) < 1e-5 for cell in rows[1].split("|")[-4:-1])
