"""Training a net: programs, data and options become a trained state and a run folder."""

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gradwright.data import Dataset, LastBatch
from gradwright.errors import SpecError
from gradwright.kinds import checked
from gradwright.layers import PORTABLE, Formulation
from gradwright.losses import Loss
from gradwright.optim import Optimizer
from gradwright.programs import Program
from gradwright.run import Executable, compile
from gradwright.spec import NetSpec
from gradwright.train.checkpoint import Checkpoint, Progress, State
from gradwright.train.evaluate import Evaluator
from gradwright.train.feed import Feed
from gradwright.train.folder import LARGEST_STEP, RunFolder, existing_run, new_run
from gradwright.train.identity import identity_of, refuse_other
from gradwright.train.loop import Loop, Records
from gradwright.train.manifest import describe_run
from gradwright.train.metrics import MetricsLog, Row
from gradwright.train.options import TrainOptions
from gradwright.train.parts import Parts, emit_parts
from gradwright.train.result import Summary, TrainResult
from gradwright.train.watch import RunFacts, Watcher, watching


@checked
def train(
    net: NetSpec,
    dataset: Dataset,
    *,
    loss: Loss,
    optimizer: Optimizer,
    options: TrainOptions,
    out: Path | None = None,
    resume: bool = False,
    watchers: Sequence[Watcher] = (),
    formulation: Formulation = PORTABLE,
    certify: Callable[[Program], bool] | None = None,
) -> TrainResult:
    """Emit a net's programs and train them on a data set.

    With `out` everything is recorded in that folder; `resume` goes on from its newest checkpoint
    and ends with the same bits as a run that was never interrupted. `certify` is asked of the train
    step before it runs; its answer stands in the summary.

    Errors: those of `train_parts`; SpecError or UnsupportedError where the net cannot be emitted.
    """
    parts = emit_parts(net, loss, optimizer, options, formulation=formulation)
    return train_parts(
        parts,
        dataset,
        options,
        out=out,
        resume=resume,
        watchers=watchers,
        certify=None if certify is None else _asking(certify, parts),
    )


def _asking(certify: Callable[[Program], bool], parts: Parts) -> Callable[[], bool] | None:
    step = parts.step
    return (lambda: certify(step)) if isinstance(step, Program) else None


@checked
def train_parts(
    parts: Parts,
    dataset: Dataset,
    options: TrainOptions,
    *,
    out: Path | None = None,
    resume: bool = False,
    watchers: Sequence[Watcher] = (),
    certify: Callable[[], bool] | None = None,
) -> TrainResult:
    """Train programs on a data set, from the start or from the newest checkpoint in `out`.

    A run that was interrupted at any moment and resumed ends with the same bits as one that was
    not: parameters, moments, statistics and rows of metrics.

    Errors: SpecError or DataError where net, data and options do not fit; CheckpointError where the
    folder is unusable, occupied, or of another run; DivergedError where a loss is not finite.
    """
    if resume and out is None:
        raise SpecError(where="train", expected="a folder to resume from", found="none")
    feed = make_feed(parts, dataset, options)
    log = _RowLog()
    with _opened(out, resume=resume) as folder, watching([*watchers, log]) as watcher:
        for warning in dataset.warnings:
            watcher.noted(warning)
        certified = None if certify is None else certify()
        run = _prepare(parts, dataset, feed, folder, watcher)
        device = run.step.session(run.state)
        loop = Loop(
            feed,
            device,
            Evaluator(run.evaluator, dataset.test, options.eval_batch, len(dataset.classes)),
            watcher=watcher,
            records=run.records,
            progress=run.progress,
        )
        watcher.started(_facts(parts, dataset, feed, run, out))
        loop.run()
        summary = _summary(parts, dataset, run, loop, out, certified)
        return TrainResult(summary, device.state(), tuple(log.rows))


def make_feed(parts: Parts, dataset: Dataset, options: TrainOptions) -> Feed:
    """Return the feed of a run after checking that net, data, loss and options fit together."""
    if options.last is LastBatch.PAD and parts.ignore_label is None:
        raise SpecError(
            where="TrainOptions.last",
            expected="LastBatch.DROP, since this loss has no ignore_index",
            found="LastBatch.PAD",
        )
    if parts.net.output != (len(dataset.classes),):
        raise SpecError(
            where=f"net {parts.net.name}",
            expected=f"{len(dataset.classes)} outputs, the classes of {dataset.name}",
            found=f"output shape {list(parts.net.output)}",
        )
    ignored = -1 if parts.ignore_label is None else parts.ignore_label
    feed = Feed(
        dataset.train, options, parts.step.signature.inputs, parts.net.masks, ignore_label=ignored
    )
    if feed.steps_per_epoch * options.epochs > LARGEST_STEP:
        raise SpecError(
            where="TrainOptions.epochs",
            expected=f"at most {LARGEST_STEP:,} steps, {feed.steps_per_epoch:,} in each epoch",
            found=f"{options.epochs:,} epochs",
        )
    next(feed.epoch(0))
    return feed


@dataclass(frozen=True, slots=True)
class _Prepared:
    """Executables, and the state and place that the run starts from."""

    step: Executable
    evaluator: Executable
    state: State
    progress: Progress
    records: Records | None


class _RowLog(Watcher):
    """Keeps the rows of this process."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    def logged(self, row: Row, ms_per_step: float | None) -> None:
        """Keep the row."""
        self.rows.append(row)


@contextmanager
def _opened(out: Path | None, *, resume: bool) -> Generator[RunFolder | None]:
    if out is None:
        yield None
        return
    with existing_run(out) if resume else new_run(out) as folder:
        yield folder


def _prepare(
    parts: Parts, dataset: Dataset, feed: Feed, folder: RunFolder | None, watcher: Watcher
) -> _Prepared:
    """Find the place to start from, then compile, then write the manifest of a new run."""
    options = feed.options
    identity = identity_of(parts, dataset, options)
    manifest = folder.manifest() if folder and folder.has_manifest else None
    found = _checkpoint(folder, manifest, identity, watcher) if folder and manifest else None
    step = compile(parts.step, backend=options.backend)
    evaluator = compile(parts.evaluator, backend=options.backend)
    progress = found.progress if found else Progress()
    records = None
    if folder:
        if manifest is None:
            manifest = describe_run(parts, dataset, feed, step, identity)
            folder.write_manifest(manifest)
        _note_changes(manifest, step, watcher)
        log = MetricsLog(folder.metrics, last_step=progress.step)
        records = Records(folder, log, str(manifest["run_id"]), identity)
    state = found.state if found else parts.initial(options.seed)
    return _Prepared(step, evaluator, state, progress, records)


def _checkpoint(
    folder: RunFolder, manifest: Mapping[str, Any], identity: Mapping[str, str], watcher: Watcher
) -> Checkpoint | None:
    """Return the newest valid checkpoint of this very run, None where there is none yet."""
    refuse_other(str(folder.path), manifest["identity"], identity)
    found, damaged = folder.newest()
    for error in damaged:
        watcher.noted(f"Passed over: {error}")
    folder.set_aside(damaged)
    if found is None:
        return None
    where = str(folder.checkpoint_path(found.progress.step))
    refuse_other(where, found.identity, identity)
    refuse_other(where, {"run_id": found.run_id}, {"run_id": manifest["run_id"]})
    return found


def _note_changes(manifest: Mapping[str, Any], step: Executable, watcher: Watcher) -> None:
    """Say where a resumed run is compiled otherwise than it was begun."""
    now = json.loads(step.manifest.to_json())
    for name in ("version", "flags", "threads", "cpu"):
        before, after = manifest["program"][name], now[name]
        if before != after:
            watcher.noted(
                f"{name} was {before} and is {after}: the numbers may differ in their last bits."
            )


def _facts(
    parts: Parts, dataset: Dataset, feed: Feed, run: _Prepared, out: Path | None
) -> RunFacts:
    return RunFacts(
        title=f"{parts.net.name} on {dataset.name}",
        total_steps=feed.schedule.total_steps,
        steps_per_epoch=feed.steps_per_epoch,
        first_step=run.progress.step,
        folder=out,
    )


def _summary(
    parts: Parts,
    dataset: Dataset,
    run: _Prepared,
    loop: Loop,
    out: Path | None,
    certified: bool | None,
) -> Summary:
    progress = loop.progress
    assert progress.test_accuracy is not None
    assert progress.train_loss is not None
    seconds = (run.step.manifest.compile_seconds, run.evaluator.manifest.compile_seconds)
    return Summary(
        net=parts.net.name,
        data=dataset.name,
        backend=run.step.manifest.backend.value,
        epochs=progress.epoch,
        test_accuracy=progress.test_accuracy,
        train_loss=progress.train_loss,
        ms_per_step=loop.ms_per_step,
        compile_seconds=sum(seconds),
        certified=certified,
        out=str(out) if out else None,
    )
