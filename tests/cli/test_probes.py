"""`gradwright probes`, and probes in place of a net or of an entry point."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cli.probes_apart import CASES
from gradwright.cli import main


@pytest.mark.xla
def test_a_probe_is_checked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probes", "mse", "bce", "--json"]) == 0
    mse, bce = json.loads(capsys.readouterr().out)["probes"]
    assert (mse["name"], mse["verdict"], mse["right"]) == ("mse", "proved", True)
    [gradient] = bce["gradients"]
    assert (gradient["name"], gradient["tried"], gradient["right"]) == ("output", 9, True)
    assert [claim["name"] for claim in bce["claims"]] == ["loss as declared", "gradient of output"]


@pytest.mark.xla
def test_what_is_measured_wrong_is_the_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["emit", "probe:mse"]) == 0
    file = tmp_path / "mse.mlir"
    file.write_text(capsys.readouterr().out.replace("dense<2.0>", "dense<4.0>"))
    assert main(["probes", "mse", "--file", str(file), "--seconds", "0"]) == 1
    said = capsys.readouterr().out
    assert "wrong     unknown" in said
    assert "mse: d.output is off by" in said
    assert "mse: gradient of output unknown: " in said


@pytest.mark.xla
@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")
@pytest.mark.parametrize("case", CASES)
def test_several_processes_say_what_one_says(case: str) -> None:
    script = Path(__file__).with_name("probes_apart.py")
    words = [sys.executable, str(script), case]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["probes", "mae"], "probe: expected one of mse, bce, "),
        (["probes", "--file", "a.mlir"], "--file: expected the name of one probe beside it, found"),
        (
            ["probes", "mse", "--file", "a.mlir"],
            "a.mlir: expected a file that can be read, found none",
        ),
        (["emit", "probe:mae"], "probe: expected one of mse, bce, "),
        (
            ["emit", "probe:mse", "--entry", "eval"],
            "probe:mse: expected no option but --precision",
        ),
        (["emit", "probe:mse", "--classes", "3"], "probe:mse: expected no option but --prec"),
        (
            ["emit", "digits-cnn", "--entry", "probe:lost"],
            "digits-cnn: layer: expected the path of",
        ),
        (["emit", "digits-cnn", "--entry", "eval:a"], "--entry: expected one of train-step, forwa"),
    ],
)
def test_a_wrong_request(
    arguments: list[str],
    line: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 3
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"gradwright: {line}")


def test_a_layer_of_a_net_is_an_entry_point(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["emit", "digits-cnn", "--entry", "probe:convbn3", "--batch", "2", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["name"], said["entry"], said["batch"]) == (
        "digits_cnn_convbn3_probe", "probe", 2,
    )  # fmt: skip
    assert [port["name"] for port in said["outputs"]] == [
        "output",
        "d.convbn3.conv.weight",
        "d.convbn3.bn.weight",
        "d.convbn3.bn.bias",
        "d.x",
    ]
    assert main(["emit", "probe:bce", "--precision", "f64"]) == 0
    assert "f32" not in capsys.readouterr().out
