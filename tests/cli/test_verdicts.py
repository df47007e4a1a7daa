"""What a wrong text, a wrong certificate and none at all are answered with."""

import json
from pathlib import Path

import pytest

from cli.test_sources import INDICES, SQUARE
from gradwright.cli import main

WRONG = SQUARE.replace("add %x, %x", "multiply %x, %x")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "right.mlir").write_text(SQUARE, encoding="utf-8")
    (tmp_path / "wrong.mlir").write_text(WRONG, encoding="utf-8")
    (tmp_path / "same.mlir").write_text(f"// the same\n{SQUARE}", encoding="utf-8")
    return tmp_path


@pytest.mark.interpreter
def test_mutants_of_a_wrong_text_end_as_refuted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del folder
    assert main(["mutate", "right.mlir", *INDICES, "--count", "1", "--json"]) == 0
    assert main(["mutate", "wrong.mlir", *INDICES, "--count", "1", "--json"]) == 1
    said = capsys.readouterr()
    assert json.loads(said.out.splitlines()[1])["original"] == "refuted"
    assert said.err.splitlines()[-1].startswith("the text itself is refuted")


@pytest.mark.interpreter
def test_an_older_certificate_does_not_pass_for_a_new_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = folder / "c.json"
    written = ["--certificate", str(file), "--json"]
    assert main(["certify", "right.mlir", *INDICES, *written]) == 0
    assert file.exists()
    assert main(["certify", "wrong.mlir", *INDICES, *written]) == 1
    assert not file.exists()
    assert capsys.readouterr().err.splitlines()[-2:] == [
        "no certificate: no claim is proved",
        f"removed {file}, which an earlier command had written",
    ]


def test_a_certificate_of_a_step_with_its_loss_elsewhere_is_refused_before_the_proof(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    step = ["certify", "mnist-linear", "--batch", "2", "--abi", "fused", "--optimizer", "sgd"]
    assert main([*step, "--json"]) == 0
    capsys.readouterr()
    monkeypatch.setattr("gradwright.certify.certify_program", pytest.fail)
    assert main([*step, "--certificate", str(folder / "c.json"), "--json"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == (
        f"gradwright: --certificate {folder / 'c.json'}: expected what a certificate can hold, "
        "found certificates do not reach a step whose loss a text of its own computes. Leave it "
        "out to certify without one\n"
    )


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ["right.mlir", "c.json"],
            "right.mlir: expected JSON, found 'func.func @main(%x: tensor<3xf' in line 2. The "
            "certificate comes first, then the texts",
        ),
        (["pair.json", "right.mlir"], "pair.json: expected 2 texts beside it, as it was written "),
        (["c.json", "right.mlir", "same.mlir"], "c.json: expected 1 text beside it, as it was wri"),
        (["pair.json", "same.mlir", "right.mlir"], "pair.json: expected the texts in the order th"),
        (["c.json", "wrong.mlir"], "wrong.mlir: expected the text that c.json was written for, "),
        (["pair.json", "right.mlir", "wrong.mlir"], "wrong.mlir: expected the text that pair.json"),
    ],
)
def test_a_certificate_and_other_texts_are_bad_input(
    arguments: list[str], line: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del folder
    assert main(["certify", "right.mlir", *INDICES, "--certificate", "c.json"]) == 0
    assert (
        main(["certify", "--equal", "right.mlir", "same.mlir", "--certificate", "pair.json"]) == 0
    )
    assert main(["check", "c.json", "right.mlir"]) == 0
    assert main(["check", "pair.json", "right.mlir", "same.mlir"]) == 0
    capsys.readouterr()
    assert main(["check", *arguments]) == 3
    assert capsys.readouterr().err.startswith(f"gradwright: {line}")


HYPERBOLIC = """
func.func @main(%x: tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = chlo.sinh %x : tensor<3xf32> -> tensor<3xf32>
  %l = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [0]
      : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %dx = chlo.cosh %x : tensor<3xf32> -> tensor<3xf32>
  return %l, %dx : tensor<f32>, tensor<3xf32>
}
"""


def test_what_the_checker_does_not_know_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "sinh.mlir").write_text(HYPERBOLIC, encoding="utf-8")
    assert main(["certify", "sinh.mlir", *INDICES, "--json"]) == 0
    capsys.readouterr()
    assert main(["certify", "sinh.mlir", *INDICES, "--certificate", "c.json", "--json"]) == 2
    told = capsys.readouterr().err
    assert told == (
        "no certificate: the checker cannot replay it: %s: chlo.sinh is not in the table\n"
    )
