"""The table of the zoo: it measures, goes on from its journal, and says what is not good."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from repository.tree import ROOT

NET = "mnist-linear"


def table(journal: Path, *options: str) -> tuple[int, str]:
    """Run the command on the net; return its exit code and the net's row."""
    command = [sys.executable, str(ROOT / "benchmarks" / "zoo_steps.py"), NET, "--batch", "2"]
    done = subprocess.run(
        [*command, "--journal", str(journal), *options],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    return done.returncode, done.stdout.splitlines()[-1]


@pytest.mark.xla
def test_a_net_is_measured_once_and_judged_by_all_of_it(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    code, row = table(journal, "--parts", "prove,xla")
    assert code == 1
    assert "| 10 of 10 |" in row
    assert "| not run |" in row
    parts = [json.loads(line) for line in journal.read_text("utf-8").splitlines()]
    assert [list(part) for part in parts] == [[f"{NET} prove"], [f"{NET} xla"]]

    ran = parts[1][f"{NET} xla"]
    assert judged(journal, {**ran, "gradients": ran["gradients"]}) == 0
    turned = [[length, -projection] for length, projection in ran["gradients"]]
    assert judged(journal, {**ran, "gradients": turned}) == 1


def judged(journal: Path, iree: dict[str, Any]) -> int:
    """Return the exit code where IREE is said to have found that, and nothing is run."""
    with journal.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps({f"{NET} iree": iree}) + "\n")
    return table(journal, "--parts", "")[0]


def test_a_proof_that_takes_too_long_is_not_settled(tmp_path: Path) -> None:
    code, row = table(tmp_path / "journal", "--parts", "prove", "--limit", "0")
    assert code == 1
    assert "not settled: over 0 CPU s" in row


def test_a_table_keeps_what_was_not_measured_again(tmp_path: Path) -> None:
    results = tmp_path / "results.md"
    proof = {"claims": 10, "proved": 9, "cpu": 1.0, "peak": 100.0}
    for name, measured in (
        ("first", {"prove": proof, "xla": {"compile": 2.0, "ms": 3.0, "gradients": [[1.0, 1.0]]}}),
        ("second", {"prove": {**proof, "proved": 10}}),
    ):
        journal = tmp_path / name
        lines = [json.dumps({f"{NET} {part}": found}) for part, found in measured.items()]
        journal.write_text("\n".join(lines), encoding="utf-8")
        table(journal, "--parts", "", "--write", "--results", str(results))
    written = [line for line in results.read_text("utf-8").splitlines() if NET in line]
    assert written == [
        f"| {NET} | not run |  |  | 10 of 10 | 1.0 | 100 | 2.0 | 3 | not run |  |  |"
    ]
    table(journal, "--parts", "", "--write", "--results", str(results), "--size", "32")
    assert "| 2.0 | 3 |" not in results.read_text("utf-8")
