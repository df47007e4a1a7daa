"""Contestant: PyTorch as its users write it; eager or compiled, plain or channels-last layout."""

from collections import OrderedDict
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from .recipe import Arrays, Recipe, Stage, read
from .slices import serve

# Untyped at this edge; nothing but this file looks inside.
torch: Any = import_module("torch")
nn: Any = torch.nn
Network = Any


def _module(recipe: Recipe, stage: Stage, start: Arrays) -> Network:
    weight = start.get(f"{stage.name}.weight")
    if stage.kind == "conv":
        assert weight is not None
        out, channels, _, _ = weight.shape
        padding = stage.kernel // 2
        return nn.Conv2d(channels, out, stage.kernel, padding=padding, bias=stage.has_bias)
    if stage.kind == "bn":
        momentum = 1 - recipe.bn_decay
        return nn.BatchNorm2d(stage.shape[0], eps=recipe.bn_epsilon, momentum=momentum)
    if stage.kind == "dense":
        assert weight is not None
        return nn.Linear(*weight.shape)
    simple = {"relu": nn.ReLU, "flatten": nn.Flatten}
    return nn.MaxPool2d(stage.kernel) if stage.kind == "maxpool" else simple[stage.kind]()


def build(recipe: Recipe, start: Arrays) -> Network:
    """Return the net with the recipe's parameters."""
    modules = OrderedDict(
        (f"stage{index}", _module(recipe, stage, start))
        for index, stage in enumerate(recipe.stages)
    )
    net = nn.Sequential(modules)
    with torch.no_grad():
        for stage, module in zip(recipe.stages, net, strict=True):
            for name in ("weight", "bias", "running_mean", "running_var"):
                array = start.get(f"{stage.name}.{name}")
                if array is None:
                    continue
                transposed = stage.kind == "dense" and name == "weight"
                own = np.ascontiguousarray(array.T) if transposed else array
                getattr(module, name).copy_(torch.from_numpy(own))
    return net


def main(folder: Path, variant: str) -> None:
    """Build the step of the recipe and serve."""
    recipe, start = read(folder)
    layout = torch.channels_last if "channels-last" in variant else torch.contiguous_format
    x, y = torch.from_numpy(start["x"]), torch.from_numpy(start["y"]).long()
    net = build(recipe, start)
    if x.dim() == 4:
        net, x = net.to(memory_format=layout), x.to(memory_format=layout)
    betas = (recipe.beta1, recipe.beta2)
    adam = torch.optim.Adam(
        net.parameters(), lr=recipe.lr, betas=betas, eps=recipe.epsilon, fused=True
    )
    called = torch.compile(net) if "compiled" in variant else net

    def step() -> float:
        adam.zero_grad(set_to_none=True)
        loss = nn.functional.cross_entropy(called(x), y)
        loss.backward()
        adam.step()
        return float(loss.item())

    serve(f"torch-{variant}", f"torch {torch.__version__}", step)
