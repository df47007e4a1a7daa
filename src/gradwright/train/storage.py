"""Files that are either whole or absent, whatever kills the process that writes them."""

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from gradwright.errors import CheckpointError
from gradwright.kinds import checked

TEMPORARY_SUFFIX = ".part"


@checked
def write_atomically(path: Path, content: bytes) -> None:
    """Write a file under a temporary name, sync it, rename it, and sync its folder.

    A reader sees the old file or the new one, never a part; after a power cut too. On an error the
    temporary file is removed and an older file of that name is untouched.

    A link is followed: the file that it names is written. What is no file (a folder, a device, a
    pipe) is refused, since renaming over it would take it away from the system.

    Errors: CheckpointError with the path and what the system said.
    """
    _refuse_what_is_no_file(path)
    target = path.resolve() if path.is_symlink() else path
    temporary = target.with_name(f".{target.name}.{os.getpid()}{TEMPORARY_SUFFIX}")
    unchanged = "What was complete before is unchanged."
    with reported(path, f"room and permission to write {len(content):,} bytes", remedy=unchanged):
        try:
            with temporary.open("wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            temporary.replace(target)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
        sync_folder(target.parent)


def _refuse_what_is_no_file(path: Path) -> None:
    expected = "a file, or a name for a new one"
    with reported(path, expected):
        if path.exists() and not path.is_file():
            found = "a folder" if path.is_dir() else "a device, pipe or socket"
            raise CheckpointError(where=str(path), expected=expected, found=found)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder (new, renamed, removed) survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_temporaries(folder: Path) -> None:
    """Remove what killed writers left behind in a folder that nobody else writes to."""
    for litter in folder.glob(f".*{TEMPORARY_SUFFIX}"):
        litter.unlink()


@contextmanager
def reported(path: Path, expected: str, *, remedy: str = "") -> Generator[None]:
    """Turn what the operating system says about a path into a CheckpointError."""
    try:
        yield
    except OSError as error:
        raise CheckpointError(
            where=str(path),
            expected=expected,
            found=error.strerror or type(error).__name__,
            remedy=remedy,
        ) from error
