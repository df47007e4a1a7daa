"""Errors of gradients parameter by parameter."""

import json
import subprocess
import sys

import pytest

import gradwright as gw
from repository.tree import ROOT

ROUNDING = 1e-5


@pytest.mark.xla
def test_each_parameter_has_its_error_at_each_batch() -> None:
    script = [sys.executable, str(ROOT / "benchmarks" / "zoo_gradients.py"), "mnist-linear"]
    ran = subprocess.run(
        [*script, "--backends", "xla", "--json"], capture_output=True, text=True, check=True
    )
    found = json.loads(ran.stdout)
    assert found["parameters"] == [p.name for p in gw.zoo.get("mnist-linear").parameters]
    batches = found["off"]["xla"]
    assert [len(errors) for errors in batches] == 3 * [len(found["parameters"])]
    assert all(0 < error < ROUNDING for errors in batches for error in errors)
