"""Index notation: the text in which layers, losses and optimizers state what they compute.

    y[n,o,i<7,j<7] = sum(c<3,u<3,v<3) w[o,c,u,v] * x[n,c,2*i + u - 1,2*j + v - 1] + b[o]

A statement defines the value on its left for every index; each name is defined once. `sum`, `mean`,
`max` and `min` bind indices and reach over the product that follows. A read outside a value's box
is 0; alone inside a `max` it is -inf, inside a `min` +inf, and `inside(x[i])` is 1 in the box and 0
outside. `[a = b]` is 1 where the relation (=, <, >) holds and 0 elsewhere. An index without a bound
takes the extent of the dimension that it reads. On the left, an index may be composed of digits,
most significant first, with their bounds behind a bar: `y[n,4*g + o | g<2,o<4]`. Names without
brackets stand for whole values, `{1, 2, 3}` for a vector, `pi` for the circle's number.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from gradwright.errors import ParseError

_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)|([A-Za-z_][\w.']*)|(\S))")


@dataclass(frozen=True, slots=True)
class Number:
    """A decimal, exactly."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Read:
    """A value at indices; without brackets (indices None) an index, or a whole value."""

    name: str
    indices: tuple["Expression", ...] | None


@dataclass(frozen=True, slots=True)
class Table:
    """A vector of decimals."""

    entries: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator or a function of arguments."""

    function: str
    arguments: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Bind:
    """A sum, mean, max or min over indices; a bound None is taken from what the index reads."""

    kind: str
    indices: tuple[tuple[str, int | None], ...]
    body: "Expression"


Expression = Number | Read | Table | Apply | Bind


def walk(e: Expression) -> Iterator[Expression]:
    """Yield an expression and those inside it, reads' indices left out."""
    yield e
    match e:
        case Apply(_, arguments):
            for argument in arguments:
                yield from walk(argument)
        case Bind(_, _, body):
            yield from walk(body)
        case _:
            return


def index_names(e: Expression) -> list[str]:
    """Return the names in an index, in order."""
    return [each.name for each in walk(e) if isinstance(each, Read)]


@dataclass(frozen=True, slots=True)
class Statement:
    """`target[indices] = value`; indices is None where whole values are combined."""

    target: str
    indices: tuple[Expression, ...] | None
    bounds: tuple[tuple[str, int], ...]
    value: Expression


BINDERS = ("sum", "mean", "max", "min")
EXTREMES = ("max", "min")
PI = "pi"
_RELATIONS = ("=", "<", ">")


def parse(text: str) -> list[Statement]:
    """Return the statements of a text, one per line or separated by semicolons."""
    lines = (part.strip() for line in text.splitlines() for part in line.split(";"))
    return [_Parser(line).statement() for line in lines if line and not line.startswith("#")]


class _Parser:
    """Recursive descent over the tokens of one statement."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [
            match.group().strip() for match in _TOKEN.finditer(text) if match.group().strip()
        ]
        self.position = 0

    def statement(self) -> Statement:
        target = self._take() if self.tokens else ""
        bounds: list[tuple[str, int]] = []
        indices = self._targets(bounds) if self._peek() == "[" else None
        self._expect("=")
        value = self._sum()
        if self.position != len(self.tokens):
            raise self._error("the end of the statement")
        return Statement(target, indices, tuple(bounds), value)

    def _targets(self, bounds: list[tuple[str, int]]) -> tuple[Expression, ...]:
        """Read `[n,o,i<14]` or `[n,4*g + o | g<2,o<4]`, noting the bounds."""
        indices: list[Expression] = []
        self._expect("[")
        while True:
            index = self._sum()
            if self._peek() == "<" and isinstance(index, Read):
                self._take()
                bounds.append((index.name, self._count()))
            indices.append(index)
            if self._peek() != ",":
                break
            self._take()
        if self._peek() == "|":
            self._take()
            bounds += [(name, bound) for name, bound in self._bounded() if bound is not None]
        self._expect("]")
        return tuple(indices)

    def _bounded(self) -> list[tuple[str, int | None]]:
        """Read `g<2,o,i<7`."""
        found: list[tuple[str, int | None]] = []
        while True:
            name, bound = self._take(), None
            if self._peek() == "<":
                self._take()
                bound = self._count()
            found.append((name, bound))
            if self._peek() != ",":
                return found
            self._take()

    def _count(self) -> int:
        if not self._peek().isdigit():
            raise self._error("a whole number")
        return int(self._take())

    def _peek(self, ahead: int = 0) -> str:
        place = self.position + ahead
        return self.tokens[place] if place < len(self.tokens) else ""

    def _take(self) -> str:
        if self.position == len(self.tokens):
            raise self._error("a token")
        self.position += 1
        return self.tokens[self.position - 1]

    def _expect(self, token: str) -> None:
        if self._peek() != token:
            raise self._error(f"{token!r}")
        self.position += 1

    def _error(self, expected: str) -> ParseError:
        found = f"{self._peek() or 'the end'!r} in `{self.text}`"
        return ParseError(where="index notation", expected=expected, found=found)

    def _sum(self) -> Expression:
        value = self._product()
        while self._peek() in ("+", "-"):
            operator = self._take()
            value = Apply(operator, (value, self._product()))
        return value

    def _product(self) -> Expression:
        value = self._unary()
        while self._peek() in ("*", "/"):
            operator = self._take()
            value = Apply(operator, (value, self._unary()))
        return value

    def _unary(self) -> Expression:
        if self._peek() == "-":
            self._take()
            return Apply("-", (Number(Fraction(0)), self._unary()))
        if self._peek() in BINDERS and self._binds():
            return self._binder()
        base = self._atom()
        if self._peek() == "^":
            self._take()
            return Apply("^", (base, self._unary()))
        return base

    def _binds(self) -> bool:
        """Whether `max(` begins a binder: after the closing bracket another operand follows."""
        depth = 0
        for ahead in range(1, len(self.tokens) - self.position):
            depth += {"(": 1, ")": -1}.get(self._peek(ahead), 0)
            if depth == 0:
                following = self._peek(ahead + 1)
                return bool(following) and (following in "([" or following[0].isalnum())
        return False

    def _binder(self) -> Expression:
        kind = self._take()
        self._expect("(")
        indices = self._bounded()
        self._expect(")")
        return Bind(kind, tuple(indices), self._product())

    def _atom(self) -> Expression:
        token = self._peek()
        if token == "(":
            self._take()
            value = self._sum()
            self._expect(")")
            return value
        if token == "[":
            return self._truth()
        if token == "{":
            return self._table()
        if token and token[0].isdigit():
            return Number(Fraction(self._take()))
        if not token or not (token[0].isalpha() or token[0] == "_"):
            raise self._error("a number, a name or a bracket")
        name = self._take()
        if self._peek() == "(":
            return Apply(name, tuple(self._list("(", ")")))
        return Read(name, tuple(self._list("[", "]")) if self._peek() == "[" else None)

    def _truth(self) -> Expression:
        self._expect("[")
        left = self._sum()
        if self._peek() not in _RELATIONS:
            raise self._error("a relation")
        relation = self._take()
        right = self._sum()
        self._expect("]")
        return Apply(relation, (left, right))

    def _table(self) -> Expression:
        entries: list[Fraction] = []
        for item in self._list("{", "}"):
            if not isinstance(item, Number):
                raise self._error("decimals only in a vector")
            entries.append(item.value)
        return Table(tuple(entries))

    def _list(self, opening: str, closing: str) -> Sequence[Expression]:
        self._expect(opening)
        items = [self._sum()]
        while self._peek() == ",":
            self._take()
            items.append(self._sum())
        self._expect(closing)
        return items
