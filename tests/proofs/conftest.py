"""The library, built; where Coq is missing that is said in one line, and in CI it is an error."""

import os
import subprocess

import pytest

from repository.tree import ROOT

MISSING = "no Coq with ssreflect and Coquelicot (`make proofs`): the proofs are not checked"


@pytest.fixture(scope="session")
def built() -> None:
    """See to it that the library is built."""
    there = subprocess.run([str(ROOT / "tools/coq.sh"), "find"], capture_output=True, check=False)
    if there.returncode and os.environ.get("CI"):
        pytest.fail(MISSING)
    if there.returncode:
        pytest.skip(MISSING)
    subprocess.run(["make", "-C", str(ROOT / "proofs")], check=True, capture_output=True)
