"""Weights of a reference implementation as a net's parameters and running statistics."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict, cast

import numpy as np
import safetensors
from safetensors import SafetensorError

from gradwright.errors import CheckpointError, DataError
from gradwright.hlo import ElementType
from gradwright.kinds import checked
from gradwright.layers import Dense
from gradwright.spec import NetSpec, Slot
from gradwright.zoo.named import Head
from gradwright.zoo.naming import OURS, Naming
from gradwright.zoo.registry import PUBLISHED
from gradwright.zoo.torch_file import read_torch

FIRST = 3
"""How many tensors that do not fit an error names."""
IGNORED = ("num_batches_tracked",)
"""Counters that libraries keep beside the statistics and that nothing here reads."""
_ELEMENTS = {
    **{f"I{bits}": ElementType(f"i{bits}") for bits in (8, 16, 32, 64)},
    **{f"U{bits}": ElementType(f"ui{bits}") for bits in (8, 16, 32, 64)},
    **{f"F{bits}": ElementType(f"f{bits}") for bits in (16, 32, 64)},
    "BF16": ElementType.BF16,
    "F8_E4M3": ElementType.F8E4M3FN,
    "F8_E5M2": ElementType.F8E5M2,
    "BOOL": ElementType.I1,
}
"""Element types by their names in safetensors; its reader of arrays knows no narrow floats."""
_PICKLE = b"\x80\x02"
"""What PyTorch's files from before version 1.6 begin with."""

Arrays = dict[str, np.ndarray]


class _Stored(TypedDict):
    """A tensor as it lies in safetensors."""

    dtype: str
    shape: list[int]
    data: bytearray


@checked
def load(net: NetSpec, path: str | Path) -> Arrays:
    """Return every slot of a net by our name, in float32, from a file of a library's tensors.

    The file is safetensors or PyTorch's (which is read without running it); its names are those
    of a library that `net` is known in, or ours. Dense weights of libraries are transposed. Words
    that all names begin with, such as `module.`, are taken off where the rest fits.
    Errors: DataError for a file that cannot be read or holds a number that is not finite in f32;
    CheckpointError that names the first tensors that are missing, superfluous or of another shape,
    with names and shapes of the file, by the naming that fits best.
    """
    file = Path(path)
    found = _read(file)
    ways = [(prefix, naming) for prefix in _prefixes(found) for naming in _namings(net)]
    fits = [_fit(net, prefix, naming, found) for prefix, naming in ways]
    best = min(fits, key=lambda fit: len(fit.problems))
    if best.problems:
        shown = "; ".join(best.problems[:FIRST])
        rest = len(best.problems) - FIRST
        raise CheckpointError(
            where=str(file),
            expected=f"the {len(net.slots)} tensors of {net.name} as {best.library} names them",
            found=shown + (f"; and {rest} more" if rest > 0 else ""),
            remedy=_of_other_classes(net, best, found) if best.arrays else _names_of(found),
        )
    _require_finite(file, best, found)
    return best.arrays


def _prefixes(found: Mapping[str, object]) -> list[str]:
    """Return what may be taken off all names, nothing first: words that end with a dot."""
    first = next(iter(found), "")
    begun = [first[: end + 1] for end, letter in enumerate(first) if letter == "."]
    return ["", *(word for word in begun if all(name.startswith(word) for name in found))]


def _names_of(found: Mapping[str, object]) -> str:
    shown = ", ".join(sorted(found)[:FIRST])
    return f"The file has {shown}{', ...' if len(found) > FIRST else ''}" if found else ""


def _of_other_classes(net: NetSpec, fit: "_Fit", found: Mapping[str, np.ndarray]) -> str:
    """Return a remedy where the file fits the same net of another number of classes."""
    last = found.get(fit.names[net.slots[-1].name])
    if net.name not in PUBLISHED or last is None or not last.shape or not last.shape[0]:
        return ""
    height, width = net.input.shape[1:]
    other = PUBLISHED[net.name].build(net.name, Head(last.shape[0], (height, width)))
    ways = [(prefix, naming) for prefix in _prefixes(found) for naming in _namings(other)]
    if all(_fit(other, prefix, naming, found).problems for prefix, naming in ways):
        return ""
    return f"It fits the net of {last.shape[0]} classes"


def _require_finite(file: Path, fit: "_Fit", found: Mapping[str, np.ndarray]) -> None:
    wrong = [slot for slot, array in fit.arrays.items() if not np.isfinite(array).all()]
    if not wrong:
        return
    name = fit.names[wrong[0]]
    with np.errstate(over="ignore"):
        array = found[name].astype(np.float32)
    place = np.argwhere(~np.isfinite(array))[0].tolist()
    more = f"; and in {len(wrong) - 1} more tensors" if len(wrong) > 1 else ""
    raise DataError(
        where=str(file),
        expected="numbers that are finite in f32",
        found=f"{found[name][tuple(place)]} at {place} of {name}{more}",
    )


@dataclass(frozen=True, slots=True)
class _Fit:
    """What one naming makes of a file: arrays and the file's names by slot, and what misfits."""

    library: str
    names: Mapping[str, str]
    arrays: Arrays
    problems: Sequence[str]


def _read(file: Path) -> Mapping[str, np.ndarray]:
    if not file.is_file():
        raise DataError(where=str(file), expected="a file of tensors", found="none")
    content = file.read_bytes()
    if not content:
        raise DataError(
            where=str(file), expected="safetensors or a PyTorch file", found="an empty one"
        )
    if content[:2] == b"PK":
        return read_torch(file)
    try:
        return _parsed(content)
    except (SafetensorError, KeyError) as problem:
        old = content[: len(_PICKLE)] == _PICKLE
        raise DataError(
            where=str(file),
            expected=f"safetensors or a PyTorch file{' of version 1.6 or newer' if old else ''}",
            found="a pickle, as older versions wrote" if old else f"neither: {problem}",
            remedy="Load it there and save it again by torch.save" if old else "",
        ) from None


def _parsed(content: bytes) -> Arrays:
    """Return the tensors of safetensors."""
    # The package's types say nothing of what its reader in Rust returns.
    read = cast("Callable[[bytes], list[tuple[str, _Stored]]]", vars(safetensors)["deserialize"])
    return {
        name: np.frombuffer(each["data"], _ELEMENTS[each["dtype"]].dtype).reshape(each["shape"])
        for name, each in read(content)
    }


def _namings(net: NetSpec) -> list[Naming]:
    named = PUBLISHED.get(net.name)
    return [*(named.namings if named else ()), OURS]


def _fit(net: NetSpec, prefix: str, naming: Naming, found: Mapping[str, np.ndarray]) -> _Fit:
    arrays: Arrays = {}
    problems: list[str] = []
    rest = {name for name in found if name.rpartition(".")[2] not in IGNORED}
    turned = set[str]() if naming is OURS else transposed(net)
    names = {slot.name: prefix + naming.theirs(slot.name) for slot in net.slots}
    for slot in net.slots:
        name, turn = names[slot.name], slot.name in turned
        rest.discard(name)
        array = found.get(name)
        if array is None:
            problems.append(f"no {name}")
            continue
        if array.dtype.kind in "biu":
            problems.append(f"{name} of {array.dtype} instead of floating-point numbers")
        fitted = _fitted(array, slot, turn=turn)
        if fitted.shape != slot.shape:
            theirs = slot.shape[::-1] if turn else slot.shape
            problems.append(f"{name} {list(array.shape)} instead of {list(theirs)}")
        with np.errstate(over="ignore"):  # what is too large for f32 is refused as infinite
            arrays[slot.name] = np.ascontiguousarray(fitted, dtype=np.float32)
    problems += [f"{name}, which the net lacks" for name in sorted(found) if name in rest]
    return _Fit(naming.library, names, arrays, problems)


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


def transposed(net: NetSpec) -> set[str]:
    """Return the slots whose arrays libraries hold transposed: weights of dense layers."""
    return {plan.full("weight") for plan in net.walk() if isinstance(plan.layer, Dense)}
