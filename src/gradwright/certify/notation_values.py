"""The numbers that statements define, in f64: what a text is compared with by evaluation.

This shares the grammar with the proof and nothing else: sums are sums of arrays here, extremes are
extremes of arrays, and a read outside a value gives 0 (or loses, in an extreme).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gradwright.certify.notation import (
    EXTREMES,
    PI,
    Apply,
    Bind,
    Expression,
    Number,
    Read,
    Statement,
    Table,
)
from gradwright.certify.notation_extents import bound_extents, left_side
from gradwright.errors import ParseError

Array = npt.NDArray[np.float64]
Arrays = Mapping[str, Array]
AT_ONCE = 1 << 21
"""Terms of a sum that are computed in one array; of a larger one, index by index."""


def evaluated(statements: Sequence[Statement], inputs: Mapping[str, np.ndarray]) -> Arrays:
    """Return every value that statements define, and the inputs.

    Errors: ParseError for notation that makes no sense.
    """
    values = {name: np.asarray(array, np.float64) for name, array in inputs.items()}
    with np.errstate(all="ignore"):
        for statement in statements:
            values[statement.target] = _Values(values).of(statement)
    return values


@dataclass(frozen=True, slots=True)
class _Space:
    """Indices with their extents, one axis each; `fixed` gives some of them one value."""

    extents: Mapping[str, int]
    fixed: Mapping[str, int]

    def index(self, name: str) -> np.ndarray | None:
        """Return the values of an index along its axis; None where there is no such index."""
        if name in self.fixed:
            return np.full((1,) * len(self.extents), self.fixed[name])
        if name not in self.extents:
            return None
        shape = [1] * len(self.extents)
        shape[list(self.extents).index(name)] = self.extents[name]
        return np.arange(self.extents[name]).reshape(shape)


@dataclass(frozen=True, slots=True)
class _Values:
    """Evaluates expressions over arrays by name."""

    arrays: Arrays

    def of(self, statement: Statement) -> Array:
        left = left_side(statement, {name: a.shape for name, a in self.arrays.items()})
        space = _Space(dict(zip(left.names, left.extents, strict=True)), {})
        value = self._value(statement.value, space)
        if statement.indices is None:
            return value
        return np.ascontiguousarray(np.broadcast_to(value, left.extents).reshape(left.shape))

    def _value(self, e: Expression, space: _Space) -> Array:
        match e:
            case Number(value):
                return np.float64(value.numerator / value.denominator) * np.ones(())
            case Table(entries):
                return np.array([float(entry) for entry in entries])
            case Read(name, None):
                index = space.index(name)
                if index is not None:
                    return index.astype(np.float64)
                return np.full((), math.pi) if name == PI else self._named(name)
            case Read():
                return self._read(e, space, 0.0)
            case Apply("inside", (Read() as read,)):
                return self._places(read, space)[1].astype(np.float64)
            case Apply(function, arguments):
                return _applied(function, [self._value(a, space) for a in arguments])
            case Bind():
                return self._bound(e, space)

    def _named(self, name: str) -> Array:
        if name not in self.arrays:
            raise ParseError(where="index notation", expected="a value that is defined", found=name)
        return self.arrays[name]

    def _read(self, e: Read, space: _Space, outside: float) -> Array:
        places, inside = self._places(e, space)
        array = self._named(e.name)
        return np.where(inside, array[tuple(places)], outside)

    def _places(self, e: Read, space: _Space) -> tuple[list[np.ndarray], np.ndarray]:
        """Return where a value is read, moved into its box, and where that was not needed."""
        places: list[np.ndarray] = []
        inside = np.ones((1,) * len(space.extents), bool)
        for index, extent in zip(e.indices or (), self._named(e.name).shape, strict=True):
            place = np.rint(self._value(index, space)).astype(np.int64)
            inside = inside & (place >= 0) & (place < extent)
            places.append(np.clip(place, 0, extent - 1))
        return places, inside

    def _bound(self, e: Bind, space: _Space) -> Array:
        shapes = {name: a.shape for name, a in self.arrays.items()}
        outer = {**space.extents, **dict.fromkeys(space.fixed, 1)}
        sizes = bound_extents(e, shapes, outer)
        bound = {name: size for (name, _), size in zip(e.indices, sizes, strict=True)}
        total = self._folded(e, bound, space)
        return _applied("/", [total, np.full((), math.prod(sizes))]) if e.kind == "mean" else total

    def _folded(self, e: Bind, bound: Mapping[str, int], space: _Space) -> Array:
        """Fold over bound indices at once, or over the values of the first one if that is much."""
        fold = _FOLDS.get(e.kind, np.add)
        count = math.prod(space.extents.values())
        if count * math.prod(bound.values()) <= AT_ONCE or not bound:
            inner = _Space({**space.extents, **bound}, space.fixed)
            shape = tuple(inner.extents.values())
            body = np.broadcast_to(self._body(e, inner), shape)
            axes = tuple(range(len(space.extents), len(shape)))
            return np.asarray(fold.reduce(body, axis=axes), np.float64) if axes else body
        name, *others = bound
        rest = {other: bound[other] for other in others}
        parts = (
            self._folded(e, rest, _Space(space.extents, {**space.fixed, name: at}))
            for at in range(bound[name])
        )
        total = next(parts)
        for part in parts:
            total = np.asarray(fold(total, part), np.float64)
        return total

    def _body(self, e: Bind, space: _Space) -> Array:
        if e.kind in EXTREMES and isinstance(e.body, Read) and e.body.indices is not None:
            return self._read(e.body, space, -math.inf if e.kind == "max" else math.inf)
        return self._value(e.body, space)


def _applied(function: str, x: Sequence[Array]) -> Array:
    if len(x) == 1 and function in _UNARY:
        return np.asarray(_UNARY[function](x[0]))
    if len(x) == 2 and function in _BINARY:
        return np.asarray(_BINARY[function](x[0], x[1]), np.float64)
    raise ParseError(
        where="index notation",
        expected="a known function",
        found=f"{function} of {len(x)} arguments",
    )


_FOLDS: dict[str, np.ufunc] = {"max": np.maximum, "min": np.minimum}
_UNARY: dict[str, Callable[[Array], npt.ArrayLike]] = {
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "tanh": np.tanh,
    "logistic": lambda a: 1 / (1 + np.exp(-a)),
    "erf": np.vectorize(math.erf, otypes=[np.float64]),
    "abs": np.abs,
}
_BINARY: dict[str, Callable[[Array, Array], npt.ArrayLike]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "^": np.power,
    "max": np.maximum,
    "min": np.minimum,
    "=": np.equal,
    "<": np.less,
    ">": np.greater,
}
