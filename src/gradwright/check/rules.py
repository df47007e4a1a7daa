"""Update rules: `name = expression; …` over numbers, names, + - * / ^, sqrt and parentheses."""

import re
from collections.abc import Mapping
from fractions import Fraction

from gradwright.check.atoms import Uncheckable
from gradwright.check.functions import Functions
from gradwright.check.poly import constant_of, number
from gradwright.check.tensor import Tensor, plain

_TOKEN = re.compile(r"\s*(\d+\.?\d*(?:[eE][+-]?\d+)?|[A-Za-z_]\w*'?|[-+*/^()=])")
DEPTH = 50
"""Parentheses inside each other."""


def evaluated(rule: str, values: Mapping[str, Tensor], f: Functions) -> dict[str, Tensor]:
    """Return the value of each name that a rule defines; scalars are spread where needed.

    Precedence: ^ (to the right), then unary minus, then * and /, then + and -.
    """
    known = dict(values)
    defined: dict[str, Tensor] = {}
    for statement in rule.split(";"):
        tokens = _tokens(statement)
        if len(tokens) < 3 or tokens[1] != "=" or not tokens[0][0].isalpha():
            raise Uncheckable(f"no statement of a rule: {statement.strip()!r}")
        reader = _Reader(tokens[2:], known, f)
        value = reader.sum(0)
        if reader.tokens:
            raise Uncheckable(f"{' '.join(reader.tokens)} after a statement of a rule")
        known[tokens[0]] = defined[tokens[0]] = value
    return defined


def _tokens(statement: str) -> list[str]:
    tokens: list[str] = []
    position = 0
    text = statement.rstrip()
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            raise Uncheckable(f"what is {text[position:].strip()!r} in a rule?")
        tokens.append(found[1])
        position = found.end()
    return tokens


class _Reader:
    """Reads and evaluates one expression from the left."""

    def __init__(self, tokens: list[str], known: Mapping[str, Tensor], f: Functions) -> None:
        self.tokens, self.known, self.f = tokens, known, f

    def _next(self) -> str:
        if not self.tokens:
            raise Uncheckable("a rule that ends too early")
        return self.tokens.pop(0)

    def _accept(self, *wanted: str) -> str | None:
        return self.tokens.pop(0) if self.tokens and self.tokens[0] in wanted else None

    def _both(self, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        if a.shape == b.shape:
            return a, b
        if not a.shape:
            return Tensor(plain(b.shape), a.poly), b
        if not b.shape:
            return a, Tensor(plain(a.shape), b.poly)
        raise Uncheckable("a rule over values of two shapes")

    def sum(self, depth: int) -> Tensor:
        if depth > DEPTH:
            raise Uncheckable("a rule with too many parentheses")
        total = self._product(depth)
        while sign := self._accept("+", "-"):
            a, b = self._both(total, self._product(depth))
            total = self.f.add(a, b, 1 if sign == "+" else -1)
        return total

    def _product(self, depth: int) -> Tensor:
        total = self._signed(depth)
        while sign := self._accept("*", "/"):
            a, b = self._both(total, self._signed(depth))
            total = self.f.multiply(a, b if sign == "*" else self.f.power(b, -1))
        return total

    def _signed(self, depth: int) -> Tensor:
        if self._accept("-"):
            return self.f.scale(self._signed(depth + 1), -1)
        return self._power(depth)

    def _power(self, depth: int) -> Tensor:
        base = self._atom(depth)
        if not self._accept("^"):
            return base
        exponent = self._power(depth + 1)
        c = constant_of(exponent.poly)
        if c is not None:
            return self.f.power(base, c)
        a, b = self._both(self.f.log(base), exponent)
        return self.f.exponential(self.f.multiply(a, b))

    def _atom(self, depth: int) -> Tensor:
        token = self._next()
        if token == "(":
            value = self.sum(depth + 1)
        elif token == "sqrt" and self._accept("("):
            value = self.f.power(self.sum(depth + 1), Fraction(1, 2))
        elif token[0].isdigit():
            return Tensor((), number(Fraction(token)))
        elif token in self.known:
            return self.known[token]
        else:
            raise Uncheckable(f"nothing in a rule is called {token}")
        if self._next() != ")":
            raise Uncheckable("a parenthesis that stays open in a rule")
        return value
