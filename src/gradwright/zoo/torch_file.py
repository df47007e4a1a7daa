"""Reading PyTorch's files of tensors without PyTorch and without running what they contain.

The file is a zip archive: `data.pkl` describes the tensors, `data/KEY` holds their elements.
The description is a pickle, so a program; here it can reach nothing but three inert stand-ins:
the ordered dictionary, the rebuilding of a tensor, and names of element types.
"""

import io
import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import ml_dtypes
import numpy as np

from gradwright.errors import DataError

_ELEMENTS = {
    "DoubleStorage": np.dtype("<f8"),
    "FloatStorage": np.dtype("<f4"),
    "HalfStorage": np.dtype("<f2"),
    "BFloat16Storage": np.dtype(ml_dtypes.bfloat16),
    "LongStorage": np.dtype("<i8"),
    "IntStorage": np.dtype("<i4"),
    "ShortStorage": np.dtype("<i2"),
    "CharStorage": np.dtype("i1"),
    "ByteStorage": np.dtype("u1"),
    "BoolStorage": np.dtype("?"),
}


@dataclass(frozen=True, slots=True)
class _Element:
    """The name of an element type."""

    dtype: np.dtype[Any]


def read_torch(path: Path) -> dict[str, np.ndarray]:
    """Return the tensors of a state dict, or of the state dict under the key `state_dict`.

    Errors: DataError for anything that is not such a file, among them every file whose description
    asks for more than tensors, and the format from before PyTorch 1.6.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            found: object = _Description(archive, str(path)).load()
    except zipfile.BadZipFile:
        raise DataError(
            where=str(path),
            expected="a whole PyTorch file",
            found=f"the beginning of one, {path.stat().st_size:,} bytes, whose end is missing",
            remedy="Fetch or write it again",
        ) from None
    except (
        pickle.UnpicklingError, KeyError, ValueError, TypeError,
        EOFError, AttributeError, IndexError, OverflowError, RecursionError,
    ) as problem:  # fmt: skip
        raise DataError(
            where=str(path), expected="a PyTorch file of tensors (zip format)", found=str(problem)
        ) from None
    entries = _dictionary(path, found)
    if "state_dict" in entries:
        entries = _dictionary(path, entries["state_dict"])
    return {str(name): array for name, array in entries.items() if isinstance(array, np.ndarray)}


def _dictionary(path: Path, found: object) -> Mapping[object, object]:
    if not isinstance(found, dict):
        raise DataError(where=str(path), expected="a state dict", found=type(found).__name__)
    return cast("Mapping[object, object]", found)


class _Description(pickle.Unpickler):
    """Reads `data.pkl`; whatever it names besides the stand-ins is refused."""

    def __init__(self, archive: zipfile.ZipFile, where: str) -> None:
        [self._description] = [n for n in archive.namelist() if n.endswith("/data.pkl")]
        if any(entry.compress_type != zipfile.ZIP_STORED for entry in archive.infolist()):
            raise ValueError("compressed entries, which PyTorch never writes")
        self._archive, self._where = archive, where
        super().__init__(io.BytesIO(archive.read(self._description)))

    def find_class(self, module_name: str, global_name: str, /) -> Any:  # noqa: ANN401 - as pickle
        """Return a stand-in, DataError for any other name."""
        if module_name == "torch" and global_name in _ELEMENTS:
            return _Element(_ELEMENTS[global_name])
        known: Mapping[tuple[str, str], object] = {
            ("collections", "OrderedDict"): OrderedDict,
            ("torch._utils", "_rebuild_tensor_v2"): _tensor,
            ("torch._utils", "_rebuild_parameter"): _parameter,
        }
        if (module_name, global_name) not in known:
            raise DataError(
                where=self._where,
                expected="a file that holds tensors and nothing else",
                found=f"{module_name}.{global_name}",
                remedy="Save model.state_dict(), or use safetensors",
            )
        return known[module_name, global_name]

    def persistent_load(self, pid: Any, /) -> np.ndarray:  # noqa: ANN401 - as pickle
        """Return the elements of a storage: ("storage", type, key, place, count)."""
        kind, element, key, _, count = pid
        if kind != "storage" or not isinstance(element, _Element):
            raise ValueError(f"a reference to {kind!r}")
        content = self._archive.read(f"{self._description.removesuffix('data.pkl')}data/{key}")
        return np.frombuffer(content, element.dtype, int(count))


def _tensor(
    storage: np.ndarray, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], *_: object
) -> np.ndarray:
    """Return the view of a storage that a tensor is; ValueError where it leaves the storage."""
    last = offset + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    if min((offset, *strides, *shape), default=0) < 0 or last >= max(storage.size, 1):
        if 0 in shape:
            return np.zeros(shape, storage.dtype)
        raise ValueError(f"a tensor {shape} that leaves its storage of {storage.size} elements")
    steps = tuple(s * storage.itemsize for s in strides)
    return np.lib.stride_tricks.as_strided(storage[offset:], shape, steps, writeable=False).copy()


def _parameter(tensor: np.ndarray, *_: object) -> np.ndarray:
    return tensor
