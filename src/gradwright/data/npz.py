"""NumPy archives (`.npz`) with the keys `x_train`, `y_train`, `x_test`, `y_test`."""

import io
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradwright.data.checks import check_labels, check_pixels
from gradwright.data.files import describe, read
from gradwright.data.normalisation import Pixels, measure
from gradwright.data.records import Dataset, Split
from gradwright.errors import DataError
from gradwright.kinds import checked

_KEYS = ("x_train", "y_train", "x_test", "y_test")
_OPTIONAL = ("classes", "scale")
_ZIP = b"PK"

_Arrays = dict[str, NDArray[Any]]


@checked
def load_npz(path: Path) -> Dataset:
    """Load a classification set from one archive; pickled objects are refused.

    Shapes: `x_train`, `x_test` [N, C, H, W] or [N, H, W] (one channel), bytes or floats;
        `y_train`, `y_test` [N] integers. Optional `scale`, a number (1/255 for bytes, 1 for
        floats when absent), and `classes` [K], names.
    """
    arrays = _read(path)
    scale = _scale(arrays, path)
    images = {part: _images(arrays[f"x_{part}"], f"{path} x_{part}") for part in ("train", "test")}
    classes = _classes(arrays, path)
    for part, pixels in images.items():
        check_pixels(pixels, scale=scale, where=f"{path} x_{part}")
        check_labels(
            arrays[f"y_{part}"],
            images=len(pixels),
            classes=len(classes) if classes is not None else None,
            where=f"{path} y_{part}",
        )
    if classes is None:
        classes = tuple(str(label) for label in range(int(arrays["y_train"].max()) + 1))
    rule = measure(images["train"], scale=scale)
    train, test = (
        Split(images[part], arrays[f"y_{part}"].astype(np.int32), rule)
        for part in ("train", "test")
    )
    return Dataset(path.stem, train, test, classes, source=str(path))


def _read(path: Path) -> _Arrays:
    content = read(path, expected="a NumPy archive (.npz)")
    if not content.startswith(_ZIP):
        raise DataError(where=str(path), expected="a NumPy archive (.npz)", found=describe(content))
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            missing = [key for key in _KEYS if key not in archive.files]
            arrays = {key: archive[key] for key in _KEYS + _OPTIONAL if key in archive.files}
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
        raise DataError(
            where=str(path),
            expected="an intact NumPy archive without pickled objects",
            found=f"{len(content)} bytes that do not load ({error})",
        ) from error
    if missing:
        raise DataError(
            where=str(path),
            expected=f"the keys {', '.join(_KEYS)}",
            found=f"no {', '.join(missing)}",
        )
    return arrays


def _images(array: NDArray[Any], where: str) -> Pixels:
    if array.dtype != np.uint8 and not np.issubdtype(array.dtype, np.floating):
        raise DataError(
            where=where,
            expected="bytes (uint8) or floats",
            found=f"{array.dtype}",
            remedy="Store pixels 0..255 as uint8",
        )
    pixels = array[:, None] if array.ndim == 3 else array
    return pixels if array.dtype == np.uint8 else pixels.astype(np.float32)


def _scale(arrays: _Arrays, path: Path) -> float:
    if "scale" not in arrays:
        return 1 / 255 if arrays["x_train"].dtype == np.uint8 else 1.0
    scale = arrays["scale"]
    if scale.ndim or not np.issubdtype(scale.dtype, np.number) or not float(scale) > 0:
        raise DataError(
            where=f"{path} scale",
            expected="one number > 0",
            found=f"{scale.dtype} of shape {list(scale.shape)}" if scale.ndim else f"{scale}",
        )
    return float(scale)


def _classes(arrays: _Arrays, path: Path) -> tuple[str, ...] | None:
    if "classes" not in arrays:
        return None
    names = arrays["classes"]
    if names.ndim != 1 or names.dtype.kind != "U":
        raise DataError(
            where=f"{path} classes",
            expected="class names, an array of text [K]",
            found=f"{names.dtype} of shape {list(names.shape)}",
        )
    return tuple(str(name) for name in names)
