"""Real numbers known to lie between two rationals, and functions of them without rounding errors.

Sums, products and quotients of exact numbers stay exact. A transcendental function widens the
interval by less than 2 ** -BITS of room and never misses the true value, so that two enclosures
that do not meet are two different numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

BITS = 96
"""Numbers are cut to this many binary digits after the point when they stop being exact."""
_GRID = 2**BITS
_HALF = Fraction(1, 2)


class OutsideDomain(Exception):
    """A function was asked for where it has no value, or where its case cannot be told."""


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A number between `low` and `high`; exact where they are equal."""

    low: Fraction
    high: Fraction

    @staticmethod
    def exact(value: Fraction | int) -> "Enclosure":
        """Return a rational number."""
        return Enclosure(Fraction(value), Fraction(value))

    @property
    def is_exact(self) -> bool:
        """Whether the number is known exactly."""
        return self.low == self.high

    def meets(self, other: "Enclosure") -> bool:
        """Return whether the two numbers may be equal."""
        return self.low <= other.high and other.low <= self.high

    def __add__(self, other: "Enclosure") -> "Enclosure":
        return Enclosure(self.low + other.low, self.high + other.high)

    def __neg__(self) -> "Enclosure":
        return Enclosure(-self.high, -self.low)

    def __sub__(self, other: "Enclosure") -> "Enclosure":
        return self + -other

    def __mul__(self, other: "Enclosure") -> "Enclosure":
        if self.is_exact and other.is_exact:
            return Enclosure.exact(self.low * other.low)
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return _cut(min(ends), max(ends))

    def inverse(self) -> "Enclosure":
        """Return 1 / x, on x != 0."""
        if self.low <= 0 <= self.high:
            raise OutsideDomain("a division by zero")
        return _cut(1 / self.high, 1 / self.low)

    def sign(self) -> int:
        """Return -1, 0 or 1."""
        if self.low > 0:
            return 1
        if self.high < 0:
            return -1
        if self.is_exact:
            return 0
        raise OutsideDomain("a number whose sign cannot be told")

    def __str__(self) -> str:
        if self.is_exact:
            return str(self.low)
        if self.low <= 0 <= self.high:
            return "0.000000..."
        return f"{float((self.low + self.high) / 2):.6g}..."


def exp(x: Enclosure) -> Enclosure:
    """Return e ** x."""
    return _monotone(x, _exp)


def log(x: Enclosure) -> Enclosure:
    """Return ln x, on x > 0."""
    if x.low <= 0:
        raise OutsideDomain("the logarithm of a number that is not positive")
    return _monotone(x, _log)


def sqrt(x: Enclosure) -> Enclosure:
    """Return the square root, on x >= 0; exact for squares of rationals."""
    if x.low < 0:
        raise OutsideDomain("the square root of a negative number")
    return _monotone(x, _sqrt)


def erf(x: Enclosure) -> Enclosure:
    """Return 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x, on |x| <= 4."""
    if max(abs(x.low), abs(x.high)) > 4:
        raise OutsideDomain("erf beyond 4")
    return _monotone(x, _erf)


def pi() -> Enclosure:
    """Return the circle's number: 16 atan(1/5) - 4 atan(1/239)."""
    a, b = _arctangent(Fraction(1, 5)), _arctangent(Fraction(1, 239))
    return Enclosure.exact(16) * a - Enclosure.exact(4) * b


def _cut(low: Fraction, high: Fraction) -> Enclosure:
    """Widen to numbers of BITS binary digits, so that fractions stay short."""
    if low == high:
        return Enclosure(low, high)
    return Enclosure(
        Fraction(low.numerator * _GRID // low.denominator, _GRID),
        Fraction(-(-high.numerator * _GRID // high.denominator), _GRID),
    )


def _monotone(x: Enclosure, at: Callable[[Fraction], Enclosure]) -> Enclosure:
    """Return an increasing function of an enclosure from its enclosures at rationals."""
    if x.is_exact:
        return at(x.low)
    return _cut(at(x.low).low, at(x.high).high)


def _exp(x: Fraction) -> Enclosure:
    """Halve until the argument is small, sum the series, square as often."""
    if x == 0:
        return Enclosure.exact(1)
    halvings = 0
    while abs(x) > _HALF:
        x, halvings = x / 2, halvings + 1
    total, term, n = Fraction(1), Fraction(1), 0
    while abs(term) * _GRID * 2**halvings > 1:
        n += 1
        term = term * x / n
        total += term
    # What is left is less than the last term: each further one is at most a quarter of it.
    result = _cut(total - abs(term), total + abs(term))
    for _ in range(halvings):
        result = result * result
    return result


def _log(x: Fraction) -> Enclosure:
    """Return 2 atanh((r - 1) / (r + 1)) + k ln 2 with x = r * 2 ** k, r near 1."""
    k = 0
    while x > Fraction(3, 2):
        x, k = x / 2, k + 1
    while x < Fraction(3, 4):
        x, k = x * 2, k - 1
    two = Enclosure.exact(2)
    result = two * _artanh((x - 1) / (x + 1))
    return result + Enclosure.exact(2 * k) * _artanh(Fraction(1, 3)) if k else result


def _artanh(x: Fraction) -> Enclosure:
    return _odd_series(x, x * x)


def _arctangent(x: Fraction) -> Enclosure:
    return _odd_series(x, -x * x)


def _odd_series(x: Fraction, ratio: Fraction) -> Enclosure:
    """Return the sum of x * ratio ** n / (2 n + 1), for |ratio| <= 1/4."""
    total, power, n = Fraction(0), x, 0
    while abs(power) * _GRID > 1:
        total += power / (2 * n + 1)
        power, n = power * ratio, n + 1
    # The terms left out sum to less than a geometric series of ratio 1/4: 4/3 of the first.
    return _cut(total - 2 * abs(power), total + 2 * abs(power)) if power else Enclosure.exact(0)


def _sqrt(x: Fraction) -> Enclosure:
    root = Fraction(isqrt(x.numerator), isqrt(x.denominator))
    if root * root == x:
        return Enclosure.exact(root)
    scaled = isqrt(x.numerator * _GRID * _GRID // x.denominator)
    return Enclosure(Fraction(scaled, _GRID), Fraction(scaled + 1, _GRID))


def _erf(x: Fraction) -> Enclosure:
    """Sum 2 / sqrt(pi) * (-1) ** n x ** (2 n + 1) / (n! (2 n + 1)): it alternates in the end."""
    if x == 0:
        return Enclosure.exact(0)
    total, power, n = Fraction(0), x, 0
    while n < x * x + 1 or abs(power) * _GRID > 1:
        total += power / (2 * n + 1)
        n += 1
        power = -power * x * x / n
    series = _cut(total - abs(power), total + abs(power))
    return Enclosure.exact(2) * sqrt(pi()).inverse() * series
