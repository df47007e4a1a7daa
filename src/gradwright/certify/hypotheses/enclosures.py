"""Enclosures of real constants between rational numbers, rounded outward."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor

KEPT = 10_000
"""Values of functions that are remembered: one constant is read at many indices."""
TERMS = 240
"""Terms of a series; its remainder is added to the enclosure."""
LARGEST_ERF = 8
"""The same for the error function, whose series is one of squares."""
PLACES = 2**100
"""Ends are rounded outward to multiples of 1 / PLACES."""
LARGEST = 64
"""Largest argument at which a series is summed."""


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A number between two ends; None where there is no end on that side."""

    low: Fraction | None
    high: Fraction | None

    @property
    def exact(self) -> Fraction | None:
        """The number, where it is known."""
        return self.low if self.low == self.high else None

    @property
    def holds_zero(self) -> bool:
        """Whether the number may be 0."""
        return (self.low is None or self.low <= 0) and (self.high is None or self.high >= 0)

    def plus(self, other: "Enclosure") -> "Enclosure":
        """Return the sum."""
        low = None if self.low is None or other.low is None else self.low + other.low
        high = None if self.high is None or other.high is None else self.high + other.high
        return Enclosure(low, high)

    def times(self, other: "Enclosure") -> "Enclosure":
        """Return the product: 0 where one factor is, whatever the other is."""
        if self.exact is not None or other.exact is not None:
            return self._scaled(other)
        if self.low is not None and other.low is not None and min(self.low, other.low) >= 0:
            low = self.low * other.low
            if self.high is None or other.high is None:
                return Enclosure(low, None)
            return rounded(low, self.high * other.high)
        ends = (self.low, self.high, other.low, other.high)
        if any(end is None for end in ends):
            return WHOLE
        found = [a * b for a in ends[:2] for b in ends[2:] if a is not None and b is not None]
        return rounded(min(found), max(found))

    def _scaled(self, other: "Enclosure") -> "Enclosure":
        """Return the product with a number that is known."""
        c, x = (self.exact, other) if self.exact is not None else (other.exact, self)
        if not c:
            return at(0)
        low, high = (None if end is None else c * end for end in (x.low, x.high))
        low, high = (low, high) if c > 0 else (high, low)
        return Enclosure(low, high) if low is None or high is None else rounded(low, high)

    def raised(self, q: Fraction) -> "Enclosure":
        """Return the power, the whole line where it is not known to be a number."""
        if q.denominator > 1 or q == 0:
            return at(1) if q == 0 else self._rooted(q)
        if q < 0:
            return self.raised(-q).inverted()
        power = at(1)
        for _ in range(int(q)):
            power = power.times(self)
        if q % 2 == 0 and (power.low is None or power.low < 0):
            power = Enclosure(Fraction(0), power.high)
        return power

    def inverted(self) -> "Enclosure":
        """Return 1 / x; the whole line where x may be 0."""
        if self.low is None or self.high is None or self.holds_zero:
            return WHOLE
        return rounded(1 / self.high, 1 / self.low)

    def within(self, least: Fraction | None, most: Fraction | None = None) -> "Enclosure":
        """Return the part between two numbers; all of it where there is none."""
        low = self.low if least is None or (self.low is not None and self.low > least) else least
        high = self.high if most is None or (self.high is not None and self.high < most) else most
        is_empty = low is not None and high is not None and low > high
        return self if is_empty else Enclosure(low, high)

    def monotone(self, cut: Callable[[Fraction], int]) -> "Enclosure":
        """Return what a function to whole numbers that never falls makes of the number."""
        low = None if self.low is None else Fraction(cut(self.low))
        return Enclosure(low, None if self.high is None else Fraction(cut(self.high)))

    def with_zero(self) -> "Enclosure":
        """Return the enclosure of the number and of 0."""
        low = None if self.low is None else min(self.low, Fraction(0))
        return Enclosure(low, None if self.high is None else max(self.high, Fraction(0)))

    def _rooted(self, q: Fraction) -> "Enclosure":
        """Return a root, by exp(q log x) on x > 0."""
        return enclosed("exponential", enclosed("log", self).times(at(q)))


WHOLE = Enclosure(None, None)
_PI_DIGITS = 31415926535897932384626433832795  # floor(pi * 10 ** 31)
PI = Enclosure(Fraction(_PI_DIGITS, 10**31), Fraction(_PI_DIGITS + 1, 10**31))


def at(x: Fraction | int) -> Enclosure:
    """Return a number that is known."""
    return Enclosure(Fraction(x), Fraction(x))


def rounded(low: Fraction, high: Fraction) -> Enclosure:
    """Return an enclosure whose ends have no long denominators."""
    if low == high and low.denominator <= PLACES:
        return Enclosure(low, high)
    return Enclosure(Fraction(floor(low * PLACES), PLACES), Fraction(ceil(high * PLACES), PLACES))


@lru_cache(maxsize=KEPT)
def enclosed(name: str, x: Enclosure) -> Enclosure:
    """Return a named function of a number; the whole line of a function that is not known."""
    if name in _BETWEEN:
        return _bounded(name, x)
    if name not in _RISING or x.low is None or x.high is None:
        return Enclosure(Fraction(0), None) if name == "exponential" else WHOLE
    low, high = _RISING[name](x.low), _RISING[name](x.high)
    return Enclosure(low.low, high.high)


def _bounded(name: str, x: Enclosure) -> Enclosure:
    least, most, series = _BETWEEN[name]
    found = WHOLE
    if x.low is not None and x.high is not None:
        middle, half = (x.low + x.high) / 2, (x.high - x.low) / 2
        if abs(middle) <= LARGEST and half < 1:  # slopes are between -2 and 2
            found = series(middle).plus(Enclosure(-2 * half, 2 * half))
    low = least if found.low is None else max(least, found.low)
    high = most if found.high is None else min(most, found.high)
    return Enclosure(low, high)


def _series(x: Fraction, first: int, step: int) -> Enclosure:
    """Return the sum of x ** k / k! over k = first, first + step, …; signs alternate for step 2.

    The remainder is less than twice the first term left out: TERMS > 2 |x|.
    """
    total, term = Fraction(0), Fraction(1)
    for k in range(1, first + 1):
        term = term * x / k
    k = first
    while k < TERMS and term:
        total += term
        for _ in range(step):
            k += 1
            term = Fraction(int(term * x / k * PLACES * PLACES), PLACES * PLACES)
        term = -term if step == 2 else term
    slack = 2 * abs(term) + Fraction(TERMS * LARGEST, PLACES)
    return rounded(total - slack, total + slack)


def _erf(x: Fraction) -> Enclosure:
    """Return 2 / sqrt(pi) times the sum of (-1) ** k x ** (2 k + 1) / (k! (2 k + 1))."""
    if abs(x) > LARGEST_ERF:
        return WHOLE
    total, term = Fraction(0), x
    for k in range(TERMS):
        total += term / (2 * k + 1)
        term = -Fraction(int(term * x * x / (k + 1) * PLACES * PLACES), PLACES * PLACES)
    slack = 2 * abs(term) + Fraction(TERMS, PLACES)
    return rounded(total - slack, total + slack).times(PI.raised(Fraction(-1, 2))).times(at(2))


def _exponential(x: Fraction) -> Enclosure:
    halvings = max(0, ceil(abs(x))).bit_length()
    if halvings > LARGEST.bit_length():
        return Enclosure(Fraction(0), None if x > 0 else Fraction(1))
    found = _series(x / 2**halvings, 0, 1)
    for _ in range(halvings):
        found = found.times(found)
    assert found.low is not None  # the exponential of a number has two ends
    return Enclosure(max(Fraction(0), found.low), found.high)


def _log(x: Fraction) -> Enclosure:
    if x <= 0:
        return WHOLE
    twos = x.numerator.bit_length() - x.denominator.bit_length()
    two = _area(Fraction(1, 3)).times(at(2 * twos))
    m = x / Fraction(2) ** twos
    return two.plus(_area((m - 1) / (m + 1)).times(at(2)))


def _area(y: Fraction) -> Enclosure:
    """Return artanh y for |y| <= 1/3."""
    low = total = power = Fraction(floor(y * PLACES), PLACES)
    for k in range(3, TERMS, 2):
        power = Fraction(floor(power * low * low * PLACES), PLACES)
        total += power / k
    slack = Fraction(2 * TERMS, PLACES) + Fraction(1, 3 ** (TERMS - 1))
    return rounded(total - slack, total + slack)


def _logistic(x: Fraction) -> Enclosure:
    return _exponential(-x).plus(at(1)).raised(Fraction(-1))


_RISING: dict[str, Callable[[Fraction], Enclosure]] = {
    "exponential": _exponential,
    "log": _log,
    "logistic": _logistic,
}
"""Functions that do not decrease."""
_BETWEEN: dict[str, tuple[Fraction, Fraction, Callable[[Fraction], Enclosure]]] = {
    "sine": (Fraction(-1), Fraction(1), lambda x: _series(x, 1, 2)),
    "cosine": (Fraction(-1), Fraction(1), lambda x: _series(x, 0, 2)),
    "erf": (Fraction(-1), Fraction(1), _erf),
}
"""Functions between two numbers, and what they are at one that is known."""
