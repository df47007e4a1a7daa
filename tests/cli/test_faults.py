"""How errors are said: values, names, and what the operating system refuses."""

import errno
from pathlib import Path

import pytest

from gradwright.cli import main
from gradwright.cli.faults import of_system

TRAIN = "train digits-mlp --data digits --out {out} "


@pytest.mark.parametrize(
    ("command", "line"),
    [
        (
            "bench digits-mlp --backend xl",
            "--backend: expected one of xla, iree, interpreter, found 'xl'. Perhaps xla",
        ),
        ("cache shw", "action: expected one of show, clear, found 'shw'. Perhaps show"),
        (
            "bench digits-mlp --steps 0",
            "--steps: expected a whole number from 1 to 1,000,000, found '0'",
        ),
        (
            "bench digits-mlp --steps 9999999",
            "--steps: expected a whole number from 1 to 1,000,000, found '9999999'",
        ),
        (
            "bench digits-mlp --batch x",
            "--batch: expected a whole number from 1 to 2,147,483,647, found 'x'",
        ),
        ("mutate a.mlir --seed -1", "--seed: expected a whole number of at least 0, found '-1'"),
        ("certify --seconds nan", "--seconds: expected a number of at least 0, found 'nan'"),
        (
            "show resnet18 --size 999999999",
            "--size: expected H or HxW, as 64 or 64x96, each from 1 to 65,535, found '999999999'",
        ),
        (
            "show resnet18 --classes 0",
            "--classes: expected a whole number from 1 to 2,147,483,647, found '0'",
        ),
        (TRAIN + "--epochs 0", "--epochs: expected a whole number of at least 1, found '0'"),
        (
            TRAIN + "--epochs 99999999999",
            "--epochs: expected at most 99,999,999 steps, 22 in each epoch, found "
            "99,999,999,999 epochs",
        ),
        (TRAIN + "--warmup 99", "--warmup: expected at most 10 (epochs), found 99.0"),
        (TRAIN + "--lr inf", "--lr: expected a number of at least 0 that f32 holds, found inf"),
        (
            TRAIN + "--last-batch pad",
            "--last-batch: expected --last-batch drop, since this loss has no ignore_index, "
            "found --last-batch pad",
        ),
        (
            TRAIN + "--optimizer adam:beta1=2",
            "--optimizer adam: beta1: expected 0 <= value < 1, rounded to f32, found 2.0",
        ),
        (
            TRAIN + "--optimizer adm",
            "--optimizer: expected one of sgd, momentum, nesterov, adam, adamw, found 'adm'. "
            "Perhaps adam or adamw",
        ),
        (
            TRAIN + "--optimizer adam:beta=1",
            "--optimizer adam: expected FIELD=VALUE with FIELD one of beta1, beta2, epsilon, "
            "placement, weight_decay, partition, found 'beta=1'. Perhaps beta1 or beta2",
        ),
        (
            TRAIN + "--loss cross-entrop",
            "--loss: expected one of cross-entropy, mse, bce, found 'cross-entrop'. Perhaps "
            "cross-entropy",
        ),
        (
            "emit digits-mlp --abi stanard",
            "--abi: expected one of standard, fused, packed, found 'stanard'. Perhaps standard",
        ),
        (
            "bench artifact:linear",
            "artifact:linear: expected the name of a net, found that of a program. `emit`, "
            "`certify` and `mutate` take it; `gradwright artifacts` lists nets",
        ),
    ],
)
def test_a_wrong_value_is_said_of_its_option(
    command: str, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command.format(out=tmp_path / "run").split()) == 3
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines()[-1] == f"gradwright: {line}"


@pytest.mark.parametrize(
    ("command", "near"),
    [
        ("show mnist-linea", "mnist-linear"),
        ("emit artifact:cifar8-sdg", "cifar8_sgd"),
        ("emit probe:bottlenek", "bottleneck"),
        ("probes bottlenek", "bottleneck"),
        ("theorems conv-inptu", "conv-input"),
        ("theorems --rules guard-constnt", "guard-constant"),
        ("emit digits-mlp --entry forwar", "forward"),
        ("emit digits-mlp --formulation txtbook", "textbook"),
        ("emit digits-cnn --entry probe:convbn9", "convbn3"),
        ("train digits-mlp --data digit", "digits"),
        ("train digits-mlp --data fodler:x", "folder:"),
        ("tran digits-mlp", "train"),
        ("train digits-mlp --epoch 3", "--epochs"),
    ],
)
def test_a_misspelt_name_is_answered_with_those_like_it(
    command: str, near: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command.split()) == 3
    told = capsys.readouterr().err
    assert near in told.rpartition("found")[2] or near in told.partition("such as")[2]


@pytest.mark.parametrize("number", [errno.ENOENT, errno.EACCES, errno.ENOSPC, errno.EIO])
def test_the_system_is_quoted_in_the_form_of_every_error(number: int) -> None:
    said = of_system(OSError(number, "said by the system", "a/b"))
    assert said.startswith("a/b: expected ")
    assert ", found " in said
    assert ("said by the system" in said) == (number == errno.EIO)
