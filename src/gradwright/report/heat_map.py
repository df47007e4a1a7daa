"""The picture of an explanation: heat over the picture that it is about."""

import io
from typing import Any

import numpy as np
from matplotlib import colormaps
from numpy.typing import NDArray
from PIL import Image

SMALLEST = 224
"""Pixels of the shorter side of what is written, at least; whole pixels are repeated."""
COLOURS = "inferno"
STRONGEST = 0.75
"""How much of the picture the greatest heat covers; no heat covers none."""


def heat_png(pixels: NDArray[np.uint8], heat: NDArray[np.floating[Any]]) -> bytes:
    """Return a PNG of a picture with heat over it; equal arrays, equal bytes.

    Shapes: pixels [C, H, W] with C of 1 or 3; heat [h, w], not negative, of any scale. The heat is
    brought to 0..1 by its largest element, and to the size of the picture by `upsampled`. Each
    pixel is (1 - a) picture + a colour, a = 0.75 heat.
    """
    factor = max(1, -(-SMALLEST // min(pixels.shape[1:])))
    enlarged = pixels.repeat(factor, axis=1).repeat(factor, axis=2)
    picture = np.broadcast_to(np.moveaxis(enlarged, 0, 2), (*enlarged.shape[1:], 3)) / 255
    strength = upsampled(heat / (float(heat.max(initial=0)) or 1.0), picture.shape[:2])
    colours = np.asarray(colormaps[COLOURS](strength), np.float64)[:, :, :3]
    cover = STRONGEST * strength[:, :, None]
    blended = np.rint(255 * ((1 - cover) * picture + cover * colours)).astype(np.uint8)
    stream = io.BytesIO()
    Image.fromarray(blended).save(stream, format="PNG")
    return stream.getvalue()


def upsampled(heat: NDArray[np.floating[Any]], size: tuple[int, int]) -> NDArray[np.float64]:
    """Return heat [h, w] at another size [H, W], bilinear.

    Pixel centres are at halves and edges repeated, same as `torch.nn.functional.interpolate` with
    align_corners=False, which does not smooth where it makes smaller either.
    """
    rows, columns = (_weights(wide, narrow) for wide, narrow in zip(size, heat.shape, strict=True))
    return rows @ heat.astype(np.float64) @ columns.T


def _weights(count: int, extent: int) -> NDArray[np.float64]:
    """Return the matrix [count, extent] of linear interpolation along one axis."""
    places = np.clip((np.arange(count) + 0.5) * extent / count - 0.5, 0, extent - 1)
    return np.maximum(1 - np.abs(places[:, None] - np.arange(extent)[None]), 0)
