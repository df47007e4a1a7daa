"""The loop without a compiler: when it reads, writes and stops."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gradwright.data import Batch, LastBatch, Split, evaluation_batches
from gradwright.errors import DivergedError, ShapeError
from gradwright.train import (
    EpochFacts,
    Evaluation,
    Feed,
    Loop,
    MetricsLog,
    Progress,
    Records,
    Row,
    State,
    TrainOptions,
    Watcher,
    evaluate,
    new_run,
    read_rows,
)
from gradwright.train.training import make_feed
from train.tiny import BATCH, CLASSES, initial_state, tiny_data, tiny_parts


class Outputs(Mapping[str, NDArray[Any]]):
    """Results that count how often they were read."""

    def __init__(self, device: "Device", loss: float) -> None:
        self._device = device
        self._values = {"loss": np.float32(loss), "correct": np.float32(2)}

    def __getitem__(self, name: str) -> NDArray[Any]:
        self._device.events.append(f"read {name}")
        return np.asarray(self._values[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


@dataclass
class Device:
    """Pretends to train: the loss of step t is `losses(t)`, the weights become t."""

    losses: Mapping[int, float] = field(default_factory=dict[int, float])
    broken_after: int = 10**9
    events: list[str] = field(default_factory=list[str])
    steps: list[int] = field(default_factory=list[int])

    def step(self, **inputs: NDArray[Any]) -> Outputs:
        step = int(inputs["t"])
        self.steps.append(step)
        self.events.append(f"step {step}")
        return Outputs(self, self.losses.get(step, 1 / step))

    def state(self) -> State:
        state = initial_state(0)
        step = self.steps[-1] if self.steps else 0
        state["top.weight"][:] = np.nan if step >= self.broken_after else step
        return state


def constant(state: State) -> Evaluation:
    return Evaluation(23, 0.5, 1.5)


OPTIONS = TrainOptions(epochs=2, batch=BATCH, log_every=2, checkpoint_every=3, keep=9)


def feed(options: TrainOptions = OPTIONS) -> Feed:
    return make_feed(tiny_parts(), tiny_data(), options)


class Rows(Watcher):
    """Keeps rows and saved names."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.saved_names: list[str] = []
        self.epochs: list[EpochFacts] = []

    def epoch_ended(self, facts: EpochFacts) -> None:
        self.epochs.append(facts)

    def logged(self, row: Row, ms_per_step: float | None) -> None:
        self.rows.append(row)

    def saved(self, path: Path) -> None:
        self.saved_names.append(path.name)


def test_losses_are_read_only_when_a_row_or_checkpoint_is_due() -> None:
    device = Device()
    Loop(
        feed(TrainOptions(epochs=1, batch=BATCH, log_every=2)), device, constant, watcher=Rows()
    ).run()
    pair = ["read loss", "read correct"]
    assert device.events == [
        *["step 1", "step 2", *pair, *pair],
        *["step 3", "step 4", *pair, *pair],
        *["step 5", *pair],
    ]


def test_rows_are_means_since_the_row_before_and_end_each_epoch() -> None:
    watcher = Rows()
    Loop(feed(), Device(), constant, watcher=watcher).run()
    loss = [1 / step for step in np.arange(1, 11, dtype=np.float32)]
    expected = [
        (2, 0.4, (loss[0] + loss[1]) / 2, None),
        (4, 0.8, (loss[2] + loss[3]) / 2, None),
        (5, 1.0, loss[4], 0.5),
        (6, 1.2, loss[5], None),
        (8, 1.6, (loss[6] + loss[7]) / 2, None),
        (10, 2.0, (loss[8] + loss[9]) / 2, 0.5),
    ]
    found = [(row.step, row.epoch, row.loss, row.test_accuracy) for row in watcher.rows]
    assert found == [pytest.approx(row) for row in expected]
    assert {row.accuracy for row in watcher.rows} == {2 / BATCH}
    schedule = feed().schedule
    assert [row.lr for row in watcher.rows] == [schedule.lr(row.step) for row in watcher.rows]


def test_a_padded_batch_weighs_as_many_samples_as_it_has() -> None:
    options = TrainOptions(epochs=1, batch=BATCH, log_every=100, last=LastBatch.PAD)
    watcher = Rows()
    Loop(feed(options), Device({6: 7.0}), constant, watcher=watcher).run()
    losses = [float(np.float32(1 / step)) for step in range(1, 6)]
    assert watcher.rows[-1].loss == pytest.approx((8 * sum(losses) + 5 * 7.0) / 45)
    assert watcher.rows[-1].accuracy == 12 / 45


def test_the_end_of_an_epoch_tells_its_means_and_the_test() -> None:
    watcher = Rows()
    Loop(feed(), Device(), constant, watcher=watcher).run()
    losses = [float(np.float32(1 / step)) for step in range(1, 11)]
    assert [facts.epoch for facts in watcher.epochs] == [1, 2]
    assert [facts.loss for facts in watcher.epochs] == pytest.approx(
        [sum(losses[:5]) / 5, sum(losses[5:]) / 5]
    )
    assert {facts.accuracy for facts in watcher.epochs} == {2 / BATCH}
    assert {(facts.test_loss, facts.test_accuracy) for facts in watcher.epochs} == {(1.5, 0.5)}


def test_a_loop_started_in_the_middle_runs_the_rest() -> None:
    device = Device()
    loop = Loop(
        feed(), device, constant, watcher=Rows(), progress=Progress(step=7, epoch=1, position=2)
    )
    loop.run()
    assert device.steps == [8, 9, 10]
    assert (loop.progress.step, loop.progress.epoch, loop.progress.position) == (10, 2, 0)


def test_a_finished_run_has_nothing_left_to_do() -> None:
    device = Device()
    loop = Loop(feed(), device, constant, watcher=Rows(), progress=Progress(step=10, epoch=2))
    loop.run()
    assert (device.steps, loop.ms_per_step) == ([], None)


def with_records(path: Path, device: Device, watcher: Watcher) -> None:
    with new_run(path) as folder:
        records = Records(folder, MetricsLog(folder.metrics), "id", {"net": "tiny"})
        Loop(feed(), device, constant, watcher=watcher, records=records).run()


def test_checkpoints_come_at_their_cadence_and_end_each_epoch(tmp_path: Path) -> None:
    watcher = Rows()
    with_records(tmp_path, Device(), watcher)
    assert watcher.saved_names == [f"step-{step:08}.safetensors" for step in (3, 5, 6, 9, 10)]
    assert read_rows(tmp_path / "metrics.csv") == tuple(watcher.rows)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize(("step", "kept"), [(1, None), (3, None), (4, 3), (5, 3), (8, 6)])
def test_a_loss_that_is_not_finite_stops_the_run_and_keeps_what_was_good(
    tmp_path: Path, bad: float, step: int, kept: int | None
) -> None:
    watcher = Rows()
    with pytest.raises(DivergedError) as caught:
        with_records(tmp_path, Device({step: bad}), watcher)
    last = f"The checkpoint of step {kept} is kept. " if kept else ""
    assert str(caught.value) == (
        f"step {step} (epoch {1 if step <= 5 else 2}): expected a finite loss, found {bad}. "
        f"{last}Lower the learning rate or lengthen the warm-up."
    )
    assert caught.value.exit_code == 1
    names = sorted(entry.name for entry in (tmp_path / "checkpoints").iterdir())
    assert (names[-1] if names else None) == (f"step-{kept:08}.safetensors" if kept else None)
    assert all(row.step < step for row in read_rows(tmp_path / "metrics.csv"))


def test_parameters_that_are_not_finite_are_not_saved(tmp_path: Path) -> None:
    with pytest.raises(DivergedError) as caught:
        with_records(tmp_path, Device(broken_after=6), Rows())
    assert str(caught.value) == (
        "step 6 (epoch 2): expected finite numbers in top.weight, found others. "
        "The checkpoint of step 5 is kept. Lower the learning rate or lengthen the warm-up."
    )


def numbered(samples: int) -> tuple[NDArray[np.float32], Split]:
    data = tiny_data(test=samples).test
    logits = np.random.default_rng(1).normal(0, 3, (samples, CLASSES)).astype(np.float32)
    return logits, data


def scored(logits: NDArray[np.float32], data: Split, batch: int) -> Evaluation:
    """Evaluate by looking each sample's logits up, 99 in the rows of padding."""

    def forward(drawn: Batch) -> NDArray[Any]:
        start = drawn.index * batch
        rows = np.full((batch, CLASSES), 99.0, np.float32)
        rows[: drawn.count] = logits[start : start + drawn.count]
        return rows

    return evaluate(forward, evaluation_batches(data, batch), classes=CLASSES)


@pytest.mark.parametrize("batch", [1, 2, 5, 22, 23, 24, 100])
def test_evaluation_counts_every_sample_once_whatever_the_batch(batch: int) -> None:
    """L8: a dropped remainder left 341 of 3925 images out, all of one class.

    Reference: lean4-mlir b7878423, 0f0332bf.
    """
    logits, data = numbered(23)
    result = scored(logits, data, batch)
    wide = logits.astype(np.float64)
    probability = np.exp(wide) / np.exp(wide).sum(axis=1, keepdims=True)
    chosen = probability[np.arange(23), data.labels]
    assert result.samples == 23
    assert result.accuracy == (wide.argmax(axis=1) == data.labels).sum() / 23
    assert result.loss == pytest.approx(-np.log(chosen).mean(), rel=1e-12)


def test_losses_of_huge_logits_are_finite() -> None:
    logits, data = numbered(4)
    logits[:] = [1e30, -1e30, 0, 1]
    result = scored(logits, data, 4)
    assert np.isfinite(result.loss)


@pytest.mark.parametrize("shape", [(5, 3), (5, 1000), (20,)])
def test_logits_need_one_column_per_class(shape: tuple[int, ...]) -> None:
    """L6: an argmax over the first 10 of 1000 logits. Reference: lean4-mlir 0a168f0b."""
    _, data = numbered(23)
    with pytest.raises(ShapeError) as caught:
        evaluate(lambda batch: np.zeros(shape), evaluation_batches(data, 5), classes=CLASSES)
    assert str(caught.value) == (
        f"evaluation: expected logits [B, 4], one column per class, found shape {list(shape)}"
    )
