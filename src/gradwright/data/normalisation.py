"""The one rule by which stored pixels become what a net sees, and how it is measured."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gradwright.errors import DataError
from gradwright.kinds import checked

Pixels: TypeAlias = NDArray[np.uint8 | np.float32]

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


# Statistics of ImageNet's training pictures as torchvision publishes them with its weights, in
# torchvision.transforms._presets.ImageClassification; timm's IMAGENET_DEFAULT_MEAN and _STD.
IMAGENET = Normalisation(1 / 255, (0.485, 0.456, 0.406), (0.229, 0.224, 0.225))


@checked
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
