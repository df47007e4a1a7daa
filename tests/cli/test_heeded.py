"""Options that nothing would read are refused, also where they are given as the default is."""

import pytest

from gradwright.cli import main


@pytest.mark.parametrize(
    ("command", "where", "found"),
    [
        ("emit artifact:cifar8-sgd --entry train-step", "artifact cifar8-sgd", "--entry"),
        ("emit artifact:cifar8-sgd --optimizer adam", "artifact cifar8-sgd", "--optimizer"),
        ("certify artifact:linear --precision f32", "artifact linear", "--precision"),
        ("mutate artifact:linear --abi standard --size 8", "artifact linear", "--size, --abi"),
        ("emit probe:mse --entry train-step --batch 8", "probe:mse", "--entry, --batch"),
        ("emit digits-mlp --entry forward --optimizer adam", "--entry forward", "--optimizer"),
        ("emit digits-mlp --entry eval --loss mse", "--entry eval", "--loss"),
        ("emit digits-mlp --entry vjp --layer dense1", "--entry vjp", "--layer"),
        ("emit digits-mlp --entry optimizer-step --batch 8", "--entry optimizer-step", "--batch"),
        ("emit digits-mlp --entry probe:dense1 --layer dense2", "--entry probe:dense1", "--layer"),
        ("certify digits-mlp --entry forward --loss cross-entropy", "--entry forward", "--loss"),
        ("certify a.mlir --batch 8 --wrt 0 --grads 1", "certify", "--batch"),
        ("certify a.mlir --entry train-step", "certify", "--entry"),
        ("predict digits-cnn --image p.png --pixels unit", "predict", "--pixels"),
        ("predict a --weights b --net n.py:n --image p.png", "--weights", "--net"),
        ("predict n.py:n --weights b --size 8 --image p.png", "n.py:n", "--size"),
        ("eval digits-cnn --classes 3", "eval", "--classes"),
        ("certify --equal a b --optimizer adam", "certify", "--optimizer"),
        ("certify --equal a b --loss 0", "--equal", "--loss"),
        ("certify --equal a b --wrt 0", "--equal", "--wrt"),
        ("certify a.mlir --equal a b", "--equal", "FILE|NET"),
        ("certify --forward a --backward b --precision f32", "certify", "--precision"),
        ("certify --forward a --backward b --loss 0", "--backward", "--loss"),
        ("certify --forward a --backward b --grads 0", "--backward", "--grads"),
        ("mutate --forward a --backward b --formulation portable", "mutate", "--formulation"),
        ("certify digits-mlp --wrt 0", "certify", "--wrt"),
        ("certify a.mlir --net digits-mlp --equal a b", "certify", "--equal"),
        ("show nets.py:net --classes 3", "nets.py:net", "--classes"),
        ("bench nets.py:net --size 8", "nets.py:net", "--size"),
        ("tune nets.py:net --classes 3", "nets.py:net", "--classes"),
        ("train nets.py:net --data digits --size 8", "nets.py:net", "--size"),
        ("explain n --image p --out o --checkpoint c --seed 0", "--checkpoint", "--seed"),
        ("explain n --image p --out o --checkpoint c --pixels unit", "--checkpoint", "--pixels"),
        ("explain n --image p --out o --weights w --seed 0", "--weights", "--seed"),
        ("theorems --rules --all", "--rules", "--all"),
        ("theorems --json --markdown", "--json", "--markdown"),
        ("probes mse bce --file a.mlir", "--file", "--file"),
    ],
)
def test_an_option_that_nothing_reads_is_refused(
    command: str, where: str, found: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command.split()) == 3
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"gradwright: {where}: expected ")
    remedy = "Leave them out" if "," in found else "Leave it out"
    assert said.err.endswith(f", found {found}. {remedy}\n")


def test_the_same_defaults_unsaid_are_no_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["emit", "artifact:linear", "--batch", "128"]) == 0
    assert main(["emit", "probe:mse", "--precision", "f32"]) == 0
    assert main(["emit", "mnist-linear", "--entry", "optimizer-step", "--optimizer", "adam"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("option", ["--loss", "--optimizer", "--abi", "--size"])
def test_an_empty_value_is_none(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["emit", "mnist-linear", option, ""]) == 3
    told = capsys.readouterr().err
    assert told == f"gradwright: {option}: expected a value, found an empty one\n"


def test_a_field_is_set_once(capsys: pytest.CaptureFixture[str]) -> None:
    smoothed = ["--loss", "cross-entropy:label_smoothing=0.1", "--label-smoothing", "0.2"]
    assert main(["train", "digits-mlp", "--data", "digits", *smoothed]) == 3
    told = capsys.readouterr().err
    assert "--loss cross-entropy: expected one value of label_smoothing, found" in told
