"""Index notation: what a statement `target[indices] = expression` says, as a tree.

    y[n,o,i<7] = sum(c,u<3) w[o,c,u] * x[n,c,2*i + u - 1] + b[o]        theta' = theta - lr * g

Precedence: ^ (to the right), unary minus, * and /, + and -. `sum`, `mean`, `max` and `min` with
indices in brackets reach over the product that follows.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from gradwright.check.atoms import Uncheckable

_TOKEN = re.compile(
    r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?)|([A-Za-z_][\w.']*)|([-+*/^()=<>,|{}\[\]]))"
)
DEPTH = 50
"""Expressions inside each other."""


@dataclass(frozen=True, slots=True)
class Read:
    """A value at indices; without brackets an index, or a value as a whole."""

    name: str
    indices: tuple["Expression", ...] | None = None


@dataclass(frozen=True, slots=True)
class Apply:
    """A function of arguments: an operator, a relation or a name; `{}` is a vector of numbers."""

    function: str
    arguments: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Bind:
    """A sum, mean, max or min over indices, with their bounds as far as they are given."""

    kind: str
    indices: tuple[tuple[str, int | None], ...]
    body: "Expression"


Expression = Fraction | Read | Apply | Bind


@dataclass(frozen=True, slots=True)
class Statement:
    """A definition; without indices of values as a whole."""

    target: str
    indices: tuple[Expression, ...] | None
    bounds: tuple[tuple[str, int | None], ...]
    value: Expression


def statements_of(text: str) -> list[Statement]:
    """Return the statements of a text, separated by semicolons; Uncheckable for anything else."""
    return [_Reader(part).statement() for part in text.split(";")]


class _Reader:
    """Reads one statement from the left."""

    def __init__(self, text: str) -> None:
        self.text, self.tokens, position = text.strip(), list[str](), 0
        while position < len(text.rstrip()):
            found = _TOKEN.match(text, position)
            if found is None:
                raise self.wrong("what is no token")
            self.tokens.append(found[0].strip())
            position = found.end()
        self.depth = 0

    def wrong(self, what: str) -> Uncheckable:
        """Return the error for a statement."""
        return Uncheckable(f"{what} in `{self.text[:60]}`")

    def ahead(self, place: int = 0) -> str:
        return self.tokens[place] if place < len(self.tokens) else ""

    def take(self, *wanted: str) -> str:
        """Return the next token where it is a wanted one, else nothing."""
        return self.tokens.pop(0) if self.ahead() in wanted and self.tokens else ""

    def expect(self, token: str) -> None:
        if not self.take(token):
            raise self.wrong(f"{self.ahead() or 'the end'} where {token} should be")

    def name(self) -> str:
        if not (self.ahead()[:1].isalpha() or self.ahead()[:1] == "_"):
            raise self.wrong(f"{self.ahead() or 'the end'} where a name should be")
        return self.tokens.pop(0)

    def statement(self) -> Statement:
        target, bounds, indices = self.name(), list[tuple[str, int | None]](), None
        if self.take("["):
            left: list[Expression] = []
            while not left or self.take(","):
                left.append(self.sum())
                lone = left[-1]
                if isinstance(lone, Read) and self.ahead() == "<":
                    bounds.append((lone.name, self.bound()))
            bounds += self.bounded() if self.take("|") else []
            self.expect("]")
            indices = tuple(left)
        self.expect("=")
        value = self.sum()
        if self.tokens:
            raise self.wrong(f"{self.ahead()} after the end")
        return Statement(target, indices, tuple(bounds), value)

    def bound(self) -> int | None:
        """Return the number behind <, None where there is none."""
        if not self.take("<"):
            return None
        if not self.ahead().isdigit():
            raise self.wrong("a bound that is no number")
        return int(self.tokens.pop(0))

    def bounded(self) -> list[tuple[str, int | None]]:
        found = [(self.name(), self.bound())]
        while self.take(","):
            found.append((self.name(), self.bound()))
        return found

    def items(self, closing: str) -> tuple[Expression, ...]:
        items = [self.sum()]
        while self.take(","):
            items.append(self.sum())
        self.expect(closing)
        return tuple(items)

    def sum(self) -> Expression:
        self.depth += 1
        if self.depth > DEPTH:
            raise self.wrong("too many parentheses")
        value = self.product()
        while sign := self.take("+", "-"):
            value = Apply(sign, (value, self.product()))
        self.depth -= 1
        return value

    def product(self) -> Expression:
        value = self.signed()
        while sign := self.take("*", "/"):
            value = Apply(sign, (value, self.signed()))
        return value

    def signed(self) -> Expression:
        signs = 0
        while self.take("-"):
            signs += 1
        value = self.bind() or self.power()
        return Apply("-", (Fraction(0), value)) if signs % 2 else value

    def bind(self) -> Expression | None:
        """Return a sum or extreme over what follows its brackets, None where nothing does."""
        if self.ahead() not in ("sum", "mean", "max", "min") or self.ahead(1) != "(":
            return None
        closing = next((i for i, token in enumerate(self.tokens) if token == ")"), len(self.tokens))
        if re.match(r"[\w(\[]", self.ahead(closing + 1)) is None or "(" in self.tokens[2:closing]:
            return None
        kind = self.name()
        self.expect("(")
        indices = self.bounded()
        self.expect(")")
        return Bind(kind, tuple(indices), self.product())

    def power(self) -> Expression:
        base = self.atom()
        return Apply("^", (base, self.signed())) if self.take("^") else base

    def atom(self) -> Expression:
        if self.ahead()[:1].isdigit():
            return Fraction(self.tokens.pop(0))
        if self.take("("):
            value = self.sum()
            self.expect(")")
            return value
        if self.take("{"):
            return Apply("{}", self.items("}"))
        if self.take("["):
            left, relation = self.sum(), self.take("=", "<", ">")
            sides = (left, self.sum())
            self.expect("]")
            if not relation:
                raise self.wrong("brackets around no relation")
            return Apply(relation, sides)
        name = self.name()
        if self.take("("):
            return Apply(name, self.items(")"))
        return Read(name, self.items("]") if self.take("[") else None)


def index_names(expressions: Sequence[Expression]) -> list[str]:
    """Return the names without brackets in expressions, in order."""
    found: list[str] = []
    for e in expressions:
        match e:
            case Read(name, None):
                found.append(name)
            case Read(_, indices) if indices is not None:
                found += index_names(indices)
            case Apply(_, arguments):
                found += index_names(arguments)
            case _:
                pass
    return found
