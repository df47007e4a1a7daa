"""`--formulation`, wherever a program of a net is written."""

import json
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
