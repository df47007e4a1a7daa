"""IDX files: what is read, and what is refused with which words."""

import gzip
import hashlib
from pathlib import Path

import numpy as np
import pytest

from data.samples import HTML, idx_images, idx_labels, pixels, refusal, write_idx
from gradwright.data import load_idx, read_idx_images, read_idx_labels
from gradwright.data.known import KnownSet

NAMES = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)


def known(folder: Path) -> KnownSet:
    """Take the facts of the small set that `write_idx` writes."""
    return KnownSet(
        name="small",
        classes=("a", "b", "c"),
        counts={"train": (2, 2, 2), "t10k": (2, 1, 1)},
        sha256={name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in NAMES},
        remedy="Fetch small again",
    )


def pack(folder: Path) -> None:
    """Replace the four files by gzip files."""
    for name in NAMES:
        path = folder / name
        (folder / f"{name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()


def test_a_set_is_read_as_written(tmp_path: Path) -> None:
    found = load_idx(write_idx(tmp_path))
    np.testing.assert_array_equal(found.train.images[:, 0], pixels(6, 5, 4, seed=0))
    np.testing.assert_array_equal(found.test.images[:, 0], pixels(4, 5, 4, seed=1))
    assert found.train.labels.tolist() == [0, 1, 2, 0, 1, 2]
    assert found.train.labels.dtype == np.int32
    assert found.classes == ("0", "1", "2")
    assert found.source == str(tmp_path)
    assert found.warnings == ()


def test_gzip_files_give_the_same_set(tmp_path: Path) -> None:
    raw = load_idx(write_idx(tmp_path))
    pack(tmp_path)
    assert load_idx(tmp_path).fingerprint() == raw.fingerprint()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    (write_idx(tmp_path) / "t10k-labels-idx1-ubyte").unlink()
    assert refusal(lambda: load_idx(tmp_path)) == (
        f"{tmp_path}: expected t10k-labels-idx1-ubyte or t10k-labels-idx1-ubyte.gz, "
        "found neither of them"
    )


def test_gzip_under_a_raw_name_is_refused(tmp_path: Path) -> None:
    """bugs L4, tolstikhin/adagan#1: a file still packed was parsed as IDX."""
    path = tmp_path / NAMES[0]
    content = gzip.compress(idx_images(pixels(2, 5, 4)), mtime=0)
    path.write_bytes(content)
    assert refusal(lambda: read_idx_images(path)) == (
        f"{path}: expected IDX images (magic 2051), found gzip data ({len(content)} bytes, "
        "starts 1F 8B). Rename it to train-images-idx3-ubyte.gz or unpack it"
    )


def test_raw_data_under_a_gzip_name_is_refused(tmp_path: Path) -> None:
    path = tmp_path / f"{NAMES[0]}.gz"
    path.write_bytes(idx_images(pixels(2, 5, 4)))
    assert refusal(lambda: read_idx_images(path)) == (
        f"{path}: expected gzip data (1F 8B), as its name says, found 56 bytes, "
        "starts 00 00 08 03. Rename it to train-images-idx3-ubyte if it is not packed"
    )


@pytest.mark.parametrize("name", [NAMES[0], f"{NAMES[0]}.gz"])
def test_an_empty_file_is_refused(tmp_path: Path, name: str) -> None:
    """bugs L4, datapythonista/mnist#19: an empty file."""
    path = tmp_path / name
    path.touch()
    assert refusal(lambda: read_idx_images(path)) == (
        f"{path}: expected IDX images (magic 2051), found an empty file (0 bytes). Fetch it again"
    )


@pytest.mark.parametrize("name", [NAMES[0], f"{NAMES[0]}.gz"])
def test_a_web_page_is_refused(tmp_path: Path, name: str) -> None:
    """bugs L4, pytorch/vision#3500: a server answered with a page instead of the file."""
    path = tmp_path / name
    path.write_bytes(HTML)
    assert refusal(lambda: read_idx_images(path)) == (
        f"{path}: expected IDX images (magic 2051), found a web page (44 bytes, "
        "starts '<!DOCTYPE html>'). Fetch it again"
    )


def test_a_truncated_file_is_refused(tmp_path: Path) -> None:
    """bugs L4, pytorch/vision#3500 and lean4-mlir 4dd5956b: fewer bytes than the header says."""
    path = tmp_path / NAMES[0]
    path.write_bytes(idx_images(pixels(2, 5, 4))[:-7])
    assert refusal(lambda: read_idx_images(path)) == (
        f"{path}: expected 56 bytes (16 + 2*5*4, none of them 0), found 49 bytes. Fetch it again"
    )


def test_trailing_bytes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / NAMES[1]
    path.write_bytes(idx_labels([0, 1]) + b"\x00")
    assert refusal(lambda: read_idx_labels(path)) == (
        f"{path}: expected 10 bytes (8 + 2, none of them 0), found 11 bytes. Fetch it again"
    )


def test_a_header_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / NAMES[0]
    path.write_bytes(idx_images(pixels(2, 5, 4))[:9])
    assert refusal(lambda: read_idx_images(path)) == (
        f"{path}: expected IDX images (magic 2051), a header of 16 bytes, found 9 bytes, "
        "starts 00 00 08 03"
    )


def test_a_set_of_no_images_is_refused(tmp_path: Path) -> None:
    path = tmp_path / NAMES[0]
    path.write_bytes(idx_images(pixels(0, 5, 4)))
    assert refusal(lambda: read_idx_images(path)) == (
        f"{path}: expected 16 bytes (16 + 0*5*4, none of them 0), found 16 bytes. Fetch it again"
    )


def test_sizes_beyond_memory_are_refused(tmp_path: Path) -> None:
    """A damaged header must not overflow the expected size nor allocate it."""
    path = tmp_path / NAMES[0]
    path.write_bytes(b"\x00\x00\x08\x03" + b"\xff" * 12)
    assert refusal(lambda: read_idx_images(path)) == (
        f"{path}: expected 79228162458924105385300197391 bytes "
        "(16 + 4294967295*4294967295*4294967295, none of them 0), found 16 bytes. Fetch it again"
    )


def test_labels_in_place_of_images_are_named(tmp_path: Path) -> None:
    path = tmp_path / NAMES[0]
    path.write_bytes(idx_labels([0] * 9))
    assert refusal(lambda: read_idx_images(path)) == (
        f"{path}: expected IDX images (magic 2051), found IDX labels (magic 2049)"
    )


def test_another_magic_is_refused(tmp_path: Path) -> None:
    path = tmp_path / NAMES[1]
    path.write_bytes(idx_labels([0, 1], magic=2050))
    assert refusal(lambda: read_idx_labels(path)) == (
        f"{path}: expected IDX labels (magic 2049), found 10 bytes, starts 00 00 08 02"
    )


@pytest.mark.parametrize("cut", [1, 8, 20])
def test_truncated_gzip_is_refused(tmp_path: Path, cut: int) -> None:
    path = tmp_path / f"{NAMES[0]}.gz"
    content = gzip.compress(idx_images(pixels(20, 5, 4)))[:-cut]
    path.write_bytes(content)
    text = refusal(lambda: read_idx_images(path))
    assert text.startswith(
        f"{path}: expected complete gzip data, found {len(content)} bytes that do not unpack ("
    )
    assert text.endswith("Fetch it again")


def test_damaged_gzip_is_refused(tmp_path: Path) -> None:
    path = tmp_path / f"{NAMES[0]}.gz"
    content = bytearray(gzip.compress(idx_images(pixels(20, 5, 4))))
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)
    assert "bytes that do not unpack (" in refusal(lambda: read_idx_images(path))


def test_more_labels_than_images_are_refused(tmp_path: Path) -> None:
    path = write_idx(tmp_path) / NAMES[1]
    path.write_bytes(idx_labels([0, 1, 2, 0, 1, 2, 0]))
    assert refusal(lambda: load_idx(tmp_path)) == (
        f"{path}: expected 6 labels, one per image, found 7. "
        "Images and labels belong to different files or one of them is incomplete"
    )


def test_a_test_label_beyond_the_training_classes_is_refused(tmp_path: Path) -> None:
    path = write_idx(tmp_path) / NAMES[3]
    path.write_bytes(idx_labels([0, 1, 7, 2]))
    assert refusal(lambda: load_idx(tmp_path)) == (
        f"{path}: expected labels in 0..2, found label 7 at index 2"
    )


def test_a_class_without_training_samples_is_warned_of(tmp_path: Path) -> None:
    folder = write_idx(tmp_path)
    (folder / NAMES[1]).write_bytes(idx_labels([0, 2, 2, 0, 2, 2]))
    assert load_idx(folder).warnings == ("idx: class 1 (1) has no train sample",)


def test_test_images_of_another_size_are_refused(tmp_path: Path) -> None:
    folder = write_idx(tmp_path)
    (folder / NAMES[2]).write_bytes(idx_images(pixels(4, 4, 4)))
    assert refusal(lambda: load_idx(folder)) == (
        "idx test: expected images of shape [1, 5, 4], as in train, found [1, 4, 4]"
    )


@pytest.mark.parametrize("packed", [False, True])
def test_a_published_set_is_accepted(tmp_path: Path, packed: bool) -> None:
    folder = write_idx(tmp_path)
    facts = known(folder)
    if packed:
        pack(folder)
    found = load_idx(folder, name="small", known=facts)
    assert (found.name, found.classes) == ("small", ("a", "b", "c"))


@pytest.mark.parametrize("name", NAMES)
def test_one_changed_byte_of_a_published_set_is_found(tmp_path: Path, name: str) -> None:
    """bugs L3, deeplearning4j#3670: corrupted MNIST loaded and the net just did not learn."""
    folder = write_idx(tmp_path)
    facts = known(folder)
    content = bytearray((folder / name).read_bytes())
    # Two labels of different classes change places: the counts stay right.
    content[-2], content[-1] = content[-1], content[-2]
    (folder / name).write_bytes(content)
    assert refusal(lambda: load_idx(folder, known=facts)) == (
        f"{folder / name}: expected small with SHA-256 {facts.sha256[name]}, "
        f"found {hashlib.sha256(content).hexdigest()}. Fetch small again"
    )


def test_wrong_class_counts_of_a_published_set_are_found(tmp_path: Path) -> None:
    """bugs L3, deeplearning4j#3670: per-class counts are looked at on load."""
    folder = write_idx(tmp_path)
    facts = known(folder)
    (folder / NAMES[1]).write_bytes(idx_labels([0, 1, 2, 0, 1, 1]))
    assert refusal(lambda: load_idx(folder, known=facts)) == (
        f"{folder / NAMES[1]}: expected small train class counts [2, 2, 2], "
        "found [2, 3, 1]. Fetch small again"
    )


def test_a_file_that_is_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / NAMES[0]).mkdir()
    assert refusal(lambda: load_idx(tmp_path)) == (
        f"{tmp_path / NAMES[0]}: expected IDX images (magic 2051), found Is a directory"
    )
