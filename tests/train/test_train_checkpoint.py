"""Checkpoint files: round trips, and every damage refused."""

import json
from dataclasses import replace
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from safetensors.numpy import load as load_safetensors

from gradwright.errors import CheckpointError
from gradwright.train import Checkpoint, Meter, Progress, read_checkpoint, write_checkpoint
from gradwright.train.checkpoint import State, decode, encode

PAGE = 4096


def checkpoint(state: State | None = None) -> Checkpoint:
    progress = Progress(
        step=7,
        epoch=1,
        position=2,
        window=Meter(16, 0.1 + 0.2, 3.0),
        running=Meter(32, 1e-300, None),
        train_loss=0.5,
        test_accuracy=0.25,
        best_step=5,
        best_accuracy=0.5,
    )
    tensors = {"w": np.arange(6, dtype=np.float32).reshape(2, 3)} if state is None else state
    return Checkpoint("abc", {"net": "tiny", "options.lr": "0.1"}, progress, tensors)


def assert_same(one: State, other: State) -> None:
    assert one.keys() == other.keys()
    for name in one:
        assert one[name].dtype == other[name].dtype
        assert one[name].shape == other[name].shape
        assert one[name].tobytes() == other[name].tobytes()


def test_everything_comes_back_bit_for_bit(tmp_path: Path) -> None:
    path = tmp_path / "step.safetensors"
    saved = checkpoint()
    write_checkpoint(path, saved)
    found = read_checkpoint(path)
    assert (found.run_id, found.identity, found.progress) == (
        saved.run_id,
        saved.identity,
        saved.progress,
    )
    assert_same(found.state, saved.state)
    assert [entry.name for entry in tmp_path.iterdir()] == ["step.safetensors"]


@pytest.mark.parametrize(
    "dtype",
    [
        np.bool_,
        np.int8,
        np.uint8,
        np.int32,
        np.int64,
        np.float16,
        np.float32,
        np.float64,
        ml_dtypes.bfloat16,
        ml_dtypes.float8_e4m3fn,
        ml_dtypes.float8_e5m2,
    ],
)
def test_every_element_type_comes_back(dtype: type) -> None:
    state: State = {
        "matrix": np.arange(6).reshape(2, 3).astype(dtype),
        "scalar": np.ones((), dtype),
        "empty": np.zeros((0, 3), dtype),
    }
    assert_same(decode(encode(checkpoint(state)), where="file").state, state)


def test_values_that_are_not_numbers_come_back_with_their_bits() -> None:
    words = np.array([0x7FC00001, 0xFF800000, 0x80000000, 0x00000001], np.uint32)
    state: State = {"w": words.view(np.float32)}
    assert_same(decode(encode(checkpoint(state)), where="file").state, state)


def test_a_transposed_array_is_saved_as_it_reads() -> None:
    # safetensors itself writes the memory of a view as it lies, which is the transposed array.
    view = np.arange(6, dtype=np.float32).reshape(2, 3).T
    found = decode(encode(checkpoint({"w": view})), where="file").state["w"]
    assert (found == view).all()


def test_equal_checkpoints_give_equal_bytes() -> None:
    assert encode(checkpoint()) == encode(checkpoint())
    other = replace(checkpoint(), run_id="abd")
    assert encode(other) != encode(checkpoint())


def test_the_file_is_plain_safetensors() -> None:
    content = encode(checkpoint())
    assert (load_safetensors(content)["w"] == checkpoint().state["w"]).all()
    length = int.from_bytes(content[:8], "little")
    record = json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["gradwright"])
    assert sorted(record) == ["format", "identity", "progress", "run_id", "sha256"]


def test_every_truncation_and_every_flipped_bit_of_a_small_file_is_refused() -> None:
    content = encode(checkpoint())
    for place in range(len(content)):
        flipped = bytearray(content)
        flipped[place] ^= 1 << place % 8
        for damaged in (content[:place], bytes(flipped)):
            with pytest.raises(CheckpointError):
                decode(damaged, where="file")


def test_every_truncation_at_a_page_is_refused(tmp_path: Path) -> None:
    """L1: a save that was cut off must never be taken for a checkpoint.

    Reference: Lightning-AI/pytorch-lightning#688, harvard-edge/cs249r_book#2068,
    CanReader/FastNN#13, vllm-project/speculators#739, facebookresearch/metaseq#53,
    allenai/allennlp#2129.
    """
    path = tmp_path / "step.safetensors"
    write_checkpoint(path, checkpoint({"w": np.ones((64, 257), np.float32)}))
    content = path.read_bytes()
    assert len(content) > 10 * PAGE
    for length in [*range(0, len(content), PAGE), len(content) - 1]:
        path.write_bytes(content[:length])
        with pytest.raises(CheckpointError):
            read_checkpoint(path)
    path.write_bytes(content + b"\0")
    with pytest.raises(CheckpointError):
        read_checkpoint(path)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it ends inside the header"),
        (b"<!DOCTYPE html><html>", "it ends inside the header"),
        (b"\2\0\0\0\0\0\0\0{}", "it has no checksum"),
        (encode(checkpoint())[:-1], "its checksum differs"),
        (encode(checkpoint()).replace(b"tiny", b"tony"), "its checksum differs"),
    ],
)
def test_damage_is_described(content: bytes, reason: str) -> None:
    with pytest.raises(CheckpointError) as caught:
        decode(content, where="run/step.safetensors")
    assert str(caught.value) == (
        "run/step.safetensors: expected a complete checkpoint of Gradwright, "
        f"found {len(content):,} bytes that are none ({reason}). "
        "Use an older checkpoint of the run."
    )


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError) as caught:
        read_checkpoint(tmp_path / "none.safetensors")
    assert str(caught.value) == (
        f"{tmp_path / 'none.safetensors'}: expected a readable checkpoint, "
        "found No such file or directory"
    )
