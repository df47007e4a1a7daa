"""The binary version of CIFAR-10.

Source: A. Krizhevsky's CIFAR-10 page: records of 3073 bytes, one label byte, then 1024 bytes each
of red, green and blue, row by row; class names in `batches.meta.txt`.
"""

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gradwright.data.checks import check_labels
from gradwright.data.files import describe, read
from gradwright.data.known import CIFAR10, KnownSet
from gradwright.data.normalisation import measure
from gradwright.data.records import Dataset, Labels, Split
from gradwright.errors import DataError
from gradwright.kinds import checked

_SHAPE = (3, 32, 32)
_RECORD = 1 + 3 * 32 * 32
_CLASSES = 10
_BYTE_SCALE = 1 / 255


@checked
def read_cifar(path: Path) -> tuple[NDArray[np.uint8], Labels]:
    """Read one file of records.

    Shapes: images [N, 3, 32, 32] uint8; labels [N] int32 in 0..9; any N >= 1.
    """
    content = read(path, expected="CIFAR-10 binary records")
    if len(content) % _RECORD:
        raise DataError(
            where=str(path),
            expected=f"a multiple of {_RECORD} bytes (1 label + 3*32*32 pixels)",
            found=describe(content),
            remedy="Fetch it again, in the binary version",
        )
    records = np.frombuffer(content, np.uint8).reshape(-1, _RECORD)
    labels = records[:, 0].astype(np.int32)
    check_labels(labels, images=len(records), classes=_CLASSES, where=str(path))
    return records[:, 1:].reshape(-1, *_SHAPE), labels


@checked
def load_cifar(directory: Path, *, name: str = "cifar", known: KnownSet | None = None) -> Dataset:
    """Load `data_batch_1.bin`, `data_batch_2.bin`, … and `test_batch.bin` of a directory.

    Class names come from `batches.meta.txt` when it is there. With `known` the per-class counts
    must be those of the published set.
    """
    parts = {
        "train": [read_cifar(path) for path in _training_files(directory)],
        "test": [read_cifar(directory / "test_batch.bin")],
    }
    images = {part: np.concatenate([pair[0] for pair in pairs]) for part, pairs in parts.items()}
    labels = {part: np.concatenate([pair[1] for pair in pairs]) for part, pairs in parts.items()}
    if known is not None:
        for part in parts:
            counts = np.bincount(labels[part], minlength=_CLASSES)
            known.check_counts(part, tuple(counts.tolist()), where=str(directory))
    rule = measure(images["train"], scale=_BYTE_SCALE)
    return Dataset(
        name,
        Split(images["train"], labels["train"], rule),
        Split(images["test"], labels["test"], rule),
        _class_names(directory),
        source=str(directory),
    )


def _training_files(directory: Path) -> list[Path]:
    """List the training files, which must be numbered from 1 without a gap."""
    numbers = sorted(
        int(match[1])
        for path in directory.glob("data_batch_*.bin")
        if (match := re.fullmatch(r"data_batch_(\d+)\.bin", path.name)) is not None
    )
    if not numbers or numbers != list(range(1, len(numbers) + 1)):
        raise DataError(
            where=str(directory),
            expected="data_batch_1.bin, data_batch_2.bin, … without a gap",
            found=f"numbers {numbers}" if numbers else "none of them",
            remedy=CIFAR10.remedy,
        )
    return [directory / f"data_batch_{number}.bin" for number in numbers]


def _class_names(directory: Path) -> tuple[str, ...]:
    path = directory / "batches.meta.txt"
    if not path.exists():
        return CIFAR10.classes
    text = read(path, expected="one class name per line").decode(errors="replace")
    names = tuple(line.strip() for line in text.splitlines() if line.strip())
    if len(names) != _CLASSES:
        raise DataError(where=str(path), expected=f"{_CLASSES} class names", found=f"{len(names)}")
    return names
