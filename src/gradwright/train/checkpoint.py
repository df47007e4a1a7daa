"""Checkpoint files: safetensors that carry their own checksum and say which run they belong to."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from gradwright.errors import CheckpointError
from gradwright.hlo.types import ElementType
from gradwright.kinds import checked
from gradwright.train.metrics import Meter
from gradwright.train.storage import reported, write_atomically

State = dict[str, NDArray[Any]]

FORMAT = "gradwright-checkpoint-1"
METADATA_KEY = "gradwright"
_NO_DIGEST = "0" * 64


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands: everything besides the tensors that the next step depends on.

    `step` counts finished steps over the whole run, `epoch` finished epochs, `position` finished
    batches of the epoch under way. `window` sums since the last row of metrics.csv, `running` since
    the start of the epoch. The rest describes the last finished epoch and the best one.
    """

    step: int = 0
    epoch: int = 0
    position: int = 0
    window: Meter = field(default_factory=Meter)
    running: Meter = field(default_factory=Meter)
    train_loss: float | None = None
    test_accuracy: float | None = None
    best_step: int = 0
    best_accuracy: float | None = None


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state of a run after some step.

    `identity` names what must be equal for a run to go on from it (net, program, optimizer, data,
    seed, options), each as text; `state` holds parameters, moments and batch-norm statistics under
    the names of the program's ports.
    """

    run_id: str
    identity: Mapping[str, str]
    progress: Progress
    state: State


@checked
def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint so that the name appears only with the complete, synced content."""
    write_atomically(path, encode(checkpoint))


@checked
def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint; CheckpointError names the file and what is damaged."""
    with reported(path, "a readable checkpoint"):
        content = path.read_bytes()
    return decode(content, where=str(path))


def encode(checkpoint: Checkpoint) -> bytes:
    """Return the bytes of a checkpoint file: equal checkpoints give equal bytes.

    All metadata are one JSON text under one key, because safetensors writes several keys in random
    order. `sha256` in it is the digest of the whole file with these 64 digits being zeros.
    """
    record = {
        "format": FORMAT,
        "sha256": _NO_DIGEST,
        "run_id": checkpoint.run_id,
        "identity": dict(checkpoint.identity),
        "progress": asdict(checkpoint.progress),
    }
    # safetensors stores the memory of a transposed view as it lies, so views are copied first.
    tensors = {name: np.asarray(array, order="C") for name, array in checkpoint.state.items()}
    content = bytearray(save(tensors, {METADATA_KEY: json.dumps(record, sort_keys=True)}))
    start = _digest_start(bytes(content))
    content[start : start + 64] = hashlib.sha256(content).hexdigest().encode()
    return bytes(content)


def decode(content: bytes, *, where: str) -> Checkpoint:
    """Return the checkpoint in the bytes of a file; CheckpointError where they are damaged."""
    try:
        _verify_checksum(content)
        header = json.loads(_header(content))
        record = json.loads(header.pop("__metadata__")[METADATA_KEY])
        if record["format"] != FORMAT:
            raise _DamagedError(f"its format is {record['format']}, not {FORMAT}")
        progress = dict(record["progress"])
        progress["window"] = Meter(**progress["window"])
        progress["running"] = Meter(**progress["running"])
        return Checkpoint(
            run_id=str(record["run_id"]),
            identity=record["identity"],
            progress=Progress(**progress),
            state=_tensors(header, content[8 + len(_header(content)) :]),
        )
    except (ValueError, KeyError, TypeError, _DamagedError) as error:
        raise CheckpointError(
            where=where,
            expected="a complete checkpoint of Gradwright",
            found=f"{len(content):,} bytes that are none ({_reason(error)})",
            remedy="Use an older checkpoint of the run.",
        ) from error


class _DamagedError(Exception):
    """Bytes that are not a whole checkpoint file."""


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, _DamagedError) else "unreadable metadata"


def _verify_checksum(content: bytes) -> None:
    start = _digest_start(content)
    stated = content[start : start + 64]
    zeroed = content[:start] + _NO_DIGEST.encode() + content[start + 64 :]
    if hashlib.sha256(zeroed).hexdigest().encode() != stated:
        raise _DamagedError("its checksum differs")


def _header(content: bytes) -> bytes:
    length = int.from_bytes(content[:8], "little")
    if len(content) < 8 + length or length == 0:
        raise _DamagedError("it ends inside the header")
    return content[8 : 8 + length]


def _digest_start(content: bytes) -> int:
    label = rb"\"sha256\": \""
    found = _header(content).find(label)
    if found < 0:
        raise _DamagedError("it has no checksum")
    return 8 + found + len(label)


# Spelling of each element type in a safetensors header.
_ELEMENTS = {
    "BOOL": ElementType.I1,
    "I8": ElementType.I8,
    "U8": ElementType.UI8,
    "I16": ElementType.I16,
    "U16": ElementType.UI16,
    "I32": ElementType.I32,
    "U32": ElementType.UI32,
    "I64": ElementType.I64,
    "U64": ElementType.UI64,
    "F8_E4M3": ElementType.F8E4M3FN,
    "F8_E5M2": ElementType.F8E5M2,
    "BF16": ElementType.BF16,
    "F16": ElementType.F16,
    "F32": ElementType.F32,
    "F64": ElementType.F64,
}


def _tensors(entries: Mapping[str, Any], buffer: bytes) -> State:
    state: State = {}
    for name, entry in entries.items():
        begin, end = entry["data_offsets"]
        flat = np.frombuffer(buffer[begin:end], _ELEMENTS[entry["dtype"]].dtype)
        state[name] = flat.reshape(entry["shape"])
    return state
