"""The loop over steps and epochs, from any point of a run to its end."""

import math
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gradwright.data import prefetched
from gradwright.errors import DivergedError
from gradwright.train.checkpoint import Checkpoint, Progress, State
from gradwright.train.evaluate import Evaluation
from gradwright.train.feed import Feed
from gradwright.train.folder import RunFolder
from gradwright.train.metrics import Meter, MetricsLog, Row
from gradwright.train.watch import EpochFacts, Watcher


class Device(Protocol):
    """State that lives on a device, and the program that steps it (`gradwright.run.Session`)."""

    def step(self, **inputs: NDArray[Any]) -> Mapping[str, NDArray[Any]]:
        """Dispatch one step; reading from the result waits for it."""
        ...

    def state(self) -> State:
        """Copy the state to the host."""
        ...


@dataclass(frozen=True, slots=True)
class Records:
    """Where a run with a folder writes, and under which names."""

    folder: RunFolder
    log: MetricsLog
    run_id: str
    identity: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Dispatched:
    """A step whose results were not fetched yet."""

    step: int
    samples: int
    outputs: Mapping[str, NDArray[Any]]


class Loop:
    """A run under way.

    Results of steps stay on the device until a row of metrics or a checkpoint is due: then all
    pending losses are fetched, looked at and summed in the order of the steps. So no step waits for
    the host, and what was written never depends on a loss that nobody has seen.
    """

    def __init__(
        self,
        feed: Feed,
        device: Device,
        evaluate: Callable[[State], Evaluation],
        *,
        watcher: Watcher,
        records: Records | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.progress = progress or Progress()
        self.step_times: list[float] = []
        self._feed = feed
        self._device = device
        self._evaluate = evaluate
        self._watcher = watcher
        self._records = records
        self._pending: list[_Dispatched] = []
        self._clock = 0.0

    def run(self) -> None:
        """Run all epochs that are left.

        Errors: DivergedError at the first loss that is not finite, with the step it belongs to;
        checkpoints written before stay as they are.
        """
        while self.progress.epoch < self._feed.options.epochs:
            self._epoch()

    @property
    def ms_per_step(self) -> float | None:
        """Median milliseconds per step, feeding included, evaluation and saving excluded."""
        return statistics.median(self.step_times) if self.step_times else None

    def _epoch(self) -> None:
        options = self._feed.options
        steps_per_epoch = self._feed.steps_per_epoch
        self._clock = time.perf_counter()
        source = self._feed.epoch(self.progress.epoch, position=self.progress.position)
        with prefetched(source) as steps:
            for fed in steps:
                outputs = self._device.step(**fed.inputs)
                self._pending.append(_Dispatched(fed.step, fed.samples, outputs))
                self._watcher.stepped(fed.step)
                if fed.step % steps_per_epoch == 0:
                    continue  # the epoch's end below writes both
                if fed.step % options.log_every == 0:
                    self._settle()
                    self._log(fed.lr, None)
                if options.checkpoint_every and fed.step % options.checkpoint_every == 0:
                    self._settle()
                    self._save(self._checked_state())
        self._end_epoch()

    def _end_epoch(self) -> None:
        lr = self._feed.schedule.lr(self.progress.step + len(self._pending))
        self._settle()
        state = self._checked_state()
        evaluation = self._evaluate(state)
        progress = self.progress
        best = progress.best_accuracy is None or evaluation.accuracy > progress.best_accuracy
        self.progress = replace(
            progress,
            epoch=progress.epoch + 1,
            position=0,
            running=Meter(),
            train_loss=progress.running.loss,
            test_accuracy=evaluation.accuracy,
            best_step=progress.step if best else progress.best_step,
            best_accuracy=evaluation.accuracy if best else progress.best_accuracy,
        )
        self._log(lr, evaluation)
        self._watcher.epoch_ended(
            EpochFacts(
                epoch=progress.epoch + 1,
                loss=progress.running.loss,
                accuracy=progress.running.accuracy,
                test_loss=evaluation.loss,
                test_accuracy=evaluation.accuracy,
                ms_per_step=self.ms_per_step,
            )
        )
        self._save(state)

    def _settle(self) -> None:
        """Fetch the pending losses, add them up, and stop at one that is not finite."""
        progress = self.progress
        for done in self._pending:
            loss = float(done.outputs["loss"])
            if not math.isfinite(loss):
                raise self._diverged(done.step, "a finite loss", str(loss))
            hits = done.outputs.get("correct")
            correct = None if hits is None else float(hits)
            progress = replace(
                progress,
                step=done.step,
                position=progress.position + 1,
                window=progress.window.plus(loss, correct, done.samples),
                running=progress.running.plus(loss, correct, done.samples),
            )
        if self._pending:
            seconds = time.perf_counter() - self._clock
            self.step_times.append(1e3 * seconds / len(self._pending))
        self._pending.clear()
        self.progress = progress
        self._clock = time.perf_counter()

    def _log(self, lr: float, evaluation: Evaluation | None) -> None:
        progress = self.progress
        row = Row(
            step=progress.step,
            epoch=progress.step / self._feed.steps_per_epoch,
            lr=lr,
            loss=progress.window.loss,
            accuracy=progress.window.accuracy,
            test_loss=evaluation.loss if evaluation else None,
            test_accuracy=evaluation.accuracy if evaluation else None,
        )
        self.progress = replace(progress, window=Meter())
        if self._records:
            self._records.log.append(row)
        self._watcher.logged(row, self.step_times[-1] if self.step_times else None)

    def _checked_state(self) -> State:
        """Copy the state to the host and refuse one that is not finite.

        The loss of a step is that of the parameters before it, so an update that breaks them shows
        here first.
        """
        state = self._device.state()
        for name, array in state.items():
            if not np.isfinite(array).all():
                raise self._diverged(self.progress.step, f"finite numbers in {name}", "others")
        return state

    def _save(self, state: State) -> None:
        if self._records is None:
            return
        records = self._records
        checkpoint = Checkpoint(records.run_id, records.identity, self.progress, state)
        path = records.folder.save(checkpoint, keep=self._feed.options.keep)
        self._watcher.saved(path)
        self._clock = time.perf_counter()

    def _diverged(self, step: int, expected: str, found: str) -> DivergedError:
        epoch = (step - 1) // self._feed.steps_per_epoch + 1
        saved = self._records.folder.steps() if self._records else ()
        kept = f"The checkpoint of step {saved[-1]} is kept. " if saved else ""
        return DivergedError(
            where=f"step {step} (epoch {epoch})",
            expected=expected,
            found=found,
            remedy=f"{kept}Lower the learning rate or lengthen the warm-up.",
        )
