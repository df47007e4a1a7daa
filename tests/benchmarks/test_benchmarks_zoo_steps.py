"""The table of the zoo: a row per name, measured part by part, and judged by all that was run."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from repository.tree import ROOT

NET = "mnist-linear"
EXACT = [[1.0, 2.0], [0.5, -0.25]]
F64 = {"gradients": [EXACT, EXACT], "moved": 1e-7}
PROOF = {"claims": 10, "proved": 10, "cpu": 1.0, "peak": 100.0}


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    return import_module("zoo_rows")


def pictures(spelled: str) -> dict[str, str]:
    return dict.fromkeys(("text for", "run for"), spelled)


BOTH = pictures("2x3")


def measured(*errors: float) -> dict[str, object]:
    """Return what a backend found whose second gradient is off by shares of its length.

    Of each of both pictures, or of both the same.
    """
    digests = [[EXACT[0], [0.5, -0.25 + 0.5 * error]] for error in errors]
    return {"compile": 1.0, "ms": 2.0, "gradients": (2 * digests)[:2]}


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
    rows: ModuleType, moved: float, xla: float, iree: float, good: bool
) -> None:
    parts = {"f64": {**F64, "moved": moved}, "xla": measured(xla), "iree": measured(iree)}
    found = rows.Measured("net", BOTH, parts)
    assert found.off == pytest.approx({"xla": xla, "iree": iree})
    assert found.is_good is good


def test_one_backend_alone_is_judged_by_rounding(rows: ModuleType) -> None:
    for error, good in ((1e-4, True), (1e-2, False)):
        assert rows.Measured("net", BOTH, {"f64": F64, "iree": measured(error)}).is_good is good


def test_a_net_whose_kinks_were_seen_crossed_may_be_off_by_as_much(rows: ModuleType) -> None:
    for error, good in ((2e-2, True), (6e-2, False)):
        parts = {"f64": F64, "iree": measured(error)}
        assert rows.Measured("vgg16-bn", BOTH, parts).is_good is good


def test_what_is_off_at_one_of_two_pictures_has_crossed_a_kink(rows: ModuleType) -> None:
    found = rows.Measured("net", BOTH, {"f64": F64, "xla": measured(2e-2, 1e-6)})
    assert found.off == pytest.approx({"xla": 1e-6})
    assert found.is_good


def test_an_error_of_a_gradient_that_vanishes_is_beside_the_longest(rows: ModuleType) -> None:
    exact, found = [[1.0, 2.0], [0.0, 0.0]], [[1.0, 2.0], [1e-8, 1e-8]]
    assert rows.distance(found, exact) == pytest.approx(1e-6)


@pytest.mark.parametrize(
    ("part", "found"),
    [("iree", "failed: a word"), ("prove", "over 0 CPU s"), ("prove", {**PROOF, "proved": 9})],
)
def test_what_did_not_run_or_is_not_proved_is_not_good(
    rows: ModuleType, part: str, found: dict[str, object] | str
) -> None:
    assert rows.Measured("net", BOTH, {"prove": PROOF}).is_good
    assert not rows.Measured("net", BOTH, {"prove": PROOF, part: found}).is_good


def test_a_row_keeps_what_was_not_measured_again(rows: ModuleType) -> None:
    first = rows.Measured("net", BOTH, {"prove": PROOF, "xla": measured(0.0)}).row()
    proof = ["2x3", "not run", "", "", "10 of 10", "1.0", "100"]
    ran = ["2x3", "1.0", "2", "not run", "", "not run", "not run", "not run"]
    assert first == ["net", *proof, *ran]
    both = rows.Measured("net", BOTH, {"f64": F64, "iree": measured(1e-3)}).row(first)
    assert both[:8] == first[:8]
    assert both[8:] == ["2x3", "1.0", "2", "1.0", "2", "1e-07", "not run", "1e-03"]


def test_a_row_forgets_what_was_of_other_pictures(rows: ModuleType) -> None:
    parts = {"prove": PROOF, "f64": F64, "xla": measured(0.0), "iree": measured(0.0)}
    before = rows.Measured("net", BOTH, parts).row()
    after = rows.Measured("net", pictures("4x3"), {"f64": F64, "xla": measured(1e-6)}).row(before)
    assert after[:8] == before[:8]
    assert after[8:] == ["4x3", "1.0", "2", "not run", "", "1e-07", "1e-06", "not run"]


def test_every_name_has_a_row(rows: ModuleType) -> None:
    lines = rows.table({NET: rows.Measured(NET, BOTH, {"f64": F64}).row()}, ["other", NET])
    assert lines[2].startswith("| other |  | not run |")
    assert {line.count("|") for line in lines} == {len(rows.COLUMNS) + 1}


def test_a_proof_that_takes_too_long_is_said(tmp_path: Path) -> None:
    results = tmp_path / "results.md"
    code, row = command(results, NET, "--parts", "prove", "--limit", "0")
    assert code == 1
    assert "| over 0 CPU s |" in row


@pytest.mark.xla
@pytest.mark.iree
@pytest.mark.parametrize("name", ["artifact:linear", pytest.param(NET, marks=pytest.mark.slow)])
def test_all_parts_of_a_program_are_measured_in_two_goes(name: str, tmp_path: Path) -> None:
    results = tmp_path / "results.md"
    assert command(results, name, "--parts", "emit", "prove")[0] == 0
    assert command(results, name, "--parts", "f64", "xla", "iree")[0] == 0
    (row,) = [line for line in results.read_text("utf-8").splitlines() if f"| {name} |" in line]
    cells = [cell.strip() for cell in row.split("|")[2:-1]]
    assert "not run" not in cells
    assert "" not in cells
    assert (cells[0], cells[7]) == ("4x1x28x28", "2x1x28x28")
    assert all(float(cell) < 1e-5 for cell in cells[-3:])


def command(results: Path, *words: str) -> tuple[int, str]:
    """Run the command with a table of its own; return its exit code and the row it prints."""
    script = str(ROOT / "benchmarks" / "zoo_steps.py")
    done = subprocess.run(
        [sys.executable, script, *words, "--results", str(results), "--write"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.stdout, done.stderr
    return done.returncode, done.stdout.splitlines()[-1]
