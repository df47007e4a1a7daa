"""What a data set is: labelled images, their classes and their normalisation.

Every `Split` keeps its pixels as they were read, `uint8` or `float32`, and carries the
`Normalisation` that turns them into the `float32` a net sees. The rule is applied when a batch is
drawn, and it is stated once, in `Normalisation`.
"""

import hashlib
import json
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gradwright.errors import DataError

Pixels: TypeAlias = NDArray[np.uint8 | np.float32]
Labels: TypeAlias = NDArray[np.int32]

# Images whose sums are taken together: large enough to be quick, small enough to stay in cache.
_CHUNK = 512


@dataclass(frozen=True, slots=True)
class Normalisation:
    """The way from stored pixels to what a net sees: `(x * scale - mean) / std`, per channel.

    Attributes:
        scale: brings stored pixels into 0..1 (1/255 for bytes, 1/16 for the digits).
        mean: mean of the scaled training pixels, one number per channel.
        std: standard deviation of the scaled training pixels, one number > 0 per channel.
    """

    scale: float
    mean: tuple[float, ...]
    std: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.mean) != len(self.std):
            raise DataError(
                where="normalisation",
                expected="one mean and one std per channel",
                found=f"{len(self.mean)} means and {len(self.std)} stds",
            )
        numbers = np.array([self.scale, *self.mean, *self.std])
        if not np.isfinite(numbers).all() or self.scale <= 0 or min(self.std, default=1.0) <= 0:
            raise DataError(
                where="normalisation",
                expected="finite numbers, scale > 0 and std > 0",
                found=f"scale {self.scale}, mean {self.mean}, std {self.std}",
            )

    def apply(self, pixels: Pixels) -> NDArray[np.float32]:
        """Normalise stored pixels.

        Shapes: pixels [B, C, H, W]; result the same, float32. Every step rounds to float32.
        """
        channels = (-1, 1, 1)
        result = pixels.astype(np.float32)
        result *= np.float32(self.scale)
        result -= np.array(self.mean, np.float32).reshape(channels)
        result /= np.array(self.std, np.float32).reshape(channels)
        return result


def measure(pixels: Pixels, *, scale: float) -> Normalisation:
    """Measure the normalisation of training pixels.

    Shapes: pixels [N, C, H, W]. A constant channel gets std 1. Sums of bytes are exact, so the
    result does not depend on the machine.
    """
    kind = np.uint64 if pixels.dtype == np.uint8 else np.float64
    total, squares = np.zeros(pixels.shape[1], kind), np.zeros(pixels.shape[1], kind)
    for start in range(0, len(pixels), _CHUNK):
        # The square of a byte fits 16 bits.
        chunk = pixels[start : start + _CHUNK].astype(np.uint16 if kind is np.uint64 else kind)
        total += chunk.sum(axis=(0, 2, 3), dtype=kind)
        squares += np.square(chunk, out=chunk).sum(axis=(0, 2, 3), dtype=kind)
    count = pixels.size // pixels.shape[1]
    mean = total / count * scale
    std = np.sqrt(np.maximum(squares / count * scale**2 - mean**2, 0.0))
    return Normalisation(
        scale, tuple(mean.tolist()), tuple(s if s > 0 else 1.0 for s in std.tolist())
    )


def check_pixels(pixels: NDArray[np.number], *, scale: float, where: str) -> None:
    """Raise `DataError` unless pixels are [N, C, H, W] bytes or floats in 0..1 once scaled."""
    if pixels.dtype not in (np.dtype(np.uint8), np.dtype(np.float32)):
        raise DataError(where=where, expected="uint8 or float32 pixels", found=f"{pixels.dtype}")
    if pixels.ndim != 4 or 0 in pixels.shape:
        raise DataError(
            where=where,
            expected="images of shape [N, C, H, W], no size 0",
            found=f"shape {list(pixels.shape)}",
        )
    if pixels.dtype == np.uint8 and scale * 255 <= 1:
        return
    # NaN survives min and max, infinities are outside any range: one pass finds all three.
    low, high = float(np.min(pixels)), float(np.max(pixels))
    if np.isnan(low):
        bad = int(np.isnan(pixels).reshape(len(pixels), -1).any(axis=1).argmax())
        raise DataError(where=where, expected="finite pixels", found=f"NaN in image {bad}")
    # Half a float32 ulp above 1 is what `x / 255` stored as float32 and scaled back may leave.
    if low < 0 or high * scale > 1 + 2.0**-23:
        raise DataError(
            where=where,
            expected=f"pixels in 0..1 after the declared scale {scale:g}",
            found=f"{low:g}..{high:g} before it",
            remedy="Declare the scale the pixels have, e.g. 1/255 for bytes",
        )


def check_labels(
    labels: NDArray[np.number], *, images: int, classes: int | None, where: str
) -> None:
    """Raise `DataError` unless labels are integers [images] in 0..classes-1 (any when None)."""
    if labels.ndim != 1 or not np.issubdtype(labels.dtype, np.integer):
        raise DataError(
            where=where,
            expected="integer labels of shape [N]",
            found=f"{labels.dtype} of shape {list(labels.shape)}",
        )
    if len(labels) != images:
        raise DataError(
            where=where,
            expected=f"{images} labels, one per image",
            found=f"{len(labels)}",
            remedy="Images and labels belong to different files or one of them is incomplete",
        )
    top = 2**31 if classes is None else classes
    wrong = (labels < 0) | (labels >= top)
    if wrong.any():
        first = int(wrong.argmax())
        raise DataError(
            where=where,
            expected=f"labels in 0..{top - 1}",
            found=f"label {labels[first]} at index {first}",
        )


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Images and their labels, in stored order.

    Shapes: images [N, C, H, W] uint8 or float32; labels [N] int32. Both become read-only.
    """

    images: Pixels
    labels: Labels
    normalisation: Normalisation

    def __post_init__(self) -> None:
        check_pixels(self.images, scale=self.normalisation.scale, where="images")
        check_labels(self.labels, images=len(self.images), classes=None, where="labels")
        if self.labels.dtype != np.int32:
            raise DataError(where="labels", expected="int32", found=f"{self.labels.dtype}")
        if len(self.normalisation.mean) != self.images.shape[1]:
            raise DataError(
                where="normalisation",
                expected=f"{self.images.shape[1]} channels, as the images have",
                found=f"{len(self.normalisation.mean)}",
            )
        for name in ("images", "labels"):
            frozen = getattr(self, name).view()
            frozen.flags.writeable = False
            object.__setattr__(self, name, frozen)

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Channels, height and width of one image."""
        _, channels, height, width = self.images.shape
        return channels, height, width

    def class_counts(self, classes: int) -> tuple[int, ...]:
        """Count the samples of each class; `classes` numbers."""
        return tuple(np.bincount(self.labels, minlength=classes).tolist())


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """A named classification set: training and test splits over the same classes.

    Attributes:
        classes: name of each label, in label order; their number is the class count.
        source: where the samples came from, for run manifests.
    """

    name: str
    train: Split
    test: Split
    classes: tuple[str, ...]
    source: str

    def __post_init__(self) -> None:
        if self.train.shape != self.test.shape:
            raise DataError(
                where=f"{self.name} test",
                expected=f"images of shape {list(self.train.shape)}, as in train",
                found=f"{list(self.test.shape)}",
            )
        if self.train.normalisation != self.test.normalisation:
            raise DataError(
                where=f"{self.name} test",
                expected="the normalisation of train",
                found="another",
            )
        for part, split in (("train", self.train), ("test", self.test)):
            check_labels(
                split.labels,
                images=len(split),
                classes=len(self.classes),
                where=f"{self.name} {part}",
            )

    @property
    def mean(self) -> tuple[float, ...]:
        """Mean of the scaled training pixels, per channel."""
        return self.train.normalisation.mean

    @property
    def std(self) -> tuple[float, ...]:
        """Standard deviation of the scaled training pixels, per channel."""
        return self.train.normalisation.std

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is sound but should be seen: classes without a training or a test sample."""
        return tuple(
            f"{self.name}: class {index} ({self.classes[index]}) has no {part} sample"
            for part, split in (("train", self.train), ("test", self.test))
            for index, count in enumerate(split.class_counts(len(self.classes)))
            if count == 0
        )

    def fingerprint(self) -> str:
        """SHA-256 (hex) of everything a net can see: pixels, labels, classes, normalisation."""
        digest = hashlib.sha256()
        rule = self.train.normalisation
        header = {"classes": self.classes, "scale": rule.scale, "mean": rule.mean, "std": rule.std}
        digest.update(json.dumps(header, sort_keys=True).encode())
        for split in (self.train, self.test):
            for array in (split.images, split.labels):
                digest.update(f"{array.dtype.str}{list(array.shape)}".encode())
                digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()
