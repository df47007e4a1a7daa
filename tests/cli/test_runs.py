"""What the verbs that use a trained net say of a run folder that is not as it was written."""

import json
from pathlib import Path

import numpy as np
import pytest

from gradwright.cli.runs import open_run
from gradwright.errors import CheckpointError
from gradwright.train import Checkpoint, Progress, new_run
from gradwright.zoo import get

NET = get("digits-mlp")
IDENTITY = {"net": NET.name, "net.sha256": NET.fingerprint}
DATA: dict[str, object] = {"classes": list("0123456789"), "mean": [0.3], "std": [0.4]}


def make_run(path: Path, **changed: object) -> Path:
    """Write a run of two checkpoints whose manifest has other values under `data`."""
    with new_run(path) as folder:
        parts: dict[str, object] = {"run_id": "id", "identity": IDENTITY, "program": {}}
        folder.write_manifest({**parts, "data": {**DATA, **changed}})
        for step in (1, 2):
            state = {"w": np.full(3, step, np.float32)}
            folder.save(Checkpoint("id", IDENTITY, Progress(step=step), state), keep=2)
    return path


def test_the_newest_checkpoint_is_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert open_run(make_run(tmp_path / "run")).step == 2
    assert capsys.readouterr().err == ""


def test_a_newer_checkpoint_that_is_damaged_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    newest = make_run(tmp_path / "run") / "checkpoints" / "step-00000002.safetensors"
    newest.write_bytes(newest.read_bytes()[:-1])
    assert open_run(tmp_path / "run").step == 1
    notes = capsys.readouterr().err
    assert notes.startswith(f"Passed over: {newest}: expected a complete checkpoint of Gradwright")


@pytest.mark.parametrize(
    ("name", "value"), [("mean", ["a"]), ("std", 1), ("classes", [0]), ("classes", None)]
)
def test_a_manifest_with_other_values_is_refused(tmp_path: Path, name: str, value: object) -> None:
    folder = make_run(tmp_path / "run", **{name: value})
    with pytest.raises(CheckpointError) as caught:
        open_run(folder)
    found = "none" if value is None else json.dumps(value)
    assert str(caught.value) == f"{folder}: expected a manifest with data.{name}, found {found}"
