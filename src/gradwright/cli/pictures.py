"""Pictures from files, as the net that is asked about them reads pictures."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gradwright.cli.output import tell
from gradwright.data import Channels, PictureOptions, read_picture
from gradwright.errors import UnsupportedError
from gradwright.spec import Flat, Image, NetSpec


def read_pictures(paths: Sequence[Path], net: NetSpec) -> NDArray[np.uint8]:
    """Read pictures at the size and with the channels of a net's input.

    Shapes: result [N, C, H, W]. A net of flat input reads square gray pictures.
    Errors: DataError where a file is no opaque 8-bit picture, UnsupportedError where the net reads
    none.
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
    kind = Channels.GRAY if channels == 1 else Channels.RGB
    pixels = read_picture(path, PictureOptions(channels=kind))
    if pixels.shape[1:] == (height, width):
        return pixels
    found, kept = pixels.shape[1:], (height, width)
    tell(f"{path}: brought from {found[0]}x{found[1]} to {kept[0]}x{kept[1]} (height x width)")
    return read_picture(path, PictureOptions(channels=kind, resize=(height, width)))
