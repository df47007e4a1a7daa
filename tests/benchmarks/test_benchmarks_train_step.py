"""The race of training steps: it runs, judges what it measured, and refuses unequal work."""

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import gradwright as gw
from gradwright.errors import UnsupportedError
from repository.tree import ROOT

FOLDER = ROOT / "benchmarks"


def module(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Import a module of the benchmark, which lies outside the package."""
    monkeypatch.setattr(sys, "path", [str(FOLDER), *sys.path])
    return import_module(f"contest.{name}")


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return module("table", monkeypatch)


@pytest.fixture
def race(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return module("race", monkeypatch)


def quick(net: str) -> subprocess.CompletedProcess[str]:
    command = ["--net", net, "--batch", "8", "--rounds", "2", "--seconds", "0.05", "--json"]
    return subprocess.run(
        [sys.executable, str(FOLDER / "train_step.py"), *command],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={
            name: value for name, value in os.environ.items() if name != "GRADWRIGHT_TORCH_PYTHON"
        },
    )


@pytest.mark.xla
@pytest.mark.jax
@pytest.mark.parametrize("net", ["digits-mlp", "digits-cnn"])
def test_we_and_jax_do_the_same_work(net: str) -> None:
    done = quick(net)
    assert done.returncode == 0, done.stderr
    [result] = json.loads(done.stdout)["results"]
    assert result["net"] == net
    names = [standing["name"] for standing in result["standings"]]
    assert names == ["ours xla", "ours xla in order", "ours xla fast", "jax NHWC", "jax NCHW"]
    assert all(standing["ms"] > 0 for standing in result["standings"])
    assert max(s["ratio"] for s in result["standings"] if s["family"] == "ours") == 1


def test_an_unknown_net_ends_with_its_name() -> None:
    done = quick("no-such-net")
    assert done.returncode != 0
    assert "'no-such-net'" in done.stderr


def test_a_layer_without_a_recipe_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = module("entry", monkeypatch)
    net = gw.NetSpec("pooled", gw.Image(1, 4, 4), [gw.layers.AvgPool(2)])
    with pytest.raises(UnsupportedError, match=r"avgpool1: expected a layer that recipes know"):
        entry.stages_of(net)


def test_unequal_losses_are_seen(table: ModuleType) -> None:
    equal = [2.5, 1.25]
    assert table.disagreement([equal, equal]) == (0, 0)
    assert table.agree([equal, equal])
    assert not table.agree([equal, [2.501, 1.25]])
    assert not table.agree([equal, [2.5, 1.26]])


def sample(race: ModuleType, ms: float, foreign: float) -> Any:  # noqa: ANN401 (of a script)
    return race.Sample(ms, ms / 2, foreign)


def test_the_quieter_half_is_kept(race: ModuleType) -> None:
    rounds = [[sample(race, ms, foreign)] for ms, foreign in ((1, 0.9), (2, 0.1), (3, 0.0), (4, 1))]
    assert [samples[0].wall_ms for samples in race.quieter_half(rounds)] == [2, 3]


def test_ratios_are_of_medians_and_bounded_by_rounds(table: ModuleType, race: ModuleType) -> None:
    entrants = [race.Entrant(name, "v", "python", "module") for name in ("ours", "jax")]
    pairs = [(1, 2), (2, 2), (3, 2), (4, 4)]
    rounds = [[sample(race, own, 0), sample(race, peer, 0)] for own, peer in pairs]
    facts = [race.Facts(version, 1.5, 3 << 20) for version in ("1", "2")]
    result = table.standings("net", 4e6, entrants, facts, rounds)
    peer = result.best("jax")
    assert (peer.ms, peer.ratio, peer.cpu_ratio) == (2, 1.25, 1.25)
    assert (peer.low, peer.high) == (1.0, 1.0)
    assert result.best("torch") is None
    lines = table.markdown([result], [], 2e9).splitlines()
    assert (
        "| net | 2.50 (ours v) | 2.00 (jax v) | not run | **1.25** (1.00 to 1.00) | 80% |" in lines
    )
    assert "| net | jax v | 2.00 | 1.00 | 1.25 (1.00 to 1.00) | 1.25 | 3 | 1.5 |" in lines


def test_a_section_is_replaced_and_the_rest_stays(table: ModuleType, tmp_path: Path) -> None:
    page = tmp_path / "RESULTS.md"
    page.write_text("# Results\n\n<!-- other -->\nkept\n<!-- /other -->\n", "utf-8")
    for body in ("first", "second"):
        table.replace_section(page, "mine", body)
    kept = "# Results\n\n<!-- other -->\nkept\n<!-- /other -->\n\n"
    assert page.read_text("utf-8") == f"{kept}<!-- mine -->\nsecond\n<!-- /mine -->\n"
