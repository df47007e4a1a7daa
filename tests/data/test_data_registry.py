"""Finding a data set by its name or its kind and place."""

from pathlib import Path
from typing import cast

import numpy as np
import pytest
from PIL import Image

from data.samples import cifar_records, pixels, refusal, write_idx
from gradwright.data import Channels, PictureOptions, load
from gradwright.data.known import CIFAR10


def test_digits_need_nothing() -> None:
    assert load("digits").name == "digits"


def test_each_kind_is_read_from_its_place(tmp_path: Path) -> None:
    write_idx(tmp_path / "idx")
    assert len(load(f"idx:{tmp_path / 'idx'}").train) == 6
    (tmp_path / "data_batch_1.bin").write_bytes(cifar_records([1, 2]))
    (tmp_path / "test_batch.bin").write_bytes(cifar_records([3]))
    assert len(load(f"cifar:{tmp_path}").train) == 2
    labels = np.arange(2)
    images = pixels(2, 5, 4)
    np.savez(tmp_path / "a.npz", x_train=images, y_train=labels, x_test=images, y_test=labels)
    assert load(f"npz:{tmp_path / 'a.npz'}").name == "a"
    for part in ("train", "test"):
        folder = tmp_path / "pictures" / part / "ant"
        folder.mkdir(parents=True)
        Image.new("RGB", (4, 5)).save(folder / "0.png")
    gray = PictureOptions(channels=Channels.GRAY)
    assert load(f"folder:{tmp_path / 'pictures'}").train.shape == (3, 5, 4)
    assert load(f"folder:{tmp_path / 'pictures'}", pictures=gray).train.shape == (1, 5, 4)


@pytest.mark.parametrize("name", ["mnist", "fashion-mnist"])
def test_a_missing_set_says_which_command_fetches_it(tmp_path: Path, name: str) -> None:
    assert refusal(lambda: load(name, tmp_path)) == (
        f"{name}: expected its files in {tmp_path / name}, found no such folder. "
        f"Run `python tools/get_data.py {name}`"
    )


def test_cifar10_says_how_to_bring_it(tmp_path: Path) -> None:
    assert refusal(lambda: load("cifar10", tmp_path)) == (
        f"cifar10: expected its files in {tmp_path / 'cifar10'}, found no such folder. "
        "No package holds CIFAR-10: unpack its authors' binary version "
        "(data_batch_1.bin to data_batch_5.bin, test_batch.bin) there"
    )


@pytest.mark.parametrize("name", ["mnist", "fashion-mnist"])
def test_a_set_that_is_not_the_published_one_is_refused(tmp_path: Path, name: str) -> None:
    """bugs L3, deeplearning4j#3670: named sets are compared with what was published."""
    write_idx(tmp_path / name, classes=10)
    path = tmp_path / name / "train-labels-idx1-ubyte"
    text = refusal(lambda: load(name, tmp_path))
    assert text.startswith(f"{path}: expected {name} train class counts [")
    assert text.endswith(
        f"found [1, 1, 1, 1, 1, 1, 0, 0, 0, 0]. Run `python tools/get_data.py {name}`"
    )


def test_cifar10_is_compared_with_the_published_counts(tmp_path: Path) -> None:
    folder = tmp_path / "cifar10"
    folder.mkdir()
    (folder / "data_batch_1.bin").write_bytes(cifar_records(range(10)))
    (folder / "test_batch.bin").write_bytes(cifar_records(range(10)))
    assert refusal(lambda: load("cifar10", tmp_path)) == (
        f"{folder}: expected cifar10 train class counts {[5000] * 10}, found {[1] * 10}. "
        f"{CIFAR10.remedy}"
    )


def test_the_root_comes_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRADWRIGHT_DATA", str(tmp_path / "elsewhere"))
    assert f"its files in {tmp_path / 'elsewhere' / 'mnist'}" in refusal(lambda: load("mnist"))
    monkeypatch.delenv("GRADWRIGHT_DATA")
    monkeypatch.chdir(tmp_path)
    assert f"its files in {Path('data') / 'mnist'}" in refusal(lambda: load("mnist"))


@pytest.mark.parametrize("name", ["", "imagenet", "idx:", "idx", "tar:x", ":x"])
def test_other_names_are_refused(name: str) -> None:
    assert refusal(lambda: load(name)) == (
        "data set: expected digits, mnist, fashion-mnist, cifar10, idx:DIR, cifar:DIR, "
        f"npz:FILE or folder:DIR, found {name!r}"
    )


def test_a_name_that_is_like_one_is_answered_with_it() -> None:
    assert refusal(lambda: load("digits:x")).endswith("found 'digits:x'. Perhaps digits")
    assert refusal(lambda: load("foldr:x")).endswith("found 'foldr:x'. Perhaps folder:")


@pytest.mark.parametrize("name", [None, 3, Path("digits")], ids=repr)
def test_what_is_no_text_is_refused(name: object) -> None:
    assert refusal(lambda: load(cast("str", name))).endswith(f", found {name!r}")
