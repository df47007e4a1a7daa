"""Reading a data file whole, with the checks that every format shares."""

import gzip
import zlib
from pathlib import Path

from gradwright.errors import DataError

_GZIP = b"\x1f\x8b"
_HTML = (b"<!doctype html", b"<html", b"<?xml")


def describe(content: bytes) -> str:
    """Say what content looks like: its kind, size and first bytes."""
    if not content:
        return "an empty file (0 bytes)"
    if content.startswith(_GZIP):
        return f"gzip data ({len(content)} bytes, starts 1F 8B)"
    if content[:64].lstrip().lower().startswith(_HTML):
        return (
            f"a web page ({len(content)} bytes, starts {content[:15].decode(errors='replace')!r})"
        )
    return f"{len(content)} bytes, starts {content[:4].hex(' ').upper()}"


def read(path: Path, *, expected: str) -> bytes:
    """Read a file, unpacked when it is gzip, and refuse what its name does not promise.

    Errors: `DataError` when the file is missing, empty, a web page, cut short, or gzip without
    the suffix `.gz` or the reverse (the content decides, the name must agree).
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(
            where=str(path), expected=expected, found=error.strerror or "an unreadable file"
        ) from error
    packed = content.startswith(_GZIP)
    if packed and path.suffix == ".gz":
        return _unpack(content, path)
    if packed:
        raise DataError(
            where=str(path),
            expected=expected,
            found=describe(content),
            remedy=f"Rename it to {path.name}.gz or unpack it",
        )
    if not content or describe(content).startswith("a web page"):
        raise DataError(
            where=str(path), expected=expected, found=describe(content), remedy="Fetch it again"
        )
    if path.suffix == ".gz":
        raise DataError(
            where=str(path),
            expected="gzip data (1F 8B), as its name says",
            found=describe(content),
            remedy=f"Rename it to {path.stem} if it is not packed",
        )
    return content


def _unpack(content: bytes, path: Path) -> bytes:
    try:
        return gzip.decompress(content)
    except (EOFError, OSError, zlib.error) as error:
        raise DataError(
            where=str(path),
            expected="complete gzip data",
            found=f"{len(content)} bytes that do not unpack ({error})",
            remedy="Fetch it again",
        ) from error
