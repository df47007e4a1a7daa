"""The claims of a program proved by several processes: the same answer, or none."""

import subprocess
import sys
from pathlib import Path

import pytest

from gradwright.certify import processes

CASES = Path(__file__).with_name("apart_cases.py")


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")
def test_shares_prove_what_one_process_proves_and_nothing_where_one_of_them_fails() -> None:
    done = subprocess.run(
        [sys.executable, str(CASES)], capture_output=True, text=True, check=False, timeout=900
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 8


def test_no_process_is_forked_beside_threads_that_compute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jax", processes)
    assert processes.processes(2, 10**6) == 1
