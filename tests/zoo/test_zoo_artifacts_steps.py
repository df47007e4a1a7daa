"""Artifacts compute what their published definition, written down once more in JAX, computes."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pytest

from gradwright import programs, run, zoo
from gradwright.hlo import Role
from gradwright.programs import Program
from oracles import artifact_steps as stated
from oracles.artifact_steps import Arrays, Rule, Stated

pytestmark = [pytest.mark.jax, pytest.mark.xla]

BATCH = 4
EIGHT = Stated("123456789ab", (2, 2, 2, 2), (3, 32, 32))
PACKED = replace(EIGHT, bias="cb")
NORMED = replace(PACKED, norm=True)


@dataclass(frozen=True, slots=True)
class Step:
    """A net and a rule; `tolerance` is of the length of what the step adds, per result."""

    net: Stated
    rule: Rule
    tolerance: float = 1e-4


STEPS = {
    "cnn": Step(Stated("12345", (2,), (1, 28, 28)), stated.fused),
    "cifar": Step(Stated("1234567", (2, 2), (3, 32, 32)), stated.fused),
    "cifar_bn": Step(Stated("1234567", (2, 2), (3, 32, 32), norm=True), stated.fused, 1e-3),
    "mlp": Step(Stated("012", (), (1, 28, 28)), stated.fused),
    "cifar8": Step(EIGHT, stated.fused),
    "cifar8_bn": Step(replace(EIGHT, norm=True), stated.fused, 1e-3),
    "cifar8_adam": Step(PACKED, stated.adam),
    "cifar8w_mom": Step(PACKED, stated.mom),
    "cifar8_bn_adam": Step(NORMED, stated.adam, 1e-3),
    "cifar8_bn_sgd": Step(NORMED, stated.sgd, 1e-3),
    "cifar8b_bf16_mom": Step(replace(PACKED, bf16=True), stated.mom, 2e-2),
    "cifar8wb_bn_mom": Step(NORMED, stated.mom, 1e-3),
}
QUICK = ["mlp", "cnn"]


def draw(program: Program, seed: int = 0) -> dict[str, np.ndarray]:
    """Return arguments: nothing is 0 that a wrong rule could leave out unseen."""
    rng = np.random.default_rng(seed)
    state = programs.initial_state(program, seed)
    scalars = {"lr": 0.01, "bc1": 0.19, "bc2": 0.002, "lslot": 0.0}
    given: dict[str, np.ndarray] = {}
    for port in program.inputs:
        if port.role is Role.MOMENT:
            value = rng.uniform(0.5, 1.5, port.shape) * 1e-2
        elif port.role is Role.PARAMETER:
            spread = 0.1 if len(port.shape) == 1 else 0.0
            value = state[port.name] + spread * rng.standard_normal(port.shape)
        elif port.name == "x":
            value = rng.uniform(size=port.shape)
        elif port.name == "onehot":
            value = np.eye(10)[rng.integers(0, 10, port.shape[0])]
        else:
            value = np.asarray(scalars[port.name])
        given[port.name] = value.astype(np.float32)
    return given


def expected(step: Step, program: Program, given: Arrays) -> Mapping[str, np.ndarray]:
    parameters = [port.name for port in program.inputs if port.role is Role.PARAMETER]
    loss, gradients = stated.gradients(step.net, given, parameters)
    wide = {name: value.astype(np.float64) for name, value in given.items()}
    results: dict[str, np.ndarray] = {"loss": np.asarray(loss)}
    results |= {name: wide[name] for name in ("bc1", "bc2") if name in wide}
    for name in parameters:
        results |= step.rule(name, wide, gradients)
    return {port.name: results[port.name] for port in program.outputs}


def farthest(found: Arrays, wanted: Arrays, given: Arrays) -> tuple[float, str]:
    """Return the greatest error, by the length of what the step added to that result.

    Where that is negligible beside all that was added, the latter is the measure.
    """
    added = {name: value - given.get(name, 0) for name, value in wanted.items()}
    whole = float(np.sqrt(sum(np.sum(a**2) for a in added.values())))
    return max(
        (float(np.linalg.norm(found[name] - value)) / _measure(length, whole), name)
        for name, value in wanted.items()
        for length in [float(np.linalg.norm(added[name]))]
    )


def _measure(length: float, whole: float) -> float:
    """Return what an error is a share of.

    Over the reals nothing is added to biases in front of a normalisation; in float32 the sum of
    what cancels there leaves up to a few ulps of the whole. Eight of them are what the tolerance of
    1e-3 allows of a thousandth.
    """
    return 1e-3 * whole if length < 1e-6 * whole else max(length, 1e-4 * whole)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[] if n in QUICK else pytest.mark.slow) for n in STEPS]
)
def test_a_step_is_the_published_one(name: str) -> None:
    step, program = STEPS[name], zoo.artifact(name, batch=BATCH)
    given = draw(program)
    found = run.compile(program)(**given)
    error, where = farthest(found, expected(step, program, given), given)
    assert error < step.tolerance, where


def test_the_measure_sees_a_scale_of_one_percent() -> None:
    """traps 148, 153: a control that a step with another rate fails."""
    step, program = STEPS["mlp"], zoo.artifact("mlp", batch=BATCH)
    given = draw(program)
    right = expected(step, program, given)
    wrong = {
        name: given.get(name, 0) + 1.01 * (v - given.get(name, 0)) for name, v in right.items()
    }
    assert farthest(wrong, right, given)[0] > step.tolerance


@pytest.mark.slow
@pytest.mark.iree
@pytest.mark.parametrize("name", ["cnn", "cifar8_bn_adam", "cifar8_sgd", "cifar8_bn"])
def test_iree_and_xla_agree(name: str) -> None:
    program = zoo.artifact(name, batch=BATCH)
    given = draw(program)
    xla, iree = (run.compile(program, backend=b)(**given) for b in ("xla", "iree"))
    wide = {key: value.astype(np.float64) for key, value in xla.items()}
    assert farthest(iree, wide, given)[0] < 1e-3
