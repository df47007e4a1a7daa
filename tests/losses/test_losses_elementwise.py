"""Mean squared error and binary cross-entropy."""

import math

import numpy as np
import pytest

from gradwright.losses import BinaryCrossEntropy, Loss, MeanSquaredError
from losses.closeness import ROUNDING, Float, assert_ulps
from losses.probe import check_seed, measure

pytestmark = pytest.mark.interpreter
RNG = np.random.default_rng(3)
SHAPES = [(3,), (3, 5), (3, 5, 2), (3, 5, 2, 4)]


@pytest.mark.parametrize("loss", [MeanSquaredError(), BinaryCrossEntropy()], ids=lambda x: x.kind)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_seed_is_the_derivative_of_the_value(loss: Loss, shape: tuple[int, ...]) -> None:
    check_seed(loss, RNG.normal(0, 2, shape), RNG.uniform(0, 1, shape))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_mean_squared_error_is_the_mean_over_every_element(shape: tuple[int, ...]) -> None:
    x, y = RNG.normal(size=shape), RNG.normal(size=shape)
    found = measure(MeanSquaredError(), x, y)
    assert_ulps(found.value, np.mean((x - y) ** 2), ROUNDING)
    assert_ulps(found.seed, 2 * (x - y) / x.size, ROUNDING)


def test_a_target_can_ask_for_any_cotangent() -> None:
    x, g = RNG.normal(size=(3, 5)), RNG.normal(size=(3, 5))
    seed = measure(MeanSquaredError(), x, x - x.size * g / 2).seed
    assert_ulps(seed, g, ROUNDING * 16)  # the target has cancelled a few bits


def test_binary_cross_entropy_divides_by_batch_times_classes() -> None:
    """Dividing by the batch alone gives a step K times too large."""
    found = measure(BinaryCrossEntropy(), np.zeros((3, 5)), np.ones((3, 5)))
    assert_ulps(found.value, math.log(2), ROUNDING)
    assert_ulps(found.seed, np.full((3, 5), -0.5 / 15), ROUNDING)


@pytest.mark.parametrize("size", [100, 1e4])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_saturated_logits_stay_finite_and_right(size: float, dtype: Float) -> None:
    x = np.array([[size, size, -size, -size]]).astype(dtype)
    found = measure(BinaryCrossEntropy(), x, np.array([[1, 0, 1, 0]]))
    assert_ulps(found.value, size / 2, ROUNDING, dtype)
    assert_ulps(found.seed, [[0, 0.25, -0.25, 0]], ROUNDING, dtype)


def test_there_is_no_count_of_right_answers() -> None:
    assert MeanSquaredError.metrics == BinaryCrossEntropy.metrics == ()
