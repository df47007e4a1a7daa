"""`gradwright train`: a net, a data set and a recipe become a run folder."""

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gradwright.cli.options import augmentation_of, dataset_of, loss_of, optimizer_of
from gradwright.cli.output import tell, write_json

if TYPE_CHECKING:
    from gradwright.train import Summary

RUNS = Path("runs")


class ScheduleName(enum.StrEnum):
    """What the learning rate does after the warm-up."""

    CONSTANT = "constant"
    COSINE = "cosine"


class LastBatchName(enum.StrEnum):
    """What becomes of the samples that do not fill a batch."""

    DROP = "drop"
    PAD = "pad"


class BackendName(enum.StrEnum):
    """Who runs the program."""

    XLA = "xla"
    IREE = "iree"
    INTERPRETER = "interpreter"


def train(
    net: Annotated[str, typer.Argument(metavar="NET")],
    *,
    data: Annotated[str, typer.Option(help="digits, mnist, idx:DIR, npz:FILE, folder:DIR ...")],
    epochs: Annotated[int, typer.Option(help="Passes over the training split.")] = 10,
    batch: Annotated[int, typer.Option(help="Samples per step.")] = 64,
    loss: Annotated[str, typer.Option(help="NAME[:FIELD=VALUE,...].")] = "cross-entropy",
    optimizer: Annotated[str, typer.Option(help="NAME[:FIELD=VALUE,...].")] = "adam",
    label_smoothing: Annotated[float | None, typer.Option(help="Short for a loss field.")] = None,
    weight_decay: Annotated[float | None, typer.Option(help="Short for a field.")] = None,
    lr: Annotated[float, typer.Option(help="Peak learning rate.")] = 1e-3,
    schedule: Annotated[ScheduleName, typer.Option(help="After warm-up.")] = ScheduleName.COSINE,
    warmup: Annotated[float, typer.Option(help="Epochs of linear warm-up.")] = 0.0,
    seed: Annotated[int, typer.Option(help="Of parameters, order, augmentation, masks.")] = 0,
    backend: Annotated[BackendName, typer.Option(help="Who runs it.")] = BackendName.XLA,
    augment: Annotated[str, typer.Option(help="none, flip, crop:N or flip,crop:N.")] = "none",
    last_batch: Annotated[LastBatchName, typer.Option(help="The rest.")] = LastBatchName.DROP,
    out: Annotated[Path | None, typer.Option(help="Run folder; default runs/NET.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in it.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Train a net and keep the run in a folder.

    Progress goes to standard error; the folder holds checkpoints, metrics.csv and curves.png.
    """
    from gradwright.data import LastBatch
    from gradwright.report import CurvePicture, progress_on
    from gradwright.run import Backend
    from gradwright.train import Decay, TrainOptions
    from gradwright.train import train as run
    from gradwright.zoo import get

    options = TrainOptions(
        epochs=epochs,
        batch=batch,
        lr=lr,
        decay=Decay(schedule.value),
        warmup_epochs=warmup,
        seed=seed,
        last=LastBatch(last_batch.value),
        augmentation=augmentation_of(augment),
        backend=Backend(backend.value),
    )
    chosen_loss = loss_of(loss, label_smoothing=label_smoothing)
    chosen_optimizer = optimizer_of(optimizer, weight_decay=weight_decay)
    dataset = dataset_of(data, get(net))
    result = run(
        get(net, classes=len(dataset.classes)),
        dataset,
        options=options,
        loss=chosen_loss,
        optimizer=chosen_optimizer,
        out=out or RUNS / net,
        resume=resume,
        watchers=(progress_on(), CurvePicture()),
    )
    if as_json:
        write_json(result.summary.as_json())
    else:
        _tell(result.summary)


def _tell(summary: "Summary") -> None:
    tell(f"test accuracy {summary.test_accuracy:.2%}, train loss {summary.train_loss:.4f}")
    tell(f"run {summary.out}, curves {summary.out}/curves.png")
