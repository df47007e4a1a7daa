"""Runs that are stopped and resumed: the same bits, and refused where they are another's."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gradwright.errors import CheckpointError, SpecError
from gradwright.run import compile
from gradwright.train import (
    Decay,
    Evaluator,
    TrainOptions,
    TrainResult,
    Watcher,
    read_checkpoint,
    train_parts,
    write_checkpoint,
)
from train.runs import OPTIONS, STEPS, StopAt, StoppedError, assert_same_run, bits, run, stop
from train.tiny import CLASSES, EVAL_BATCH, tiny_data, tiny_parts

pytestmark = pytest.mark.xla


@pytest.mark.parametrize("step", range(1, STEPS + 1))
def test_a_run_stopped_at_any_step_and_resumed_ends_with_the_same_bits(
    tmp_path: Path, whole: tuple[Path, TrainResult], step: int
) -> None:
    out = tmp_path / "run"
    stop(out, step)
    result = run(out, resume=True)
    assert bits(result.state) == bits(whole[1].state)
    assert_same_run(out, whole[0])


def test_a_run_stopped_again_and_again_ends_with_the_same_bits(
    tmp_path: Path, whole: tuple[Path, TrainResult]
) -> None:
    out = tmp_path / "run"
    for count, step in enumerate([2, 5, 5, 9, 12, 17]):
        stop(out, step, resume=count > 0)
    run(out, resume=True)
    assert_same_run(out, whole[0])


@pytest.mark.parametrize("name", ["top.weight", "top.weight.m", "top.mean"])
def test_a_state_that_was_not_restored_whole_shows_in_the_bits(
    tmp_path: Path, whole: tuple[Path, TrainResult], name: str
) -> None:
    """Negative control of the comparisons above: one array of the checkpoint is lost."""
    out = tmp_path / "run"
    stop(out, 11)
    path = sorted((out / "checkpoints").iterdir())[-1]
    saved = read_checkpoint(path)
    lost = {name: np.zeros_like(saved.state[name])}
    write_checkpoint(path, replace(saved, state=saved.state | lost))
    assert bits(run(out, resume=True).state) != bits(whole[1].state)


def test_a_place_in_the_epoch_that_was_not_restored_shows_in_the_bits(
    tmp_path: Path, whole: tuple[Path, TrainResult]
) -> None:
    out = tmp_path / "run"
    stop(out, 11)
    path = sorted((out / "checkpoints").iterdir())[-1]
    saved = read_checkpoint(path)
    shifted = replace(saved.progress, position=saved.progress.position - 1)
    write_checkpoint(path, replace(saved, progress=shifted))
    assert bits(run(out, resume=True).state) != bits(whole[1].state)


def test_resuming_a_finished_run_changes_nothing(
    tmp_path: Path, whole: tuple[Path, TrainResult]
) -> None:
    out = tmp_path / "run"
    first = run(out)
    again = run(out, resume=True)
    assert bits(again.state) == bits(first.state)
    assert again.summary.ms_per_step is None
    assert again.summary.test_accuracy == first.summary.test_accuracy
    assert again.summary.train_loss == first.summary.train_loss
    assert_same_run(out, whole[0])


def test_a_damaged_newest_checkpoint_costs_steps_but_no_bits(
    tmp_path: Path, whole: tuple[Path, TrainResult]
) -> None:
    out = tmp_path / "run"
    options = replace(OPTIONS, keep=3)
    with pytest.raises(StoppedError):
        train_parts(tiny_parts(), tiny_data(), options, out=out, watchers=[StopAt(11)])
    newest = out / "checkpoints" / "step-00000010.safetensors"
    newest.write_bytes(newest.read_bytes()[:-1])
    heard = Heard()
    train_parts(tiny_parts(), tiny_data(), OPTIONS, out=out, resume=True, watchers=[heard])
    assert heard.notes == [
        f"Passed over: {newest}: expected a complete checkpoint of Gradwright, "
        f"found {newest.with_name(newest.name + '.damaged').stat().st_size:,} bytes that are none "
        "(its checksum differs). Use an older checkpoint of the run."
    ]
    newest.with_name(f"{newest.name}.damaged").unlink()
    assert_same_run(out, whole[0])


class Heard(Watcher):
    """Keeps notes."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def noted(self, message: str) -> None:
        self.notes.append(message)


def test_the_evaluation_after_a_restart_is_that_before_it(
    whole: tuple[Path, TrainResult],
) -> None:
    """L2: running statistics left out of the checkpoint, so the first evaluation under-reads.

    Reference: lean4-mlir 0a168f0b. Negative control: without them the loss is another.
    """
    out, result = whole
    last = sorted((out / "checkpoints").iterdir())[-1]
    state = read_checkpoint(last).state
    executable = compile(tiny_parts().evaluator)
    evaluator = Evaluator(executable, tiny_data().test, EVAL_BATCH, CLASSES)
    again = evaluator(state)
    assert (again.loss, again.accuracy) == (
        result.rows[-1].test_loss,
        result.rows[-1].test_accuracy,
    )
    state["top.mean"] = np.zeros_like(state["top.mean"])
    assert evaluator(state).loss != again.loss


@pytest.mark.parametrize(
    ("optimizer", "options", "expected", "found"),
    [
        ("adam", OPTIONS, "optimizer 'adam'", "optimizer 'momentum'"),
        ("momentum", replace(OPTIONS, seed=1), "options.seed 1", "options.seed 0"),
        (
            "adam",
            replace(OPTIONS, lr=0.1, decay=Decay.CONSTANT, seed=5),
            "optimizer 'adam', options.lr 0.1, options.decay constant",
            "optimizer 'momentum', options.lr 0.2, options.decay cosine and 1 more",
        ),
    ],
)
def test_another_run_is_refused_with_the_first_names_that_differ(
    whole: tuple[Path, TrainResult],
    optimizer: str,
    options: TrainOptions,
    expected: str,
    found: str,
) -> None:
    out, _ = whole
    before = (out / "metrics.csv").read_bytes()
    with pytest.raises(CheckpointError) as caught:
        train_parts(tiny_parts(optimizer=optimizer), tiny_data(), options, out=out, resume=True)
    assert str(caught.value) == (
        f"{out}: expected {expected}, found {found}. "
        "Resume with the options that the run was started with, or use another folder."
    )
    assert (out / "metrics.csv").read_bytes() == before


def test_another_net_and_other_data_are_refused_by_their_digests(
    whole: tuple[Path, TrainResult],
) -> None:
    out, _ = whole
    with pytest.raises(CheckpointError, match=r"expected net other, net\.sha256 [0-9a-f]{12}…,"):
        train_parts(tiny_parts(name="other"), tiny_data(), OPTIONS, out=out, resume=True)
    with pytest.raises(CheckpointError, match=r"expected data\.sha256 [0-9a-f]{12}…, found"):
        train_parts(tiny_parts(), tiny_data(seed=1), OPTIONS, out=out, resume=True)


def test_a_checkpoint_of_another_run_in_the_folder_is_refused(
    tmp_path: Path, whole: tuple[Path, TrainResult]
) -> None:
    out = tmp_path / "run"
    stop(out, 5)
    foreign = sorted((whole[0] / "checkpoints").iterdir())[-1]
    (out / "checkpoints" / foreign.name).write_bytes(foreign.read_bytes())
    with pytest.raises(CheckpointError, match=r"expected run_id \w+, found run_id \w+\. Resume"):
        run(out, resume=True)
    assert (out / "checkpoints" / foreign.name).exists()


def test_options_that_change_no_number_may_change_on_resume(tmp_path: Path) -> None:
    out = tmp_path / "run"
    stop(out, 9)
    run(out, replace(OPTIONS, keep=4, checkpoint_every=5), resume=True)


def test_resuming_needs_a_folder() -> None:
    with pytest.raises(SpecError) as caught:
        run(None, resume=True)
    assert str(caught.value) == "train: expected a folder to resume from, found none"
