"""Real numbers between two rational ones, and what functions make of these bounds.

None is a real number of which nothing is known.
"""

from fractions import Fraction
from math import ceil, floor

from gradwright.check.atoms import Uncheckable

LONGEST = 64
"""Largest argument at which an exponential is bounded."""
PLACES = 2**128
"""Denominator beyond which a bound is rounded outward."""

Span = tuple[Fraction, Fraction]
"""The least and the greatest number that something may be."""
ZERO: Span = Fraction(0), Fraction(0)
ONE: Span = Fraction(1), Fraction(1)
UNIT: Span = Fraction(0), Fraction(1)
PI: Span = Fraction(3), Fraction(22, 7)


def at(c: Fraction | int) -> Span:
    """Return a number that is known."""
    return Fraction(c), Fraction(c)


def _rounded(low: Fraction, high: Fraction) -> Span:
    if low.denominator > PLACES:
        low = Fraction(floor(low * PLACES), PLACES)
    if high.denominator > PLACES:
        high = Fraction(ceil(high * PLACES), PLACES)
    return low, high


def times(a: Span | None, b: Span | None) -> Span | None:
    """Return a product: 0 where one factor is 0, whatever the other one is."""
    if ZERO in (a, b):
        return ZERO
    if a is None or b is None:
        return None
    products = [x * y for x in a for y in b]
    return _rounded(min(products), max(products))


def powered(x: Span | None, q: Fraction) -> Span | None:
    """Return a power; Uncheckable where it may be no number.

    A broken exponent lies between two whole ones, and so does the power.
    """
    if q == 1:
        return x
    low, high = (Fraction(-1), Fraction(1)) if x is None else x
    if (q < 0 and low <= 0 <= high) or (q.denominator > 1 and low < 0):
        raise Uncheckable("a power that may be no number")
    if x is None:
        return None
    ends = [end**n for end in x for n in (floor(q), ceil(q)) if end or n > 0 or q > 0]
    least = Fraction(0) if q % 2 == 0 and low < 0 < high else min(ends)
    return _rounded(least, max(ends))


def applied(function: str, x: Span | None) -> Span | None:
    """Return a named function; Uncheckable where it may be no number."""
    match function:
        case "exponential":
            return None if x is None or x[1] > LONGEST else _exponential(*x)
        case "log":
            if x is None or x[0] <= 0:
                raise Uncheckable("a logarithm that may be no number")
            return 1 - 1 / x[0], x[1] - 1
        case "logistic":
            e = applied("exponential", times(x, at(-1)))
            return UNIT if e is None else powered((1 + e[0], 1 + e[1]), Fraction(-1))
        case "cosine":
            size = Fraction(2) if x is None else max(abs(x[0]), abs(x[1]))
            return (1 - size**2 / 2 if size < 1 else Fraction(-1)), Fraction(1)
        case "sine" if x is not None and max(abs(x[0]), abs(x[1])) > 1:
            return Fraction(-1), Fraction(1)
        case "tanh" | "erf" | "sine":
            return (Fraction(-1), Fraction(1)) if x is None else (_rise(x[0]), -_rise(-x[1]))
        case _:
            return None


def _exponential(low: Fraction, high: Fraction) -> Span:
    """Bound by 1 + x <= exp x <= 1 / (1 - x), and by a power of 3."""
    most = Fraction(3 ** max(0, ceil(high)))
    return _rounded(max(1 + low, ZERO[0]), min(most, 1 / (1 - high)) if high < 1 else most)


def _rise(x: Fraction) -> Fraction:
    """Return a number below tanh x and erf x, and for |x| <= 1 below sin x: all three are odd."""
    if x < 0:
        return -min(Fraction(1), Fraction(8, 7) * -x)
    near = min(x, Fraction(1))
    return near - near**3 / 3
