"""How a training run looks while it goes on: a bar on a terminal, lines anywhere else."""

import sys
import time
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from gradwright.report.curves import draw_curves
from gradwright.train import EpochFacts, Row, RunFacts, Watcher

# A bar that is redrawn at every step of a small net would cost more than the step.
_REDRAW_SECONDS = 0.1
# Drawing takes some tenths of a second.
_PICTURE_SECONDS = 20.0


def progress_on(stream: TextIO | None = None) -> Watcher:
    """Return the display that suits a stream (standard error by default)."""
    target = sys.stderr if stream is None else stream
    return ProgressBar(target) if target.isatty() else ProgressLines(target)


class ProgressLines(Watcher):
    """Writes one plain line per epoch, and every note, for logs and pipes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def started(self, facts: RunFacts) -> None:
        """Say what will run."""
        self._write(_headline(facts))

    def epoch_ended(self, facts: EpochFacts) -> None:
        """Say how the epoch went."""
        self._write(_epoch_line(facts))

    def noted(self, message: str) -> None:
        """Pass the note on."""
        self._write(message)

    def _write(self, line: str) -> None:
        self._stream.write(f"{line}\n")
        self._stream.flush()


class ProgressBar(Watcher):
    """Draws a bar over all steps with loss, accuracy and milliseconds per step."""

    def __init__(self, stream: TextIO) -> None:
        self._console = Console(file=stream)
        self._bar = Progress(
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TextColumn("{task.fields[figures]}"),
            TimeRemainingColumn(compact=True),
            console=self._console,
            auto_refresh=False,
        )
        self._task = self._bar.add_task("", total=None, figures="", visible=False)
        self._drawn = 0.0

    def started(self, facts: RunFacts) -> None:
        """Show the bar."""
        self._print(_headline(facts))
        self._bar.update(
            self._task,
            total=facts.total_steps,
            completed=facts.first_step,
            visible=True,
        )
        self._bar.start()

    def stepped(self, step: int) -> None:
        """Move the bar."""
        self._bar.update(self._task, completed=step)
        self._redraw()

    def logged(self, row: Row, ms_per_step: float | None) -> None:
        """Show the figures beside the bar."""
        self._bar.update(self._task, figures=_figures(row.loss, row.accuracy, ms_per_step))

    def epoch_ended(self, facts: EpochFacts) -> None:
        """Leave a line behind above the bar."""
        self._print(_epoch_line(facts))

    def noted(self, message: str) -> None:
        """Print the note above the bar."""
        self._print(message)

    def ended(self) -> None:
        """Leave the bar as it stands."""
        self._bar.refresh()
        self._bar.stop()

    def _print(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def _redraw(self) -> None:
        now = time.monotonic()
        if now - self._drawn >= _REDRAW_SECONDS:
            self._bar.refresh()
            self._drawn = now


class CurvePicture(Watcher):
    """Keeps `curves.png` of the run folder up to date: some seconds behind, and at the end."""

    def __init__(self) -> None:
        self._facts: RunFacts | None = None
        self._drawn = time.monotonic()

    def started(self, facts: RunFacts) -> None:
        """Remember the folder."""
        self._facts = facts

    def logged(self, row: Row, ms_per_step: float | None) -> None:
        """Draw where the last picture is old, and after the last step."""
        facts, now = self._facts, time.monotonic()
        if facts is None or facts.folder is None:
            return
        if row.step == facts.total_steps or now - self._drawn >= _PICTURE_SECONDS:
            draw_curves(facts.folder, title=facts.title)
            self._drawn = now


def _epoch_line(facts: EpochFacts) -> str:
    test = f"test loss {facts.test_loss:.4f}, test accuracy {facts.test_accuracy:.2%}"
    return f"epoch {facts.epoch}: {test}, {_figures(facts.loss, facts.accuracy, facts.ms_per_step)}"


def _figures(loss: float, accuracy: float | None, ms_per_step: float | None) -> str:
    parts = [f"loss {loss:.4f}"]
    if accuracy is not None:
        parts.append(f"accuracy {accuracy:.2%}")
    if ms_per_step is not None:
        parts.append(f"{ms_per_step:.1f} ms/step")
    return ", ".join(parts)


def _headline(facts: RunFacts) -> str:
    begun = f", {facts.first_step} of them done" if facts.first_step else ""
    return f"{facts.title}: {facts.total_steps} steps{begun}"
