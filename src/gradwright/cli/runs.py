"""A trained net as the verbs that use one need it: from a run folder or one of its checkpoints."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from gradwright.cli.nets import Chosen, net_of
from gradwright.cli.output import tell
from gradwright.errors import CheckpointError, DataError

if TYPE_CHECKING:
    from gradwright.data import Dataset, Normalisation
    from gradwright.spec import NetSpec
    from gradwright.train import Checkpoint, RunFolder, State

# Pictures hold bytes; a net was trained on pixels in 0..1 before mean and deviation.
_BYTE = 1 / 255


@dataclass(frozen=True, slots=True)
class Trained:
    """A net with a state, and how pixels were normalised when it was trained.

    `data` and `step` are those of the run that trained it, None where no run did.
    """

    net: "NetSpec"
    state: "State"
    classes: tuple[str, ...]
    normalisation: "Normalisation"
    data: str | None = None
    step: int | None = None

    def as_trained(self, dataset: "Dataset") -> "Dataset":
        """Return a data set under the normalisation of the training data.

        Errors: DataError for one of other channels or of another number of classes.
        """
        from dataclasses import replace

        rule = self.normalisation
        channels = dataset.test.shape[0]
        if len(rule.mean) != channels:
            raise DataError(
                where="--data",
                expected=f"pictures of {_channels(len(rule.mean))}, as {self.net.name} reads",
                found=f"those of {dataset.name}, of {_channels(channels)}",
            )
        classes = len(dataset.classes)
        if self.net.output != (classes,):
            raise DataError(
                where="--data",
                expected=f"{classes} classes of {self.net.name}, as {dataset.name} has",
                found=f"a result of shape {list(self.net.output)}",
            )
        train, test = (
            replace(split, normalisation=replace(rule, scale=split.normalisation.scale))
            for split in (dataset.train, dataset.test)
        )
        return replace(dataset, train=train, test=test)


def _channels(count: int) -> str:
    return {1: "one channel (gray)", 3: "three channels (RGB)"}.get(count, f"{count} channels")


def open_run(path: Path, own: str | None = None) -> Trained:
    """Read a run folder (its newest whole checkpoint) or one checkpoint file of a run folder.

    `own` names the declaration, FILE.py:NAME, where the net is none of the zoo.
    """
    from gradwright.data import Normalisation
    from gradwright.train import RunFolder, read_checkpoint

    folder = RunFolder(path.parent.parent if path.is_file() else path)
    if not folder.has_manifest:
        raise CheckpointError(
            where=str(path),
            expected="the folder of a run, or a file in the checkpoints of one",
            found="a file in none" if path.is_file() else "no manifest.json in it",
        )
    manifest = folder.manifest()
    checkpoint = read_checkpoint(path) if path.is_file() else _newest(folder)
    classes, mean, std = (_list(manifest, path, name) for name in ("classes", "mean", "std"))
    chosen = Chosen(len(classes), _size(manifest))
    net = net_of(own) if own else _named(path, checkpoint.identity["net"], chosen)
    if net.fingerprint != checkpoint.identity["net.sha256"]:
        raise CheckpointError(
            where=str(path),
            expected=f"a state of the net {net.name} as it is declared here",
            found=f"one of {checkpoint.identity['net']} as it was declared elsewhere",
            remedy="Use the declaration (--net FILE.py:NAME) or the version that trained it",
        )
    rule = Normalisation(_BYTE, tuple(map(float, mean)), tuple(map(float, std)))
    return Trained(
        net,
        checkpoint.state,
        tuple(map(str, classes)),
        rule,
        checkpoint.identity.get("data"),
        checkpoint.progress.step,
    )


def _named(path: Path, name: str, chosen: Chosen) -> "NetSpec":
    from gradwright.zoo import names

    if name not in names():
        raise CheckpointError(
            where=str(path),
            expected="a state of a net that has a name in Gradwright",
            found=f"one of the net {name}",
            remedy="Say where it is declared: --net FILE.py:NAME",
        )
    return net_of(name, chosen)


def _size(manifest: dict[str, Any]) -> tuple[int, int] | None:
    """Return height and width of the pictures that a run's net reads."""
    match manifest.get("net"):
        case {"input": [int(), int(height), int(width)]}:
            return height, width
        case _:
            return None


def _newest(folder: "RunFolder") -> "Checkpoint":
    checkpoint, damaged = folder.newest()
    if checkpoint is None:
        found = str(damaged[0]) if damaged else "none"
        raise CheckpointError(where=str(folder.path), expected="a whole checkpoint", found=found)
    for error in damaged:
        tell(f"Passed over: {error}")
    return checkpoint


def _list(manifest: dict[str, Any], path: Path, name: str) -> list[Any]:
    kinds = (str,) if name == "classes" else (int, float)
    value: object = manifest["data"].get(name)
    items = cast("list[Any]", value)
    if isinstance(value, list) and all(isinstance(item, kinds) for item in items):
        return items
    found = "none" if value is None else json.dumps(manifest["data"][name])
    raise CheckpointError(where=str(path), expected=f"a manifest with data.{name}", found=found)
