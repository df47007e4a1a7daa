"""Padding conventions against the libraries that they are called after, and against each other."""

import importlib
from typing import Any, TypeAlias

import numpy as np
import pytest

from gradwright import programs
from gradwright.certify import certify_vjp
from gradwright.errors import GradwrightError
from gradwright.layers import PORTABLE, TEXTBOOK, Conv2d, Padding
from gradwright.spec import Image, NetSpec
from oracles.closeness import assert_rounded
from oracles.paddings import KERNELS, STRIDES, Strided, every_strided, spread_sample
from oracles.subject import Array, Arrays, Subject
from oracles.torch_nets import torch

Jax: TypeAlias = Any
"""Modules and arrays of jax: this checkout need not have it."""
SYMMETRIC, SAME = Padding.SYMMETRIC, Padding.SAME_UPPER
TERMS = 4096
"""Roundings in the longest sum: four channels of a 7x7 kernel, or two pictures of 99 windows."""
SAMPLES = {padding: spread_sample(every_strided(padding)) for padding in (SYMMETRIC, SAME)}
PARTS = 8


def jax_same(case: Strided, arrays: Arrays) -> tuple[Array, Arrays]:
    """Return y, dx, dweight of a convolution that JAX pads by 'SAME'."""
    jax: Jax = importlib.import_module("jax")

    def convolve(x: Jax, weight: Jax) -> Jax:
        return jax.lax.conv_general_dilated(
            x,
            weight,
            (case.stride, case.stride),
            "SAME",
            rhs_dilation=(case.dilation, case.dilation),
            feature_group_count=case.groups,
        )

    with jax.enable_x64(True):
        y, pullback = jax.vjp(convolve, arrays["x"], arrays["conv1.weight"])
        dx, dweight = pullback(jax.numpy.asarray(arrays["dy"]))
        results: list[Array] = [np.asarray(array) for array in (y, dx, dweight)]
    return results[0], {"x": results[1], "conv1.weight": results[2]}


def torch_symmetric(case: Strided, arrays: Arrays) -> tuple[Array, Arrays]:
    """Return y, dx, dweight of a convolution padded by half of its dilated kernel's reach."""
    t = torch()
    named = {name: t.tensor(arrays[name], requires_grad=True) for name in ("x", "conv1.weight")}
    y = t.nn.functional.conv2d(
        *named.values(),
        stride=case.stride,
        padding=case.dilation * (case.kernel - 1) // 2,
        dilation=case.dilation,
        groups=case.groups,
    )
    y.backward(t.tensor(arrays["dy"]))
    return y.detach().numpy(), {name: tensor.grad.numpy() for name, tensor in named.items()}


def check(case: Strided, padding: Padding) -> None:
    subject = Subject([case.layer(padding)], case.input)
    arrays = subject.draw()
    expected, gradients = (jax_same if padding is SAME else torch_symmetric)(case, arrays)
    for form in (TEXTBOOK, PORTABLE):
        emitted = subject.under(form)
        assert_rounded(emitted.forward(arrays), expected, terms=TERMS, name=f"{case} y")
        found = emitted.gradients(arrays)
        for name, gradient in gradients.items():
            assert_rounded(found[name], gradient, terms=TERMS, name=f"{case} d{name}")


@pytest.mark.jax
@pytest.mark.interpreter
@pytest.mark.parametrize("case", SAMPLES[SAME], ids=str)
def test_same_upper_is_what_jax_does(case: Strided) -> None:
    check(case, SAME)


@pytest.mark.torch
@pytest.mark.interpreter
@pytest.mark.parametrize("case", SAMPLES[SYMMETRIC], ids=str)
def test_symmetric_is_what_torch_does(case: Strided) -> None:
    check(case, SYMMETRIC)


@pytest.mark.slow
@pytest.mark.jax
@pytest.mark.interpreter
@pytest.mark.parametrize("part", range(PARTS))
def test_same_upper_is_what_jax_does_on_the_whole_grid(part: int) -> None:
    for case in every_strided(SAME)[part::PARTS]:
        check(case, SAME)


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.interpreter
@pytest.mark.parametrize("part", range(PARTS))
def test_symmetric_is_what_torch_does_on_the_whole_grid(part: int) -> None:
    for case in every_strided(SYMMETRIC)[part::PARTS]:
        check(case, SYMMETRIC)


def net(kernel: int, stride: int, size: int, padding: Padding) -> NetSpec:
    """Return one convolution of one channel, along one axis alone."""
    layer = Conv2d(1, (kernel, 1), (stride, 1), padding, bias=False)
    return NetSpec("strided", Image(1, size, 1), [layer])


def crossed(kernel: int, stride: int, size: int) -> str:
    """Return the verdict on a symmetric backward of a forward that pads by SAME_UPPER.

    Where both have different numbers of windows the texts do not fit together.
    """
    forward = programs.forward(net(kernel, stride, size, SAME), batch=1)
    backward = programs.vjp(net(kernel, stride, size, SYMMETRIC), batch=1)
    try:
        return certify_vjp(forward.text, backward.text).verdict.value
    except GradwrightError:
        return "misfit"


def expected_verdict(kernel: int, stride: int, size: int) -> str:
    """Return it from the amounts of padding, by both libraries' formulas."""
    windows = -(-size // stride)
    total = max((windows - 1) * stride + kernel - size, 0)
    same, symmetric = (total // 2, total - total // 2), 2 * ((kernel - 1) // 2,)
    if (size + sum(symmetric) - kernel) // stride + 1 != windows:
        return "misfit"
    reads = [window * stride + tap for window in range(windows) for tap in range(kernel)]
    inside = [
        {(place, place - low) for place in reads if 0 <= place - low < size}
        for low, _ in (same, symmetric)
    ]
    return "proved" if inside[0] == inside[1] else "refuted"


CROSSED = [(k, s, n) for k in KERNELS for s in STRIDES for n in (8, 9, 10, 11)]
QUICK = [(3, 1, 8), (3, 2, 8), (3, 2, 9), (5, 2, 10), (2, 2, 8), (2, 1, 8), (1, 3, 8), (4, 3, 11)]


def test_the_sample_holds_every_outcome() -> None:
    outcomes = {expected_verdict(*case) for case in QUICK}
    assert outcomes == {"proved", "refuted", "misfit"} == {expected_verdict(*c) for c in CROSSED}


@pytest.mark.interpreter
@pytest.mark.parametrize(("kernel", "stride", "size"), QUICK)
def test_conventions_are_told_apart(kernel: int, stride: int, size: int) -> None:
    """At 224 both give 112 windows of a 7x7 stem at stride 2, one position apart."""
    assert crossed(kernel, stride, size) == expected_verdict(kernel, stride, size)


@pytest.mark.slow
@pytest.mark.interpreter
@pytest.mark.parametrize("part", range(PARTS))
def test_conventions_are_told_apart_on_the_whole_grid(part: int) -> None:
    for case in CROSSED[part::PARTS]:
        assert crossed(*case) == expected_verdict(*case), case
