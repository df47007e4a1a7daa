"""Compiled executables on disk, keyed by everything that went into them.

An entry is one file `<key>.gwx`: 8 bytes magic, 32 bytes SHA-256 of the payload, the payload.
Loading an executable runs its code, so the folder belongs to the user alone (mode 0700), and an
entry whose checksum differs is never loaded.
"""

import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gradwright.errors import UnsupportedError

FOLDER_VARIABLE = "GRADWRIGHT_CACHE"
_MAGIC = b"GWEXEC01"
_DIGEST_BYTES = 32
_SUFFIX = ".gwx"


def default_folder() -> Path:
    """Return $GRADWRIGHT_CACHE, else gradwright/compiled in the user's cache folder (XDG)."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "gradwright" / "compiled"


def key_of(parts: Mapping[str, object]) -> str:
    """Return the key of what `parts` describe: a digest of their JSON."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


class DamagedEntry(Exception):
    """A cache entry is not what was written."""


@dataclass(frozen=True, slots=True)
class Usage:
    """How much a cache holds."""

    folder: Path
    entries: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder of compiled executables; safe for several processes at once."""

    folder: Path = field(default_factory=default_folder)

    def read(self, key: str) -> bytes | None:
        """Return the payload of an entry, None where there is none.

        Errors: DamagedEntry where it is not what was written; UnsupportedError where the folder
        is open to other users.
        """
        try:
            _check_private(self.folder)
            content = self._path(key).read_bytes()
        except FileNotFoundError:
            return None
        start = len(_MAGIC) + _DIGEST_BYTES
        digest, payload = content[len(_MAGIC) : start], content[start:]
        if content[: len(_MAGIC)] != _MAGIC or hashlib.sha256(payload).digest() != digest:
            raise DamagedEntry(str(self._path(key)))
        return payload

    def write(self, key: str, payload: bytes) -> None:
        """Store an entry: written aside, synced, renamed. OSError where the disk refuses."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _check_private(self.folder)
        handle, aside = tempfile.mkstemp(dir=self.folder, prefix=f"{key[:16]}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_MAGIC + hashlib.sha256(payload).digest() + payload)
                file.flush()
                os.fsync(file.fileno())
            os.replace(aside, self._path(key))
        except BaseException:
            Path(aside).unlink(missing_ok=True)
            raise
        _sync_folder(self.folder)

    def usage(self) -> Usage:
        """Return how many entries there are and what they weigh."""
        sizes = [path.stat().st_size for path in self.folder.glob(f"*{_SUFFIX}")]
        return Usage(self.folder, len(sizes), sum(sizes))

    def clear(self) -> Usage:
        """Delete all entries and return what they were; other files stay."""
        before = self.usage()
        for path in self.folder.glob(f"*{_SUFFIX}"):
            path.unlink(missing_ok=True)
        return before

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}{_SUFFIX}"


# Given to `compile`, it keeps nothing and finds nothing.
NO_CACHE = Cache(Path(os.devnull))


def _check_private(folder: Path) -> None:
    status = folder.stat()
    mode = stat.S_IMODE(status.st_mode)
    if status.st_uid == os.getuid() and not mode & 0o077:
        return
    raise UnsupportedError(
        where=str(folder),
        expected="a cache folder of your own with mode 0700",
        found=f"owner {status.st_uid}, mode {mode:04o}",
        remedy=f"Run chmod 700 on it, or set {FOLDER_VARIABLE} to another folder",
    )


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
