"""`predict` and `eval` of a net with the weights of a file."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from safetensors.numpy import save

import gradwright as gw
from gradwright.cli import main

pytestmark = pytest.mark.xla
NET = gw.zoo.get("digits-cnn")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Weights of a net, and a digit."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "weights.safetensors").write_bytes(save(gw.init(NET, seed=5)))
    digit = (gw.data.load("digits").test.images[0, 0].astype(np.float32) * (255 / 16)).round()
    Image.fromarray(digit.astype(np.uint8)).save(tmp_path / "digit.png")
    return tmp_path


def refused(capsys: pytest.CaptureFixture[str], command: str) -> str:
    assert main(command.split()) == 3
    said = capsys.readouterr()
    assert said.out == ""
    return said.err


def probabilities(folder: Path, scale: float, shift: float) -> np.ndarray:
    with Image.open(folder / "digit.png") as picture:
        x = np.asarray(picture, np.float32)[None, None] * scale + shift
    run = gw.run.compile(gw.programs.eval(NET, batch=1), backend="xla")
    [logits] = run(x=x, **gw.init(NET, seed=5)).values()
    powers = np.exp(logits[0].astype(np.float64))
    return powers / powers.sum()


@pytest.mark.parametrize(
    ("options", "scale", "shift"), [("", 1 / 255, 0), (" --pixels signed", 2 / 255, -1)]
)
def test_predict_with_weights(
    folder: Path, options: str, scale: float, shift: float, capsys: pytest.CaptureFixture[str]
) -> None:
    command = "predict digits-cnn --weights weights.safetensors --image digit.png --json"
    assert main((command + options).split()) == 0
    said = json.loads(capsys.readouterr().out)
    expected = probabilities(folder, scale, shift)
    [found] = said["predictions"]
    assert said["net"] == "digits-cnn"
    assert found["image"] == "digit.png"
    assert (found["label"], found["name"]) == (expected.argmax(), str(expected.argmax()))
    assert found["probability"] == pytest.approx(expected.max(), rel=1e-5)


def test_eval_with_weights(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del folder
    command = "eval digits-cnn --weights weights.safetensors --data digits"
    assert main([*command.split(), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["net"], said["data"], said["step"], said["samples"]) == (
        "digits-cnn", "digits", None, 360,
    )  # fmt: skip
    split = gw.data.load("digits").test
    run = gw.run.compile(gw.programs.eval(NET, batch=360), backend="xla")
    images = split.images.astype(np.float32) / 16
    [logits] = run(x=images, **gw.init(NET, seed=5)).values()
    assert said["test_accuracy"] == (logits.argmax(1) == split.labels).mean()
    assert main(command.split()) == 0
    assert capsys.readouterr().out.startswith("digits-cnn on digits, weights.safetensors: accuracy")


def test_what_does_not_fit_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rgb = gw.zoo.get("cifar-cnn", classes=2)
    (folder / "rgb.safetensors").write_bytes(save(gw.init(rgb, seed=0)))
    told = refused(capsys, "eval cifar-cnn --classes 2 --weights rgb.safetensors --data digits")
    assert told == (
        "gradwright: --data: expected pictures of three channels (RGB), as cifar-cnn reads, found "
        "those of digits, of one channel (gray)\n"
    )
    gray = gw.zoo.get("mnist-cnn", classes=3)
    (folder / "gray.safetensors").write_bytes(save(gw.init(gray, seed=0)))
    told = refused(capsys, "eval mnist-cnn --classes 3 --weights gray.safetensors --data digits")
    assert told == (
        "gradwright: --data: expected 10 classes of mnist-cnn, as digits has, found a result of "
        "shape [3]\n"
    )
    whole = zipped(b"0" * 1000)
    (folder / "cut.pt").write_bytes(whole[:-40])
    told = refused(capsys, "eval digits-cnn --weights cut.pt --data digits")
    assert told.startswith("gradwright: cut.pt: expected a whole PyTorch file, found the beginning")


def zipped(content: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("net/data.pkl", content)
    return stream.getvalue()


def test_what_is_missing_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del folder
    told = refused(capsys, "eval digits-cnn --weights weights.safetensors")
    assert told == "gradwright: --weights: expected --data beside it, found none\n"
    told = refused(capsys, "predict digits-cnn --image digit.png")
    assert told.endswith("found none. Beside the net digits-cnn say --weights FILE\n")
    told = refused(capsys, "predict resnet18 --weights weights.safetensors --image digit.png")
    assert "expected the 102 tensors of resnet18 as torchvision or timm names them" in told


@pytest.mark.parametrize(
    "command",
    ["predict {net} --image digit.png", "explain {net} --image digit.png --out heat.png"],
)
def test_results_that_are_not_finite_are_said(
    folder: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    state = gw.init(NET, seed=5)
    [name] = [name for name in state if name.endswith("running_var")][:1]
    state[name] = np.full_like(state[name], -1)
    (folder / "below.safetensors").write_bytes(save(state))
    for written in ("", " --json"):
        whole = command.format(net="digits-cnn") + " --weights below.safetensors" + written
        assert main(whole.split()) == 1
        said = capsys.readouterr()
        assert said.out == ""
        assert (
            "digits-cnn: expected finite logits, found NaN or infinity. Its parameters" in said.err
        )
    assert not (folder / "heat.png").exists()
