"""What every loader checks of pixels and labels, named by the file they came from."""

import numpy as np
from numpy.typing import NDArray

from gradwright.errors import DataError


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
