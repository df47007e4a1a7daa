"""Pictures from files, as the net that is asked about them reads pictures."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow
from PIL import UnidentifiedImageError

from gradwright.cli.output import tell
from gradwright.errors import DataError, UnsupportedError
from gradwright.spec import Flat, Image, NetSpec


def read_pictures(paths: Sequence[Path], net: NetSpec) -> NDArray[np.uint8]:
    """Read pictures at the size and with the channels of a net's input.

    Shapes: result [N, C, H, W]. A net of flat input reads square gray pictures.
    Errors: DataError where a file is no picture; UnsupportedError where the net reads none.
    """
    channels, height, width = _picture_shape(net)
    pixels = np.empty((len(paths), channels, height, width), np.uint8)
    for index, path in enumerate(paths):
        pixels[index] = _read(path, channels, height, width)
    return pixels


def _picture_shape(net: NetSpec) -> tuple[int, int, int]:
    match net.input:
        case Image(channels, height, width) if channels in (1, 3):
            return channels, height, width
        case Flat(features) if (side := round(features**0.5)) ** 2 == features:
            return 1, side, side
        case _:
            raise UnsupportedError(
                where=f"net {net.name}",
                expected="a net that reads gray or RGB pictures",
                found=f"{net.input}",
            )


def _read(path: Path, channels: int, height: int, width: int) -> NDArray[np.uint8]:
    try:
        with Pillow.open(path) as picture:
            pixels = picture.convert("L" if channels == 1 else "RGB")
    except UnidentifiedImageError:
        raise DataError(
            where=str(path), expected="a picture", found="a file that holds none"
        ) from None
    if pixels.size != (width, height):
        tell(f"{path}: {pixels.width}x{pixels.height} brought to {width}x{height}")
        pixels = pixels.resize((width, height), Pillow.Resampling.BILINEAR)
    array: NDArray[np.uint8] = np.asarray(pixels, np.uint8)
    return array[None] if channels == 1 else np.moveaxis(array, 2, 0)
