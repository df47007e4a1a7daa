"""What a data set is: labelled images, their classes and their normalisation.

A `Split` keeps its pixels as they were read; its `Normalisation` is applied when a batch is drawn.
"""

import hashlib
import json
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gradwright.data.checks import check_labels, check_pixels
from gradwright.data.normalisation import Normalisation, Pixels
from gradwright.errors import DataError

Labels: TypeAlias = NDArray[np.int32]


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
