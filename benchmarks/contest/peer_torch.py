"""Contestant: PyTorch as its users write it; eager or compiled, plain or channels-last layout."""

from collections.abc import Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from .recipe import Arrays, Recipe, Stage, read
from .slices import serve

# Untyped at this edge; nothing but this file looks inside.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
torch: Any = import_module("torch")
nn: Any = torch.nn
Network = Any
Tensor = Any


class Sum(nn.Module):
    """The sum of two paths; one without modules is the identity."""

    def __init__(self, branches: list[Network]) -> None:
        super().__init__()
        self.branches = nn.ModuleList(branches)

    def forward(self, x: Tensor) -> Tensor:
        """Return the sum."""
        left, right = self.branches
        return left(x) + right(x)


class Gate(nn.Module):
    """The input times a number per channel that its body computes from it."""

    def __init__(self, branches: list[Network]) -> None:
        super().__init__()
        self.body = branches[0]

    def forward(self, x: Tensor) -> Tensor:
        """Return the product."""
        return x * self.body(x)[:, :, None, None]


class ChannelNorm(nn.LayerNorm):
    """LayerNorm over the channels of each position, as torchvision's ConvNeXt writes it."""

    def forward(self, x: Tensor) -> Tensor:
        """Return the normalised pictures."""
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class Scale(nn.Module):
    """A factor per channel."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))

    def forward(self, x: Tensor) -> Tensor:
        """Return the product."""
        return x * self.weight[:, None, None]


class Average(nn.Module):
    """The mean of each channel."""

    def forward(self, x: Tensor) -> Tensor:
        """Return [B, C]."""
        return x.mean((2, 3))


ACTIVATIONS = {
    "relu": nn.ReLU,
    "relu6": nn.ReLU6,
    "swish": nn.SiLU,
    "sigmoid": nn.Sigmoid,
    "hard-swish": nn.Hardswish,
    "hard-sigmoid": nn.Hardsigmoid,
    "gelu-erf": nn.GELU,
}
PLAIN = {"flatten": nn.Flatten, "gap": Average}


def _module(stage: Stage, start: Arrays) -> Network:
    weight = start.get(f"{stage.name}.weight")
    match stage.kind:
        case "conv":
            assert weight is not None
            (out, _, *_), channels = weight.shape, stage.shape[0]
            arguments = {"bias": stage.has_bias, "groups": stage.groups}
            return _windowed(stage, partial(nn.Conv2d, channels, out), arguments)
        case "maxpool":
            return _windowed(stage, nn.MaxPool2d, {})
        case "bn":
            return nn.BatchNorm2d(stage.shape[0], eps=stage.epsilon, momentum=1 - stage.decay)
        case "ln":
            return ChannelNorm(stage.shape[0], eps=stage.epsilon)
        case "scale":
            return Scale(stage.shape[0])
        case "dense":
            assert weight is not None
            return nn.Linear(*weight.shape)
        case "residual" | "gate":
            branches = [_sequence(branch, start) for branch in stage.branches]
            return Sum(branches) if stage.kind == "residual" else Gate(branches)
        case "act":
            return ACTIVATIONS[stage.function]()
        case kind:
            return PLAIN[kind]()


def _windowed(stage: Stage, layer: Any, arguments: dict[str, Any]) -> Network:
    window = stage.reads
    if all(low == high for low, high in window.padding):
        padding = tuple(low for low, _ in window.padding)
        return layer(window.kernel, stride=window.strides, padding=padding, **arguments)
    (top, bottom), (left, right) = window.padding
    value = -np.inf if stage.kind == "maxpool" else 0.0
    pad = nn.ConstantPad2d((left, right, top, bottom), value)
    return nn.Sequential(pad, layer(window.kernel, stride=window.strides, **arguments))


def _sequence(stages: Sequence[Stage], start: Arrays) -> Network:
    modules = [_filled(_module(stage, start), stage, start) for stage in stages]
    return nn.Sequential(*modules)


def _filled(module: Network, stage: Stage, start: Arrays) -> Network:
    """Return the module with the arrays of its stage in its parameters and statistics."""
    own = module[-1] if isinstance(module, nn.Sequential) else module
    with torch.no_grad():
        for name in ("weight", "bias", "running_mean", "running_var"):
            array = start.get(f"{stage.name}.{name}")
            if array is None:
                continue
            transposed = stage.kind == "dense" and name == "weight"
            values = np.ascontiguousarray(array.T) if transposed else array
            getattr(own, name).copy_(torch.from_numpy(values))
    return module


def build(recipe: Recipe, start: Arrays) -> Network:
    """Return the net with the recipe's parameters."""
    return _sequence(recipe.stages, start)


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
