"""Files that hold no text, or none that can be read: named, refused at once, exit code 3."""

import os
from pathlib import Path

import pytest

from gradwright.cli import main
from gradwright.cli.sources import Sources

SQUARE = """
func.func @main(%x: tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.multiply %x, %x : tensor<3xf32>
  %l = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [0]
      : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %dx = stablehlo.add %x, %x : tensor<3xf32>
  return %l, %dx : tensor<f32>, tensor<3xf32>
}
"""
INDICES = ["--wrt", "0", "--grads", "1"]


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """Return the one line of standard error that a command ends with, exit code 3."""
    assert main([str(each) for each in arguments]) == 3
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    return told


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"func.func @main(", "bad.mlir:1:16: expected a StableHLO module"),
        (b"\xff\xfe", "bad.mlir:byte 0: expected UTF-8 text"),
        (b"", "bad.mlir:0:0: expected a StableHLO module, found a module without functions"),
        (b"ML\xefR", "bad.mlir:bytecode: expected a StableHLO module"),
        (b"module {" * 100_000, "bad.mlir:1:808: expected a StableHLO module, found brackets"),
    ],
)
def test_errors_about_a_text_name_its_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, message: str
) -> None:
    good, bad = tmp_path / "good.mlir", tmp_path / "bad.mlir"
    good.write_text(SQUARE, encoding="utf-8")
    bad.write_bytes(content)
    for arguments in (
        ["certify", bad, *INDICES],
        ["certify", "--equal", good, bad],
        ["certify", "--forward", good, "--backward", bad],
        ["mutate", bad, *INDICES],
    ):
        assert message in refused(capsys, *arguments)


def test_a_file_that_is_to_be_a_net_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.mlir"
    bad.write_bytes(b"\xff")
    assert "bad.mlir: expected UTF-8" in refused(capsys, "certify", bad, "--net", "mnist-linear")
    bad.write_bytes(b"func.func")
    assert "bad.mlir:1:" in refused(capsys, "certify", bad, "--net", "mnist-linear")


@pytest.mark.parametrize("option", ["--report", "--certificate"])
def test_what_cannot_be_written_is_said_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    absent = tmp_path / "absent.mlir"  # a command that began to work would miss it
    assert f"{option}: expected a file" in refused(capsys, "certify", absent, option, tmp_path)
    nowhere = tmp_path / "none" / "out"
    assert f"{option}: expected a folder" in refused(capsys, "certify", absent, option, nowhere)


def test_the_number_of_the_loss_is_written_in_digits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "good.mlir"
    text.write_text(SQUARE, encoding="utf-8")
    assert "--loss: expected indices from 0" in refused(capsys, "certify", text, "--loss", "²")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ["--wrt", "7", "--grads", "1"],
            "--wrt: expected an index of 1 arguments, from 0, found 7",
        ),
        (
            ["--wrt", "0", "--grads", "2"],
            "--grads: expected an index of 2 results, from 0, found 2",
        ),
        (["--loss", "9", *INDICES], "--loss: expected an index of 2 results, from 0, found 9"),
        (["--wrt", "0,0", "--grads", "1"], "--wrt, --grads: expected as many arguments as results"),
    ],
)
def test_an_index_that_the_text_lacks_is_said_of_its_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], line: str
) -> None:
    text = tmp_path / "good.mlir"
    text.write_text(SQUARE, encoding="utf-8")
    assert f"gradwright: {line}" in refused(capsys, "certify", text, *arguments)


def test_indices_that_are_missing_are_answered_with_what_there_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "good.mlir"
    text.write_text(SQUARE, encoding="utf-8")
    there = "arguments 0 %x: tensor<3xf32> and results 0 %l: tensor<f32>, 1 %dx: tensor<3xf32>; to"
    for verb in ("certify", "mutate"):
        told = refused(capsys, verb, text)
        assert told.startswith("gradwright: --wrt: expected indices from 0, ranges as 0-3 or ")
        assert there in told
    assert "--grads: expected indices" in refused(capsys, "certify", text, "--wrt", "0")


TWICE = """
func.func @main(%x: tensor<f32>, %a-b: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %l = stablehlo.multiply %x, %a-b : tensor<f32>
  %0 = stablehlo.multiply %x, %x : tensor<f32>
  return %l, %a-b, %x : tensor<f32>, tensor<f32>, tensor<f32>
}
"""


@pytest.mark.interpreter
@pytest.mark.parametrize(
    ("options", "code"),
    [
        ("--wrt %x,%a-b --grads 1-2", 0),
        ("--wrt %x-%a-b --grads %a-b-%x", 0),
        ("--loss %l --wrt 0-1 --grads %a-b,x", 0),
        ("--loss 0 --wrt a-b,0 --grads 2,1", 0),
        ("--loss l --wrt x --grads %x --seconds 5", 1),
    ],
)
def test_values_are_named_by_numbers_ranges_and_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: str, code: int
) -> None:
    text = tmp_path / "twice.mlir"
    text.write_text(TWICE, encoding="utf-8")
    assert main(["certify", str(text), *options.split()]) == code
    assert "gradient" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--wrt %xx --grads 1", "--wrt: expected indices from 0, ranges as 0-3 or names, s"),
        ("--wrt %xx --grads 1", "found '%xx'. Perhaps x\n"),
        ("--wrt %a-b-%x --grads 1", "--wrt: expected a range that goes up, found '%a-b-%x'\n"),
        ("--wrt %x-%q --grads 1", "by commas, found '%x-%q'\n"),
        ("--wrt 1-0 --grads 1", "--wrt: expected a range that goes up, found '1-0'\n"),
        ("--wrt 0 --grads %l,", "--grads: expected indices from 0, ranges as 0-3 or names, s"),
        ("--wrt 0-5 --grads 0-5", "--wrt: expected an index of 2 arguments, from 0, found 2\n"),
        ("--wrt 0 --grads 1 --loss 0,1", "--loss: expected one result, found '0,1'\n"),
        ("--wrt 0 --grads %d", "found '%d'. Say 0, 2\n"),
    ],
)
def test_values_that_the_text_lacks_are_said_of_their_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: str, said: str
) -> None:
    text = tmp_path / "twice.mlir"
    returned = "return %d, %a-b, %d" if "%d" in options else "return %l, %a-b, %x"
    lines = TWICE.replace("%0 =", "%d =").replace("return %l, %a-b, %x", returned)
    text.write_text(lines, encoding="utf-8")
    assert said in refused(capsys, "certify", text, *options.split())


def test_a_pipe_is_read_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reading, writing = os.pipe()
    os.write(writing, SQUARE.encode())
    os.close(writing)
    page, certificate = tmp_path / "page.html", tmp_path / "certificate.json"
    written = ["--report", str(page), "--certificate", str(certificate)]
    assert main(["certify", f"/dev/fd/{reading}", *INDICES, *written]) == 0
    os.close(reading)
    assert "proved" in capsys.readouterr().out
    assert page.exists()
    assert certificate.exists()


def test_a_file_that_changes_is_not_read_again(tmp_path: Path) -> None:
    file = tmp_path / "text.mlir"
    file.write_bytes(b"first")
    sources = Sources()
    assert sources(file) == b"first"
    file.write_bytes(b"second")
    assert sources(file) == b"first"


def test_a_package_that_is_missing_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(_: Sources, path: Path) -> bytes:
        raise ModuleNotFoundError("No module named 'islpy'", name="islpy", path=str(path))

    monkeypatch.setattr(Sources, "__call__", missing)
    text = tmp_path / "any.mlir"
    text.touch()
    told = refused(capsys, "certify", text, *INDICES)
    assert "islpy: expected an installed package" in told
