"""Artifacts, conventions and precisions on the command line."""

import json

import pytest

from gradwright.cli import main


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (
            ["emit", "mnist-mlp", "--entry", "capture", "--precision", "f8e4m3"],
            2,
            "gradwright: capture: expected the standard convention in f32 or f64, found standard, "
            "f8e4m3",
        ),
        (
            ["emit", "mnist-mlp", "--abi", "fused:rate=0,optimizer=sgd"],
            3,
            "gradwright: --abi fused: expected FIELD=VALUE with FIELD one of cotangent, "
            "statistics, function, first, rate, loss, found 'optimizer=sgd'",
        ),
        (
            ["emit", "mnist-mlp", "--abi", "fused:rate=0"],
            3,
            "gradwright: --abi fused: rate: expected a number > 0 that f32 holds, found 0.0",
        ),
        (
            ["emit", "mnist-mlp", "--abi", "packed:first=-1"],
            3,
            "gradwright: --abi packed: first: expected >= 0, found -1",
        ),
        (
            ["emit", "mnist-mlp", "--abi", "packed:function=1st"],
            3,
            "gradwright: --abi packed: function: expected letters, digits and '_', no digit first, "
            "found 1st",
        ),
        (
            ["emit", "artifact:cnn", "--optimizer", "sgd"],
            3,
            "gradwright: artifact cnn: expected no option but --batch and --formulation: the name "
            "says the rest, found --optimizer. Leave it out",
        ),
    ],
)
def test_what_is_refused(
    arguments: list[str], code: int, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == code
    assert capsys.readouterr().err == f"{line}\n"


def test_an_artifact_is_emitted_at_another_batch(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["emit", "artifact:cifar8-sgd", "--batch", "3", "--json"]) == 0
    described = json.loads(capsys.readouterr().out)
    assert (described["name"], described["batch"]) == ("cifar8_sgd_train_step", 3)
    assert (len(described["inputs"]), len(described["outputs"])) == (71, 69)
    assert described["inputs"][0]["shape"] == [3, 3072]


def test_an_artifact_is_emitted_in_other_forms(capsys: pytest.CaptureFixture[str]) -> None:
    texts: set[str] = set()
    for chosen in ([], ["--formulation", "portable"], ["--formulation", "textbook"]):
        assert main(["emit", "artifact:cnn", "--batch", "2", *chosen, "--json"]) == 0
        described = json.loads(capsys.readouterr().out)
        assert (len(described["inputs"]), described["name"]) == (13, "cnn_train_step")
        texts.add(described["text"])
    assert len(texts) == 3


def test_any_net_takes_a_convention_and_a_precision(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--abi", "packed:statistics=example,function=go", "--precision", "bf16"]
    assert main(["emit", "digits-cnn", "--batch", "2", *options, "--json"]) == 0
    described = json.loads(capsys.readouterr().out)
    assert described["name"] == "go"
    assert "func.func public @go(" in described["text"]
    assert "tensor<2x8x8x32xbf16>" in described["text"]
    assert not any("mu" in port["name"] for port in described["inputs"])


def test_a_net_is_certified_under_a_convention(capsys: pytest.CaptureFixture[str]) -> None:
    fused = ["--abi", "fused:rate=0.5", "--optimizer", "sgd"]
    assert main(["certify", "mnist-linear", "--batch", "2", *fused, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    names = [claim["name"] for claim in report["claims"]]
    assert names[:4] == [
        "total as declared",
        "gradient of W1",
        "gradient of b1",
        "update of W1",
    ]
    assert any(line.startswith("gradients are of total") for line in report["scope"])
