"""Bounds hold the numbers that they are bounds of."""

import math
import random
from collections.abc import Callable
from fractions import Fraction

import pytest

from gradwright.check.atoms import Uncheckable
from gradwright.check.enclosures import ZERO, applied, powered, times

FUNCTIONS: dict[str, Callable[[float], float]] = {
    "exponential": math.exp,
    "log": math.log,
    "logistic": lambda x: 1 / (1 + math.exp(-x)),
    "tanh": math.tanh,
    "erf": math.erf,
    "sine": math.sin,
    "cosine": math.cos,
}
ROUNDING = 1e-12


def holds(span: tuple[Fraction, Fraction] | None, value: float) -> bool:
    """Whether a number lies between bounds, but for the rounding of floats."""
    slack = ROUNDING * max(1.0, abs(value))
    return span is None or float(span[0]) - slack <= value <= float(span[1]) + slack


def drawn(rng: random.Random) -> Fraction:
    return Fraction(rng.randint(-400, 400), rng.choice((1, 7, 100, 1000)))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_lies_between_its_bounds(name: str) -> None:
    rng = random.Random(1)
    known = 0
    for _ in range(300):
        low, middle, high = sorted(drawn(rng) for _ in range(3))
        if name == "log":
            low, middle, high = sorted(abs(x) + Fraction(1, 9) for x in (low, middle, high))
        if max(abs(low), abs(high)) < 700:
            span = applied(name, (low, high))
            known += span is not None
            assert holds(span, FUNCTIONS[name](float(middle)))
    assert known > 100
    assert not holds(applied(name, (Fraction(1, 3), Fraction(1, 3))), 2.5)


@pytest.mark.parametrize("q", [Fraction(n, d) for n in (-3, -2, -1, 1, 2, 3) for d in (1, 2, 3)])
def test_a_power_lies_between_its_bounds(q: Fraction) -> None:
    rng = random.Random(2)
    for _ in range(200):
        low, middle, high = sorted(drawn(rng) for _ in range(3))
        if q < 0 or q.denominator > 1:
            low, middle, high = sorted(abs(x) + Fraction(1, 9) for x in (low, middle, high))
        assert holds(powered((low, high), q), float(middle) ** float(q))


def test_outside_of_a_domain_there_are_no_bounds() -> None:
    around = Fraction(-1), Fraction(1)
    for q in (Fraction(-1), Fraction(1, 2)):
        with pytest.raises(Uncheckable):
            powered(around, q)
        with pytest.raises(Uncheckable):
            powered(None, q)
    for x in (around, None):
        with pytest.raises(Uncheckable):
            applied("log", x)
    assert times(None, ZERO) == ZERO
    assert times(None, around) is None
