"""Enclosures hold the true value and are narrow; slopes are derivatives."""

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest

from gradwright.theory import enclosure
from gradwright.theory.enclosure import Enclosure, OutsideDomain
from gradwright.theory.slopes import UNARY, Slope, larger, power

FRACTIONS = [Fraction(n, d) for n in (-7, -3, -1, 1, 2, 5, 9) for d in (1, 2, 3, 1000)]
POINTS = [x for x in FRACTIONS if abs(x) < 4]
ROOM = Fraction(1, 2**80)


@pytest.mark.parametrize("x", POINTS, ids=str)
def test_exp_and_log_hold_the_decimal_value(x: Fraction) -> None:
    with localcontext() as context:
        context.prec = 60
        argument = Decimal(x.numerator) / Decimal(x.denominator)
        exact = Fraction(argument.exp())
        found = enclosure.exp(Enclosure.exact(x))
        assert found.low - ROOM <= exact <= found.high + ROOM
        assert found.high - found.low < ROOM * exact
        if x > 0:
            logarithm = enclosure.log(Enclosure.exact(x))
            assert logarithm.low - ROOM <= Fraction(argument.ln()) <= logarithm.high + ROOM
            assert logarithm.high - logarithm.low < ROOM


@pytest.mark.parametrize("x", POINTS, ids=str)
def test_erf_holds_the_float_value(x: Fraction) -> None:
    found = enclosure.erf(Enclosure.exact(x))
    assert found.high - found.low < ROOM
    assert abs(float(found.low) - math.erf(x)) < 1e-15


@pytest.mark.parametrize("x", [Fraction(2), Fraction(1, 3), Fraction(10**9, 7)], ids=str)
def test_a_root_lies_between_its_bounds(x: Fraction) -> None:
    found = enclosure.sqrt(Enclosure.exact(x))
    assert found.low**2 < x < found.high**2
    assert found.high - found.low < ROOM


def test_roots_of_squares_are_exact() -> None:
    assert enclosure.sqrt(Enclosure.exact(Fraction(49, 4))) == Enclosure.exact(Fraction(7, 2))


def test_pi_holds_its_first_fifty_digits() -> None:
    digits = Fraction("3.14159265358979323846264338327950288419716939937510")
    found = enclosure.pi()
    assert found.low < digits < found.high
    assert found.high - found.low < ROOM


@pytest.mark.parametrize(
    "fails",
    [
        lambda: Enclosure.exact(0).inverse(),
        lambda: enclosure.log(Enclosure.exact(0)),
        lambda: enclosure.sqrt(Enclosure.exact(-1)),
        lambda: enclosure.erf(Enclosure.exact(5)),
        lambda: Enclosure(Fraction(-1), Fraction(1)).sign(),
        lambda: larger(Slope(Enclosure.exact(1), Enclosure.exact(1)), Slope.number(1)),
        lambda: power(Slope.number(2), Fraction(1, 3)),
    ],
)
def test_outside_its_domain_a_function_has_no_value(fails: Callable[[], object]) -> None:
    with pytest.raises(OutsideDomain):
        fails()


SMOOTH = [name for name in UNARY if name != "floor"]


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("x", [Fraction(1, 3), Fraction(7, 4)], ids=str)
def test_a_slope_is_the_limit_of_differences(name: str, x: Fraction) -> None:
    step = Fraction(1, 2**30)
    one = Enclosure.exact(1)
    slope = UNARY[name](Slope(Enclosure.exact(x), one)).rate
    up, down = (UNARY[name](Slope.number(x + s)).value for s in (step, -step))
    difference = (up - down) * Enclosure.exact(1 / (2 * step))
    error = max(abs(difference.low - slope.high), abs(difference.high - slope.low))
    assert error < Fraction(1, 2**45)


def test_a_quotient_has_the_quotient_rule() -> None:
    x = Slope(Enclosure.exact(3), Enclosure.exact(1))
    y = Slope.number(1) / (x * x)
    assert y == Slope(Enclosure.exact(Fraction(1, 9)), Enclosure.exact(Fraction(-2, 27)))
