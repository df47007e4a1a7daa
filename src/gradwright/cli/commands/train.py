"""`gradwright train`: a net, a data set and a recipe become a run folder."""

import enum
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gradwright.cli.arguments import (
    AsJson,
    Backend,
    BackendName,
    FormulationName,
    FormulationText,
    LossText,
    NetText,
    OptimizerText,
    Recomputed,
    Size,
    StepBatch,
)
from gradwright.cli.nets import Chosen, is_own, net_of
from gradwright.cli.options import (
    augmentation_of,
    dataset_of,
    formulation_of,
    loss_of,
    optimizer_of,
)
from gradwright.cli.output import tell, write_json
from gradwright.cli.spelled import as_options

if TYPE_CHECKING:
    from gradwright.programs import Program
    from gradwright.train import Summary

RUNS = Path("runs")
# How long counterexamples to a train step are looked for before it trains all the same.
_SECONDS = 10.0
DATA_HELP = (
    "digits, mnist, fashion-mnist, cifar10, idx:DIR, cifar:DIR, npz:FILE or folder:DIR; "
    "see docs/data.md."
)


class ScheduleName(enum.StrEnum):
    """What the learning rate does after the warm-up."""

    CONSTANT = "constant"
    COSINE = "cosine"


class LastBatchName(enum.StrEnum):
    """What becomes of the samples that do not fill a batch."""

    DROP = "drop"
    PAD = "pad"


def train(
    net: NetText,
    *,
    data: Annotated[str, typer.Option(help=DATA_HELP)],
    size: Size = "",
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the training split.")] = 10,
    batch: StepBatch = 64,
    loss: LossText = "cross-entropy",
    optimizer: OptimizerText = "adam",
    label_smoothing: Annotated[
        float | None, typer.Option(min=0, help="Short for --loss cross-entropy:label_smoothing=…")
    ] = None,
    weight_decay: Annotated[
        float | None, typer.Option(min=0, help="Short for the optimizer's field weight_decay.")
    ] = None,
    lr: Annotated[float, typer.Option(min=0, help="Peak learning rate, per step.")] = 1e-3,
    schedule: Annotated[
        ScheduleName, typer.Option(help="What the learning rate does after the warm-up.")
    ] = ScheduleName.COSINE,
    warmup: Annotated[float, typer.Option(min=0, help="Epochs of linear warm-up.")] = 0.0,
    seed: Annotated[
        int, typer.Option(min=0, help="Of parameters, order, augmentation and masks.")
    ] = 0,
    backend: Backend = BackendName.XLA,
    formulation: FormulationText = FormulationName.PORTABLE,
    recompute: Recomputed = "",
    augment: Annotated[
        str, typer.Option(help="none, flip, crop:N or flip,crop:N; see docs/cli.md.")
    ] = "none",
    last_batch: Annotated[
        LastBatchName, typer.Option(help="What becomes of samples that fill no batch.")
    ] = LastBatchName.DROP,
    checkpoint_every: Annotated[
        int,
        typer.Option(min=0, help="Steps between checkpoints within an epoch; 0: at its end only."),
    ] = 0,
    out: Annotated[Path | None, typer.Option(help="Run folder; default runs/NET.")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in the folder, to the same bits.")
    ] = False,
    certify: Annotated[
        bool, typer.Option("--certify/--no-certify", help="Prove the train step first.")
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Train a net and keep the run in a folder.

    Progress goes to standard error; the folder holds checkpoints, metrics.csv and curves.png.
    """
    from gradwright.data import LastBatch
    from gradwright.report import CurvePicture, progress_on
    from gradwright.run import Backend as RunBackend
    from gradwright.run import prefer_resident_heap
    from gradwright.train import Decay, TrainOptions
    from gradwright.train import train as run

    prefer_resident_heap()
    with as_options():
        options = TrainOptions(
            epochs=epochs,
            batch=batch,
            lr=lr,
            decay=Decay(schedule.value),
            warmup_epochs=warmup,
            seed=seed,
            last=LastBatch(last_batch.value),
            augmentation=augmentation_of(augment),
            backend=RunBackend(backend.value),
            checkpoint_every=checkpoint_every,
        )
    chosen_loss = loss_of(loss, label_smoothing=label_smoothing)
    chosen_optimizer = optimizer_of(optimizer, weight_decay=weight_decay)
    chosen = Chosen.of(None, size)
    declared = net_of(net, chosen)
    dataset = dataset_of(data, declared)
    spec = declared if is_own(net) else net_of(net, replace(chosen, classes=len(dataset.classes)))
    folder = out or RUNS / spec.name
    with as_options(), _interruptions_explained(folder):
        result = run(
            spec,
            dataset,
            options=options,
            loss=chosen_loss,
            optimizer=chosen_optimizer,
            formulation=formulation_of(formulation, spec, batch, backend, recompute),
            out=folder,
            resume=resume,
            watchers=(progress_on(), CurvePicture()),
            certify=_certified if certify else None,
        )
    if as_json:
        write_json(result.summary.as_json())
    else:
        _tell(result.summary)


def _certified(step: "Program") -> bool:
    """Certify a train step and say what became of it; training goes on either way."""
    from gradwright.certify import Effort, Search, Verdict, certify_program

    report = certify_program(step, search=Search(_SECONDS, effort=Effort.QUICK))
    proved = sum(claim.verdict is Verdict.PROVED for claim in report.claims)
    tell(
        f"train step {report.verdict.value}: {proved} of {len(report.claims)} claims "
        f"in {report.seconds:.1f} s"
    )
    for site, claims in report.findings:
        tell(f"  {site}: {claims[0].name} {claims[0].verdict.value}")
    return report.verdict is Verdict.PROVED


@contextmanager
def _interruptions_explained(folder: Path) -> Generator[None]:
    """Say at an interruption from the keyboard what is kept and how to go on."""
    from gradwright.train import RunFolder

    try:
        yield
    except KeyboardInterrupt:
        kept = RunFolder(folder)
        if kept.has_manifest:
            [last] = kept.steps()[-1:] or [0]
            tell(f"{folder}: step {last} is kept; the same command with --resume goes on from it")
        raise


def _tell(summary: "Summary") -> None:
    tell(f"test accuracy {summary.test_accuracy:.2%}, train loss {summary.train_loss:.4f}")
    tell(f"run {summary.out}, curves {summary.out}/curves.png")
