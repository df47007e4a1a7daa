"""IDX files, the format of MNIST and Fashion-MNIST.

Source: Y. LeCun's MNIST page: big-endian u32 magic (2051 images, 2049 labels), count, then rows
and columns for images, then one byte per pixel or label.
"""

import hashlib
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gradwright.data.checks import check_labels
from gradwright.data.files import describe, read
from gradwright.data.known import KnownSet
from gradwright.data.normalisation import measure
from gradwright.data.records import Dataset, Split
from gradwright.errors import DataError
from gradwright.kinds import checked

_PARTS = ("train", "t10k")
_MAGICS = {2051: "images", 2049: "labels"}
_BYTE_SCALE = 1 / 255


@dataclass(frozen=True, slots=True, eq=False)
class IdxFile:
    """One parsed IDX file: its array and the SHA-256 (hex) of its unpacked bytes."""

    path: Path
    array: NDArray[np.uint8]
    sha256: str


@checked
def read_idx_images(path: Path) -> IdxFile:
    """Read an IDX image file, raw or gzip.

    Shapes: array [N, rows, columns] uint8.
    """
    return _read(path, magic=2051, dimensions=3)


@checked
def read_idx_labels(path: Path) -> IdxFile:
    """Read an IDX label file, raw or gzip.

    Shapes: array [N] uint8.
    """
    return _read(path, magic=2049, dimensions=1)


@checked
def load_idx(directory: Path, *, name: str = "idx", known: KnownSet | None = None) -> Dataset:
    """Load the four IDX files of a directory under their usual names, raw or `.gz`.

    Without `known` the class count is the largest training label + 1. With `known` the per-class
    counts and checksums must be those of the published set.
    """
    files = {
        part: (
            read_idx_images(_find(directory, f"{part}-images-idx3-ubyte")),
            read_idx_labels(_find(directory, f"{part}-labels-idx1-ubyte")),
        )
        for part in _PARTS
    }
    classes = known.classes if known is not None else _numbered(files["train"][1].array)
    for part, (images, labels) in files.items():
        where = str(labels.path)
        check_labels(labels.array, images=len(images.array), classes=len(classes), where=where)
        if known is not None:
            counts = np.bincount(labels.array, minlength=len(classes))
            known.check_counts(part, tuple(counts.tolist()), where=where)
            known.check_sha256(images.path.name, images.sha256, where=str(images.path))
            known.check_sha256(labels.path.name, labels.sha256, where=where)
    rule = measure(files["train"][0].array[:, None], scale=_BYTE_SCALE)
    train, test = (
        Split(images.array[:, None], labels.array.astype(np.int32), rule)
        for images, labels in files.values()
    )
    return Dataset(name, train, test, classes, source=str(directory))


def _numbered(labels: NDArray[np.uint8]) -> tuple[str, ...]:
    return tuple(str(label) for label in range(int(labels.max()) + 1))


def _find(directory: Path, stem: str) -> Path:
    for path in (directory / stem, directory / f"{stem}.gz"):
        if path.exists():
            return path
    raise DataError(where=str(directory), expected=f"{stem} or {stem}.gz", found="neither of them")


def _read(path: Path, *, magic: int, dimensions: int) -> IdxFile:
    kind = f"IDX {_MAGICS[magic]} (magic {magic})"
    content = read(path, expected=kind)
    header = 4 + 4 * dimensions
    if len(content) < header:
        raise DataError(
            where=str(path), expected=f"{kind}, a header of {header} bytes", found=describe(content)
        )
    found, *shape = struct.unpack_from(f">{1 + dimensions}I", content)
    if found != magic:
        other = f"IDX {_MAGICS[found]} (magic {found})" if found in _MAGICS else describe(content)
        raise DataError(where=str(path), expected=kind, found=other)
    size = header + int(np.prod(shape, dtype=object))
    if len(content) != size or 0 in shape:
        sizes = "*".join(str(extent) for extent in shape)
        raise DataError(
            where=str(path),
            expected=f"{size} bytes ({header} + {sizes}, none of them 0)",
            found=f"{len(content)} bytes",
            remedy="Fetch it again",
        )
    array = np.frombuffer(content, np.uint8, offset=header).reshape(shape)
    return IdxFile(path, array, hashlib.sha256(content).hexdigest())
