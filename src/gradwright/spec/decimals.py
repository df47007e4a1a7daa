"""Decimals that stay what they say: 1 - 0.9 is 0.1."""

from decimal import Decimal


def quotient(x: float, n: int) -> float:
    """Return x / n for the decimal that x is written as: 0.1 for 0.3 / 3, not 0.0999…."""
    return float(Decimal(repr(x)) / n)


def complement(x: float) -> float:
    """Return 1 - x for the decimal that x is written as: 0.1 for 0.9, not 0.0999…."""
    return float(1 - Decimal(repr(x)))
