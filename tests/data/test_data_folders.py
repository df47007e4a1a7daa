"""Folders of pictures: what is read, and what is refused with which words."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from data.samples import HTML, pixels, refusal
from gradwright.data import Channels, PictureOptions, load_folder

GRAY = PictureOptions(channels=Channels.GRAY)


def picture(
    path: Path, *, size: tuple[int, int] = (5, 4), mode: str = "RGB", seed: int = 0
) -> Path:
    """Write a picture of (height, width) in the format of the suffix."""
    path.parent.mkdir(parents=True, exist_ok=True)
    channels = len(Image.new(mode, (1, 1)).getbands())
    noise = pixels(*size, channels, seed=seed)
    Image.fromarray(noise[..., 0] if channels == 1 else noise, mode=None).convert(mode).save(path)
    return path


def two_splits(root: Path) -> Path:
    for part, count in (("train", 3), ("test", 2)):
        for label, name in enumerate(("ant", "bee")):
            for i in range(count):
                picture(root / part / name / f"{i}.png", seed=10 * label + i)
    return root


def one_root(root: Path, count: int = 10) -> Path:
    for label, name in enumerate(("ant", "bee", "cow")):
        for i in range(count):
            picture(root / name / f"{i:02}.png", seed=100 * label + i)
    return root


def test_two_splits_are_read_as_written(tmp_path: Path) -> None:
    found = load_folder(two_splits(tmp_path))
    assert found.classes == ("ant", "bee")
    assert (len(found.train), len(found.test), found.train.shape) == (6, 4, (3, 5, 4))
    assert found.train.labels.tolist() == [0, 0, 0, 1, 1, 1]
    expected = np.moveaxis(pixels(5, 4, 3, seed=11), 2, 0)
    np.testing.assert_array_equal(found.train.images[4], expected)


def test_one_root_is_split_by_class_and_seed(tmp_path: Path) -> None:
    one_root(tmp_path)
    found = load_folder(tmp_path, PictureOptions(test_fraction=0.3))
    assert found.train.class_counts(3) == (7, 7, 7)
    assert found.test.class_counts(3) == (3, 3, 3)
    again = load_folder(tmp_path, PictureOptions(test_fraction=0.3))
    other = load_folder(tmp_path, PictureOptions(test_fraction=0.3, seed=1))
    assert found.fingerprint() == again.fingerprint() != other.fingerprint()


def test_gray_is_asked_for(tmp_path: Path) -> None:
    two_splits(tmp_path)
    found = load_folder(tmp_path, GRAY)
    assert found.train.shape == (1, 5, 4)
    # Luma of ITU-R 601-2, as Pillow computes it.
    red, green, blue = np.moveaxis(pixels(5, 4, 3, seed=11).astype(np.float64), 2, 0)
    luma = 0.299 * red + 0.587 * green + 0.114 * blue
    assert np.abs(found.train.images[4, 0] - luma).max() <= 1


def test_gray_pictures_become_three_equal_channels(tmp_path: Path) -> None:
    for part in ("train", "test"):
        picture(tmp_path / part / "ant" / "0.png", mode="L")
    image = load_folder(tmp_path).train.images[0]
    np.testing.assert_array_equal(image[0], image[1])
    np.testing.assert_array_equal(image[0], image[2])


def test_jpeg_and_capital_suffixes_are_read(tmp_path: Path) -> None:
    for part in ("train", "test"):
        picture(tmp_path / part / "ant" / "0.JPG")
        picture(tmp_path / part / "ant" / "1.jpeg")
    assert len(load_folder(tmp_path).train) == 2


def test_turned_pictures_are_set_upright(tmp_path: Path) -> None:
    """A camera stores a turned picture with an EXIF orientation (6: turn clockwise)."""
    for part in ("train", "test"):
        path = picture(tmp_path / part / "ant" / "0.png", size=(5, 4))
        exif = Image.Exif()
        exif[0x0112] = 6
        Image.open(path).save(path, exif=exif)
    found = load_folder(tmp_path)
    turned = np.rot90(pixels(5, 4, 3), k=-1)
    np.testing.assert_array_equal(found.train.images[0], np.moveaxis(turned, 2, 0))


def test_resize_brings_all_to_one_size(tmp_path: Path) -> None:
    two_splits(tmp_path)
    picture(tmp_path / "train" / "ant" / "9.png", size=(9, 7))
    found = load_folder(tmp_path, PictureOptions(resize=(6, 8)))
    assert found.train.shape == (3, 6, 8)


def test_pictures_of_different_sizes_are_refused(tmp_path: Path) -> None:
    two_splits(tmp_path)
    path = picture(tmp_path / "train" / "bee" / "9.png", size=(9, 7))
    assert refusal(lambda: load_folder(tmp_path)) == (
        f"{path}: expected 5x4 pixels, as 0.png has, found 9x7. Give a size to resize to"
    )


def test_hidden_files_are_passed_over(tmp_path: Path) -> None:
    (two_splits(tmp_path) / "train" / "ant" / ".thumbs").write_bytes(b"x")
    (tmp_path / "train" / ".cache").mkdir()
    assert load_folder(tmp_path).classes == ("ant", "bee")


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = two_splits(tmp_path) / "test" / "bee" / "notes.txt"
    path.write_text("x", "utf-8")
    assert refusal(lambda: load_folder(tmp_path)) == (
        f"{path}: expected a picture (.png, .jpg, .jpeg), found a .txt entry. "
        "Convert it or take it out of the folder"
    )


def test_a_class_missing_from_train_is_warned_of(tmp_path: Path) -> None:
    picture(two_splits(tmp_path) / "test" / "cow" / "0.png")
    found = load_folder(tmp_path)
    assert found.classes == ("ant", "bee", "cow")
    assert found.test.labels.tolist() == [0, 0, 1, 1, 2]
    assert found.warnings == (f"{tmp_path.name}: class 2 (cow) has no train sample",)


def test_an_empty_class_is_warned_of(tmp_path: Path) -> None:
    (one_root(tmp_path) / "doe").mkdir()
    assert load_folder(tmp_path).warnings == (
        f"{tmp_path.name}: class 3 (doe) has no train sample",
        f"{tmp_path.name}: class 3 (doe) has no test sample",
    )


def test_a_truncated_picture_is_refused(tmp_path: Path) -> None:
    path = two_splits(tmp_path) / "train" / "ant" / "1.png"
    path.write_bytes(path.read_bytes()[:60])
    assert refusal(lambda: load_folder(tmp_path)) == (
        f"{path}: expected a whole PNG picture, found 60 bytes, starts 89 50 4E 47, "
        "which does not decode"
    )


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_a_truncated_jpeg_is_refused(tmp_path: Path, share: float) -> None:
    path = two_splits(tmp_path) / "train" / "ant" / "1.jpg"
    picture(path, size=(40, 40))
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    options = PictureOptions(resize=(5, 4))
    assert refusal(lambda: load_folder(tmp_path, options)).endswith("which does not decode")


def test_damaged_pixels_are_refused(tmp_path: Path) -> None:
    path = two_splits(tmp_path) / "train" / "ant" / "1.png"
    content = bytearray(path.read_bytes())
    content[content.index(b"IDAT") + 10] ^= 0xFF
    path.write_bytes(content)
    assert refusal(lambda: load_folder(tmp_path)).endswith("which does not decode")


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    path = two_splits(tmp_path) / "train" / "ant" / "1.png"
    path.write_bytes(b"")
    assert refusal(lambda: load_folder(tmp_path)) == (
        f"{path}: expected a PNG picture, found an empty file (0 bytes). Fetch it again"
    )


def test_a_web_page_is_refused(tmp_path: Path) -> None:
    path = two_splits(tmp_path) / "train" / "ant" / "1.png"
    path.write_bytes(HTML)
    assert refusal(lambda: load_folder(tmp_path)) == (
        f"{path}: expected a PNG picture, found a web page (44 bytes, "
        "starts '<!DOCTYPE html>'). Fetch it again"
    )


def test_a_jpeg_named_png_is_refused(tmp_path: Path) -> None:
    path = two_splits(tmp_path) / "train" / "ant" / "1.png"
    content = io.BytesIO()
    Image.new("RGB", (4, 5)).save(content, "JPEG")
    path.write_bytes(content.getvalue())
    assert refusal(lambda: load_folder(tmp_path)) == (
        f"{path}: expected a PNG picture, as its name says, found JPEG. "
        "Give it the suffix of its format"
    )


@pytest.mark.parametrize("mode", ["RGBA", "LA", "I;16"])
def test_pictures_without_one_right_reading_are_refused(tmp_path: Path, mode: str) -> None:
    path = two_splits(tmp_path) / "train" / "ant" / "1.png"
    Image.new(mode, (4, 5)).save(path)
    assert refusal(lambda: load_folder(tmp_path)) == (
        f"{path}: expected an opaque 8-bit gray or RGB picture, found mode {mode}. "
        "Flatten it to RGB"
    )


def test_a_transparent_palette_is_refused(tmp_path: Path) -> None:
    path = two_splits(tmp_path) / "train" / "ant" / "1.png"
    Image.new("P", (4, 5)).save(path, transparency=0)
    assert "found mode P. Flatten it to RGB" in refusal(lambda: load_folder(tmp_path))


def test_an_enormous_picture_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pillow only warns of up to twice its limit, and refuses more, before decompressing it."""
    two_splits(tmp_path)
    for limit in (9, 19):  # the pictures have 20
        monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", limit)
        line = f"expected a picture of at most {limit} pixels, found a larger one. Make it smaller"
        assert refusal(lambda: load_folder(tmp_path)).endswith(line)


def test_one_part_alone_is_refused(tmp_path: Path) -> None:
    picture(tmp_path / "test" / "ant" / "0.png")
    assert refusal(lambda: load_folder(tmp_path)) == (
        f"{tmp_path}: expected both train and test, or class folders only, found test alone"
    )


def test_folders_without_pictures_are_refused(tmp_path: Path) -> None:
    assert refusal(lambda: load_folder(tmp_path)) == (
        f"{tmp_path}: expected one folder per class, found no folder"
    )
    (tmp_path / "ant").mkdir()
    assert refusal(lambda: load_folder(tmp_path)) == (
        f"{tmp_path}: expected pictures in class folders, found no picture"
    )


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    assert refusal(lambda: load_folder(tmp_path / "none")) == (
        f"{tmp_path / 'none'}: expected a folder of class folders, found No such file or directory"
    )


def test_too_few_pictures_to_split_are_refused(tmp_path: Path) -> None:
    picture(tmp_path / "ant" / "0.png")
    assert refusal(lambda: load_folder(tmp_path)) == (
        "stratified split: expected between 1 and 0 test samples, found 0"
    )


def test_senseless_options_are_refused() -> None:
    assert refusal(lambda: PictureOptions(resize=(0, 3))) == (
        "resize: expected height and width >= 1, found (0, 3)"
    )
    assert refusal(lambda: PictureOptions(test_fraction=1.0)) == (
        "test_fraction: expected a share in (0, 1), found 1.0"
    )
