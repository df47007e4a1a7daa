"""Files of weights: both formats, names of libraries, and the ways in which a file is wrong."""

import io
import pickle
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save

from gradwright import zoo
from gradwright.errors import CheckpointError, DataError
from gradwright.hlo import ElementType
from gradwright.programs import init
from gradwright.zoo.naming import Naming
from gradwright.zoo.torch_file import read_torch
from gradwright.zoo.weights import transposed
from oracles.torch_nets import torch

NET = zoo.get("resnet18", classes=3)
NAMING: Naming = zoo.PUBLISHED["resnet18"].namings[0]


def state() -> dict[str, np.ndarray]:
    """Return weights of the net as torchvision names and turns them."""
    turned = transposed(NET)
    return {
        NAMING.theirs(name): np.ascontiguousarray(array.T if name in turned else array)
        for name, array in init(NET, 3).items()
    }


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "weights"


def test_names_of_the_library_are_mapped(file: Path) -> None:
    file.write_bytes(save({**state(), "bn1.num_batches_tracked": np.array(4)}))
    loaded, expected = zoo.load(NET, file), init(NET, 3)
    assert list(loaded) == list(expected)
    assert all((loaded[name] == array).all() for name, array in expected.items())


def test_our_own_names_are_taken_as_they_are(file: Path) -> None:
    file.write_bytes(save(init(NET, 4)))
    loaded = zoo.load(NET, str(file))
    assert all((loaded[name] == array).all() for name, array in init(NET, 4).items())


def test_the_first_tensors_that_do_not_fit_are_named(file: Path) -> None:
    weights = state()
    weights["fc.weight"] = np.zeros((5, 512), np.float32)
    del weights["layer1.0.conv1.weight"]
    weights["layer9.weight"] = np.zeros(2, np.float32)
    file.write_bytes(save(weights))
    with pytest.raises(CheckpointError) as caught:
        zoo.load(NET, file)
    assert str(caught.value) == (
        f"{file}: expected the {len(NET.slots)} tensors of resnet18 as torchvision or timm names"
        " them, found no layer1.0.conv1.weight; fc.weight [5, 512] instead of [3, 512];"
        " layer9.weight, which the net lacks"
    )


def test_a_file_of_other_classes_is_told_by_their_number(file: Path) -> None:
    other = {"fc.weight": np.zeros((5, 512), np.float32), "fc.bias": np.zeros(5, np.float32)}
    file.write_bytes(save({**state(), **other}))
    with pytest.raises(CheckpointError, match=r"It fits the net of 5 classes$"):
        zoo.load(NET, file)
    file.write_bytes(save({**state(), **other, "fc.bias": np.zeros(6, np.float32)}))
    with pytest.raises(CheckpointError, match=r"fc.bias \[6\] instead of \[3\]$"):
        zoo.load(NET, file)


def test_many_misfits_are_counted(file: Path) -> None:
    file.write_bytes(save({"conv1.weight": np.zeros((64, 3, 7, 7), np.float32)}))
    with pytest.raises(CheckpointError, match=rf"; and {len(NET.slots) - 1 - 3} more$"):
        zoo.load(NET, file)


@pytest.mark.parametrize("prefix", ["module.", "model.net."])
def test_words_that_all_names_begin_with_are_taken_off(file: Path, prefix: str) -> None:
    file.write_bytes(save({prefix + name: array for name, array in state().items()}))
    assert all((zoo.load(NET, file)[n] == array).all() for n, array in init(NET, 3).items())
    weights = {prefix + name: array for name, array in state().items()}
    del weights[f"{prefix}fc.bias"]
    file.write_bytes(save(weights))
    with pytest.raises(CheckpointError, match=rf"found no {prefix}fc.bias$"):
        zoo.load(NET, file)


def test_one_layer_keeps_its_name(file: Path) -> None:
    net = zoo.get("mnist-linear")
    for prefix in ("", "model."):
        file.write_bytes(save({prefix + name: array for name, array in init(net, 1).items()}))
        assert (zoo.load(net, file)["dense1.weight"] == init(net, 1)["dense1.weight"]).all()


def test_names_of_the_file_are_shown_where_none_fits(file: Path) -> None:
    file.write_bytes(save({f"{part}.kernel": np.zeros(2, np.float32) for part in "abcd"}))
    with pytest.raises(CheckpointError) as caught:
        zoo.load(NET, file)
    assert str(caught.value).endswith("more. The file has a.kernel, b.kernel, c.kernel, ...")


def test_narrow_floats_of_safetensors_are_read(file: Path) -> None:
    narrow = ElementType.BF16.dtype
    bits = {name: array.astype(narrow).view(np.uint16) for name, array in state().items()}
    content = save(bits)
    length = int.from_bytes(content[:8], "little")
    header = content[8 : 8 + length].replace(b'"U16"', b'"BF16"')
    file.write_bytes(len(header).to_bytes(8, "little") + header + content[8 + length :])
    loaded, exact = zoo.load(NET, file), init(NET, 3)
    assert all(
        (loaded[name] == exact[name].astype(narrow).astype(np.float32)).all() for name in exact
    )
    assert any((loaded[name] != exact[name]).any() for name in exact)


def test_integers_are_no_weights(file: Path) -> None:
    weights = state()
    weights["conv1.weight"] = weights["conv1.weight"].astype(np.int8)
    file.write_bytes(save(weights))
    with pytest.raises(CheckpointError, match=r"conv1\.weight of int8 instead of floating-point"):
        zoo.load(NET, file)


def test_a_file_of_an_old_version_of_pytorch_is_named(file: Path) -> None:
    file.write_bytes(b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.")
    with pytest.raises(DataError, match=r"1\.6 or newer, found a pickle.*save it again"):
        zoo.load(NET, file)


@pytest.mark.parametrize("number", [np.nan, -np.inf, 1e300])
def test_what_is_not_finite_is_refused(file: Path, number: float) -> None:
    weights = state()
    weights["fc.weight"] = weights["fc.weight"].astype(np.float64)
    weights["fc.weight"][2, 7] = number
    file.write_bytes(save(weights))
    with pytest.raises(DataError) as caught:
        zoo.load(NET, file)
    assert str(caught.value) == (
        f"{file}: expected numbers that are finite in f32, found {number} at [2, 7] of fc.weight"
    )


@pytest.mark.parametrize("content", [b"", b"weights", b"PK\x03\x04 and no archive"])
def test_what_is_no_file_of_tensors_is_refused(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(DataError, match=r"^.*weights: expected .*PyTorch file"):
        zoo.load(NET, file)


def test_a_missing_file_is_named(file: Path) -> None:
    with pytest.raises(DataError, match=r"weights: expected a file of tensors, found none$"):
        zoo.load(NET, file)


class Hostile:
    """Runs a command when an ordinary reader opens it."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.target,)


def archived(file: Path, description: bytes, compression: int = zipfile.ZIP_STORED) -> None:
    with zipfile.ZipFile(file, "w", compression) as archive:
        archive.writestr("archive/data.pkl", description)


def test_a_file_that_would_run_code_runs_none(file: Path, tmp_path: Path) -> None:
    archived(file, pickle.dumps({"conv1.weight": Hostile(tmp_path / "touched")}))
    with pytest.raises(DataError, match=r"expected a file that holds tensors and nothing else"):
        zoo.load(NET, file)
    assert not (tmp_path / "touched").exists()
    pickle.loads(pickle.dumps(Hostile(tmp_path / "touched")))
    assert (tmp_path / "touched").exists()  # so that the test shows something


@pytest.mark.parametrize("name", ["eval", "getattr", "__import__"])
def test_builtins_are_out_of_reach(file: Path, name: str) -> None:
    archived(file, b"cbuiltins\n" + name.encode() + b"\n.")
    with pytest.raises(DataError, match=f"builtins.{name}"):
        read_torch(file)


def test_damaged_descriptions_are_refused(file: Path) -> None:
    whole = pickle.dumps(OrderedDict(a=1))
    for description in (whole[:-1], b"", b"(lp0\n.", pickle.dumps([1]), b"\x80\x04]q"):
        archived(file, description)
        with pytest.raises(DataError):
            read_torch(file)
    archived(file, whole, zipfile.ZIP_DEFLATED)
    with pytest.raises(DataError, match="compressed"):
        read_torch(file)


def saved(value: object) -> bytes:
    stream = io.BytesIO()
    torch().save(value, stream)
    return stream.getvalue()


@pytest.mark.torch
def test_what_torch_saves_is_read(file: Path) -> None:
    t = torch()
    base = t.arange(24, dtype=t.float32).reshape(4, 6)
    tensors: dict[str, Any] = OrderedDict(
        turned=base.T,
        part=base[1:3, ::2],
        scalar=t.tensor(2.5, dtype=t.float64),
        half=base.half(),
        brain=base.bfloat16(),
        count=t.tensor(7),
        empty=t.zeros(0, 3),
        parameter=t.nn.Parameter(base),
    )
    nested: dict[str, Any] = {"state_dict": tensors, "epoch": 3}
    for value in (tensors, nested):
        file.write_bytes(saved(value))
        found = read_torch(file)
        assert list(found) == list(tensors)
        for name, tensor in tensors.items():
            assert found[name].shape == tuple(tensor.shape)
            assert (found[name].astype(np.float64) == tensor.detach().double().numpy()).all()


@pytest.mark.torch
def test_whole_modules_and_old_files_are_refused(file: Path) -> None:
    file.write_bytes(saved(torch().nn.Linear(2, 2)))
    with pytest.raises(DataError, match=r"torch.nn.modules.linear.Linear"):
        read_torch(file)
    torch().save({"a": torch().zeros(2)}, file, _use_new_zipfile_serialization=False)
    with pytest.raises(DataError):
        zoo.load(NET, file)
