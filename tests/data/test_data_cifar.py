"""CIFAR-10 binary files: what is read, and what is refused with which words."""

import gzip
from pathlib import Path

import numpy as np

from data.samples import HTML, cifar_records, pixels, refusal
from gradwright.data import load_cifar, read_cifar
from gradwright.data.known import CIFAR10, KnownSet


def write(folder: Path, sizes: tuple[int, ...] = (20, 7)) -> Path:
    for number, size in enumerate(sizes, start=1):
        content = cifar_records((i % 10 for i in range(size)), seed=number)
        (folder / f"data_batch_{number}.bin").write_bytes(content)
    (folder / "test_batch.bin").write_bytes(cifar_records(range(10), seed=9))
    return folder


def test_files_are_read_in_order_as_written(tmp_path: Path) -> None:
    found = load_cifar(write(tmp_path))
    assert (len(found.train), len(found.test), found.train.shape) == (27, 10, (3, 32, 32))
    expected = np.concatenate([pixels(20, 3072, seed=1), pixels(7, 3072, seed=2)])
    np.testing.assert_array_equal(found.train.images.reshape(27, -1), expected)
    assert found.train.labels.tolist() == [i % 10 for i in range(20)] + list(range(7))
    assert found.classes == CIFAR10.classes


def test_a_record_is_one_label_then_red_green_blue_planes(tmp_path: Path) -> None:
    path = tmp_path / "test_batch.bin"
    path.write_bytes(bytes([7]) + b"\x01" * 1024 + b"\x02" * 1024 + b"\x03" * 1023 + b"\x04")
    images, labels = read_cifar(path)
    assert labels.tolist() == [7]
    assert images[0, :, 0, 0].tolist() == [1, 2, 3]
    assert images[0, :, 31, 31].tolist() == [1, 2, 4]


def test_more_than_nine_files_are_read_in_number_order(tmp_path: Path) -> None:
    found = load_cifar(write(tmp_path, (10,) + (1,) * 10))
    assert len(found.train) == 20
    np.testing.assert_array_equal(found.train.images[19].ravel(), pixels(1, 3072, seed=11).ravel())


def test_class_names_come_with_the_files(tmp_path: Path) -> None:
    (write(tmp_path) / "batches.meta.txt").write_text("\n".join("abcdefghij") + "\n\n", "utf-8")
    assert load_cifar(tmp_path).classes == tuple("abcdefghij")


def test_too_few_class_names_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path) / "batches.meta.txt"
    path.write_text("cat\ndog\n", "utf-8")
    assert refusal(lambda: load_cifar(tmp_path)) == f"{path}: expected 10 class names, found 2"


def test_a_truncated_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data_batch_1.bin"
    path.write_bytes(b"\x03" * 6145)
    assert refusal(lambda: read_cifar(path)) == (
        f"{path}: expected a multiple of 3073 bytes (1 label + 3*32*32 pixels), "
        "found 6145 bytes, starts 03 03 03 03. Fetch it again, in the binary version"
    )


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data_batch_1.bin"
    path.touch()
    assert refusal(lambda: read_cifar(path)) == (
        f"{path}: expected CIFAR-10 binary records, found an empty file (0 bytes). Fetch it again"
    )


def test_a_web_page_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data_batch_1.bin"
    path.write_bytes(b"\n" + HTML)
    assert "found a web page (45 bytes" in refusal(lambda: read_cifar(path))


def test_a_packed_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data_batch_1.bin"
    content = gzip.compress(cifar_records([1]))
    path.write_bytes(content)
    assert refusal(lambda: read_cifar(path)) == (
        f"{path}: expected CIFAR-10 binary records, found gzip data ({len(content)} bytes, "
        "starts 1F 8B). Rename it to data_batch_1.bin.gz or unpack it"
    )


def test_a_label_beyond_9_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data_batch_1.bin"
    path.write_bytes(cifar_records([0, 9, 10]))
    assert refusal(lambda: read_cifar(path)) == (
        f"{path}: expected labels in 0..9, found label 10 at index 2"
    )


def test_a_gap_in_the_numbers_is_refused(tmp_path: Path) -> None:
    (write(tmp_path, (1, 1, 1)) / "data_batch_2.bin").unlink()
    assert refusal(lambda: load_cifar(tmp_path)) == (
        f"{tmp_path}: expected data_batch_1.bin, data_batch_2.bin, … without a gap, "
        f"found numbers [1, 3]. {CIFAR10.remedy}"
    )


def test_a_folder_without_files_is_refused(tmp_path: Path) -> None:
    assert refusal(lambda: load_cifar(tmp_path)) == (
        f"{tmp_path}: expected data_batch_1.bin, data_batch_2.bin, … without a gap, "
        f"found none of them. {CIFAR10.remedy}"
    )


def test_a_missing_test_file_is_named(tmp_path: Path) -> None:
    path = write(tmp_path) / "test_batch.bin"
    path.unlink()
    assert refusal(lambda: load_cifar(tmp_path)) == (
        f"{path}: expected CIFAR-10 binary records, found No such file or directory"
    )


def test_the_published_set_must_be_whole(tmp_path: Path) -> None:
    """bugs L3, deeplearning4j#3670: an incomplete set under a known name is not that set."""
    assert refusal(lambda: load_cifar(write(tmp_path), name="cifar10", known=CIFAR10)) == (
        f"{tmp_path}: expected cifar10 train class counts {[5000] * 10}, "
        f"found {[3] * 7 + [2] * 3}. {CIFAR10.remedy}"
    )
    counts = {"train": (3,) * 7 + (2,) * 3, "test": (1,) * 10}
    small = KnownSet("small", CIFAR10.classes, counts, {}, "")
    assert len(load_cifar(tmp_path, known=small).train) == 27
