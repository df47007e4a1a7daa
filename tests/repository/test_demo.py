"""The script behind `make demo`: what it asks of the command line and what it ends with."""

import os
import subprocess
from pathlib import Path

from repository.tree import ROOT

FAKE = r"""#!/bin/sh
echo "$@" >> "$(dirname "$0")/asked"
said='{"net": "digits-cnn", "test_accuracy": 0.9861, "certified": true, "out": "x"}'
case "$1" in train) echo "$said";; esac
exit "${FAIL:-0}"
"""


def demo(folder: Path, *, fail: str = "0") -> subprocess.CompletedProcess[str]:
    program = folder / "gradwright"
    program.write_text(FAKE, encoding="utf-8")
    program.chmod(0o755)
    return subprocess.run(
        [str(ROOT / "tools/demo.sh"), str(program), str(folder / "runs/demo")],
        env={**os.environ, "FAIL": fail},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_demo_ends_with_accuracy_curves_and_the_json_line(tmp_path: Path) -> None:
    done = demo(tmp_path)
    assert done.returncode == 0, done.stderr
    *_, curves, certified, accuracy, record = done.stdout.splitlines()
    assert certified == "certified      true"
    assert curves == f"curves         {tmp_path}/runs/demo/curves.png"
    assert accuracy == "test accuracy  0.9861"
    assert record == '{"net": "digits-cnn", "test_accuracy": 0.9861, "certified": true, "out": "x"}'
    verbs = [line.split()[0] for line in (tmp_path / "asked").read_text("utf-8").splitlines()]
    assert verbs == ["emit", "train"]


def test_a_failing_command_fails_the_demo(tmp_path: Path) -> None:
    assert demo(tmp_path, fail="3").returncode == 3
