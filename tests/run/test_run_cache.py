"""Compiled code on disk: found again, never trusted when damaged, never in anyone's way."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gradwright import run
from gradwright.errors import UnsupportedError
from gradwright.hlo import ElementType
from gradwright.run import Cache, CacheOutcome, Executable
from gradwright.run.cache import DamagedEntry, default_folder, key_of
from run.texts import ACCUMULATE, identity

FINE = identity((2,), ElementType.F32)
X = np.ones(2, np.float32)


def outcome(text: str = FINE, *, options: run.Options | None = None) -> CacheOutcome:
    exe = run.compile(text, options=options or run.Options())
    _runs(exe)
    return exe.manifest.cache


def _runs(exe: Executable) -> None:
    inputs = {port.name: np.ones(port.shape, np.float32) for port in exe.signature.inputs}
    assert all(np.isfinite(value).all() for value in exe(**inputs).values())


def entry(cache: Cache) -> Path:
    (path,) = cache.folder.iterdir()
    return path


@pytest.mark.xla
def test_the_second_compile_is_a_hit(cache: Cache) -> None:
    assert outcome() is CacheOutcome.MISS
    assert outcome() is CacheOutcome.HIT
    assert cache.usage().entries == 1
    assert cache.usage().bytes == entry(cache).stat().st_size


@pytest.mark.xla
def test_text_and_flags_are_part_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    flags = run.Options(xla_flags=(("xla_backend_optimization_level", "0"),))
    assert outcome() is CacheOutcome.MISS
    assert outcome(ACCUMULATE) is CacheOutcome.MISS
    assert outcome(options=flags) is CacheOutcome.MISS
    assert outcome(options=flags) is CacheOutcome.HIT
    monkeypatch.setattr("gradwright.run.pjrt.jaxlib_version", lambda: "0.99")
    assert outcome() is CacheOutcome.MISS


@pytest.mark.xla
@pytest.mark.parametrize("damage", ["cut", "empty", "flipped", "other", "html"])
def test_a_damaged_entry_is_compiled_again(cache: Cache, damage: str) -> None:
    outcome()
    path = entry(cache)
    content = path.read_bytes()
    middle = len(content) // 2
    path.write_bytes(
        {
            "cut": content[:-1],
            "empty": b"",
            "flipped": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
            "other": b"GWEXEC00" + content[8:],
            "html": b"<html>no such page</html>",
        }[damage]
    )
    assert outcome() is CacheOutcome.REPAIRED
    assert outcome() is CacheOutcome.HIT
    assert entry(cache).read_bytes()[:8] == content[:8]


@pytest.mark.xla
def test_no_cache_keeps_nothing(cache: Cache) -> None:
    assert run.compile(FINE, cache=run.NO_CACHE).manifest.cache is CacheOutcome.OFF
    assert not cache.folder.exists()


@pytest.mark.xla
def test_a_full_disk_is_no_reason_to_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    assert outcome() is CacheOutcome.UNWRITABLE
    monkeypatch.undo()


def test_an_interrupted_write_leaves_nothing(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(handle: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", stop)
    with pytest.raises(KeyboardInterrupt):
        cache.write("0" * 64, b"payload")
    assert list(cache.folder.iterdir()) == []
    assert cache.read("0" * 64) is None


def test_an_entry_comes_back_as_it_was(cache: Cache) -> None:
    key = key_of({"text": "a", "flags": ("b",)})
    assert key != key_of({"text": "a", "flags": ("c",)})
    assert cache.read(key) is None
    cache.write(key, b"payload")
    cache.write(key, b"payload 2")
    assert cache.read(key) == b"payload 2"
    entry(cache).write_bytes(b"GWEXEC01" + bytes(32) + b"payload 2")
    with pytest.raises(DamagedEntry):
        cache.read(key)


def test_the_folder_belongs_to_the_user_alone(cache: Cache) -> None:
    cache.write("0" * 64, b"payload")
    assert stat.S_IMODE(cache.folder.stat().st_mode) == 0o700
    cache.folder.chmod(0o770)
    with pytest.raises(UnsupportedError) as caught:
        cache.read("0" * 64)
    assert str(caught.value) == (
        f"{cache.folder}: expected a cache folder of your own with mode 0700, found owner "
        f"{os.getuid()}, mode 0770. Run chmod 700 on it, or set GRADWRIGHT_CACHE to another folder"
    )
    with pytest.raises(UnsupportedError):
        cache.write("0" * 64, b"payload")


def test_clearing_deletes_entries_and_nothing_else(cache: Cache) -> None:
    assert cache.clear().entries == 0
    cache.write("0" * 64, b"payload")
    other = cache.folder / "notes.txt"
    other.write_text("mine")
    assert cache.clear() == run.Usage(cache.folder, 1, 47)
    assert cache.usage().entries == 0
    assert other.exists()


def test_where_the_folder_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert default_folder() == tmp_path / "cache"
    monkeypatch.delenv("GRADWRIGHT_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "gradwright" / "compiled"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_folder() == tmp_path / ".cache" / "gradwright" / "compiled"


@pytest.mark.xla
def test_two_processes_may_compile_the_same_text_at_once(cache: Cache, tmp_path: Path) -> None:
    text = tmp_path / "accumulate.mlir"
    text.write_text(ACCUMULATE)
    script = (
        "import sys, numpy as np, gradwright.run as run\n"
        "exe = run.compile(open(sys.argv[1]).read())\n"
        "x = np.ones(3, np.float32)\n"
        "print(exe(arg0=x, arg1=x)['out1'], exe.manifest.cache)\n"
    )
    command = [sys.executable, "-c", script, str(text)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    printed = [process.communicate(timeout=120)[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert [words[0] for words in printed] == ["6.0", "6.0"]
    assert cache.usage().entries == 1
    assert outcome(ACCUMULATE) is CacheOutcome.HIT
