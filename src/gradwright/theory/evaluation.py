"""Index notation at given sizes and inputs, by running over all indices."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from gradwright.certify.notation import Apply, Bind, Expression, Number, Read, Statement, Table
from gradwright.errors import SpecError
from gradwright.theory import enclosure
from gradwright.theory.slopes import BINARY, UNARY, Slope, larger, power

Place = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Array:
    """A value at every index of a box; 0 outside."""

    shape: Place
    entries: Mapping[Place, Slope]

    @staticmethod
    def of(shape: Place, entries: Mapping[Place, Fraction | int]) -> "Array":
        """Return an array of constants; entries that are not given are 0."""
        return Array(shape, {place: Slope.number(c) for place, c in entries.items()})

    def places(self) -> Iterator[Place]:
        """Yield the indices in row-major order."""
        yield from product(*(range(extent) for extent in self.shape))

    def at(self, place: Place) -> Slope:
        """Return one entry."""
        return self.entries.get(place, _ZERO)

    def holds(self, place: Place) -> bool:
        """Return whether an index lies in the box."""
        return all(0 <= i < extent for i, extent in zip(place, self.shape, strict=True))


_ZERO = Slope.number(0)
_ONE = Slope.number(1)


@dataclass(slots=True)
class Evaluator:
    """Values by name, sizes by symbol, and the shapes that statements may define."""

    sizes: Mapping[str, int]
    shapes: Mapping[str, tuple[Expression, ...]]
    values: dict[str, Array] = field(default_factory=dict[str, Array])

    def shape(self, name: str) -> Place:
        """Return the shape of a value at these sizes."""
        return tuple(self.index(e, {}) for e in self.shapes[name])

    def define(self, statement: Statement) -> None:
        """Evaluate a statement at every index of its left side."""
        names = [index_name(e) for e in statement.indices or ()]
        shape = self.shape(statement.target)
        entries = {
            place: self._value(statement.value, dict(zip(names, place, strict=True)))
            for place in product(*(range(n) for n in shape))
        }
        self.values[statement.target] = Array(shape, entries)

    def whole(self, e: Expression) -> int:
        """Return an expression of sizes."""
        return int(self._value(e, {}).value.low)

    def index(self, e: Expression, at: Mapping[str, int]) -> int:
        """Return an index expression where its indices have values."""
        match e:
            case Number(value) if value.denominator == 1:
                return int(value)
            case Read(name, None) if name in at or name in self.sizes:
                return at[name] if name in at else self.sizes[name]
            case Read(name, None):
                raise SpecError(where=name, expected="an index or a size", found="none")
            case Apply("+", (a, b)):
                return self.index(a, at) + self.index(b, at)
            case Apply("-", (a, b)):
                return self.index(a, at) - self.index(b, at)
            case Apply("*", (a, b)):
                return self.index(a, at) * self.index(b, at)
            case _:
                raise SpecError(where="index", expected="an affine expression", found=str(e))

    def _value(self, e: Expression, at: Mapping[str, int]) -> Slope:
        match e:
            case Number(value):
                return Slope.number(value)
            case Read("pi", None):
                return Slope(enclosure.pi())
            case Read(name, None) if name in self.values:
                return self.values[name].at(())
            case Read(name, None):
                return Slope.number(self.index(e, at))
            case Read(name, indices):
                return self._read(name, tuple(self.index(i, at) for i in indices or ()))
            case Apply("*", (a, b)):
                return self._product(a, b, at)
            case Apply("^", (base, exponent)):
                return power(self._value(base, at), constant(exponent))
            case Apply(function, (a,)):
                return UNARY[function](self._value(a, at))
            case Apply(function, (a, b)):
                return BINARY[function](self._value(a, at), self._value(b, at))
            case Apply():
                raise SpecError(where=str(e), expected="one or two arguments", found="others")
            case Bind():
                return self._bound(e, at)
            case Table():
                raise SpecError(where=str(e), expected="a number", found="a vector")

    def _read(self, name: str, place: Place) -> Slope:
        if name not in self.values:
            raise SpecError(where=name, expected="a value", found="none of that name")
        return self.values[name].at(place)

    def _product(self, a: Expression, b: Expression, at: Mapping[str, int]) -> Slope:
        left = self._value(a, at)
        return left if left == _ZERO else left * self._value(b, at)

    def _bound(self, e: Bind, at: Mapping[str, int]) -> Slope:
        names = [name for name, _ in e.indices]
        sizes = [
            bound if bound is not None else self.index(extent_of(name, e.body, self.shapes), {})
            for name, bound in e.indices
        ]
        places = [
            {**at, **dict(zip(names, place, strict=True))}
            for place in product(*(range(n) for n in sizes))
        ]
        if e.kind == "max":
            return self._largest(e.body, places)
        total = _ZERO
        for place in places:
            term = self._value(e.body, place)
            if term != _ZERO:
                total = total + term
        return total / Slope.number(len(places)) if e.kind == "mean" else total

    def _largest(self, body: Expression, places: Sequence[Mapping[str, int]]) -> Slope:
        best: Slope | None = None
        for place in places:
            if isinstance(body, Read) and not self._inside(body, place):
                continue
            value = self._value(body, place)
            best = value if best is None else larger(best, value)
        if best is None:
            raise enclosure.OutsideDomain("a window that is all padding")
        return best

    def _inside(self, read: Read, at: Mapping[str, int]) -> bool:
        place = tuple(self.index(i, at) for i in read.indices or ())
        return self.values[read.name].holds(place)


def index_name(e: Expression) -> str:
    """Return the name of an index on a left side."""
    if isinstance(e, Read) and e.indices is None:
        return e.name
    raise SpecError(where="left side", expected="a plain index", found=str(e))


def constant(e: Expression) -> Fraction:
    """Return the number that an exponent is."""
    match e:
        case Number(value):
            return value
        case Apply("-", (a, b)):
            return constant(a) - constant(b)
        case Apply("/", (a, b)):
            return constant(a) / constant(b)
        case _:
            raise SpecError(where="exponent", expected="a number", found=str(e))


def extent_of(
    index: str, body: Expression, shapes: Mapping[str, tuple[Expression, ...]]
) -> Expression:
    """Return the extent of the first dimension that the index alone reads."""
    for name, indices in _reads(body):
        for e, extent in zip(indices, shapes.get(name, ()), strict=False):
            if e == Read(index, None):
                return extent
    raise SpecError(where=index, expected="an index with an extent", found="none")


def _reads(e: Expression) -> Iterator[tuple[str, tuple[Expression, ...]]]:
    match e:
        case Read(name, indices) if indices is not None:
            yield name, indices
        case Apply(_, arguments):
            for argument in arguments:
                yield from _reads(argument)
        case Bind(_, _, body):
            yield from _reads(body)
        case _:
            return


def read_names(e: Expression) -> set[str]:
    """Return the names that an expression reads, indices and sizes included."""
    match e:
        case Read(name, indices):
            return {name}.union(*(read_names(i) for i in indices or ()))
        case Apply(_, arguments):
            return set[str]().union(*(read_names(a) for a in arguments))
        case Bind(_, _, body):
            return read_names(body)
        case _:
            return set()
