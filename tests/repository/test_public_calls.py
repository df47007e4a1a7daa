"""Every public function, called with something of no kind that it takes: an error of the package.

A function that is new and not in the table fails here.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import gradwright as gw
from gradwright.certify import Search
from gradwright.hlo import ElementType


class Wrong:
    """A value that no function takes."""

    def __repr__(self) -> str:
        return "Wrong()"


NET = gw.NetSpec("net", gw.Image(1, 2, 2), [gw.layers.Flatten(), gw.layers.Dense(2)])
LOSS, OPTIMIZER = gw.losses.SoftmaxCrossEntropy(), gw.optim.Sgd()
STEP = gw.programs.train_step(NET, batch=2, loss=LOSS, optimizer=OPTIMIZER)
NOWHERE = Path("nowhere")
OPTIONS = gw.train.TrainOptions(epochs=1, batch=2)
SCALED = gw.data.Normalisation(1.0, (0.0,), (1.0,))
SPLIT = gw.data.Split(np.zeros((4, 1, 2, 2), np.uint8), np.zeros(4, np.int32), SCALED)
DATA = gw.data.Dataset("data", SPLIT, SPLIT, ("a", "b"), "nowhere")
LABELS = np.arange(4, dtype=np.int32) % 2
MAP = np.zeros((1, 1, 2, 2))
WATCHED: list[object] = []

GIVEN: Mapping[str, object] = {
    "backend": gw.run.Backend.INTERPRETER,
    "base": gw.layers.PORTABLE,
    "batch": 2,
    "batches": [],
    "backward": STEP.text,
    "cache": None,
    "certificate": b"{}",
    "certify": None,
    "checkpoint": gw.train.Checkpoint("id", {}, gw.train.Progress(), {}),
    "classes": 2,
    "content": b"",
    "count": 4,
    "dataset": DATA,
    "depth": 2,
    "directory": NOWHERE,
    "element": ElementType.F32,
    "epoch": 0,
    "features": MAP,
    "formulation": gw.layers.PORTABLE,
    "forward": STEP.text,
    "gradient": MAP,
    "grads": [0],
    "ignore_label": -1,
    "keep": 0.5,
    "known": None,
    "labels": LABELS,
    "largest_error": 1.0,
    "last": gw.data.LastBatch.PAD,
    "layer": None,
    "left": STEP.text,
    "loss": LOSS,
    "name": "linear",
    "name_or_uri": "digits",
    "net": NET,
    "observe": WATCHED.append,
    "optimizer": OPTIMIZER,
    "options": OPTIONS,
    "order": np.arange(4),
    "out": None,
    "path": NOWHERE,
    "pictures": None,
    "pixels": np.zeros((4, 1, 2, 2), np.uint8),
    "program": STEP,
    "right": STEP.text,
    "root": NOWHERE,
    "samples": 4,
    "scale": 1.0,
    "search": Search(seconds=0),
    "seed": 0,
    "shape": (2,),
    "size": 8,
    "source": STEP.text,
    "split": SPLIT,
    "state": {},
    "step": 1,
    "target": None,
    "test": 1,
    "text": None,
    "threads": None,
    "texts": STEP.text,
    "watch": WATCHED.append,
    "watchers": (),
    "wrt": [0],
    "x": MAP.astype(np.float32),
}
"""What functions take, by the names of their parameters."""
OF_ONE: Mapping[str, Mapping[str, object]] = {
    "certify_text": {"loss": 0},
    "check_probe": {"name": "mse"},
    "compile": {"options": gw.run.Options()},
    "evaluate": {"forward": WATCHED.append},
    "get": {"name": "resnet18"},
    "load_folder": {"options": None},
    "prefetched": {"source": []},
    "probe_named": {"name": "mse"},
    "read_picture": {"options": gw.data.PictureOptions()},
    "train_parts": {"parts": gw.train.emit_parts(NET, LOSS, OPTIMIZER, OPTIONS)},
}
"""The same, where one function means something else by a name."""
DEFAULTED = ("allocator", "augmentation", "first", "abi", "precision", "resume")
"""Parameters that have a default which is left as it is in the calls of others."""


def public() -> Iterator[tuple[str, Callable[..., object]]]:
    """Yield the public functions with the names that people call them by."""
    for name in gw.__all__:
        found = getattr(gw, name)
        if name in ("certify", "check"):
            yield name, found
        members = getattr(found, "__all__", ()) if isinstance(found, ModuleType) else ()
        for member in members:
            if inspect.isfunction(called := getattr(found, member)):
                yield f"{name}.{member}", called
        if inspect.isfunction(found):
            yield name, found


def calls() -> Iterator[tuple[str, Callable[..., object], str]]:
    for name, function in public():
        for parameter in inspect.signature(function).parameters:
            yield name, function, parameter


CALLS = list(calls())


def test_all_public_functions_are_called() -> None:
    assert {name for name, _, _ in CALLS} >= {"certify", "check", "zoo.load", "data.batches"}
    assert len(CALLS) > 150


@pytest.mark.parametrize(
    ("name", "function", "wrong"), CALLS, ids=[f"{name}-{wrong}" for name, _, wrong in CALLS]
)
def test_what_is_of_no_kind_is_said(name: str, function: Callable[..., object], wrong: str) -> None:
    with pytest.raises(gw.GradwrightError) as caught:
        opened(called(name.rpartition(".")[2], function, wrong))
    assert "Wrong" in caught.value.found
    assert caught.value.expected


def called(name: str, function: Callable[..., object], wrong: str) -> object:
    """Call a function with one argument of no kind."""
    values = {**GIVEN, **OF_ONE.get(name, {}), wrong: Wrong()}
    positional: list[object] = []
    keywords: dict[str, object] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name != wrong and parameter.name in DEFAULTED:
            continue
        value = values[parameter.name]
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.VAR_POSITIONAL):
            positional.append(value)
        else:
            keywords[parameter.name] = value
    return function(*positional, **keywords)


def opened(result: object) -> None:
    """Enter what is to be entered."""
    if isinstance(result, AbstractContextManager):
        with result:
            return
