"""A real train step gives the same losses on every backend."""

from collections.abc import Sequence

import numpy as np
import pytest

import gradwright as gw
from gradwright.hlo import ElementType, Port, Role
from gradwright.run import Backend

STEPS = 5
# Two units in the last place per step: rounding differs, and each step builds on the last.
ULPS = 2 * STEPS


def fed(port: Port, step: int, draws: np.random.Generator) -> np.ndarray:
    if port.role is Role.LABEL:
        return draws.integers(0, 10, port.shape).astype(port.dtype)
    if port.role is Role.DATA:
        return draws.normal(size=port.shape).astype(np.float32).astype(port.dtype)
    values = {Role.LEARNING_RATE: 1e-3, Role.STEP: step, Role.MASK: 1}
    return np.full(port.shape, values[port.role], port.dtype)


def losses(backend: Backend, element: ElementType = ElementType.F32) -> Sequence[float]:
    program = gw.programs.train_step(
        gw.zoo.get("digits-mlp"),
        batch=4,
        loss=gw.losses.SoftmaxCrossEntropy(),
        optimizer=gw.optim.Adam(),
        element=element,
    )
    ports = [port for port in program.inputs if not port.role.is_state]
    state = gw.programs.initial_state(program, seed=0)
    session = gw.run.compile(program, backend=backend).session(state)
    draws = np.random.default_rng(1)
    steps = range(1, STEPS + 1)
    results = [session.step(**{port.name: fed(port, t, draws) for port in ports}) for t in steps]
    return [float(result["loss"]) for result in results]


@pytest.mark.xla
@pytest.mark.parametrize(
    "backend",
    [
        pytest.param(Backend.XLA),
        pytest.param(Backend.IREE, marks=pytest.mark.iree),
        pytest.param(Backend.INTERPRETER, marks=pytest.mark.interpreter),
    ],
)
def test_losses_agree_with_f64(backend: Backend) -> None:
    exact = np.array(losses(Backend.XLA, ElementType.F64))
    found = np.array(losses(backend))
    assert len(set(exact)) == STEPS
    assert (np.abs(found - exact) <= ULPS * np.spacing(exact.astype(np.float32))).all()


@pytest.mark.xla
@pytest.mark.iree
def test_f64_losses_agree_to_rounding() -> None:
    exact, found = (np.array(losses(b, ElementType.F64)) for b in (Backend.XLA, Backend.IREE))
    assert (np.abs(found - exact) <= 1e-12 * exact).all()


@pytest.mark.xla
def test_a_rounding_is_not_left_out() -> None:
    """trap 121: a conversion to fewer bits and back is no identity."""
    text = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xbf16>
  %z = stablehlo.convert %y : (tensor<2xbf16>) -> tensor<2xf32>
  return %z : tensor<2xf32>
}
"""
    x = np.array([1.001, 3.0], np.float32)
    assert gw.run.compile(text)(arg0=x)["out0"].tolist() == [1.0, 3.0]
