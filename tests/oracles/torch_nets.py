"""The layers as PyTorch computes them, written from PyTorch's documentation.

PyTorch is untyped at this edge and is imported where it is used: tests without the marker
`torch` run where it is not installed.
"""

import functools
import importlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gradwright import layers as gw
from gradwright.spec import NetSpec, Plan
from gradwright.spec.padding import AnyPadding, Explicit, Padding, Pair
from oracles.arithmetic import Pads, tensorflow_same, torch_symmetric
from oracles.subject import Array, Arrays

Tensor = Any
Tensors = Mapping[str, Tensor]


@functools.cache
def torch() -> Any:  # noqa: ANN401 - the untyped module itself
    """Return the module."""
    return importlib.import_module("torch")


def gradients(net: NetSpec, arrays: Arrays) -> tuple[Array, Arrays]:
    """Return the training forward and autograd's gradients of <dy, forward>, in float64."""
    tensors = {name: _tensor(array) for name, array in arrays.items() if name != "dy"}
    if net.input.integer is not None:
        tensors["x"] = tensors["x"].long()
    leaves = {
        name: tensor.requires_grad_()
        for name, tensor in tensors.items()
        if tensor.is_floating_point() and not name.endswith(".mask")
    }
    x = tensors["x"]
    for plan in net.plans:
        x = apply(plan, tensors, x)
    x.backward(_tensor(arrays["dy"]))
    return x.detach().numpy(), {name: leaf.grad.numpy() for name, leaf in leaves.items()}


def apply(plan: Plan, tensors: Tensors, x: Tensor) -> Tensor:
    """Return one layer of an input."""
    layer = plan.layer
    while isinstance(layer, gw.Block):
        layer = layer.body(plan.input)
    if isinstance(layer, gw.Residual):
        main, skip = (*(apply(child, tensors, x) for child in plan.children), x)[:2]
        return main + skip
    if isinstance(layer, gw.Gate):
        return x * apply(plan.children[0], tensors, x)[:, :, None, None]
    if isinstance(layer, gw.Branches):
        return torch().cat([apply(child, tensors, x) for child in plan.children], dim=1)
    for child in plan.children:
        x = apply(child, tensors, x)
    return x if plan.children else _primitive(plan, tensors, x)


def _primitive(plan: Plan, tensors: Tensors, x: Tensor) -> Tensor:
    t, layer = torch(), plan.layer
    named: Tensors = {s.name: tensors.get(plan.full(s.name)) for s in plan.slots}
    match layer:
        case gw.Dense():
            return t.nn.functional.linear(x, named["weight"].T, named.get("bias"))
        case gw.Conv2d() | gw.DepthwiseConv2d():
            return _convolution(plan, named, x)
        case gw.MaxPool() | gw.AvgPool():
            return _pool(plan, x)
        case gw.BatchNorm():
            weight, bias = named["weight"], named["bias"]
            return t.nn.functional.batch_norm(
                x, None, None, weight, bias, training=True, eps=layer.epsilon
            )
        case gw.LayerNorm():
            last = x.movedim(1, -1)
            normal = t.nn.functional.layer_norm(
                last, last.shape[-1:], named["weight"], named["bias"], eps=layer.epsilon
            )
            return normal.movedim(-1, 1)
        case gw.LayerScale():
            return x * named["weight"].reshape(-1, *(1 for _ in x.shape[2:]))
        case gw.ChannelShuffle():
            return t.nn.functional.channel_shuffle(x, layer.groups)
        case gw.ChannelSlice():
            return x[:, layer.start : layer.stop]
        case gw.Spread():
            return t.nn.functional.interpolate(x[:, :, None, None], plan.output[1:])
        case gw.Upsample():
            return t.nn.functional.interpolate(x, scale_factor=layer.factor)
        case gw.Flatten():
            return x.flatten(1)
        case gw.GlobalAvgPool():
            return t.nn.functional.adaptive_avg_pool2d(x, 1).flatten(1)
        case gw.OneHot():
            return t.nn.functional.one_hot(x, layer.classes).double()
        case gw.Dropout():
            return x * tensors[plan.full("mask")]
        case gw.DropPath():
            return x * tensors[plan.full("mask")].reshape(-1, *(1 for _ in x.shape[1:]))
        case gw.Activation():
            return activation(layer.function)(x)
        case _:
            raise AssertionError(f"{plan.path}: no reference of {layer}")


def activation(function: gw.Function) -> Callable[[Tensor], Tensor]:
    """Return PyTorch's function."""
    f = torch().nn.functional
    known: dict[gw.Function, Callable[[Tensor], Tensor]] = {
        gw.Function.IDENTITY: lambda x: x,
        gw.Function.RELU: f.relu,
        gw.Function.RELU6: f.relu6,
        gw.Function.SIGMOID: torch().sigmoid,
        gw.Function.TANH: torch().tanh,
        gw.Function.SWISH: f.silu,
        gw.Function.HARD_SIGMOID: f.hardsigmoid,
        gw.Function.HARD_SWISH: f.hardswish,
        gw.Function.GELU_TANH: lambda x: f.gelu(x, approximate="tanh"),
        gw.Function.GELU_ERF: f.gelu,
    }
    return known[function]


def _convolution(plan: Plan, named: Tensors, x: Tensor) -> Tensor:
    layer = plan.layer
    assert isinstance(layer, gw.Conv2d | gw.DepthwiseConv2d)
    kernel = (int(named["weight"].shape[2]), int(named["weight"].shape[3]))
    strides, dilation = _pair(layer.strides), _pair(layer.dilation)
    pads = _pads(layer.padding, (plan.input[1], plan.input[2]), kernel, strides, dilation)
    groups = layer.groups if isinstance(layer, gw.Conv2d) else plan.input[0]
    return torch().nn.functional.conv2d(
        _bordered(x, pads, 0.0),
        named["weight"],
        named.get("bias"),
        stride=strides,
        dilation=dilation,
        groups=groups,
    )


def _pool(plan: Plan, x: Tensor) -> Tensor:
    t, layer = torch(), plan.layer
    assert isinstance(layer, gw.MaxPool | gw.AvgPool)
    kernel = _pair(layer.kernel)
    strides = kernel if layer.strides is None else _pair(layer.strides)
    if layer.padding is Padding.CEILING:
        return t.nn.functional.max_pool2d(x, kernel, strides, ceil_mode=True)
    pads = _pads(layer.padding, (plan.input[1], plan.input[2]), kernel, strides, (1, 1))
    if isinstance(layer, gw.MaxPool):
        return t.nn.functional.max_pool2d(_bordered(x, pads, -np.inf), kernel, strides)
    mean = functools.partial(t.nn.functional.avg_pool2d, kernel_size=kernel, stride=strides)
    whole = mean(_bordered(x, pads, 0.0))
    if layer.divisor is gw.Divisor.INCLUDE_PADDING:
        return whole
    return whole / mean(_bordered(t.ones_like(x), pads, 0.0)).detach()


def _bordered(x: Tensor, pads: Pads, value: float) -> Tensor:
    (top, bottom), (left, right) = pads
    return torch().nn.functional.pad(x, (left, right, top, bottom), value=value)


def _pads(
    padding: AnyPadding | None, extents: Pair, kernel: Pair, strides: Pair, dilation: Pair
) -> Pads:
    if isinstance(padding, Explicit):
        return padding.height, padding.width
    axes = zip(extents, kernel, strides, dilation, strict=True)
    if padding is Padding.VALID:
        return (0, 0), (0, 0)
    if padding is Padding.SAME_UPPER:
        first, second = (tensorflow_same(*axis) for axis in axes)
        return first, second
    first, second = (torch_symmetric(k, d) for _, k, _, d in axes)
    return first, second


def _pair(extent: int | Pair) -> Pair:
    return (extent, extent) if isinstance(extent, int) else extent


def _tensor(array: np.ndarray) -> Tensor:
    return torch().tensor(array)
