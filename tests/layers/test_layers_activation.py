"""Activations: values and derivatives, at the kinks and one ulp beside them."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from gradwright.hlo import ElementType
from gradwright.layers import TEXTBOOK, Activation, Function
from gradwright.spec import Flat
from oracles.closeness import EPSILON32, assert_rounded
from oracles.differences import assert_gradients
from oracles.subject import Array, Subject

pytestmark = pytest.mark.interpreter

TERMS = 16
"""Roundings of the longest formula, and of a logistic or exponential of a few ulps."""


def run(function: Function, x: object, dy: float, element: ElementType = ElementType.F64) -> Array:
    """Return [y, dx] at the points x."""
    points = np.asarray(x, dtype=np.float64)[None]
    subject = Subject([Activation(function)], Flat(points.size), 1, TEXTBOOK, element)
    arrays = {"x": points, "dy": np.full_like(points, dy)}
    return np.concatenate([subject.forward(arrays), subject.gradients(arrays)["x"]])


def _phi(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def _cdf(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def _gelu_inner(x: float) -> float:
    return math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)


def _gelu_tanh_slope(x: float) -> float:
    t = math.tanh(_gelu_inner(x))
    return (1 + t) / 2 + x / 2 * (1 - t * t) * math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x * x)


Scalar = Callable[[float], float]
DEFINITIONS: dict[Function, tuple[Scalar, Scalar]] = {
    Function.IDENTITY: (lambda x: x, lambda x: 1.0),
    Function.RELU: (lambda x: max(x, 0.0), lambda x: float(x > 0)),
    Function.RELU6: (lambda x: min(max(x, 0.0), 6.0), lambda x: float(0 < x < 6)),
    Function.SIGMOID: (_logistic, lambda x: _logistic(x) * _logistic(-x)),
    Function.TANH: (math.tanh, lambda x: 1 / math.cosh(x) ** 2),
    Function.SWISH: (
        lambda x: x * _logistic(x),
        lambda x: _logistic(x) + x * _logistic(x) * _logistic(-x),
    ),
    Function.HARD_SIGMOID: (
        lambda x: min(max(x + 3, 0.0), 6.0) / 6,
        lambda x: float(-3 < x < 3) / 6,
    ),
    Function.HARD_SWISH: (
        lambda x: x * min(max(x + 3, 0.0), 6.0) / 6,
        lambda x: (2 * x + 3) / 6 if -3 < x < 3 else float(x >= 3),
    ),
    Function.GELU_TANH: (
        lambda x: x / 2 * (1 + math.tanh(_gelu_inner(x))),
        _gelu_tanh_slope,
    ),
    Function.GELU_ERF: (lambda x: x * _cdf(x), lambda x: _cdf(x) + x * _phi(x)),
}
KINKS = {
    Function.RELU: (0.0,),
    Function.RELU6: (0.0, 6.0),
    Function.HARD_SIGMOID: (-3.0, 3.0),
    Function.HARD_SWISH: (-3.0, 3.0),
}


def test_every_function_is_defined_here() -> None:
    assert set(DEFINITIONS) == set(Function)


@pytest.mark.parametrize("function", Function)
def test_values_and_derivatives(function: Function) -> None:
    """Including arguments above 6 (emitter T40: small weights cannot tell relu from relu6)."""
    points = np.concatenate([np.linspace(-9, 9, 73) + 0.013, [-40.0, 40.0]])
    value, slope = DEFINITIONS[function]
    expected = np.array([[value(x) for x in points], [2 * slope(x) for x in points]])
    assert_rounded(run(function, points, dy=2.0), expected, terms=TERMS)


@pytest.mark.parametrize("function", KINKS)
def test_derivatives_at_and_beside_the_kinks(function: Function) -> None:
    """bugs E1, pytorch/pytorch#147801, #136345; E2, jax-ml/jax#37821: the stated side, exactly."""
    points = [f(k) for k in KINKS[function] for f in (_below, float, _above)]
    _, slope = DEFINITIONS[function]
    _, dx = run(function, points, dy=2.0)
    expected = np.array([2 * slope(x) for x in points])
    assert_rounded(dx, expected, terms=2)


def _below(x: float) -> float:
    return math.nextafter(x, -math.inf)


def _above(x: float) -> float:
    return math.nextafter(x, math.inf)


def test_hard_swish_at_its_kinks() -> None:
    """bugs E1, BobMcDear/attorch#16, tenstorrent/tt-metal#55291: (0, 1), not (-1/2, 3/2), not 5/4.

    One ulp inside, the middle formula holds: -1/2 and 3/2.
    """
    points = [-3.0, 3.0, _above(-3.0), _below(3.0), _below(-3.0), _above(3.0)]
    _, dx = run(Function.HARD_SWISH, points, dy=1.0)
    assert_rounded(dx, np.array([0, 1, -0.5, 1.5, 0, 1]), terms=2)


def test_relu_at_zero() -> None:
    """bugs E2, jax-ml/jax#2342, pytorch/pytorch#56734: 0 at 0 and at -0, not 1/2."""
    _, dx = run(Function.RELU, [0.0, -0.0, 5e-324, -5e-324, 1e-300, -1e-300], dy=3.0)
    assert dx[:2].tolist() == [0, 0]
    assert dx[4:].tolist() == [3, 0]


def test_tanh_gradient_multiplies_the_whole_bracket() -> None:
    """bugs D2, apache/tvm#7340: dy (1 - y^2) = 1.572895 and not dy - y^2 = 1.786448 at dy = 2."""
    _, dx = run(Function.TANH, [0.5], dy=2.0)
    assert round(float(dx[0]), 6) == 1.572895


def test_gelu_forms_differ() -> None:
    """bugs E4, apache/tvm#14814, ml-explore/mlx#989: values and derivatives at 1, both forms."""
    tanh, erf = (run(f, [1.0], dy=1.0) for f in (Function.GELU_TANH, Function.GELU_ERF))
    assert np.round(erf.ravel(), 6).tolist() == [0.841345, 1.083315]
    assert np.round(tanh.ravel(), 6).tolist() == [0.841192, 1.082964]
    at = run(Function.GELU_ERF, [-2.699], 1.0) - run(Function.GELU_TANH, [-2.699], 1.0)
    assert round(abs(float(at[0, 0])), 6) == 0.000473


def test_gelu_tanh_numbers() -> None:
    """bugs E5, tensorflow/tfjs#8224: the forgotten factor x."""
    y, _ = run(Function.GELU_TANH, [0.0, 1.0, 3.0, 9.0], dy=1.0)
    published = np.array([0, 0.841192, 2.9963627, 9])  # printed in float32
    assert_rounded(y, published, terms=1, epsilon=EPSILON32)


@pytest.mark.parametrize("element", [ElementType.F32, ElementType.F64])
def test_gelu_tanh_keeps_its_negative_tail(element: ElementType) -> None:
    """bugs E5, tenstorrent/tt-metal#56517: 1 + tanh cancels to 0 below -6; ours keeps its digits.

    The reference is x times logistic(2 v), with exp(2 v) taken in double precision.
    """
    points = np.array([-4.0, -5, -6, -7, -8])
    y, _ = run(Function.GELU_TANH, points, 1.0, element)
    inner = np.array([2 * _gelu_inner(float(x)) for x in points])
    expected = points * np.exp(inner) / (1 + np.exp(inner))
    epsilon = EPSILON32 if element is ElementType.F32 else 2.0**-52
    # An argument of size 2 v loses 2 v roundings before the exponential.
    assert np.all(np.abs(y / expected - 1) <= 4 * np.abs(inner) * epsilon)


@pytest.mark.parametrize("function", Function)
def test_central_differences(function: Function) -> None:
    """Away from the kinks, at arguments that reach above 6 (emitter T2, T40)."""
    subject = Subject([Activation(function)], Flat(11), 3)
    arrays = subject.draw()
    arrays["x"] = np.linspace(-8, 8, 33).reshape(3, 11) + 0.1
    assert_gradients(subject, arrays)


@pytest.mark.parametrize("function", Function)
def test_saturation_stays_finite(function: Function) -> None:
    y, dx = run(function, [-1e4, -800.0, 800.0, 1e4], dy=1.0, element=ElementType.F32)
    assert np.isfinite(y).all()
    assert np.isfinite(dx).all()
