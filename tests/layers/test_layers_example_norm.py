"""Batch norm with the statistics of each example, against its definition and its limits."""

import numpy as np
import pytest

from gradwright import programs
from gradwright.errors import SpecError
from gradwright.hlo import Role
from gradwright.layers import BatchNorm, ConvBn, Dense, Dropout, Flatten, Padding, Statistics
from gradwright.programs import Standard
from gradwright.spec import Flat, Image, NetSpec
from oracles.closeness import assert_rounded
from oracles.subject import Subject, forms

pytestmark = pytest.mark.interpreter

EACH = Standard(statistics=Statistics.EXAMPLE)
EPSILON = 1e-3


def instance_norm(
    x: np.ndarray, weight: np.ndarray, bias: np.ndarray, dy: np.ndarray
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return output and gradients, one example and channel at a time, by the Jacobian."""
    y, dx = np.zeros_like(x), np.zeros_like(x)
    dweight, dbias = np.zeros_like(weight), np.zeros_like(bias)
    for n, c in np.ndindex(x.shape[:2]):
        row, seed = x[n, c].ravel(), dy[n, c].ravel()
        size = row.size
        centre = np.eye(size) - 1 / size
        centred = centre @ row
        deviation = np.sqrt(np.mean(centred**2) + EPSILON)
        xhat = centred / deviation
        jacobian = (centre - np.outer(xhat, xhat) / size) / deviation
        y[n, c] = (weight[c] * xhat + bias[c]).reshape(y[n, c].shape)
        dx[n, c] = (weight[c] * jacobian.T @ seed).reshape(dx[n, c].shape)
        dweight[c] += seed @ xhat
        dbias[c] += seed.sum()
    return y, {"x": dx, "bn1.weight": dweight, "bn1.bias": dbias}


@pytest.mark.parametrize("form", forms("layout"), ids=["nchw", "nhwc"])
def test_forward_and_backward_are_those_of_the_definition(form: object) -> None:
    subject = Subject([BatchNorm(EPSILON)], Image(2, 3, 5), 3, abi=EACH)
    subject = subject.under(form)  # type: ignore[arg-type]  # parametrised
    arrays = subject.draw()
    y, gradients = instance_norm(
        arrays["x"], arrays["bn1.weight"], arrays["bn1.bias"], arrays["dy"]
    )
    assert_rounded(subject.forward(arrays), y, terms=64)
    assert_rounded(subject.evaluation(arrays), y, terms=64)
    for name, gradient in gradients.items():
        assert_rounded(subject.gradients(arrays)[name], gradient, terms=256, name=name)


def test_examples_do_not_mix() -> None:
    subject = Subject([BatchNorm(EPSILON)], Image(2, 3, 3), 3, abi=EACH)
    arrays = subject.draw()
    moved = {**arrays, "x": arrays["x"].copy()}
    moved["x"][2] += 5 * np.arange(9).reshape(3, 3)
    kept, changed = subject.forward(arrays), subject.forward(moved)
    assert (kept[:2] == changed[:2]).all()
    assert not np.allclose(kept[2], changed[2])


def test_no_program_knows_running_statistics() -> None:
    layers = [ConvBn(2, 3, padding=Padding.SYMMETRIC), Dropout(0.5), Flatten(), Dense(3)]
    net = NetSpec("n", Image(1, 4, 4), layers)
    evaluation = programs.eval(net, batch=2, abi=EACH)
    assert Role.STATISTIC not in {port.role for port in evaluation.inputs}
    assert evaluation.masks == ()
    assert [m.name for m in programs.forward(net, batch=2, abi=EACH).masks] == ["drop1.mask"]


def test_features_have_no_positions() -> None:
    net = NetSpec("flat", Flat(4), [BatchNorm()])
    with pytest.raises(SpecError) as caught:
        programs.forward(net, batch=2, abi=EACH)
    assert str(caught.value) == (
        "flat: bn1: expected pictures, so that an example has values to take statistics over, "
        "found shape [4]. Normalise over the batch"
    )
