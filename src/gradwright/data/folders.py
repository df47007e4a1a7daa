"""Folders of pictures: one folder per class, PNG or JPEG files inside."""

import io
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from gradwright.data.files import describe, read
from gradwright.data.normalisation import measure
from gradwright.data.records import Dataset, Split
from gradwright.data.streams import stratified
from gradwright.errors import DataError
from gradwright.kinds import checked

_FORMATS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG"}
# Alpha, palettes with a transparent colour, CMYK and 16-bit pictures have no one right reading.
_MODES = ("1", "L", "P", "RGB")
_BYTE_SCALE = 1 / 255


class Channels(Enum):
    """Channels that pictures are brought to; the value is Pillow's mode."""

    RGB = "RGB"
    GRAY = "L"


@dataclass(frozen=True, slots=True)
class PictureOptions:
    """How pictures become one array.

    Attributes:
        channels: RGB repeats a gray picture three times; GRAY takes the luma of a coloured one.
        resize: (height, width) to bring each picture to (bilinear, antialiased, proportions not
            kept); without it all sizes must agree.
        test_fraction: share of each class kept for testing when there is no `test` folder.
        seed: of that split.
    """

    channels: Channels = Channels.RGB
    resize: tuple[int, int] | None = None
    test_fraction: float = 0.2
    seed: int = 0

    def __post_init__(self) -> None:
        if self.resize is not None and min(self.resize) < 1:
            raise DataError(
                where="resize", expected="height and width >= 1", found=f"{self.resize}"
            )
        if not 0 < self.test_fraction < 1:
            raise DataError(
                where="test_fraction", expected="a share in (0, 1)", found=f"{self.test_fraction}"
            )


@checked
def load_folder(root: Path, options: PictureOptions | None = None) -> Dataset:
    """Load `root/train/CLASS/*.png|jpg` and `root/test/CLASS/...`, or `root/CLASS/...` split here.

    Classes are sorted by name; hidden files are passed over, any other file that is not a picture
    is refused. A turned camera picture is set upright by its EXIF orientation.
    """
    options = PictureOptions() if options is None else options
    roots = _parts(root)
    classes = sorted({folder.name for part in roots.values() for folder in _folders(part)})
    if not classes:
        raise DataError(where=str(root), expected="one folder per class", found="no folder")
    listed = {part: _list(folder, classes) for part, folder in roots.items()}
    pairs = [pair for part in listed.values() for pair in part]
    images = _stack([path for path, _ in pairs], options)
    labels = np.array([label for _, label in pairs], np.int32)
    if len(roots) == 2:
        train, test = np.split(np.arange(len(labels)), [len(listed["train"])])
    else:
        count = round(len(labels) * options.test_fraction)
        train, test = stratified(labels, test=count, seed=options.seed)
    rule = measure(images[train], scale=_BYTE_SCALE)
    return Dataset(
        root.name,
        Split(images[train], labels[train], rule),
        Split(images[test], labels[test], rule),
        tuple(classes),
        source=str(root),
    )


def _parts(root: Path) -> dict[str, Path]:
    """Find the folders of train and test, in this order, or the root that holds all."""
    found = {part: root / part for part in ("train", "test") if (root / part).is_dir()}
    if len(found) == 1:
        raise DataError(
            where=str(root),
            expected="both train and test, or class folders only",
            found=f"{next(iter(found))} alone",
        )
    return found or {"all": root}


def _folders(root: Path) -> list[Path]:
    try:
        entries = sorted(root.iterdir())
    except OSError as error:
        raise DataError(
            where=str(root),
            expected="a folder of class folders",
            found=error.strerror or "an unreadable folder",
        ) from error
    return [entry for entry in entries if entry.is_dir() and not entry.name.startswith(".")]


def _pictures(folder: Path) -> Iterator[Path]:
    """Yield the pictures of a class in name order; none when the class has no folder here."""
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.name.startswith("."):
            continue
        if path.suffix.lower() not in _FORMATS:
            raise DataError(
                where=str(path),
                expected="a picture (.png, .jpg, .jpeg)",
                found=f"a {path.suffix or 'nameless'} entry",
                remedy="Convert it or take it out of the folder",
            )
        yield path


def _list(root: Path, classes: Sequence[str]) -> list[tuple[Path, int]]:
    listed = [
        (path, label) for label, name in enumerate(classes) for path in _pictures(root / name)
    ]
    if not listed:
        raise DataError(where=str(root), expected="pictures in class folders", found="no picture")
    return listed


def _stack(paths: Sequence[Path], options: PictureOptions) -> NDArray[np.uint8]:
    first = read_picture(paths[0], options)
    images = np.empty((len(paths), *first.shape), np.uint8)
    images[0] = first
    for index, path in enumerate(paths[1:], start=1):
        picture = read_picture(path, options)
        if picture.shape != first.shape:
            raise DataError(
                where=str(path),
                expected=f"{first.shape[1]}x{first.shape[2]} pixels, as {paths[0].name} has",
                found=f"{picture.shape[1]}x{picture.shape[2]}",
                remedy="Give a size to resize to",
            )
        images[index] = picture
    return images


@checked
def read_picture(path: Path, options: PictureOptions) -> NDArray[np.uint8]:
    """Return one PNG or JPEG file as [C, H, W] bytes, set upright by its EXIF orientation.

    Errors: DataError where it is of another format than its name says, has 16 bits or transparency.
    """
    upright = ImageOps.exif_transpose(_open(path)).convert(options.channels.value)
    if options.resize is not None:
        height, width = options.resize
        upright = upright.resize((width, height), Image.Resampling.BILINEAR)
    pixels = np.asarray(upright, np.uint8)
    return pixels[None] if pixels.ndim == 2 else np.moveaxis(pixels, 2, 0)


def _open(path: Path) -> Image.Image:
    """Open a whole picture of the format that its name says and of one right reading."""
    format_ = _FORMATS.get(path.suffix.lower())
    if format_ is None:
        expected = f"a picture, named {', '.join(_FORMATS)}"
        raise DataError(where=str(path), expected=expected, found=path.name)
    content = read(path, expected=f"a {format_} picture")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            picture = Image.open(io.BytesIO(content))
            picture.load()
    except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
        raise DataError(
            where=str(path),
            expected=f"a picture of at most {Image.MAX_IMAGE_PIXELS or 0:,} pixels",
            found="a larger one",
            remedy="Make it smaller",
        ) from error
    except (OSError, SyntaxError, ValueError) as error:
        raise DataError(
            where=str(path),
            expected=f"a whole {format_} picture",
            found=f"{describe(content)}, which does not decode",
        ) from error
    if picture.format != format_:
        raise DataError(
            where=str(path),
            expected=f"a {format_} picture, as its name says",
            found=f"{picture.format}",
            remedy="Give it the suffix of its format",
        )
    if picture.mode not in _MODES or "transparency" in picture.info:
        raise DataError(
            where=str(path),
            expected="an opaque 8-bit gray or RGB picture",
            found=f"mode {picture.mode}",
            remedy="Flatten it to RGB",
        )
    return picture
