"""What a literal means: a rational, or the irrational number that it was written for.

A literal of 32 or 64 bits is read as a known irrational where both round to the same number of the
type, so that |stored - number| is at most half a unit in the last place. Every such reading is
listed. Rationals of many digits decide it; there is no floating point here.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import isqrt

from gradwright.hlo import ElementType

_DIGITS = 60
_UNIT = 10**_DIGITS
_PI = Fraction(3141592653589793238462643383279502884197169399375105820974944, _UNIT)
"""The circle's number, cut after 60 decimals."""
_LN2 = Fraction(693147180559945309417232121458176568075500134360255254120680, _UNIT)
"""The natural logarithm of 2, cut after 60 decimals."""
DENOMINATORS = 4096
"""Largest n for which a long literal is read as 1 / n."""
_MANTISSA = {ElementType.F32: 24, ElementType.F64: 53}


@dataclass(frozen=True, slots=True)
class Irrational:
    """rational ** power * pi ** pi_power * ln(2) ** ln2_power, with rational > 0."""

    name: str
    rational: Fraction
    power: Fraction = Fraction(1)
    pi_power: Fraction = Fraction(0)
    ln2_power: int = 0

    def digits(self) -> Fraction:
        """Return the number to more decimals than any literal has."""
        square = self.rational ** int(2 * self.power) * _PI ** int(2 * self.pi_power)
        root = Fraction(isqrt(int(square * _UNIT**2)), _UNIT)
        return root * _LN2**self.ln2_power


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
    bits = _MANTISSA.get(element)
    if bits is None or value <= 0 or _decimals(value) < bits * 3 // 10:
        return None
    below = _binade(value)
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
    bits = _MANTISSA.get(element)
    if bits is None:
        return None
    for number, digits in _NUMBERS.items():
        # The unit in the last place of a number in [2 ** e, 2 ** (e + 1)) is 2 ** (e + 1 - bits).
        unit = _binade(digits) * Fraction(2) ** (1 - bits)
        if round(value / unit) == round(digits / unit):
            return number
    return None


def _binade(x: Fraction) -> Fraction:
    """Return the largest power of 2 that is at most x."""
    power = Fraction(2) ** (x.numerator.bit_length() - x.denominator.bit_length())
    return power if power <= x else power / 2
