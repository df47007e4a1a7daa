"""Hyper-parameters that are refused, word for word."""

from collections.abc import Iterable
from typing import Any, cast

import numpy as np
import pytest

from gradwright.errors import SpecError
from gradwright.optim import Adam, AdamW, Momentum, Nesterov, Optimizer, Sgd

NAN, INF = float("nan"), float("inf")
RATES = [(Adam, "beta1"), (Adam, "beta2"), (AdamW, "beta1"), (AdamW, "beta2")]
VELOCITIES = [(Momentum, "momentum"), (Nesterov, "momentum")]
ALL: list[type[Optimizer]] = [Sgd, Momentum, Nesterov, Adam, AdamW]


def refusal(kind: type[Any], **settings: object) -> str:
    with pytest.raises(SpecError) as caught:
        kind(**settings)
    return str(caught.value)


@pytest.mark.parametrize("value", [1.0, -0.1, 1.5, NAN, INF, -INF, 1 - 2.0**-25], ids=str)
@pytest.mark.parametrize(("kind", "name"), [*RATES, *VELOCITIES])
def test_a_weight_on_the_past_is_below_one(kind: type[Any], name: str, value: float) -> None:
    message = refusal(kind, **{name: value})
    assert (
        message == f"{kind.__name__}.{name}: expected 0 <= value < 1, rounded to f32, found {value}"
    )


@pytest.mark.parametrize("value", [0.0, -1e-8, 1e-50, NAN, INF], ids=str)
@pytest.mark.parametrize("kind", [Adam, AdamW])
def test_epsilon_is_positive(kind: type[Any], value: float) -> None:
    message = refusal(kind, epsilon=value)
    where = f"{kind.__name__}.epsilon"
    assert message == f"{where}: expected a number > 0 that f32 holds, found {value}"


@pytest.mark.parametrize("value", [-0.1, 1e39, NAN, INF], ids=str)
@pytest.mark.parametrize("kind", ALL)
def test_weight_decay_is_not_negative(kind: type[Any], value: float) -> None:
    message = refusal(kind, weight_decay=value)
    where = f"{kind.__name__}.weight_decay"
    assert message == f"{where}: expected a number >= 0 that f32 holds, found {value}"


@pytest.mark.parametrize("kind", ALL)
def test_an_unknown_option_is_not_swallowed(kind: type[Any]) -> None:
    """bitsandbytes#2088 accepted two flags and ignored both."""
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        kind(amsgrad=True)


def test_the_borders_that_make_sense_are_taken() -> None:
    Adam(beta1=0.0, beta2=0.0, weight_decay=0.0)
    Momentum(momentum=0.0)


@pytest.mark.parametrize("value", ["kernels", None, 0, "inside-root"], ids=str)
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *((kind, "partition") for kind in ALL),
        (Adam, "placement"),
        (AdamW, "placement"),
        (AdamW, "decay_scale"),
        (Nesterov, "form"),
    ],
)
def test_a_choice_is_a_member_and_not_its_spelling(
    kind: type[Any], name: str, value: object
) -> None:
    """The rules compare members by identity, so a string would mean the other choice."""
    message = refusal(kind, **{name: value})
    members = ", ".join(map(repr, cast("Iterable[object]", type(getattr(kind(), name)))))
    assert message == f"{kind.__name__}.{name}: expected one of {members}, found {value!r}"


@pytest.mark.parametrize("value", ["0.9", None, True, (0.9,), np.float64(0.9)], ids=repr)
@pytest.mark.parametrize(("kind", "name"), [*RATES, *VELOCITIES, (Sgd, "weight_decay")])
def test_a_number_is_a_plain_number(kind: type[Any], name: str, value: object) -> None:
    message = refusal(kind, **{name: value})
    assert message == f"{kind.__name__}.{name}: expected a plain number, found {value!r}"
