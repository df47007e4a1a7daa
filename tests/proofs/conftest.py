"""The library, built; where Coq is missing that is said in one line, and in CI it is an error."""

import fcntl
import os
import subprocess

import pytest

from repository.tree import ROOT

MISSING = "no Coq with ssreflect and Coquelicot (`make proofs`): the proofs are not checked"


@pytest.fixture(scope="session")
def built() -> None:
    """See to it that the library is built, by one process at a time: they share its folder."""
    there = subprocess.run([str(ROOT / "tools/coq.sh"), "find"], capture_output=True, check=False)
    if there.returncode and os.environ.get("CI"):
        pytest.fail(MISSING)
    if there.returncode:
        pytest.skip(MISSING)
    with (ROOT / "proofs/Makefile").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # let go when the file closes
        subprocess.run(["make", "-C", str(ROOT / "proofs")], check=True, capture_output=True)
