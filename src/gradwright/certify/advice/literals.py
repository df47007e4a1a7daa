"""Which number a long literal may have been written for."""

from fractions import Fraction
from functools import cache

from gradwright.certify.kernel.literals import MANTISSA, Irrational, binade, rounds_alike
from gradwright.hlo import ElementType

DENOMINATORS = 4096
"""Largest n for which a long literal is read as 1 / n."""
_HALF = Fraction(1, 2)
_KNOWN = (
    Irrational("sqrt(2)", Fraction(2), _HALF),
    Irrational("sqrt(1/2)", Fraction(1, 2), _HALF),
    Irrational("pi", Fraction(1), pi_power=Fraction(1)),
    Irrational("2 pi", Fraction(2), pi_power=Fraction(1)),
    Irrational("pi/2", Fraction(1, 2), pi_power=Fraction(1)),
    Irrational("1/pi", Fraction(1), pi_power=Fraction(-1)),
    Irrational("2/pi", Fraction(2), pi_power=Fraction(-1)),
    Irrational("sqrt(pi)", Fraction(1), pi_power=_HALF),
    Irrational("sqrt(pi)/2", Fraction(1, 2), pi_power=_HALF),
    Irrational("1/sqrt(pi)", Fraction(1), pi_power=-_HALF),
    Irrational("2/sqrt(pi)", Fraction(2), pi_power=-_HALF),
    Irrational("sqrt(2/pi)", Fraction(2), _HALF, -_HALF),
    Irrational("sqrt(2 pi)", Fraction(2), _HALF, _HALF),
    Irrational("1/sqrt(2 pi)", Fraction(2), -_HALF, -_HALF),
    Irrational("ln 2", Fraction(1), ln2_power=1),
    Irrational("1/ln 2", Fraction(1), ln2_power=-1),
)
"""The irrational numbers that texts are found to write; their negatives too."""
_NUMBERS = {number: number.digits() for number in _KNOWN}


@cache
def fraction(value: Fraction, element: ElementType) -> Fraction | None:
    """Return 2 ** n, or 1 / n with 2 <= n <= DENOMINATORS, where a long literal > 0 rounds it.

    Short decimals are meant as they stand: 0.044715 is no fraction in disguise.
    """
    bits = MANTISSA.get(element)
    if bits is None or value <= 0 or _decimals(value) < bits * 3 // 10:
        return None
    below = binade(value)
    unit = below * Fraction(2) ** (1 - bits)
    for power in (below, 2 * below):
        if power != value and abs(power - value) < unit / 4:
            return power
    if value > 1:
        return None
    n = round(1 / value)
    same = n <= DENOMINATORS and round(Fraction(1, n) / unit) == round(value / unit)
    return Fraction(1, n) if same else None


def _decimals(value: Fraction) -> int:
    """Return how many significant decimal digits a terminating decimal has."""
    digits = value.numerator * 10 ** value.denominator.bit_length() // value.denominator
    return len(str(digits).rstrip("0"))


@cache
def irrational(value: Fraction, element: ElementType) -> Irrational | None:
    """Return the irrational number that a positive literal rounds, if it is a known one."""
    same = (n for n, digits in _NUMBERS.items() if rounds_alike(value, digits, element))
    return next(same, None)
