"""Augmentation: horizontal flips and random crops with zero padding.

All choices of an epoch are drawn at once from the seed and the epoch, one per position in the
epoch, so the batch at step k is the same whether or not the run was resumed before it.
"""

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from gradwright.data.normalisation import Pixels
from gradwright.data.streams import Stream, draws
from gradwright.errors import DataError


class Flip(Enum):
    """Whether images are mirrored left to right: never, or each with probability 1/2."""

    NEVER = "never"
    HALF = "half"


@dataclass(frozen=True, slots=True, eq=False)
class EpochAugmentation:
    """The choices of one epoch, one per position in it.

    Shapes: flipped [N] bool; top and left [N] in 0..2*padding: the corner of the crop in the
    image padded on each side by `padding` pixels of 0 (raw, before normalisation).
    """

    padding: int
    flipped: NDArray[np.bool_]
    top: NDArray[np.int64]
    left: NDArray[np.int64]

    def apply(self, images: Pixels, positions: slice) -> Pixels:
        """Crop, then flip the images drawn at these positions of the epoch.

        Shapes: images [B, C, H, W] with B positions; result the same. The input is not changed.
        """
        shifted = self._crop(images, positions)
        mirrored = self.flipped[positions]
        result = shifted.copy()
        result[mirrored] = shifted[mirrored][..., ::-1]
        return result

    def _crop(self, images: Pixels, positions: slice) -> Pixels:
        if self.padding == 0:
            return images
        side = (self.padding, self.padding)
        padded = np.pad(images, ((0, 0), (0, 0), side, side))
        crops = sliding_window_view(padded, images.shape[2:], axis=(2, 3))
        return crops[np.arange(len(images)), :, self.top[positions], self.left[positions]]


@dataclass(frozen=True, slots=True)
class Augmentation:
    """What is done at random to training images.

    Attributes:
        flip: horizontal flips.
        padding: pixels of 0 added on each side before a crop of the old size; 0 = no crop.
    """

    flip: Flip = Flip.NEVER
    padding: int = 0

    def __post_init__(self) -> None:
        if type(self.padding) is not int or self.padding < 0:
            expected = "a plain integer, pixels >= 0"
            raise DataError(
                where="augmentation padding", expected=expected, found=repr(self.padding)
            )
        if type(self.flip) is not Flip:
            expected = f"one of {', '.join(map(str, Flip))}"
            raise DataError(where="augmentation flip", expected=expected, found=repr(self.flip))

    def epoch(self, count: int, *, seed: int, epoch: int) -> EpochAugmentation:
        """Draw the choices of one epoch of `count` samples."""

        def words(stream: Stream) -> NDArray[np.uint64]:
            return draws(count, seed=seed, epoch=epoch, stream=stream)

        span = np.uint64(2 * self.padding + 1)
        flipped = words(Stream.FLIP) % np.uint64(2) == 1
        return EpochAugmentation(
            padding=self.padding,
            flipped=flipped if self.flip is Flip.HALF else np.zeros(count, np.bool_),
            top=(words(Stream.TOP) % span).astype(np.int64),
            left=(words(Stream.LEFT) % span).astype(np.int64),
        )
