"""What a run tells those who watch it: progress displays, pictures, tests."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gradwright.train.metrics import Row


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What is known when the first step is about to run.

    `first_step` is the number of steps that a resumed run has behind it; `folder` is None where
    nothing is written.
    """

    title: str
    total_steps: int
    steps_per_epoch: int
    first_step: int
    folder: Path | None


@dataclass(frozen=True, slots=True)
class EpochFacts:
    """How an epoch (counted from 1) ended: means over all its training batches, and the test."""

    epoch: int
    loss: float
    accuracy: float | None
    test_loss: float
    test_accuracy: float
    ms_per_step: float | None


class Watcher:
    """Base of watchers: every event does nothing until it is overridden.

    Events: `started` once; then `stepped` after each step was dispatched, `logged` for each row of
    metrics, `epoch_ended` for each epoch, `saved` for each checkpoint; `noted` at any time for what
    a person should read; `ended` once, however the run ends.
    """

    def started(self, facts: RunFacts) -> None:
        """Learn what will run."""

    def stepped(self, step: int) -> None:
        """Learn that a step was dispatched; the device may still work on it."""

    def logged(self, row: Row, ms_per_step: float | None) -> None:
        """Learn a row of metrics and how long a step took since the row before."""

    def epoch_ended(self, facts: EpochFacts) -> None:
        """Learn how an epoch went."""

    def saved(self, path: Path) -> None:
        """Learn that a checkpoint is complete on disk."""

    def noted(self, message: str) -> None:
        """Learn one sentence for people."""

    def ended(self) -> None:
        """Learn that nothing more will come."""


class Watchers(Watcher):
    """Passes each event on to several watchers, in their order."""

    def __init__(self, members: Sequence[Watcher]) -> None:
        self._members = tuple(members)

    def started(self, facts: RunFacts) -> None:
        """Pass on."""
        for member in self._members:
            member.started(facts)

    def stepped(self, step: int) -> None:
        """Pass on."""
        for member in self._members:
            member.stepped(step)

    def logged(self, row: Row, ms_per_step: float | None) -> None:
        """Pass on."""
        for member in self._members:
            member.logged(row, ms_per_step)

    def epoch_ended(self, facts: EpochFacts) -> None:
        """Pass on."""
        for member in self._members:
            member.epoch_ended(facts)

    def saved(self, path: Path) -> None:
        """Pass on."""
        for member in self._members:
            member.saved(path)

    def noted(self, message: str) -> None:
        """Pass on."""
        for member in self._members:
            member.noted(message)

    def ended(self) -> None:
        """Pass on."""
        for member in self._members:
            member.ended()


@contextmanager
def watching(members: Sequence[Watcher]) -> Generator[Watcher]:
    """Give one watcher for all, which is told `ended` however the block is left."""
    watchers = Watchers(members)
    try:
        yield watchers
    finally:
        watchers.ended()
