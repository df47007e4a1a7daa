"""`--formulation`, wherever a program of a net is written."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import gradwright as gw
from gradwright.cli import main
from gradwright.layers import FAST, PORTABLE, TEXTBOOK

NET = "digits-cnn"


@pytest.mark.parametrize(
    ("name", "formulation"), [("portable", PORTABLE), ("textbook", TEXTBOOK), ("fast", FAST)]
)
def test_emit_writes_the_forms_that_are_named(
    name: str, formulation: gw.layers.Formulation, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["emit", NET, "--entry", "vjp", "--batch", "2", "--formulation", name]
    assert main(arguments) == 0
    program = gw.programs.vjp(gw.zoo.get(NET), batch=2, formulation=formulation)
    assert capsys.readouterr().out == program.text


@pytest.mark.interpreter
def test_the_forms_that_are_named_are_proved(capsys: pytest.CaptureFixture[str]) -> None:
    named = ["mnist-linear", "--batch", "2", "--formulation", "textbook"]
    assert main(["certify", *named, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "proved"


@pytest.mark.xla
def test_bench_and_train_take_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    timed = ["bench", "digits-mlp", "--steps", "1", "--batch", "2", "--formulation", "textbook"]
    assert main([*timed, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["formulation"] == "textbook"
    trained = ["train", "digits-mlp", "--data", "digits", "--epochs", "1", "--no-certify"]
    out = ["--out", str(tmp_path / "run"), "--formulation", "textbook", "--json"]
    assert main([*trained, *out]) == 0
    assert json.loads(capsys.readouterr().out)["test_accuracy"] > 0.2


@pytest.mark.parametrize(
    ("words", "paths"),
    [("blocks", ("convbn1", "convbn2", "convbn3")), ("convbn2,dense1", ("convbn2", "dense1"))],
)
def test_layers_are_computed_again_where_they_are_named(
    words: str, paths: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["emit", NET, "--entry", "vjp", "--batch", "2", "--recompute", words]) == 0
    form = replace(PORTABLE, recomputed=paths)
    program = gw.programs.vjp(gw.zoo.get(NET), batch=2, formulation=form)
    assert capsys.readouterr().out == program.text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["mnist-mlp", "--recompute", "blocks"], "expected a net with blocks, or paths of"),
        (["mnist-mlp", "--recompute", "dense9"], "found 'dense9'. Perhaps dense"),
        (["mnist-mlp", "--entry", "forward", "--recompute", "dense1"], "found --recompute. Leave"),
        (["artifact:mlp", "--recompute", "blocks"], "found --recompute. Leave it out"),
    ],
)
def test_layers_that_cannot_be_are_refused(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["emit", *arguments]) != 0
    assert said in capsys.readouterr().err


@pytest.mark.xla
def test_bench_says_what_a_step_takes(capsys: pytest.CaptureFixture[str]) -> None:
    timed = ["bench", NET, "--steps", "1", "--batch", "2", "--recompute", "blocks", "--json"]
    assert main([*timed, "--precision", "bf16"]) == 0
    cost = json.loads(capsys.readouterr().out)
    assert (cost["recompute"], cost["precision"]) == ("blocks", "bf16")
    assert 0 < cost["temporary_mib"] < cost["step_mib"] < cost["peak_mib"]
