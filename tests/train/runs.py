"""Runs of the tiny net that tests of training share, and how two of them are compared."""

from pathlib import Path

import pytest

from gradwright.data import Augmentation, Flip, LastBatch
from gradwright.train import (
    State,
    TrainOptions,
    TrainResult,
    Watcher,
    read_checkpoint,
    train_parts,
)
from train.tiny import BATCH, EVAL_BATCH, tiny_data, tiny_parts

OPTIONS = TrainOptions(
    epochs=3,
    batch=BATCH,
    eval_batch=EVAL_BATCH,
    lr=0.2,
    warmup_epochs=1,
    last=LastBatch.PAD,
    augmentation=Augmentation(flip=Flip.HALF, padding=1),
    log_every=4,
    checkpoint_every=2,
    keep=1,
)
STEPS = 18


class StoppedError(Exception):
    """Stands for whatever ends a process in the middle of a run."""


class StopAt(Watcher):
    """Ends the run right after a step was dispatched."""

    def __init__(self, step: int) -> None:
        self._step = step

    def stepped(self, step: int) -> None:
        if step == self._step:
            raise StoppedError


def run(out: Path | None, options: TrainOptions = OPTIONS, *, resume: bool = False) -> TrainResult:
    return train_parts(tiny_parts(), tiny_data(), options, out=out, resume=resume)


def stop(out: Path, step: int, *, resume: bool = False) -> None:
    with pytest.raises(StoppedError):
        train_parts(
            tiny_parts(), tiny_data(), OPTIONS, out=out, resume=resume, watchers=[StopAt(step)]
        )


def bits(state: State) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in state.items()}


def assert_same_run(one: Path, other: Path) -> None:
    """Everything that two folders record is equal, but the identifiers of the runs."""
    assert (one / "metrics.csv").read_bytes() == (other / "metrics.csv").read_bytes()
    names = [sorted(p.name for p in (path / "checkpoints").iterdir()) for path in (one, other)]
    assert names[0] == names[1]
    for name in names[0]:
        first, second = (read_checkpoint(path / "checkpoints" / name) for path in (one, other))
        assert first.progress == second.progress
        assert first.identity == second.identity
        assert bits(first.state) == bits(second.state)
