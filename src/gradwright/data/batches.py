"""Drawing batches: one index array picks images and labels together."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from gradwright.data.augment import EpochAugmentation
from gradwright.data.records import Labels, Split
from gradwright.errors import DataError
from gradwright.kinds import checked


class LastBatch(Enum):
    """What becomes of the samples that do not fill a batch."""

    DROP = "drop"  # they are left out of this epoch
    PAD = "pad"  # they are repeated to fill it; the repeats carry the ignore label


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """One batch as a program takes it.

    Shapes: images [B, C, H, W] float32, normalised; labels [B] int32. The first `count` samples
    are true, the rest repeat them and carry the ignore label. `index`: its place in the epoch.
    """

    images: NDArray[np.float32]
    labels: Labels
    count: int
    index: int


@checked
def batch_count(samples: int, batch: int, last: LastBatch) -> int:
    """Count the batches of an epoch."""
    return samples // batch if last is LastBatch.DROP else -(-samples // batch)


@checked
def batches(
    split: Split,
    batch: int,
    order: NDArray[np.integer],
    last: LastBatch,
    *,
    ignore_label: int = -1,
    augmentation: EpochAugmentation | None = None,
    first: int = 0,
) -> Iterator[Batch]:
    """Draw the batches of one epoch, normalised.

    Shapes: order [M], sample indices, e.g. from `epoch_order`.
    With `LastBatch.PAD` the counts sum to M exactly. `first` skips that many batches, for resume.

    Errors: `DataError` for an empty order, indices out of range, no whole batch to draw, or crops
    that would miss the picture.
    """
    _check(split, batch, order, last)
    if augmentation is not None and len(augmentation.flipped) != len(order):
        raise DataError(
            where="augmentation",
            expected=f"choices for {len(order)} positions, as the order has",
            found=f"{len(augmentation.flipped)}",
        )
    if augmentation is not None and augmentation.padding >= min(split.shape[1:]):
        raise DataError(
            where="augmentation padding",
            expected=f"less than the pictures' {split.shape[1]} x {split.shape[2]} pixels, so that "
            "each crop shows some",
            found=f"{augmentation.padding}",
        )
    return _draw(split, batch, order, last, ignore_label, augmentation, first)


@checked
def evaluation_batches(split: Split, batch: int, *, ignore_label: int = -1) -> Iterator[Batch]:
    """Draw every sample of a split exactly once, in stored order, without augmentation."""
    return batches(split, batch, np.arange(len(split)), LastBatch.PAD, ignore_label=ignore_label)


def _check(split: Split, batch: int, order: NDArray[np.integer], last: LastBatch) -> None:
    if batch < 1:
        raise DataError(where="batch", expected="at least 1 sample", found=f"{batch}")
    if order.ndim != 1 or not len(order):
        raise DataError(
            where="order", expected="indices [M], M >= 1", found=f"shape {list(order.shape)}"
        )
    if order.min() < 0 or order.max() >= len(split):
        raise DataError(
            where="order",
            expected=f"indices in 0..{len(split) - 1}",
            found=f"{order.min()}..{order.max()}",
        )
    if batch_count(len(order), batch, last) == 0:
        raise DataError(
            where="batch",
            expected=f"at most {len(order)}, the samples there are",
            found=f"{batch}",
            remedy="Take a smaller batch or LastBatch.PAD",
        )


def _draw(
    split: Split,
    batch: int,
    order: NDArray[np.integer],
    last: LastBatch,
    ignore_label: int,
    augmentation: EpochAugmentation | None,
    first: int,
) -> Iterator[Batch]:
    for index in range(first, batch_count(len(order), batch, last)):
        positions = slice(index * batch, (index + 1) * batch)
        chosen = order[positions]
        images, labels = split.images[chosen], split.labels[chosen]
        if augmentation is not None:
            images = augmentation.apply(images, positions)
        count = len(chosen)
        repeats = np.arange(batch) % count
        labels = labels[repeats]
        labels[count:] = ignore_label
        normalised = split.normalisation.apply(images)
        yield Batch(normalised if count == batch else normalised[repeats], labels, count, index)
