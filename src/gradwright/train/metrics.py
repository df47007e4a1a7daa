"""The training log: running means and the file `metrics.csv`."""

import os
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from gradwright.errors import CheckpointError
from gradwright.kinds import checked
from gradwright.train.storage import reported, write_atomically


@dataclass(frozen=True, slots=True)
class Meter:
    """Sums over training steps: of losses weighted by their samples, and of right predictions."""

    samples: int = 0
    loss_sum: float = 0.0
    correct: float | None = 0.0

    def plus(self, loss: float, correct: float | None, samples: int) -> "Meter":
        """Return the sums with one more batch of so many samples and such a mean loss.

        `correct` is None where the loss has no notion of a right prediction; then so is the sum.
        """
        known = None if correct is None or self.correct is None else self.correct + correct
        return Meter(self.samples + samples, self.loss_sum + loss * samples, known)

    @property
    def loss(self) -> float:
        """Mean loss per sample; 0 samples have none and raise ZeroDivisionError."""
        return self.loss_sum / self.samples

    @property
    def accuracy(self) -> float | None:
        """Share of right predictions, 0 to 1."""
        return None if self.correct is None else self.correct / self.samples


@dataclass(frozen=True, slots=True)
class Row:
    """One line of `metrics.csv`.

    `loss` and `accuracy` are means over the training batches since the row before, measured while
    training; `test_loss` and `test_accuracy` are of the whole test split and stand at the end of
    each epoch only. `accuracy` is absent where the loss has no notion of a right prediction.
    """

    step: int
    epoch: float
    lr: float
    loss: float
    accuracy: float | None = None
    test_loss: float | None = None
    test_accuracy: float | None = None


COLUMNS = tuple(field.name for field in fields(Row))
_HEADER = ",".join(COLUMNS)


class MetricsLog:
    """Append-only `metrics.csv`; each row reaches the file in one write."""

    def __init__(self, path: Path, *, last_step: int = 0) -> None:
        """Open the log of a run that stands at `last_step`, dropping the rows after it.

        A last line without its newline was torn by a kill and is dropped as well.
        """
        self._path = path
        kept = [row for row in read_rows(path) if row.step <= last_step] if path.exists() else []
        lines = [_HEADER, *map(_format, kept)]
        write_atomically(path, ("\n".join(lines) + "\n").encode())

    def append(self, row: Row) -> None:
        """Add one row; on an error (a full disk) the file ends with the row before."""
        line = f"{_format(row)}\n".encode()
        with reported(self._path, "room for one more row"), self._path.open("ab", 0) as stream:
            size = stream.tell()
            try:
                while line:  # a disk that runs full takes a part, then says why
                    line = line[stream.write(line) :]
                os.fsync(stream.fileno())
            except OSError:
                stream.truncate(size)
                raise


@checked
def read_rows(path: Path) -> tuple[Row, ...]:
    """Read a `metrics.csv`, without a torn last line.

    Errors: CheckpointError with file and line where the text is not what MetricsLog writes.
    """
    with reported(path, "a readable metrics.csv"):
        text = path.read_text(encoding="utf-8")
    lines = text.split("\n")[:-1]
    if lines and lines[0] != _HEADER:
        raise CheckpointError(where=f"{path}:1", expected=f"`{_HEADER}`", found=f"`{lines[0]}`")
    return tuple(_parse(path, number, line) for number, line in enumerate(lines[1:], start=2))


def _format(row: Row) -> str:
    return ",".join("" if value is None else repr(value) for value in astuple(row))


def _parse(path: Path, number: int, line: str) -> Row:
    try:
        step, epoch, lr, loss, *optional = line.split(",")
        accuracy, test_loss, test_accuracy = (float(cell) if cell else None for cell in optional)
        return Row(
            int(step), float(epoch), float(lr), float(loss), accuracy, test_loss, test_accuracy
        )
    except ValueError:
        raise CheckpointError(
            where=f"{path}:{number}", expected=f"numbers for `{_HEADER}`", found=f"`{line}`"
        ) from None
