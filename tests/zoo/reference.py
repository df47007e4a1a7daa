"""Reference implementations of the published nets, as torchvision and timm build them.

Both are untyped at this edge and are imported where they are used.
"""

import functools
import importlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from oracles.torch_nets import torch

Model = Any
Arrays = dict[str, np.ndarray]
OPERATORS = ("nms", "qnms")
"""Operators of torchvision's compiled part that its Python part names while it is imported."""


@functools.cache
def torchvision() -> Any:  # noqa: ANN401 - the untyped module itself
    """Return torchvision; its compiled part, which wants CUDA's libraries, need not load."""
    t = torch()
    found = importlib.util.find_spec("torchvision")
    assert found is not None, "torchvision belongs to the environment of these tests"
    assert found.submodule_search_locations is not None
    try:
        t.ops.load_library(str(Path(found.submodule_search_locations[0], "_C.so")))
    except OSError:
        library = t.library.Library("torchvision", "DEF")
        for operator in OPERATORS:
            library.define(f"{operator}(Tensor dets, Tensor scores, float threshold) -> Tensor")
        _KEPT.append(library)  # a library that is collected takes its operators with it
    return importlib.import_module("torchvision")


_KEPT: list[Any] = []


def vision(build: str, **options: object) -> Model:
    """Return a model of torchvision without pretrained weights."""
    return getattr(torchvision().models, build)(weights=None, **options)


def timm(build: str, **options: object) -> Model:
    """Return a model of timm without pretrained weights."""
    torchvision()
    return importlib.import_module("timm").create_model(build, pretrained=False, **options)


def randomised(model: Model, seed: int) -> Model:
    """Return the model in float64 with every tensor drawn anew, of a size that keeps signals.

    Weights have variance 1 / fan-in, scales and variances lie around 1, the rest around 0.
    """
    random = np.random.default_rng(seed)
    drawn = {
        name: torch().tensor(_draw(random, name, tuple(tensor.shape)))
        for name, tensor in model.state_dict().items()
    }
    model.load_state_dict(drawn)
    return model.double()


def _draw(random: np.random.Generator, name: str, shape: tuple[int, ...]) -> np.ndarray:
    if len(shape) > 1:
        draws = random.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))
    elif name.endswith("num_batches_tracked"):
        return np.array(1)
    elif name.endswith(("running_var", "weight")):
        draws = random.uniform(0.5, 1.5, shape)
    else:
        draws = random.uniform(-0.5, 0.5, shape)
    return draws.astype(np.float32)  # so that files of float32 hold them exactly


def evaluated(model: Model, x: np.ndarray) -> np.ndarray:
    """Return the logits in evaluation."""
    model.eval()
    with torch().no_grad():
        return model(torch().tensor(x)).numpy()


def differentiated(model: Model, x: np.ndarray, dy: np.ndarray) -> Arrays:
    """Return the gradients of <dy, logits in training> by the model's names."""
    _trained(model)(torch().tensor(x)).backward(torch().tensor(dy))
    return _gradients(model)


@dataclass(frozen=True, slots=True)
class Recipe:
    """One step of AdamW: rate, epsilon, decoupled decay, smoothing of labels."""

    rate: float
    epsilon: float
    decay: float
    smoothing: float


def stepped(
    model: Model, x: np.ndarray, y: np.ndarray, recipe: Recipe, spared: set[str]
) -> tuple[Arrays, Arrays]:
    """Take a step on the cross-entropy; return gradients and state dict by the model's names.

    The parameters in `spared` do not decay.
    """
    t = torch()
    named = dict(model.named_parameters())
    groups = [
        {"params": [named[name] for name in named if name not in spared]},
        {"params": [named[name] for name in spared], "weight_decay": 0.0},
    ]
    rule = t.optim.AdamW(groups, recipe.rate, eps=recipe.epsilon, weight_decay=recipe.decay)
    logits = _trained(model)(t.tensor(x))
    cross_entropy = t.nn.functional.cross_entropy
    cross_entropy(logits, t.tensor(y), label_smoothing=recipe.smoothing).backward()
    gradients = _gradients(model)
    rule.step()
    return gradients, {name: tensor.numpy() for name, tensor in model.state_dict().items()}


def _trained(model: Model) -> Model:
    """Return the model in training, without dropout and stochastic depth."""
    model.train()
    for part in model.modules():
        if type(part).__name__ in ("Dropout", "StochasticDepth", "DropPath"):
            part.p = 0.0
    return model


def _gradients(model: Model) -> Arrays:
    return {name: parameter.grad.numpy() for name, parameter in model.named_parameters()}


def state(model: Model) -> Arrays:
    """Return the state dict as float32 arrays."""
    return {name: tensor.numpy().astype(np.float32) for name, tensor in model.state_dict().items()}


class Build(Protocol):
    """Builds a library's model."""

    __name__: str

    def __call__(self, build: str, **options: object) -> Model:
        """Return a model without pretrained weights."""
        ...
