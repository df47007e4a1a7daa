"""Declarations of published nets beside their references, layer for layer in PyTorch, in float64.

The oracle applies our declared layers by PyTorch's functions, so that nothing is compiled and a
net takes seconds. That the emitted texts are those functions is shown elsewhere.
"""

import numpy as np
import pytest

from gradwright import zoo
from gradwright.zoo.weights import _fit  # pyright: ignore[reportPrivateUsage]
from oracles import torch_nets
from zoo import reference
from zoo.parity import CLASSES, QUICK, THOROUGH, Case, apart, model_of, naming_of

pytestmark = pytest.mark.torch

BATCH = 2
LIGHT = ("resnet18-vision", "mobilenetv2-vision", "squeezenet1.1", "shufflenetv2")
"""The nets that CI compares; the sweep compares all."""
CASES = [
    pytest.param(case, marks=[] if str(case).startswith(LIGHT) else [pytest.mark.slow])
    for case in [*QUICK, *THOROUGH]
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_declaration_is_its_references(case: Case) -> None:
    net = zoo.get(case.name, classes=CLASSES, size=case.size)
    model = model_of(case)
    naming = naming_of(net, model)
    fit = _fit(net, "", naming, reference.state(model))
    assert fit.problems == []
    random = np.random.default_rng(1)
    x = random.standard_normal((BATCH, 3, case.size, case.size))
    dy = random.standard_normal((BATCH, CLASSES))
    arrays = {slot.name: fit.arrays[slot.name].astype(np.float64) for slot in net.parameters}
    _, found = torch_nets.gradients(net, {**arrays, "x": x, "dy": dy})
    theirs = reference.differentiated(model, x, dy)
    for slot in net.parameters:
        gradient = found[slot.name]
        expected = theirs[naming.theirs(slot.name)]
        if gradient.ndim == 2:
            gradient = gradient.T
        assert apart(gradient, expected.reshape(gradient.shape)) < case.tolerance, slot.name
