"""What a training run ends with."""

from dataclasses import asdict, dataclass

from gradwright.train.checkpoint import State
from gradwright.train.metrics import Row


@dataclass(frozen=True, slots=True)
class Summary:
    """The JSON object of `gradwright train --json`, key by key.

    `test_accuracy` is that of the last epoch, 0 to 1; `train_loss` the mean over the last epoch's
    batches; `ms_per_step` a median, None where a resumed run had no step left; `compile_seconds`
    of train step and evaluation together; `certified` whether every result of the train step was
    proved, None where that was not asked; `out` the run folder, None where nothing was written.
    """

    net: str
    data: str
    backend: str
    epochs: int
    test_accuracy: float
    train_loss: float
    ms_per_step: float | None
    compile_seconds: float
    certified: bool | None
    out: str | None

    def as_json(self) -> dict[str, str | int | float | bool | None]:
        """Return the object for `json.dumps`."""
        return asdict(self)


@dataclass(frozen=True, slots=True, eq=False)
class TrainResult:
    """Summary, final state (parameters, moments, statistics) and the rows of this process."""

    summary: Summary
    state: State
    rows: tuple[Row, ...]
