"""Batch normalisation: statistics, gradient, running averages, and the published wrong answers."""

from collections.abc import Mapping

import numpy as np
import pytest

from gradwright import programs
from gradwright.errors import SpecError
from gradwright.hlo import ElementType
from gradwright.layers import (
    PORTABLE,
    TEXTBOOK,
    BatchNorm,
    Conv2d,
    Dense,
    Formulation,
    GlobalAvgPool,
    Residual,
    RunningVariance,
)
from gradwright.losses import MeanSquaredError
from gradwright.optim import Sgd
from gradwright.spec import Entry, Flat, Image, NetSpec
from oracles.arithmetic import batch_norm, complex_step
from oracles.closeness import EPSILON32, assert_rounded
from oracles.subject import Arrays, Subject, interpret

pytestmark = pytest.mark.interpreter

FORMS = pytest.mark.parametrize("form", [TEXTBOOK, PORTABLE], ids=["textbook", "portable"])
EXACT_EPSILON = 1e-37
"""Stands for epsilon = 0, which BatchNorm refuses: it vanishes beside any variance of order 1."""


def local(arrays: Mapping[str, np.ndarray]) -> Arrays:
    return {name.removeprefix("bn1."): array for name, array in arrays.items()}


@FORMS
@pytest.mark.parametrize("epsilon", [1e-5, 0.3])
@pytest.mark.parametrize("source", [Image(3, 5, 4), Flat(7)], ids=["picture", "flat"])
def test_batch_norm_equals_its_definition(
    form: Formulation, epsilon: float, source: Image | Flat
) -> None:
    """Forward and all gradients; the reference's gradient is a complex step of its forward.

    bugs C11, tinygrad/tinygrad#17201: a hand-written backward that was wrong.
    """
    subject = Subject([BatchNorm(epsilon)], source, 3, form)
    arrays = subject.draw()

    def reference(given: Mapping[str, np.ndarray]) -> np.ndarray:
        return batch_norm(given, epsilon)

    assert_rounded(subject.forward(arrays), reference(local(arrays)), terms=64)
    for name, gradient in local(subject.gradients(arrays)).items():
        derived = complex_step(reference, local(arrays), name)
        assert_rounded(gradient, derived, terms=256, name=name)


@FORMS
def test_gradient_is_orthogonal_to_ones_and_to_the_normalised(form: Formulation) -> None:
    """bugs C5: per channel sum dx = 0, and sum xhat dx = 0 as epsilon -> 0."""
    subject = Subject([BatchNorm(EXACT_EPSILON)], Image(3, 5, 4), 3, form)
    arrays = subject.draw()
    dx = subject.gradients(arrays)["x"]
    xhat = batch_norm({"x": arrays["x"], "weight": np.ones(3), "bias": np.zeros(3)}, EXACT_EPSILON)
    assert_rounded(dx.sum(axis=(0, 2, 3)), np.zeros(3), terms=60)
    assert_rounded((dx * xhat).sum(axis=(0, 2, 3)), np.zeros(3), terms=60)


@FORMS
def test_published_gradient(form: Formulation) -> None:
    """bugs C5, pytorch/pytorch#36382, and C11: the two wrong answers are far from this one.

    Unweighted means of shards give 0.089087, -0.445435, -0.445435, 0.623610; a variance taken for
    a constant gives 0.133631, -0.400892, -0.400892, 0.668153.
    """
    subject = Subject([BatchNorm(EXACT_EPSILON)], Flat(1), 4, form)
    arrays = {
        "x": np.array([[0.0], [1], [2], [5]]),
        "dy": np.array([[1.0], [0], [0], [2]]),
        "bn1.weight": np.ones(1),
        "bn1.bias": np.zeros(1),
    }
    dx = subject.gradients(arrays)["x"].ravel()
    assert np.round(dx, 6).tolist() == [0.439072, -0.248171, -0.400892, 0.209991]


@FORMS
@pytest.mark.parametrize("offset", [0, 1e3, 1e4, 1e5, 1e6])
def test_variance_does_not_cancel(form: Formulation, offset: float) -> None:
    """bugs C3, google/flax#1491, tensorflow/tensorflow#118701: E[x^2] - E[x]^2 is 0 from 1e4 on.

    In float32 the values {0, 1, 2, 3} + offset are exact and so is their variance, 1.25.
    """
    subject = Subject([BatchNorm()], Flat(1), 4, form, ElementType.F32)
    arrays = {
        "x": offset + np.arange(4.0)[:, None],
        "bn1.weight": np.ones(1),
        "bn1.bias": np.zeros(1),
        "dy": np.array([[1.0], [0], [0], [2]]),
    }
    expected = (np.arange(4.0)[:, None] - 1.5) / np.sqrt(1.25 + 1e-5)
    assert_rounded(subject.forward(arrays), expected, terms=4, epsilon=EPSILON32)
    near = subject.gradients({**arrays, "x": np.arange(4.0)[:, None]})["x"]
    assert_rounded(subject.gradients(arrays)["x"], near, terms=4, epsilon=EPSILON32)


STEP_NORM = {RunningVariance.UNBIASED: 7 / 6, RunningVariance.BIASED: 1.15}
"""bugs C1: 0.9 + 0.1 * 2.6667, and 0.9 + 0.1 * 2.5."""


def step(norm: BatchNorm, features: int, batch: int, form: Formulation) -> programs.Program:
    layers: list[Entry] = [("bn", norm)]
    net = NetSpec("running", Flat(features), layers)
    return programs.train_step(
        net,
        batch=batch,
        loss=MeanSquaredError(),
        optimizer=Sgd(),
        element=ElementType.F64,
        formulation=form,
    )


def inputs(program: programs.Program, x: np.ndarray, **state: np.ndarray) -> dict[str, np.ndarray]:
    zeros = {port.name: np.zeros(port.shape) for port in program.inputs}
    ones = {"bn.weight": np.ones(x.shape[1]), "bn.running_var": np.ones(x.shape[1])}
    return {**zeros, **ones, "t": np.ones(()), "x": x, **state}


@FORMS
@pytest.mark.parametrize("convention", RunningVariance)
def test_running_variance_by_convention(form: Formulation, convention: RunningVariance) -> None:
    """bugs C1, pytorch/pytorch#60528, #19902, ml-explore/mlx#3817: 1.166667 or 1.15."""
    program = step(BatchNorm(running_variance=convention), 1, 16, form)
    x = np.add.outer(np.arange(4.0), np.arange(4.0)).reshape(16, 1) + 1
    after = interpret(program, inputs(program, x))
    assert_rounded(after["bn.running_var"], np.array([STEP_NORM[convention]]), terms=4)
    assert_rounded(after["bn.running_mean"], np.array([0.1 * 4.0]), terms=4)


@FORMS
def test_decay_weighs_the_old_value(form: Formulation) -> None:
    """bugs C2, cs231n/cs231n.github.io#180: the weight on the old value is `decay`, for 3 steps."""
    decay = 0.75
    program = step(BatchNorm(decay=decay), 2, 5, form)
    random = np.random.default_rng(3)
    mean, variance = np.zeros(2), np.ones(2)
    state: dict[str, np.ndarray] = {}
    for _ in range(3):
        x = random.standard_normal((5, 2))
        after = interpret(program, inputs(program, x, **state))
        mean = decay * mean + (1 - decay) * x.mean(axis=0)
        variance = decay * variance + (1 - decay) * x.var(axis=0, ddof=1)
        state = {name: after[name] for name in ("bn.running_mean", "bn.running_var")}
        assert_rounded(state["bn.running_mean"], mean, terms=16)
        assert_rounded(state["bn.running_var"], variance, terms=16)


def test_one_value_per_channel_has_no_unbiased_variance() -> None:
    """bugs C1: an error, not a division by zero; the biased variance of one value is 0."""
    with pytest.raises(SpecError) as refusal:
        step(BatchNorm(), 3, 1, TEXTBOOK)
    assert str(refusal.value) == (
        "running: bn: expected more than one value per channel for an unbiased variance, "
        "found one. Use a larger batch or RunningVariance.BIASED"
    )
    program = step(BatchNorm(running_variance=RunningVariance.BIASED), 3, 1, TEXTBOOK)
    after = interpret(program, inputs(program, np.ones((1, 3))))
    assert_rounded(after["bn.running_var"], np.full(3, 0.9), terms=2)


@FORMS
def test_evaluation_uses_running_statistics(form: Formulation) -> None:
    """emitter T9: (x - running mean) / sqrt(running variance + epsilon), whatever the batch."""
    subject = Subject([BatchNorm(0.1)], Image(3, 4, 5), 4, form)
    arrays = subject.draw()
    mean, variance = np.array([0.5, -1.0, 2.0]), np.array([0.25, 1.0, 4.0])
    arrays |= {"bn1.running_mean": mean, "bn1.running_var": variance}
    weight, bias = arrays["bn1.weight"], arrays["bn1.bias"]
    scale = (weight / np.sqrt(variance + 0.1))[:, None, None]
    expected = (arrays["x"] - mean[:, None, None]) * scale + bias[:, None, None]
    assert_rounded(subject.evaluation(arrays), expected, terms=8)


@FORMS
def test_evaluation_is_independent_of_batch_composition(form: Formulation) -> None:
    """emitter T9: an example keeps its output, bit for bit, among other examples."""
    layers: list[Entry] = [Conv2d(3, 3), BatchNorm(), GlobalAvgPool(), Dense(2)]
    subject = Subject(layers, Image(2, 4, 5), 4, form)
    arrays = subject.draw()
    arrays |= {"bn1.running_mean": np.arange(3.0), "bn1.running_var": np.arange(3.0) + 1}
    among = arrays["x"].copy()
    among[[0, 2, 3]] *= -5
    kept = subject.evaluation({**arrays, "x": among})[1]
    assert np.array_equal(subject.evaluation(arrays)[1], kept)
    assert not np.array_equal(subject.evaluation(arrays)[0], kept)


@FORMS
def test_cotangents_of_two_uses_add_up(form: Formulation) -> None:
    """bugs C7, apache/mxnet#18499: backward twice over one layer must double every leaf.

    Both branches of a sum apply batch normalisation with equal parameters to one x.
    """
    once = Subject([BatchNorm()], Image(2, 3, 4), 3, form)
    twice = Subject([Residual(BatchNorm(), BatchNorm())], Image(2, 3, 4), 3, form)
    arrays = once.draw()
    names = {
        f"residual1.{path}.{slot}": arrays[f"bn1.{slot}"]
        for path in ("body", "shortcut")
        for slot in ("weight", "bias")
    }
    single, double = once.gradients(arrays), twice.gradients({**arrays, **names})
    assert_rounded(double["x"], 2 * single["x"], terms=2)
    for name in names:
        slot = name.rpartition(".")[2]
        assert_rounded(double[name], single[f"bn1.{slot}"], terms=2, name=name)
