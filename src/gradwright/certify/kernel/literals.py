"""What a literal means: a rational, or the irrational number that it was written for.

A literal of 32 or 64 bits is read as a known irrational where both round to the same number of the
type, so that |stored - number| is at most half a unit in the last place. Every such reading is
listed. Which number may be meant is suggested; that it rounds alike is seen here, by rationals of
many digits, without floating point.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from gradwright.hlo import ElementType

_DIGITS = 60
_UNIT = 10**_DIGITS
_PI = Fraction(3141592653589793238462643383279502884197169399375105820974944, _UNIT)
"""The circle's number, cut after 60 decimals."""
_LN2 = Fraction(693147180559945309417232121458176568075500134360255254120680, _UNIT)
"""The natural logarithm of 2, cut after 60 decimals."""
MANTISSA = {ElementType.F32: 24, ElementType.F64: 53}


@dataclass(frozen=True, slots=True)
class Irrational:
    """rational ** power * pi ** pi_power * ln(2) ** ln2_power, with rational > 0."""

    name: str
    rational: Fraction
    power: Fraction = Fraction(1)
    pi_power: Fraction = Fraction(0)
    ln2_power: int = 0

    def __post_init__(self) -> None:
        """Refuse numbers whose digits would be those of another one."""
        exponents = 2 * self.power, 2 * self.pi_power, Fraction(self.ln2_power)
        if self.rational <= 0 or any(q.denominator > 1 for q in exponents):
            raise ValueError(f"{self} is no product of roots of positive numbers")

    def digits(self) -> Fraction:
        """Return the number to more decimals than any literal has."""
        square = self.rational ** int(2 * self.power) * _PI ** int(2 * self.pi_power)
        root = Fraction(isqrt(int(square * _UNIT**2)), _UNIT)
        return root * _LN2**self.ln2_power


def rounds_alike(value: Fraction, exact: Fraction, element: ElementType) -> bool:
    """Return whether a positive literal of a type of floats rounds a positive number."""
    bits = MANTISSA.get(element)
    if bits is None or exact <= 0:
        return False
    # The unit in the last place of a number in [2 ** e, 2 ** (e + 1)) is 2 ** (e + 1 - bits).
    unit = binade(exact) * Fraction(2) ** (1 - bits)
    return round(value / unit) == round(exact / unit)


def binade(x: Fraction) -> Fraction:
    """Return the largest power of 2 that is at most x."""
    power = Fraction(2) ** (x.numerator.bit_length() - x.denominator.bit_length())
    return power if power <= x else power / 2
