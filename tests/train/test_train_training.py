"""Whole runs, compiled: what they record, and on which backends."""

import json
import os
import socket
import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

import gradwright as gw
from gradwright.data import Augmentation
from gradwright.errors import DivergedError, SpecError
from gradwright.run import Backend
from gradwright.train import (
    TrainOptions,
    TrainResult,
    Watcher,
    read_checkpoint,
    read_rows,
    train,
)
from train.runs import OPTIONS, STEPS, StopAt, StoppedError, assert_same_run, bits, run
from train.tiny import tiny_parts

pytestmark = pytest.mark.xla


def test_a_run_ends_with_its_summary(whole: tuple[Path, TrainResult]) -> None:
    out, result = whole
    summary = result.summary.as_json()
    assert list(summary) == [
        *["net", "data", "backend", "epochs", "test_accuracy", "train_loss"],
        *["ms_per_step", "compile_seconds", "certified", "out"],
    ]
    assert json.loads(json.dumps(summary)) == summary
    assert (summary["net"], summary["data"], summary["backend"]) == ("tiny", "bars", "xla")
    assert (summary["epochs"], summary["certified"], summary["out"]) == (3, None, str(out))
    assert result.rows == read_rows(out / "metrics.csv")


def test_a_run_learns() -> None:
    result = run(None, replace(OPTIONS, augmentation=Augmentation(), epochs=6))
    assert result.summary.test_accuracy > 0.9
    assert result.rows[-1].loss < result.rows[0].loss / 2


def test_the_folder_holds_what_the_page_says(whole: tuple[Path, TrainResult]) -> None:
    out, _ = whole
    assert sorted(entry.name for entry in out.iterdir()) == [
        "checkpoints",
        "manifest.json",
        "metrics.csv",
    ]
    manifest = json.loads((out / "manifest.json").read_text())
    assert list(manifest) == [
        *["format", "run_id", "identity", "net", "program", "formulation", "data"],
        *["options", "schedule"],
        *["versions", "host"],
    ]
    assert manifest["program"]["flags"][0] == "xla_cpu_enable_fast_math=false"
    assert manifest["schedule"] == {"steps_per_epoch": 6, "total_steps": STEPS, "warmup_steps": 6}


def test_the_manifest_names_no_place_on_this_machine(whole: tuple[Path, TrainResult]) -> None:
    out, _ = whole
    text = (out / "manifest.json").read_text()
    for secret in (str(out), sys.prefix, os.path.expanduser("~/"), socket.gethostname()):
        assert secret not in text


def test_nothing_is_written_to_standard_output(capfd: pytest.CaptureFixture[str]) -> None:
    run(None)
    assert capfd.readouterr() == ("", "")


def test_a_run_without_a_folder_gives_the_same_bits(whole: tuple[Path, TrainResult]) -> None:
    result = run(None)
    assert bits(result.state) == bits(whole[1].state)
    assert result.rows == whole[1].rows
    assert result.summary.out is None


def test_a_diverging_run_stops_and_resumes_from_nothing_bad(tmp_path: Path) -> None:
    options = replace(OPTIONS, lr=1e38, warmup_epochs=0, checkpoint_every=1)
    with pytest.raises(DivergedError, match=r"^step \d+ \(epoch 1\): expected .* found "):
        run(tmp_path / "run", options)
    for saved in (tmp_path / "run" / "checkpoints").iterdir():
        state = read_checkpoint(saved).state
        assert all(np.isfinite(array).all() for array in state.values())


def test_more_steps_than_checkpoints_can_be_numbered_by_are_refused() -> None:
    with pytest.raises(SpecError) as caught:
        run(None, replace(OPTIONS, epochs=10**9))
    assert str(caught.value).startswith("TrainOptions.epochs: expected at most 99,999,999 steps, ")
    assert str(caught.value).endswith("in each epoch, found 1,000,000,000 epochs")


def test_a_learning_rate_of_zero_leaves_the_parameters_alone() -> None:
    parts = tiny_parts()
    result = run(None, replace(OPTIONS, lr=0.0))
    assert bits(result.state)["top.weight"] == bits(parts.initial(0))["top.weight"]


@pytest.mark.parametrize(
    "backend",
    [
        pytest.param(Backend.INTERPRETER, marks=pytest.mark.interpreter),
        pytest.param(Backend.IREE, marks=pytest.mark.iree),
    ],
)
def test_another_backend_learns_the_same(backend: Backend) -> None:
    options = replace(OPTIONS, epochs=1, warmup_epochs=0)
    reference = run(None, options)
    other = run(None, replace(options, backend=backend))
    assert [row.accuracy for row in other.rows] == [row.accuracy for row in reference.rows]
    for one, two in zip(other.rows, reference.rows, strict=True):
        assert one.loss == pytest.approx(two.loss, rel=16 * float(np.finfo(np.float32).eps))


def declared() -> gw.NetSpec:
    """Declare a net with batch norm and dropout."""
    layers = gw.layers
    return gw.NetSpec(
        "small",
        gw.Image(1, 8, 8),
        [
            layers.Conv2d(4, 3),
            layers.BatchNorm(),
            layers.Activation(layers.Function.RELU),
            layers.Flatten(),
            layers.Dropout(0.25),
            layers.Dense(10),
        ],
    )


def test_a_declared_net_with_batch_norm_and_dropout_resumes_bit_for_bit(tmp_path: Path) -> None:
    digits = gw.data.load("digits")
    options = TrainOptions(epochs=2, batch=128, lr=1e-2, log_every=3, checkpoint_every=2)

    def start(out: Path, *, resume: bool, watchers: list[Watcher]) -> TrainResult:
        return train(
            declared(),
            digits,
            loss=gw.losses.SoftmaxCrossEntropy(label_smoothing=0.1),
            optimizer=gw.optim.AdamW(),
            options=options,
            out=out,
            resume=resume,
            watchers=watchers,
        )

    whole, parted = tmp_path / "whole", tmp_path / "parted"
    result = start(whole, resume=False, watchers=[])
    with pytest.raises(StoppedError):
        start(parted, resume=False, watchers=[StopAt(15)])
    resumed = start(parted, resume=True, watchers=[])
    assert bits(resumed.state) == bits(result.state)
    assert_same_run(whole, parted)
    assert result.summary.test_accuracy > 0.8
    assert asdict(result.summary)["data"] == "digits"


def test_a_loss_without_right_predictions_trains_on_one_hot_labels() -> None:
    result = train(
        gw.NetSpec("linear", gw.Flat(64), [gw.layers.Dense(10)]),
        gw.data.load("digits"),
        loss=gw.losses.MeanSquaredError(),
        optimizer=gw.optim.AdamW(),
        options=TrainOptions(epochs=10, batch=64, lr=2e-2),
    )
    assert {row.accuracy for row in result.rows} == {None}
    assert result.summary.test_accuracy > 0.85
