"""`gradwright explain`: from a checkpoint, from weights, from a seed, and what it refuses."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from safetensors.numpy import save

import gradwright as gw
from gradwright.cli import main

pytestmark = pytest.mark.xla


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trained digits-cnn, a digit, a picture in colours, weights of a net, and a text file."""
    place = tmp_path_factory.mktemp("explain")
    options = ["--data", "digits", "--epochs", "1", "--no-certify", "--out", str(place / "run")]
    assert main(["train", "digits-cnn", *options]) == 0
    split = gw.data.load("digits").test
    digit = (split.images[0, 0].astype(np.float32) * (255 / 16)).astype(np.uint8)
    Image.fromarray(digit).save(place / "digit.png")
    colours = np.random.default_rng(0).integers(0, 256, (40, 30, 3), np.uint8)
    Image.fromarray(colours).save(place / "colours.png")
    weights = save(gw.init(gw.zoo.get("digits-cnn"), seed=5))
    (place / "weights.safetensors").write_bytes(weights)
    (place / "text.png").write_text("no picture")
    Image.new("I;16", (8, 8)).save(place / "deep.png")
    Image.new("RGBA", (8, 8)).save(place / "clear.png")
    return place


def explain(folder: Path, *arguments: str, picture: str = "digit.png") -> list[str]:
    out = ["--image", str(folder / picture), "--out", str(folder / "cam.png")]
    return ["explain", *arguments, *out]


def test_a_checkpoint(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = explain(folder, "digits-cnn", "--checkpoint", str(folder / "run"), "--class", "3")
    assert main([*arguments, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert list(said) == [
        "net", "layer", "class", "name", "probability", "likeliest", "map", "peak", "out",
    ]  # fmt: skip
    assert (said["net"], said["layer"], said["class"]) == ("digits-cnn", "convbn3", 3)
    assert said["map"] == [4, 4]
    with Image.open(said["out"]) as picture:
        assert picture.size == (224, 224)
    assert main(["predict", str(folder / "run"), "--image", str(folder / "digit.png")]) == 0
    assert f" {said['likeliest']} " in capsys.readouterr().out


def test_a_checkpoint_of_another_net(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(explain(folder, "digits-mlp", "--checkpoint", str(folder / "run"))) == 3
    assert capsys.readouterr().err.endswith("run: expected a digits-mlp, found digits-cnn\n")


def test_weights(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    weights = ["--weights", str(folder / "weights.safetensors")]
    assert main(explain(folder, "digits-cnn", *weights, "--layer", "convbn2")) == 0
    weighed = (folder / "cam.png").read_bytes()
    assert "by convbn2, 8x8 places" in capsys.readouterr().out
    assert main(explain(folder, "digits-cnn", "--seed", "5", "--layer", "convbn2")) == 0
    assert (folder / "cam.png").read_bytes() == weighed
    assert "random weights" in capsys.readouterr().err


def test_a_published_net(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = explain(folder, "squeezenet1.1", "--seed", "0", picture="colours.png")
    assert main([*arguments, "--classes", "7", "--pixels", "signed", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["map"] == [13, 13]
    assert 0 <= said["class"] < 7


@pytest.mark.parametrize(
    ("arguments", "picture", "line"),
    [
        ((), "digit.png", "explain: expected one of --checkpoint, --weights and --seed, found no"),
        (("--seed", "0"), "text.png", "text.png: expected a whole PNG picture, found"),
        (("--seed", "0"), "none.png", "none.png: expected a file that can be read, found none"),
        (("--seed", "0"), "deep.png", "deep.png: expected an opaque 8-bit gray or RGB picture"),
        (("--seed", "0"), "clear.png", "clear.png: expected an opaque 8-bit gray or RGB picture"),
        (("--seed", "0", "--class", "10"), "digit.png", "digits-cnn: class: expected 0 to 9, foun"),
        (("--seed", "0", "--layer", "cnn"), "digit.png", "digits-cnn: layer: expected the path of"),
        (("--seed", "0", "--pixels", "imagenet"), "digit.png", "--pixels imagenet: expected a net"),
        (("--weights", "none"), "digit.png", "none: expected a file that can be read, found none"),
        (("--seed", "0", "--weights", "none"), "digit.png", "--weights: expected no --seed beside"),
        (("--checkpoint", "none", "--seed", "0"), "digit.png", "--checkpoint: expected no --weigh"),
        (("--checkpoint", "none", "--size", "9"), "digit.png", "--checkpoint: expected no --weigh"),
        (("--checkpoint", "none"), "digit.png", "none"),
    ],
)
def test_a_wrong_request(
    folder: Path,
    arguments: tuple[str, ...],
    picture: str,
    line: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (folder / "cam.png").unlink(missing_ok=True)
    assert main(explain(folder, "digits-cnn", *arguments, picture=picture)) in (2, 3)
    said = capsys.readouterr()
    assert said.out == ""
    assert line in said.err.splitlines()[-1]
    assert not (folder / "cam.png").exists()


def test_a_layer_is_for_entries_with_a_map(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["emit", "digits-cnn", "--entry", "saliency", "--layer", "convbn1"]) == 0
    assert "tensor<8x32x8x8xf32>, tensor<8x10xf32>, tensor<8x32x8x8xf32>" in capsys.readouterr().out
    assert main(["emit", "digits-cnn", "--layer", "convbn1"]) == 3
    said = capsys.readouterr().err
    assert said.startswith(
        "gradwright: --entry train-step: expected only what it reads, --abi, --ba"
    )
    assert said.endswith("found --layer. Leave it out\n")
