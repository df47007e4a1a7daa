"""NumPy archives: what is read, and what is refused with which words."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from data.samples import HTML, pixels, refusal
from gradwright.data import load_npz


def arrays(**changed: object) -> dict[str, Any]:
    made: dict[str, Any] = {
        "x_train": pixels(6, 2, 5, 4),
        "y_train": np.array([0, 1, 2, 0, 1, 2]),
        "x_test": pixels(3, 2, 5, 4, seed=1),
        "y_test": np.array([2, 1, 0], np.uint8),
    }
    return made | changed


def write(folder: Path, made: dict[str, Any]) -> Path:
    path = folder / "small.npz"
    np.savez(path, **made)
    return path


def test_a_set_is_read_as_written(tmp_path: Path) -> None:
    found = load_npz(write(tmp_path, arrays()))
    np.testing.assert_array_equal(found.train.images, arrays()["x_train"])
    assert found.train.normalisation.scale == 1 / 255
    assert found.test.labels.tolist() == [2, 1, 0]
    assert (found.name, found.classes) == ("small", ("0", "1", "2"))


def test_compressed_archives_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "packed.npz"
    np.savez_compressed(path, **arrays())
    assert load_npz(path).fingerprint() == load_npz(write(tmp_path, arrays())).fingerprint()


def test_images_without_channel_get_one(tmp_path: Path) -> None:
    made = arrays(x_train=pixels(6, 5, 4), x_test=pixels(3, 5, 4))
    assert load_npz(write(tmp_path, made)).train.shape == (1, 5, 4)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_floats_are_0_to_1_unless_a_scale_says_otherwise(
    tmp_path: Path, kind: type[np.floating[Any]]
) -> None:
    train, test = np.ones((6, 1, 2, 2), kind), np.ones((3, 1, 2, 2), kind)
    found = load_npz(write(tmp_path, arrays(x_train=train, x_test=test)))
    assert found.train.images.dtype == np.float32
    assert found.train.normalisation.scale == 1.0
    scaled = load_npz(write(tmp_path, arrays(x_train=16 * train, x_test=test, scale=1 / 16)))
    assert scaled.train.normalisation.scale == 1 / 16


def test_class_names_are_read(tmp_path: Path) -> None:
    made = arrays(classes=np.array(["ant", "bee", "cow", "doe"]))
    found = load_npz(write(tmp_path, made))
    assert found.classes == ("ant", "bee", "cow", "doe")
    assert found.warnings == (
        "small: class 3 (doe) has no train sample",
        "small: class 3 (doe) has no test sample",
    )


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        (
            {"x_train": np.full((6, 2, 5, 4), 2.0)},
            " x_train: expected pixels in 0..1 after the declared scale 1, found 2..2 before it. "
            "Declare the scale the pixels have, e.g. 1/255 for bytes",
        ),
        (
            {"x_test": np.full((3, 2, 5, 4), np.nan)},
            " x_test: expected finite pixels, found NaN in image 0",
        ),
        (
            {"x_train": np.zeros((6, 2, 5, 4), np.int64)},
            " x_train: expected bytes (uint8) or floats, found int64. Store pixels 0..255 as uint8",
        ),
        (
            {"x_train": pixels(6, 40)},
            " x_train: expected images of shape [N, C, H, W], no size 0, found shape [6, 40]",
        ),
        (
            {"y_train": np.zeros(5, int)},
            " y_train: expected 6 labels, one per image, found 5. "
            "Images and labels belong to different files or one of them is incomplete",
        ),
        (
            {"y_train": np.zeros(6)},
            " y_train: expected integer labels of shape [N], found float64 of shape [6]",
        ),
        (
            {"y_train": np.array([0, 1, 2, 0, 1, 2**40])},
            " y_train: expected labels in 0..2147483647, found label 1099511627776 at index 5",
        ),
        (
            {"y_train": np.array([0, 1, 2, 0, 1, 2**63 + 1], np.uint64)},
            " y_train: expected labels in 0..2147483647, found label 9223372036854775809 "
            "at index 5",
        ),
        (
            {"classes": np.array(["a", "b"])},
            " y_train: expected labels in 0..1, found label 2 at index 2",
        ),
        (
            {"classes": np.arange(3)},
            " classes: expected class names, an array of text [K], found int64 of shape [3]",
        ),
        ({"scale": 0.0}, " scale: expected one number > 0, found 0.0"),
        ({"scale": np.ones(2)}, " scale: expected one number > 0, found float64 of shape [2]"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(
    tmp_path: Path, changed: dict[str, Any], text: str
) -> None:
    path = write(tmp_path, arrays(**changed))
    assert refusal(lambda: load_npz(path)) == f"{path}{text}"


def test_missing_keys_are_named(tmp_path: Path) -> None:
    path = tmp_path / "small.npz"
    np.savez(path, x_train=pixels(1, 1, 2, 2), y_train=np.zeros(1, int))
    assert refusal(lambda: load_npz(path)) == (
        f"{path}: expected the keys x_train, y_train, x_test, y_test, found no x_test, y_test"
    )


def test_pickled_objects_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, arrays(y_train=np.array([0, None], object)))
    size = path.stat().st_size
    assert refusal(lambda: load_npz(path)) == (
        f"{path}: expected an intact NumPy archive without pickled objects, found {size} bytes "
        "that do not load (Object arrays cannot be loaded when allow_pickle=False)"
    )


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"", "an empty file (0 bytes). Fetch it again"),
        (HTML, "a web page (44 bytes, starts '<!DOCTYPE html>'). Fetch it again"),
        (b"\x93NUMPY\x01\x00", "8 bytes, starts 93 4E 55 4D"),
    ],
)
def test_what_is_not_an_archive_is_refused(tmp_path: Path, content: bytes, found: str) -> None:
    path = tmp_path / "small.npz"
    path.write_bytes(content)
    text = refusal(lambda: load_npz(path))
    assert text == f"{path}: expected a NumPy archive (.npz), found {found}"


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_truncated_archive_is_refused(tmp_path: Path, share: float) -> None:
    path = write(tmp_path, arrays())
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    assert refusal(lambda: load_npz(path)) == (
        f"{path}: expected an intact NumPy archive without pickled objects, found "
        f"{path.stat().st_size} bytes that do not load (File is not a zip file)"
    )


def test_a_damaged_member_is_refused(tmp_path: Path) -> None:
    """The checksum that the archive keeps of each member is looked at."""
    path = write(tmp_path, arrays())
    content = bytearray(path.read_bytes())
    start = content.index(arrays()["x_train"].tobytes()[:16])
    content[start] ^= 1
    path.write_bytes(content)
    assert "that do not load (Bad CRC-32 for file 'x_train.npy')" in refusal(lambda: load_npz(path))


def test_a_member_shorter_than_its_header_says_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, arrays())
    with (
        zipfile.ZipFile(path) as old,
        zipfile.ZipFile(tmp_path / "short.npz", "w") as new,
    ):
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, content[:-9] if name == "x_train.npy" else content)
    text = refusal(lambda: load_npz(tmp_path / "short.npz"))
    assert "bytes that do not load (" in text
