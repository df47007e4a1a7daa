"""The run folder: manifest, metrics, checkpoints, and who may write to it."""

import json
import re
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from gradwright.errors import CheckpointError
from gradwright.kinds import checked
from gradwright.train.checkpoint import Checkpoint, decode, write_checkpoint
from gradwright.train.lock import FolderLock
from gradwright.train.storage import remove_temporaries, reported, sync_folder, write_atomically

MANIFEST = "manifest.json"
METRICS = "metrics.csv"
CHECKPOINTS = "checkpoints"
_MANIFEST_PARTS = {"run_id": str, "identity": dict, "program": dict, "data": dict}
_CHECKPOINT_NAME = re.compile(r"step-(\d{8})\.safetensors")
LARGEST_STEP = 10**8 - 1
"""What the name of a checkpoint has digits for."""


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A folder that holds one run; layout and formats are in `docs/training.md`."""

    path: Path

    @property
    def metrics(self) -> Path:
        """The file `metrics.csv`."""
        return self.path / METRICS

    @property
    def has_manifest(self) -> bool:
        """Whether the folder holds a run already, rather than nothing yet."""
        return (self.path / MANIFEST).is_file()

    def checkpoint_path(self, step: int) -> Path:
        """Name the checkpoint after a step, `checkpoints/step-00000123.safetensors`."""
        if step > LARGEST_STEP:
            raise CheckpointError(
                where="checkpoint name", expected=f"at most {LARGEST_STEP} steps", found=str(step)
            )
        return self.path / CHECKPOINTS / f"step-{step:08}.safetensors"

    def steps(self) -> tuple[int, ...]:
        """List the steps that have a checkpoint file, valid or not, ascending."""
        with reported(self._checkpoints(), "the folder of a run's checkpoints"):
            names = [entry.name for entry in self._checkpoints().iterdir()]
        matches = map(_CHECKPOINT_NAME.fullmatch, names)
        return tuple(sorted(int(match.group(1)) for match in matches if match))

    def save(self, checkpoint: Checkpoint, *, keep: int) -> Path:
        """Write a checkpoint, then remove all but the newest `keep` and the best one."""
        path = self.checkpoint_path(checkpoint.progress.step)
        write_checkpoint(path, checkpoint)
        kept = {*self.steps()[-keep:], checkpoint.progress.best_step}
        with reported(self._checkpoints(), "a folder whose old checkpoints can be removed"):
            for step in set(self.steps()) - kept:
                self.checkpoint_path(step).unlink()
        return path

    def newest(self) -> tuple[Checkpoint | None, tuple[CheckpointError, ...]]:
        """Return the newest valid checkpoint, and what is wrong with each newer one.

        Nothing in the folder changes, so this may be asked while a run goes on.
        """
        damaged: list[CheckpointError] = []
        for step in reversed(self.steps()):
            path = self.checkpoint_path(step)
            with reported(path, "a readable checkpoint"):
                content = path.read_bytes()
            try:
                return decode(content, where=str(path)), tuple(damaged)
            except CheckpointError as error:
                damaged.append(error)
        return None, tuple(damaged)

    def set_aside(self, damaged: Iterable[CheckpointError]) -> None:
        """Rename damaged checkpoints to `….damaged`, so that they neither count nor are lost."""
        for error in damaged:
            path = Path(error.where)
            with reported(path, "a folder in which files can be renamed"):
                path.rename(path.with_name(f"{path.name}.damaged"))

    def manifest(self) -> dict[str, Any]:
        """Read `manifest.json`; CheckpointError where it is not one that `describe_run` made."""
        path = self.path / MANIFEST
        with reported(path, "the manifest of a run"):
            content = path.read_bytes()
        try:
            manifest = json.loads(content)
        except ValueError:
            manifest = None
        if not isinstance(manifest, dict):
            found = f"{len(content):,} other bytes"
            raise CheckpointError(where=str(path), expected="a JSON object", found=found)
        record = cast("dict[str, Any]", manifest)
        for name, kind in _MANIFEST_PARTS.items():
            if not isinstance(record.get(name), kind):
                expected = f"the manifest of a run, with {', '.join(_MANIFEST_PARTS)}"
                raise CheckpointError(where=str(path), expected=expected, found=f"no {name}")
        return record

    def write_manifest(self, manifest: Mapping[str, object]) -> None:
        """Write `manifest.json`; from here on the folder counts as a run."""
        text = json.dumps(manifest, indent=2, allow_nan=False)
        write_atomically(self.path / MANIFEST, f"{text}\n".encode())

    def _checkpoints(self) -> Path:
        return self.path / CHECKPOINTS


@checked
@contextmanager
def new_run(path: Path) -> Generator[RunFolder]:
    """Lock a folder for a new run, making it where it is absent.

    Errors: CheckpointError where it holds another run or anything else, cannot be written to, or is
    in use by another process.
    """
    with reported(path, "a folder that can be written to"):
        path.mkdir(parents=True, exist_ok=True)
    with _locked(path):
        _refuse_occupied(path)
        with reported(path, "a folder that can be written to"):
            (path / CHECKPOINTS).mkdir(exist_ok=True)
            sync_folder(path)
        yield RunFolder(path)


@checked
@contextmanager
def existing_run(path: Path) -> Generator[RunFolder]:
    """Lock the folder of a run to go on with it.

    Errors: CheckpointError where there is no run, or another process uses it.
    """
    if not (path / MANIFEST).is_file():
        raise CheckpointError(
            where=str(path),
            expected=f"a run to resume, with its {MANIFEST}",
            found="none",
            remedy="Start it without --resume.",
        )
    with _locked(path):
        yield RunFolder(path)


def _refuse_occupied(path: Path) -> None:
    if (path / MANIFEST).exists():
        raise CheckpointError(
            where=str(path),
            expected="a new or empty folder",
            found="another run",
            remedy="Resume that run (--resume), or name another folder.",
        )
    # A run killed before its manifest leaves no more than its lock and an empty folder.
    entries = [entry for entry in path.iterdir() if entry.name != "lock"]
    others = sorted(e.name for e in entries if e.name != CHECKPOINTS or any(e.iterdir()))
    if others:
        raise CheckpointError(
            where=str(path),
            expected="a new or empty folder",
            found=f"`{others[0]}` in it",
            remedy="Name another folder.",
        )


@contextmanager
def _locked(path: Path) -> Generator[None]:
    lock = FolderLock(path)
    try:
        with reported(path, "a folder whose unfinished files can be removed"):
            remove_temporaries(path)
            if (path / CHECKPOINTS).is_dir():
                remove_temporaries(path / CHECKPOINTS)
        yield
    finally:
        lock.release()
