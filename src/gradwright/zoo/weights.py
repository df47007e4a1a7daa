"""Weights of a reference implementation as a net's parameters and running statistics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as parse

from gradwright.errors import CheckpointError, DataError
from gradwright.layers import Dense
from gradwright.spec import NetSpec, Slot
from gradwright.zoo.naming import OURS, Naming
from gradwright.zoo.registry import PUBLISHED
from gradwright.zoo.torch_file import read_torch

FIRST = 3
"""How many tensors that do not fit an error names."""
IGNORED = ("num_batches_tracked",)
"""Counters that libraries keep beside the statistics and that nothing here reads."""

Arrays = dict[str, np.ndarray]


def load(net: NetSpec, path: str | Path) -> Arrays:
    """Return every slot of a net by our name, in float32, from a file of a library's tensors.

    The file is safetensors or PyTorch's (which is read without running it); its names are those
    of a library that `net` is known in, or ours. Dense weights of libraries are transposed.
    Errors: DataError for a file that cannot be read; CheckpointError that names the first tensors
    that are missing, superfluous or of another shape, by the naming that fits best.
    """
    file = Path(path)
    found = _read(file)
    fits = [_fit(net, naming, found) for naming in _namings(net)]
    best = min(fits, key=lambda fit: len(fit.problems))
    if best.problems:
        shown = "; ".join(best.problems[:FIRST])
        rest = len(best.problems) - FIRST
        raise CheckpointError(
            where=str(file),
            expected=f"the {len(net.slots)} tensors of {net.name} as {best.library} names them",
            found=shown + (f"; and {rest} more" if rest > 0 else ""),
        )
    return best.arrays


@dataclass(frozen=True, slots=True)
class _Fit:
    """What one naming makes of a file: the arrays, and what does not fit, in order."""

    library: str
    arrays: Arrays
    problems: Sequence[str]


def _read(file: Path) -> Mapping[str, np.ndarray]:
    if not file.is_file():
        raise DataError(where=str(file), expected="a file of tensors", found="none")
    content = file.read_bytes()
    if content[:2] == b"PK":
        return read_torch(file)
    try:
        return parse(content)
    except (SafetensorError, KeyError) as problem:
        raise DataError(
            where=str(file), expected="safetensors or a PyTorch file", found=str(problem)
        ) from None


def _namings(net: NetSpec) -> list[Naming]:
    named = PUBLISHED.get(net.name)
    return [*(named.namings if named else ()), OURS]


def _fit(net: NetSpec, naming: Naming, found: Mapping[str, np.ndarray]) -> _Fit:
    arrays: Arrays = {}
    problems: list[str] = []
    rest = {name for name in found if name.rpartition(".")[2] not in IGNORED}
    turned = set[str]() if naming is OURS else transposed(net)
    for slot in net.slots:
        name = naming.theirs(slot.name)
        rest.discard(name)
        array = found.get(name)
        if array is None:
            problems.append(f"no {name}")
            continue
        array = _fitted(array, slot, turn=slot.name in turned)
        arrays[slot.name] = np.ascontiguousarray(array, dtype=np.float32)
        problems += _misfits(slot, name, array.shape)
    problems += [f"{name}, which the net lacks" for name in found if name in rest]
    return _Fit(naming.library, arrays, problems)


def _fitted(array: np.ndarray, slot: Slot, *, turn: bool) -> np.ndarray:
    """Return a library's array in our form: dense weights turned, extents of 1 as we have them.

    Libraries write 1x1 convolutions as dense layers and the other way round, and factors per
    channel as [C, 1, 1].
    """
    if turn and array.ndim in (2, 4):
        array = array.reshape(array.shape[:2]) if array.shape[2:] in ((), (1, 1)) else array
        array = array.T
    wide = [extent for extent in array.shape if extent != 1]
    same = wide == [extent for extent in slot.shape if extent != 1]
    return array.reshape(slot.shape) if same else array


def _misfits(slot: Slot, name: str, shape: tuple[int, ...]) -> list[str]:
    if shape == slot.shape:
        return []
    return [f"{name} {list(shape)} instead of {list(slot.shape)}"]


def transposed(net: NetSpec) -> set[str]:
    """Return the slots whose arrays libraries hold transposed: weights of dense layers."""
    return {plan.full("weight") for plan in net.walk() if isinstance(plan.layer, Dense)}
