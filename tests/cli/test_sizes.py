"""`--size` and `--classes`, wherever a net of the zoo is named."""

import json
from pathlib import Path

import pytest

from gradwright.cli import main
from gradwright.cli.runs import open_run
from gradwright.train import Checkpoint, Progress, new_run
from gradwright.zoo import get

LINEAR = ("mnist-linear", "--classes", "3", "--size", "28")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    said = capsys.readouterr()
    return code, said.out, said.err


def record(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    code, out, err = run(capsys, *arguments, "--json")
    assert code == 0, err
    return json.loads(out)


def test_a_published_net_is_shown_at_any_size(capsys: pytest.CaptureFixture[str]) -> None:
    shown = record(capsys, "show", "resnet18", "--size", "64x96", "--classes", "7")
    assert (shown["input"], shown["output"]) == ([3, 64, 96], [7])
    assert shown["fingerprint"] == get("resnet18", classes=7, size=(64, 96)).fingerprint
    assert record(capsys, "show", "resnet18")["output"] == [1000]
    assert record(capsys, "show", "resnet18", "--size", "32")["input"] == [3, 32, 32]


def test_texts_are_written_and_proved_at_the_size(capsys: pytest.CaptureFixture[str]) -> None:
    entry = ("--entry", "forward", "--batch", "2")
    emitted = record(capsys, "emit", *LINEAR, *entry)
    assert "tensor<2x3xf32>" in str(emitted["text"])
    assert record(capsys, "certify", *LINEAR, *entry)["verdict"] == "proved"


@pytest.mark.xla
def test_bench_takes_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert record(capsys, "bench", *LINEAR, "--steps", "1", "--batch", "2")["net"] == "mnist-linear"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ["show", "densenet121", "--size", "8"],
            "densenet121 of 8x8, transition2.pool: expected at least one window of (2, 2) in",
        ),
        (
            ["show", "bestiary-alexnet", "--size", "1"],
            "bestiary-alexnet of 1x1, conv-bn.conv: expected at least one window of (11, 11) in",
        ),
        (
            ["show", "bestiary-unet", "--size", "1"],
            "bestiary-unet of 1x1, tap.paths: expected paths that end in pictures of one height",
        ),
        (
            ["emit", "googlenet", "--size", "1", "--batch", "1"],
            "googlenet: conv1.bn: expected more than one value per channel for an unbiased",
        ),
        (["show", "resnet18", "--size", "0"], "--size: expected H or HxW, as 64 or"),
        (["show", "resnet18", "--size", "64x"], "--size: expected H or HxW, as 64 or 64x96, each"),
        (["emit", "resnet18", "--classes", "0"], "--classes: expected a whole number from 1"),
        (
            ["bench", "mnist-cnn", "--size", "32"],
            "zoo: mnist-cnn: expected no size, or that of its pictures, 28x28, found (32, 32)",
        ),
        (
            ["train", "mnist-cnn", "--data", "digits", "--size", "8"],
            "zoo: mnist-cnn: expected no size",
        ),
        (
            ["show", "nets.py:net", "--classes", "3"],
            "nets.py:net: expected no options beside a net whose file declares its input",
        ),
        (
            ["certify", "--forward", "a", "--backward", "b", "--size", "3"],
            "certify: expected a net that they are options of, found --size",
        ),
    ],
)
def test_impossible_ones_are_refused(
    arguments: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (3, "")
    assert err.startswith(f"gradwright: {line}")
    assert err.count("\n") == 1


def test_a_run_remembers_the_size_of_a_published_net(tmp_path: Path) -> None:
    net = get("shufflenetv2-0.5", classes=3, size=(32, 40))
    identity = {"net": net.name, "net.sha256": net.fingerprint}
    with new_run(tmp_path / "run") as folder:
        folder.write_manifest(
            {
                "run_id": "id",
                "identity": identity,
                "program": {},
                "net": {"input": list(net.input.shape)},
                "data": {"classes": ["a", "b", "c"], "mean": [0.3], "std": [0.4]},
            }
        )
        folder.save(Checkpoint("id", identity, Progress(step=1), {}), keep=1)
    assert open_run(tmp_path / "run").net == net


@pytest.mark.parametrize("form", ["portable", "fast"])
def test_emission_of_the_largest_batch_takes_no_longer(
    form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A prime, of which a search among all numbers below would take minutes."""
    largest = ["mnist-cnn", "--entry", "vjp", "--batch", str(2**31 - 1), "--formulation", form]
    assert main(["emit", *largest]) == 0
    assert "tensor<2147483647x1x28x28xf32>" in capsys.readouterr().out
