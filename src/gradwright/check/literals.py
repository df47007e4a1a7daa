"""Literals that stand for a number that no short decimal is: 1 / n, or one with pi, ln 2 or a root.

What is meant is written as a product of powers, `1/3` or `2^1/2*pi^-1/2`, of rationals, `pi` and
`ln2`, and rounds to the same number of the type.
"""

import re
from fractions import Fraction
from math import isqrt, prod

from gradwright.check.atoms import Applied, Constant
from gradwright.check.guide import FalseStatement
from gradwright.check.poly import Algebra, Poly, number
from gradwright.hlo import ElementType

MANTISSA = {ElementType.F32: 24, ElementType.F64: 53}
DIGITS = 7
"""Digits from which on a literal may stand for something else than itself."""
DENOMINATORS = 4096
"""Largest n for which a literal may stand for 1 / n."""
FACTORS = 4
"""Largest numerator and denominator of a rational beside a root, pi or ln 2."""
_UNIT = 10**60
_KNOWN = {
    "pi": Fraction(3141592653589793238462643383279502884197169399375105820974944, _UNIT),
    "ln2": Fraction(693147180559945309417232121458176568075500134360255254120680, _UNIT),
}
"""Numbers cut after 60 decimals."""
_POWER = re.compile(r"(pi|ln2|[1-9]\d{0,3}(?:/[1-9]\d{0,3})?)(?:\^(-?1(?:/2)?))?")


def meaning(algebra: Algebra, word: str, meant: str, element: ElementType) -> Poly:
    """Return what a positive literal is stated to mean; FalseStatement if it cannot mean that."""
    found = [_POWER.fullmatch(part) for part in meant.split("*")]
    powers = [(part[1], Fraction(part[2] or 1)) for part in found if part is not None]
    bits = MANTISSA.get(element)
    exact = Fraction(word)
    digits = len(word.partition("e")[0].replace(".", "").lstrip("0"))
    if len(powers) < len(found) or bits is None or digits < DIGITS or not _is_known(powers):
        raise FalseStatement(f"the literal {word} does not stand for {meant[:40]}")
    square = prod((_KNOWN.get(b) or Fraction(b)) ** int(2 * q) for b, q in powers)
    close = Fraction(isqrt(int(square * _UNIT**2)), _UNIT)
    is_rational = all(q.denominator == 1 and b not in _KNOWN for b, q in powers)
    exactly = prod((Fraction(b) ** int(q) for b, q in powers if is_rational), start=Fraction(1))
    value = exactly if is_rational else close
    unit = Fraction(2) ** (_exponent(value) + 1 - bits)
    if round(value / unit) != round(exact / unit):
        raise FalseStatement(f"the literal {word} does not stand for {meant[:40]}")
    total = number(1)
    for base, q in powers:
        total = algebra.multiply(total, _power(algebra, base, q), {})
    return total


def _exponent(x: Fraction) -> int:
    """Return the e with 2 ** e <= x < 2 ** (e + 1)."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if Fraction(2) ** e <= x else e - 1


def _is_known(powers: list[tuple[str, Fraction]]) -> bool:
    rationals = [Fraction(b) ** q.numerator for b, q in powers if b not in _KNOWN]
    if len(powers) == 1 and powers[0][1] == 1 and rationals:
        return rationals[0].numerator == 1 and rationals[0].denominator <= DENOMINATORS
    return all(max(r.numerator, r.denominator) <= FACTORS for r in rationals)


def _power(algebra: Algebra, base: str, q: Fraction) -> Poly:
    if base not in _KNOWN:
        return algebra.power_of_number(Fraction(base), q)
    content = Constant(base) if base == "pi" else Applied("log", Fraction(2), None)
    return {(((algebra.atoms.number(content, ()), (), q),), ()): Fraction(1)}
