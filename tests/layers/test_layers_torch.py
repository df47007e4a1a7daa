"""Every layer against PyTorch's forward and autograd, in float64."""

from collections.abc import Mapping

import numpy as np
import pytest

from gradwright.layers import (
    PORTABLE,
    TEXTBOOK,
    Activation,
    Formulation,
    Function,
    MaxPool,
    Padding,
)
from gradwright.spec import Flat, Image
from oracles import torch_nets
from oracles.closeness import EPSILON, EPSILON32, assert_rounded
from oracles.convolutions import Case, covering_cases
from oracles.subject import Arrays, Subject
from oracles.subjects import SUBJECTS

pytestmark = [pytest.mark.torch, pytest.mark.interpreter]

TERMS = 4096
"""Roundings in the longest chain of sums compared."""

COVERING = covering_cases(seed=1)


def check(
    subject: Subject, arrays: Arrays, forms: Mapping[str, Formulation], epsilon: float = EPSILON
) -> None:
    output, gradients = torch_nets.gradients(subject.net, arrays)
    for form in forms.values():
        emitted = subject.under(form)
        assert_rounded(emitted.forward(arrays), output, terms=TERMS, epsilon=epsilon)
        found = emitted.gradients(arrays)
        assert found.keys() == gradients.keys()
        for name, gradient in gradients.items():
            assert_rounded(found[name], gradient, terms=TERMS, epsilon=epsilon, name=name)


FORMS = {"textbook": TEXTBOOK, "portable": PORTABLE}


@pytest.mark.parametrize("subject", SUBJECTS.values(), ids=SUBJECTS)
def test_every_layer_is_torchs(subject: Subject) -> None:
    check(subject, subject.draw(), FORMS)


@pytest.mark.parametrize("case", COVERING, ids=str)
def test_convolutions_are_torchs(case: Case) -> None:
    """The grid of kernels, strides, dilations, groups and paddings (bugs A4, jax-ml/jax#567)."""
    subject = Subject([case.layer], case.input)
    check(subject, subject.draw(2), FORMS)


@pytest.mark.parametrize("function", Function)
def test_activations_are_torchs(function: Function) -> None:
    """At ordinary points, and at the kinks (hard-swish at 3 and -3 as PyTorch has it since 2.6)."""
    kinks = [0.0, -3.0, 3.0, 6.0]
    points = np.array([[*np.linspace(-9, 9, 40), *kinks]])
    subject = Subject([Activation(function)], Flat(points.shape[1]), 1)
    arrays = {"x": points, "dy": subject.draw()["dy"]}
    # PyTorch's backward of hardsigmoid multiplies by a sixth that was rounded to float32.
    epsilon = EPSILON32 / TERMS if function is Function.HARD_SIGMOID else EPSILON
    check(subject, arrays, {"textbook": TEXTBOOK}, epsilon)


@pytest.mark.parametrize("kernel", [2, 3])
@pytest.mark.parametrize("stride", [1, 2, 3])
def test_ties_are_torchs(kernel: int, stride: int) -> None:
    """PyTorch's CPU max pool also takes the first maximum in row-major order."""
    subject = Subject([MaxPool(kernel, stride, Padding.SYMMETRIC)], Image(2, 7, 6))
    arrays = subject.draw()
    arrays["x"] = np.maximum(np.round(arrays["x"]), 0)
    check(subject, arrays, FORMS)
