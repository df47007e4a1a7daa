"""The run folder: occupied, locked, read-only, and which of its checkpoints counts."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gradwright.errors import CheckpointError
from gradwright.train import Checkpoint, Progress, RunFolder, existing_run, new_run
from gradwright.train.storage import write_atomically


def checkpoint(step: int, best_step: int = 0) -> Checkpoint:
    state = {"w": np.full((40, 50), step, np.float32)}
    return Checkpoint("id", {"net": "tiny"}, Progress(step=step, best_step=best_step), state)


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    with new_run(tmp_path / "run") as folder:
        folder.write_manifest({"run_id": "id"})
        return folder


def test_a_new_folder_is_made_with_its_parents_and_left_unlocked(tmp_path: Path) -> None:
    with new_run(tmp_path / "a" / "b") as folder:
        assert (folder.path / "lock").read_text() == f"{os.getpid()}\n"
    assert [entry.name for entry in folder.path.iterdir()] == ["checkpoints"]


def test_the_newest_checkpoints_and_the_best_are_kept(folder: RunFolder) -> None:
    for step in range(1, 8):
        folder.save(checkpoint(step, best_step=2 if step >= 2 else 0), keep=2)
    assert folder.steps() == (2, 6, 7)


def test_the_newest_checkpoint_is_found(folder: RunFolder) -> None:
    assert folder.newest() == (None, ())
    folder.save(checkpoint(3), keep=2)
    folder.save(checkpoint(12), keep=2)
    found, damaged = folder.newest()
    assert found is not None
    assert (found.progress.step, damaged) == (12, ())


def test_damaged_checkpoints_are_named_passed_over_and_set_aside(folder: RunFolder) -> None:
    for step in (3, 6, 9):
        folder.save(checkpoint(step), keep=5)
    good = folder.checkpoint_path(6).read_bytes()
    folder.checkpoint_path(9).write_bytes(b"")
    folder.checkpoint_path(6).write_bytes(good[:4096])
    found, damaged = folder.newest()
    assert found is not None
    assert found.progress.step == 3
    assert [error.where for error in damaged] == [
        str(folder.checkpoint_path(9)),
        str(folder.checkpoint_path(6)),
    ]
    assert folder.steps() == (3, 6, 9)
    folder.set_aside(damaged)
    # Damaged files must not count among the newest ones kept when a good one is saved.
    folder.save(checkpoint(4), keep=1)
    assert folder.steps() == (4,)
    names = {entry.name for entry in folder.checkpoint_path(4).parent.iterdir()}
    assert names == {
        "step-00000004.safetensors",
        "step-00000006.safetensors.damaged",
        "step-00000009.safetensors.damaged",
    }


def test_another_run_is_not_overwritten(folder: RunFolder) -> None:
    folder.save(checkpoint(3), keep=1)
    with pytest.raises(CheckpointError) as caught, new_run(folder.path):
        pass
    assert str(caught.value) == (
        f"{folder.path}: expected a new or empty folder, found another run. "
        "Resume that run (--resume), or name another folder."
    )
    assert folder.steps() == (3,)


@pytest.mark.parametrize("name", ["thesis.tex", "metrics.csv", "checkpoints/step.safetensors"])
def test_a_folder_with_other_things_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    with pytest.raises(CheckpointError) as caught, new_run(tmp_path):
        pass
    assert str(caught.value) == (
        f"{tmp_path}: expected a new or empty folder, found `{name.split('/')[0]}` in it. "
        "Name another folder."
    )
    assert (tmp_path / name).read_text() == "mine"


def test_a_run_killed_before_its_manifest_can_be_started_again(tmp_path: Path) -> None:
    with new_run(tmp_path):
        pass
    (tmp_path / "lock").write_text("99999\n")
    (tmp_path / ".manifest.json.99999.part").write_bytes(b"{")
    with new_run(tmp_path) as folder:
        assert not folder.has_manifest
        assert {entry.name for entry in tmp_path.iterdir()} == {"checkpoints", "lock"}


def test_resuming_where_there_is_no_run_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent"):
        with pytest.raises(CheckpointError) as caught, existing_run(path):
            pass
        assert str(caught.value) == (
            f"{path}: expected a run to resume, with its manifest.json, found none. "
            "Start it without --resume."
        )
    assert not (tmp_path / "absent").exists()


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("mine")
    with pytest.raises(CheckpointError) as caught, new_run(path):
        pass
    assert (
        str(caught.value) == f"{path}: expected a folder that can be written to, found File exists"
    )


def test_a_manifest_that_is_no_json_is_refused(folder: RunFolder) -> None:
    (folder.path / "manifest.json").write_bytes(b"<html>")
    with pytest.raises(CheckpointError) as caught:
        folder.manifest()
    assert str(caught.value) == (
        f"{folder.path / 'manifest.json'}: expected a JSON object, found 6 other bytes"
    )


@pytest.mark.parametrize("content", ["null", "[]", "3"])
def test_a_manifest_that_is_no_object_is_refused(folder: RunFolder, content: str) -> None:
    """Taken for none, `null` let a resumed run begin anew over the one that was there."""
    (path := folder.path / "manifest.json").write_text(content)
    with pytest.raises(CheckpointError) as caught:
        folder.manifest()
    found = f"{len(content)} other bytes"
    assert str(caught.value) == f"{path}: expected a JSON object, found {found}"


@pytest.mark.parametrize("name", ["run_id", "identity", "program", "data"])
def test_a_manifest_that_lacks_a_part_is_refused(folder: RunFolder, name: str) -> None:
    whole: dict[str, object] = {"run_id": "id", "identity": {}, "program": {}, "data": {}}
    folder.write_manifest(whole)
    assert folder.manifest() == whole
    folder.write_manifest({**whole, name: 5})
    with pytest.raises(CheckpointError) as caught:
        folder.manifest()
    expected = "the manifest of a run, with run_id, identity, program, data"
    where = folder.path / "manifest.json"
    assert str(caught.value) == f"{where}: expected {expected}, found no {name}"


def test_a_run_without_its_folder_of_checkpoints_is_named(folder: RunFolder) -> None:
    (checkpoints := folder.path / "checkpoints").rmdir()
    with pytest.raises(CheckpointError) as caught:
        folder.steps()
    expected = "the folder of a run's checkpoints"
    assert (
        str(caught.value) == f"{checkpoints}: expected {expected}, found No such file or directory"
    )


HOLDER = """
import sys, time
from pathlib import Path
from gradwright.train import new_run
with new_run(Path(sys.argv[1])):
    print("locked", flush=True)
    time.sleep(60)
"""


def test_two_processes_in_one_folder_are_refused_and_a_killed_one_frees_it(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"locked\n"
        with pytest.raises(CheckpointError) as caught, new_run(tmp_path):
            pass
        assert str(caught.value) == (
            f"{tmp_path}: expected a run folder that no other process uses, "
            f"found it locked by process {holder.pid}. "
            "Wait until that process ends, or use another folder."
        )
        holder.kill()
        holder.wait()
    assert (tmp_path / "lock").exists()
    with new_run(tmp_path):
        assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"
    assert not (tmp_path / "lock").exists()


def test_the_lock_is_freed_when_the_run_fails(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), new_run(tmp_path):
        raise RuntimeError
    with new_run(tmp_path):
        pass


def test_a_write_that_fails_leaves_the_old_file_and_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"old")

    def refuse(descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(CheckpointError) as caught:
        write_atomically(path, b"new")
    assert str(caught.value) == (
        f"{path}: expected room and permission to write 3 bytes, found Input/output error. "
        "What was complete before is unchanged."
    )
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_what_is_no_file_is_not_renamed_over(tmp_path: Path) -> None:
    """Run by root, a rename over /dev/null would leave every program on the machine without it."""
    os.mkfifo(pipe := tmp_path / "pipe")
    (folder := tmp_path / "folder").mkdir()
    for path, found in ((pipe, "a device, pipe or socket"), (folder, "a folder")):
        with pytest.raises(CheckpointError) as caught:
            write_atomically(path, b"content")
        expected = "a file, or a name for a new one"
        assert str(caught.value) == f"{path}: expected {expected}, found {found}"
    assert pipe.is_fifo()
    with pytest.raises(CheckpointError, match="found a folder"):
        write_atomically(Path(), b"content")


def test_a_link_is_followed(tmp_path: Path) -> None:
    (target := tmp_path / "target").write_bytes(b"old")
    (link := tmp_path / "link").symlink_to(target)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_a_step_that_does_not_fit_the_file_name_is_refused(folder: RunFolder) -> None:
    with pytest.raises(CheckpointError) as caught:
        folder.save(replace(checkpoint(1), progress=Progress(step=10**8)), keep=1)
    assert str(caught.value) == (
        "checkpoint name: expected at most 99999999 steps, found 100000000"
    )
