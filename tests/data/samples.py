"""Small data files and splits that the tests of `gradwright.data` make."""

import struct
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from gradwright.data import Batch, Normalisation, Split
from gradwright.errors import DataError

HTML = b"<!DOCTYPE html><html><body>404</body></html>"

Bytes = NDArray[np.uint8]


def refusal(call: Callable[[], object]) -> str:
    """Return the text with which a call refuses its data."""
    with pytest.raises(DataError) as caught:
        call()
    return str(caught.value)


def pixels(*shape: int, seed: int = 0) -> Bytes:
    return np.random.default_rng(seed).integers(0, 256, shape, np.uint8)


def split(count: int, *, classes: int = 3, channels: int = 1, seed: int = 0) -> Split:
    """Make a split of random 5×4 images with labels 0, 1, ..., classes - 1, 0, 1, ..."""
    rule = Normalisation(1 / 255, (0.4,) * channels, (0.3,) * channels)
    labels = (np.arange(count) % classes).astype(np.int32)
    return Split(pixels(count, channels, 5, 4, seed=seed), labels, rule)


def idx_images(images: Bytes, *, magic: int = 2051) -> bytes:
    return struct.pack(">4I", magic, *images.shape) + images.tobytes()


def idx_labels(labels: Iterable[int], *, magic: int = 2049) -> bytes:
    body = bytes(labels)
    return struct.pack(">2I", magic, len(body)) + body


def write_idx(folder: Path, *, train: int = 6, test: int = 4, classes: int = 3) -> Path:
    """Write the four IDX files of a small set of 5×4 images; return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed, (part, count) in enumerate((("train", train), ("t10k", test))):
        images, labels = pixels(count, 5, 4, seed=seed), [i % classes for i in range(count)]
        (folder / f"{part}-images-idx3-ubyte").write_bytes(idx_images(images))
        (folder / f"{part}-labels-idx1-ubyte").write_bytes(idx_labels(labels))
    return folder


def cifar_records(labels: Iterable[int], *, seed: int = 0) -> bytes:
    column = np.array(list(labels), np.uint8)[:, None]
    return np.hstack([column, pixels(len(column), 3072, seed=seed)]).tobytes()


def pairs(images: Iterable[NDArray[np.float32]], labels: Iterable[int]) -> Counter[tuple[int, int]]:
    """Count the pairs (hash of image, label)."""
    found = zip(images, labels, strict=True)
    return Counter((hash(image.tobytes()), int(label)) for image, label in found)


def counted(drawn: Iterable[Batch]) -> Counter[tuple[int, int]]:
    """Count the pairs of the true samples of batches."""
    total: Counter[tuple[int, int]] = Counter()
    for batch in drawn:
        total += pairs(batch.images[: batch.count], batch.labels[: batch.count])
    return total
