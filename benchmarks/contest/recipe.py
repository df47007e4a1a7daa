"""A net as plain data, so that a contestant needs nothing of ours to build it.

A folder `start` holds `recipe.json` and `start.safetensors`: the parameters under our names and
in our orders (convolutions [O, C, kH, kW], dense [I, O] after a flatten with channels slowest),
and the batch `x` [B, C, H, W] f32, `y` [B] i32 that every step trains on.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import (
    load_file,  # pyright: ignore[reportUnknownVariableType] (its PathLike has no parameter)
    save_file,  # pyright: ignore[reportUnknownVariableType] (the same)
)

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True, slots=True)
class Stage:
    """One layer: `kind` is conv, bn, relu, maxpool, flatten or dense; the other fields as used.

    Convolutions are square, stride 1, zero-padded by `kernel // 2`; pools have stride = kernel.
    """

    kind: str
    name: str
    shape: tuple[int, ...]
    kernel: int = 0
    has_bias: bool = False


@dataclass(frozen=True, slots=True)
class Recipe:
    """What every contestant trains: softmax cross-entropy (mean) with Adam.

    `shape` of a stage is the input of one example.
    """

    net: str
    batch: int
    lr: float
    beta1: float
    beta2: float
    epsilon: float
    bn_epsilon: float
    bn_decay: float
    stages: tuple[Stage, ...]

    def write(self, folder: Path, start: Arrays) -> None:
        """Write recipe and start for the contestants."""
        (folder / "recipe.json").write_text(json.dumps(asdict(self)), "utf-8")
        save_file(start, folder / "start.safetensors")


def read(folder: Path) -> tuple[Recipe, Arrays]:
    """Return what `Recipe.write` wrote."""
    fields: dict[str, Any] = json.loads((folder / "recipe.json").read_text("utf-8"))
    stages = tuple(_stage(stage) for stage in fields.pop("stages"))
    return Recipe(**fields, stages=stages), load_file(folder / "start.safetensors")


def _stage(fields: dict[str, Any]) -> Stage:
    shape = tuple(fields.pop("shape"))
    return Stage(**fields, shape=shape)


def channels_last_rows(weight: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return a dense weight whose rows follow a flatten of [H, W, C] instead of [C, H, W]."""
    channels, height, width = shape
    rows = weight.reshape(channels, height, width, -1).transpose(1, 2, 0, 3)
    return np.ascontiguousarray(rows.reshape(weight.shape))
