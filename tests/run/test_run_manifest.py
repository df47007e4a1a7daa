"""What a manifest records."""

import hashlib
import json

import numpy as np
import pytest

from gradwright import run
from gradwright.errors import LowererError
from gradwright.run import CacheOutcome
from run.texts import ACCUMULATE


@pytest.mark.xla
def test_a_manifest_names_all_that_may_change_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XLA_FLAGS", "--xla_cpu_use_xnnpack=false")
    options = run.Options(xla_flags=(("xla_backend_optimization_level", "1"),))
    manifest = run.compile(ACCUMULATE, options=options).manifest
    assert manifest.flags == (
        "xla_cpu_enable_fast_math=false",
        "xla_cpu_fast_math_honor_division=true",
        "xla_cpu_fast_math_honor_functions=true",
        "xla_cpu_fast_math_honor_infs=true",
        "xla_cpu_fast_math_honor_nans=true",
        "xla_allow_excess_precision=False",
        "xla_backend_optimization_level=1",
        "--xla_cpu_use_xnnpack=false",
    )
    record = json.loads(manifest.to_json())
    assert record["program"] == "accumulate"
    assert record["backend"] == "xla"
    assert record["text_sha256"] == hashlib.sha256(ACCUMULATE.encode()).hexdigest()
    assert record["cache"] == CacheOutcome.MISS
    assert record["compile_seconds"] > 0
    assert record["allocator"] == run.current_settings().allocator
    assert record["threads"] == run.current_settings().threads
    assert record["version"].count(".") >= 2


@pytest.mark.xla
def test_fast_math_stays_off_whatever_the_environment_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """NaN and infinity survive: fast math may assume that neither occurs."""
    monkeypatch.setenv("XLA_FLAGS", "--xla_cpu_enable_fast_math=true")
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<4xi1> {
      %nan = stablehlo.compare NE, %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      return %nan : tensor<4xi1>
    }"""
    x = np.array([0, np.nan, np.inf, 1], np.float32)
    assert run.compile(text, cache=run.NO_CACHE)(arg0=x)["out0"].tolist() == [
        False,
        True,
        False,
        False,
    ]


@pytest.mark.xla
def test_a_flag_that_xla_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    """XLA ends its process on it; a compile gets a worker that has read the current flags."""
    run.compile(ACCUMULATE)
    monkeypatch.setenv("XLA_FLAGS", "--xla_no_such_flag=1")
    with pytest.raises(LowererError) as caught:
        run.compile(ACCUMULATE)
    assert caught.value.found.startswith("the process died (exit code 1: ")
    assert "Unknown flag in XLA_FLAGS: --xla_no_such_flag=1" in caught.value.found
    monkeypatch.delenv("XLA_FLAGS")
    assert run.compile(ACCUMULATE, cache=run.NO_CACHE).manifest.cache is CacheOutcome.OFF
