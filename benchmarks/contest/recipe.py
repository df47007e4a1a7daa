"""A net as plain data, so that a contestant needs nothing of ours to build it.

A folder `start` holds `recipe.json` and `start.safetensors`: the parameters under our names and
in our orders (convolutions [O, C, kH, kW], dense [I, O] after a flatten with channels slowest),
and the batch `x` [B, C, H, W] f32, `y` [B] i32 that every step trains on.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import (
    load_file,  # pyright: ignore[reportUnknownVariableType] (its PathLike has no parameter)
    save_file,  # pyright: ignore[reportUnknownVariableType] (the same)
)

Arrays = dict[str, np.ndarray]


Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Window:
    """Where a convolution or a pool reads; padding is (low, high) per axis, of zeros or -inf."""

    kernel: Pair
    strides: Pair
    padding: tuple[Pair, Pair]


@dataclass(frozen=True, slots=True)
class Stage:
    """One layer; `shape` is the input of one example, the other fields are as used.

    `kind` is conv, bn, ln (over the channels of each position), scale (a factor per channel), act,
    maxpool, gap, flatten, dense; or residual, the sum of two `branches` of which an empty one is
    the identity; or gate, the input times its branch, a number per channel.
    """

    kind: str
    name: str
    shape: tuple[int, ...]
    window: Window | None = None
    groups: int = 1
    has_bias: bool = False
    epsilon: float = 0.0
    decay: float = 0.0
    function: str = ""
    branches: "tuple[tuple[Stage, ...], ...]" = ()

    @property
    def reads(self) -> Window:
        """The window of a convolution or a pool."""
        assert self.window is not None
        return self.window


@dataclass(frozen=True, slots=True)
class Recipe:
    """What every contestant trains: softmax cross-entropy (mean) with Adam."""

    net: str
    batch: int
    lr: float
    beta1: float
    beta2: float
    epsilon: float
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
    fields["shape"] = tuple(fields["shape"])
    fields["branches"] = tuple(tuple(map(_stage, branch)) for branch in fields["branches"])
    if window := fields["window"]:
        kernel, strides, (rows, columns) = window["kernel"], window["strides"], window["padding"]
        padding = _pair(rows), _pair(columns)
        fields["window"] = Window(_pair(kernel), _pair(strides), padding)
    return Stage(**fields)


def _pair(entries: Sequence[int]) -> Pair:
    first, second = entries
    return first, second


def every(stages: Sequence[Stage]) -> Iterator[Stage]:
    """Yield the stages and those inside their branches, in the order of the net."""
    for stage in stages:
        yield stage
        for branch in stage.branches:
            yield from every(branch)


def channels_last_rows(weight: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return a dense weight whose rows follow a flatten of [H, W, C] instead of [C, H, W]."""
    channels, height, width = shape
    rows = weight.reshape(channels, height, width, -1).transpose(1, 2, 0, 3)
    return np.ascontiguousarray(rows.reshape(weight.shape))
