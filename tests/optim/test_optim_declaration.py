"""Hyper-parameters that are refused, word for word."""

from typing import Any

import pytest

from gradwright.errors import SpecError
from gradwright.optim import Adam, AdamW, Momentum, Nesterov, Optimizer, Sgd

NAN, INF = float("nan"), float("inf")
RATES = [(Adam, "beta1"), (Adam, "beta2"), (AdamW, "beta1"), (AdamW, "beta2")]
VELOCITIES = [(Momentum, "momentum"), (Nesterov, "momentum")]
ALL: list[type[Optimizer]] = [Sgd, Momentum, Nesterov, Adam, AdamW]


def refusal(kind: type[Any], **settings: float) -> str:
    with pytest.raises(SpecError) as caught:
        kind(**settings)
    return str(caught.value)


@pytest.mark.parametrize("value", [1.0, -0.1, 1.5, NAN, INF, -INF], ids=str)
@pytest.mark.parametrize(("kind", "name"), [*RATES, *VELOCITIES])
def test_a_weight_on_the_past_is_below_one(kind: type[Any], name: str, value: float) -> None:
    message = refusal(kind, **{name: value})
    assert message == f"{kind.__name__}.{name}: expected 0 <= value < 1, found {value}"


@pytest.mark.parametrize("value", [0.0, -1e-8, NAN, INF], ids=str)
@pytest.mark.parametrize("kind", [Adam, AdamW])
def test_epsilon_is_positive(kind: type[Any], value: float) -> None:
    message = refusal(kind, epsilon=value)
    assert message == f"{kind.__name__}.epsilon: expected a number > 0, found {value}"


@pytest.mark.parametrize("value", [-0.1, NAN, INF], ids=str)
@pytest.mark.parametrize("kind", ALL)
def test_weight_decay_is_not_negative(kind: type[Any], value: float) -> None:
    message = refusal(kind, weight_decay=value)
    assert message == f"{kind.__name__}.weight_decay: expected a number >= 0, found {value}"


@pytest.mark.parametrize("kind", ALL)
def test_an_unknown_option_is_not_swallowed(kind: type[Any]) -> None:
    """bitsandbytes#2088 accepted two flags and ignored both."""
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        kind(amsgrad=True)


def test_the_borders_that_make_sense_are_taken() -> None:
    Adam(beta1=0.0, beta2=0.0, weight_decay=0.0)
    Momentum(momentum=0.0)
