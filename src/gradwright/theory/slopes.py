"""Numbers with a derivative along one direction: forward differentiation, the definition's way.

This is what refutes: it knows no transposition rule and shares nothing with what proves.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from gradwright.theory import enclosure
from gradwright.theory.enclosure import Enclosure, OutsideDomain

_ZERO = Enclosure.exact(0)
_ONE = Enclosure.exact(1)


@dataclass(frozen=True, slots=True)
class Slope:
    """A value and its derivative with respect to the one entry that is being moved."""

    value: Enclosure
    rate: Enclosure = _ZERO

    @staticmethod
    def number(c: Fraction | int) -> "Slope":
        """Return a constant."""
        return Slope(Enclosure.exact(c))

    def __add__(self, other: "Slope") -> "Slope":
        return Slope(self.value + other.value, self.rate + other.rate)

    def __sub__(self, other: "Slope") -> "Slope":
        return Slope(self.value - other.value, self.rate - other.rate)

    def __mul__(self, other: "Slope") -> "Slope":
        return Slope(self.value * other.value, self.value * other.rate + self.rate * other.value)

    def __truediv__(self, other: "Slope") -> "Slope":
        inverse = other.value.inverse()
        quotient = self.value * inverse
        return Slope(quotient, (self.rate - quotient * other.rate) * inverse)

    def through(self, value: Enclosure, derivative: Enclosure) -> "Slope":
        """Return f(self), given f and its derivative at the value."""
        return Slope(value, derivative * self.rate)


def power(x: Slope, exponent: Fraction) -> Slope:
    """Return x ** exponent for a whole or half exponent."""
    if exponent.denominator == 2:
        return power(_sqrt(x), 2 * exponent)
    if exponent.denominator != 1:
        raise OutsideDomain(f"the exponent {exponent}")
    product = Slope.number(1)
    for _ in range(abs(int(exponent))):
        product = product * x
    return product if exponent >= 0 else Slope.number(1) / product


def larger(x: Slope, y: Slope) -> Slope:
    """Return max(x, y), away from ties unless both sides move alike."""
    sign = (x.value - y.value).sign()
    if sign == 0 and x.rate != y.rate:
        raise OutsideDomain("a tie")
    return x if sign >= 0 else y


def smaller(x: Slope, y: Slope) -> Slope:
    """Return min(x, y), away from ties unless both sides move alike."""
    sign = (x.value - y.value).sign()
    if sign == 0 and x.rate != y.rate:
        raise OutsideDomain("a tie")
    return y if sign >= 0 else x


def truth(x: Slope, y: Slope, sign: int) -> Slope:
    """Return [sign(x - y) = sign], which is locally constant."""
    return Slope.number(int((x.value - y.value).sign() == sign))


def _exp(x: Slope) -> Slope:
    y = enclosure.exp(x.value)
    return x.through(y, y)


def _log(x: Slope) -> Slope:
    return x.through(enclosure.log(x.value), x.value.inverse())


def _sqrt(x: Slope) -> Slope:
    y = enclosure.sqrt(x.value)
    return Slope(y) if x.rate == _ZERO else x.through(y, (y + y).inverse())


def _logistic(x: Slope) -> Slope:
    y = (_ONE + enclosure.exp(-x.value)).inverse()
    return x.through(y, y * (_ONE - y))


def _tanh(x: Slope) -> Slope:
    up, down = enclosure.exp(x.value), enclosure.exp(-x.value)
    y = (up - down) * (up + down).inverse()
    return x.through(y, _ONE - y * y)


def _erf(x: Slope) -> Slope:
    bell = enclosure.exp(-(x.value * x.value)) * enclosure.sqrt(enclosure.pi()).inverse()
    return x.through(enclosure.erf(x.value), bell + bell)


def _floor(x: Slope) -> Slope:
    if not x.value.is_exact:
        raise OutsideDomain("the floor of a number that is not exact")
    return Slope.number(x.value.low.__floor__())


def _abs(x: Slope) -> Slope:
    return larger(x, Slope.number(0) - x)


UNARY: Mapping[str, Callable[[Slope], Slope]] = {
    "exp": _exp,
    "log": _log,
    "sqrt": _sqrt,
    "logistic": _logistic,
    "tanh": _tanh,
    "erf": _erf,
    "floor": _floor,
    "abs": _abs,
}
BINARY: Mapping[str, Callable[[Slope, Slope], Slope]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y,
    "max": larger,
    "min": smaller,
    "=": lambda x, y: truth(x, y, 0),
    ">": lambda x, y: truth(x, y, 1),
    "<": lambda x, y: truth(x, y, -1),
}
"""The functions of the index notation, on numbers."""
