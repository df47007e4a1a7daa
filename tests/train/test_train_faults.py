"""What may happen to a run: killed at any moment, a full disk, a folder that cannot be written."""

import collections
import itertools
import json
import os
import random
import resource
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gradwright.errors import CheckpointError
from gradwright.train import (
    Checkpoint,
    MetricsLog,
    Progress,
    Row,
    new_run,
    read_checkpoint,
    read_rows,
    train_parts,
)
from train.runs import assert_same_run
from train.tiny import tiny_data, tiny_parts
from train.victim import OPTIONS

KILLS = 24
VICTIM = Path(__file__).with_name("victim.py")
TESTS = VICTIM.parent.parent


@contextmanager
def victim(folder: Path) -> Generator["subprocess.Popen[bytes]"]:
    environment = os.environ | {"PYTHONPATH": str(TESTS)}
    command = [sys.executable, str(VICTIM), str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        yield process
        process.kill()


def started_within(folder: Path) -> float:
    """Measure the seconds from the birth of a victim to its first step."""
    birth = time.monotonic()
    with victim(folder) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"started\n"
        return time.monotonic() - birth


def wait_while_starting(process: "subprocess.Popen[bytes]", seconds: float) -> None:
    """Wait so long, but no longer than until the first step."""
    assert process.stdout is not None
    select.select([process.stdout], [], [], seconds)


def wait_for_steps(process: "subprocess.Popen[bytes]", steps: int, fraction: float) -> None:
    """Wait for some steps of a victim and a fraction of the time that one takes here."""
    assert process.stdout is not None
    assert process.stdout.readline() == b"started\n"
    begin = time.monotonic()
    for _ in range(steps):
        assert process.stdout.readline() == b"step\n"
    time.sleep(fraction * (time.monotonic() - begin) / steps)


@pytest.mark.xla
def test_killed_at_random_moments_and_resumed_a_run_ends_with_the_same_bits(tmp_path: Path) -> None:
    """L1: kill -9 in the middle of training and saving.

    Reference: Lightning-AI/pytorch-lightning#688, harvard-edge/cs249r_book#2068,
    CanReader/FastNN#13, vllm-project/speculators#739, facebookresearch/metaseq#53,
    allenai/allennlp#2129.
    """
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    train_parts(tiny_parts(), tiny_data(), OPTIONS, out=whole)
    moments = random.Random(1)
    startup = started_within(tmp_path / "measured")
    reached = [0]
    for kill in range(KILLS):
        with victim(killed) as process:
            if kill % 4:
                wait_for_steps(process, moments.randint(1, 10), moments.random())
            else:
                wait_while_starting(process, startup * moments.random())
            process.kill()
            process.wait()
        saved = killed / "checkpoints"
        names = sorted(path.name for path in saved.glob("step-*")) if saved.exists() else []
        for name in names:
            read_checkpoint(saved / name)  # a complete name is a valid file, always
        reached.append(int(names[-1][5:13]) if names else 0)
        assert reached[-1] >= reached[-2]
    assert 0 < reached[-1] < 240, f"the kills came too early or too late: {reached}"
    with victim(killed) as process:
        assert process.stdout is not None
        assert process.stdout.read().endswith(b"step\ndone\n")
        assert process.wait() == 0
    assert_same_run(killed, whole)
    litter = [path.name for path in killed.rglob("*") if path.name.endswith(".part")]
    assert (litter, (killed / "lock").exists()) == ([], False)


# Saves step 2 over step 1 in a forked child that kills itself before its N-th call that can change
# the disk, for N = 1, 2, … until it survives; prints the newest step found after each.
KILL_AT_EVERY_CALL = """
import json, os, signal, sys
from pathlib import Path
import numpy as np
from gradwright.train import Checkpoint, Progress, existing_run, new_run

def checkpoint(step):
    return Checkpoint("id", {}, Progress(step=step), {"w": np.full(3000, step, np.float32)})

def save(path, fatal):
    seen = []
    def event(name, *rest):
        if name in ("open", "os.rename", "os.remove", "fsync"):
            seen.append(name)
            if len(seen) == fatal:
                os.kill(os.getpid(), signal.SIGKILL)
    fsync = os.fsync
    with existing_run(path) as folder:
        sys.addaudithook(event)
        os.fsync = lambda descriptor: (event("fsync"), fsync(descriptor))
        folder.save(checkpoint(2), keep=1)
    os._exit(0)

found = []
for fatal in range(1, 100):
    path = Path(sys.argv[1]) / str(fatal)
    with new_run(path) as folder:
        folder.write_manifest({})
        folder.save(checkpoint(1), keep=1)
    child = os.fork()
    if child == 0:
        save(path, fatal)
    killed = os.waitpid(child, 0)[1] == signal.SIGKILL
    with existing_run(path) as folder:
        newest, damaged = folder.newest()
        step = newest.progress.step
        assert (newest.state["w"] == step).all() and not damaged
        folder.save(checkpoint(3), keep=1)
        assert folder.steps() == (3,)
        assert [p.name for p in (path / "checkpoints").iterdir()] == ["step-00000003.safetensors"]
    found.append(step)
    if not killed:
        break
print(json.dumps(found))
"""


def test_killed_before_any_call_of_a_save_the_old_or_the_new_checkpoint_is_whole(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-c", KILL_AT_EVERY_CALL, str(tmp_path)]
    found = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert found == sorted(found)
    assert (found[0], found[-1]) == (1, 2)
    assert len(found) > 5


DISKS = pytest.mark.parametrize("kind", ["tmpfs", "limit"])


@contextmanager
def small_disk(kind: str, path: Path, size: int) -> Generator[str]:
    """Make a folder that runs full; give the system's word for it.

    A tmpfs of `size` bytes where one may be mounted; otherwise files may have a quarter of that.
    """
    path.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(path)]
    if kind == "tmpfs" and subprocess.run(mount, capture_output=True, check=False).returncode == 0:
        try:
            yield "No space left on device"
        finally:
            subprocess.run(["umount", str(path)], check=True)
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size // 4, hard))
    try:
        yield "File too large"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def checkpoint(step: int, size: int) -> Checkpoint:
    return Checkpoint("id", {}, Progress(step=step), {"w": np.zeros(size, np.uint8)})


@DISKS
def test_a_full_disk_is_an_error_and_the_earlier_checkpoint_stays(
    tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "disk"
    with small_disk(kind, path, 64 * 1024) as reason, new_run(path / "run") as folder:
        folder.save(checkpoint(1, 10_000), keep=2)
        good = folder.checkpoint_path(1).read_bytes()
        with pytest.raises(CheckpointError) as caught:
            folder.save(checkpoint(2, 70_000), keep=2)
        size = len(good) - 10_000 + 70_000
        assert str(caught.value) == (
            f"{folder.checkpoint_path(2)}: expected room and permission to write {size:,} bytes, "
            f"found {reason}. What was complete before is unchanged."
        )
        files = list(folder.checkpoint_path(1).parent.iterdir())
        assert files == [folder.checkpoint_path(1)]
        assert files[0].read_bytes() == good


@DISKS
def test_a_row_that_finds_no_room_leaves_the_rows_before_it(tmp_path: Path, kind: str) -> None:
    with small_disk(kind, tmp_path / "disk", 16 * 1024) as reason:
        path = tmp_path / "disk" / "metrics.csv"
        log = MetricsLog(path)
        steps = itertools.count()
        with pytest.raises(CheckpointError) as caught:
            collections.deque((log.append(Row(step, step / 7, 0.1, 1 / 3)) for step in steps), 0)
        assert str(caught.value) == f"{path}: expected room for one more row, found {reason}"
        failed = next(steps) - 1
        assert failed > 10
        assert [row.step for row in read_rows(path)] == list(range(failed))


@pytest.mark.xla
@DISKS
def test_a_run_that_filled_the_disk_goes_on_where_there_is_room(tmp_path: Path, kind: str) -> None:
    options = replace(OPTIONS, log_every=1)
    whole, moved = tmp_path / "whole", tmp_path / "moved"
    train_parts(tiny_parts(), tiny_data(), options, out=whole)
    with small_disk(kind, tmp_path / "disk", 36 * 1024) as reason:
        out = tmp_path / "disk" / "run"
        with pytest.raises(CheckpointError, match=reason):
            train_parts(tiny_parts(), tiny_data(), options, out=out)
        shutil.copytree(out, moved)
    assert 0 < read_rows(moved / "metrics.csv")[-1].step < 240
    train_parts(tiny_parts(), tiny_data(), options, out=moved, resume=True)
    assert_same_run(moved, whole)


@contextmanager
def forbidden_folder() -> Generator[Path]:
    """Make a folder that this process may read but not write, whoever runs the tests."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "run"
        folder.mkdir()
        Path(name).chmod(0o755)
        folder.chmod(0o555)
        user = os.geteuid()
        if user == 0:
            os.seteuid(65534)  # nobody: the superuser is refused nothing
        try:
            yield folder
        finally:
            os.seteuid(user)
            folder.chmod(0o755)


def test_a_folder_that_cannot_be_written_is_refused() -> None:
    with forbidden_folder() as folder:
        with pytest.raises(CheckpointError) as caught, new_run(folder):
            pass
        assert str(caught.value) == (
            f"{folder / 'lock'}: expected a run folder that can be written to, "
            "found Permission denied"
        )
        with pytest.raises(CheckpointError) as caught, new_run(folder / "below"):
            pass
        assert str(caught.value) == (
            f"{folder / 'below'}: expected a folder that can be written to, found Permission denied"
        )
