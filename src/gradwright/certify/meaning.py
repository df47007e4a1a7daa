"""Denoting index notation: a statement becomes a tensor in the kernel's normal form.

An expression is evaluated over the space of its indices, one dimension per index, with the same
operations that denote StableHLO; nothing about layers is known here. A maximum over indices has
several normal forms, of which one that the text has is taken.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod

from gradwright.certify.kernel.algebra import TooLarge, Undenotable, constant_of
from gradwright.certify.kernel.atoms import Dense, Infinity, Pi, Relation
from gradwright.certify.kernel.denotation import Denotation
from gradwright.certify.kernel.index import Affine, variable
from gradwright.certify.kernel.multilinear import Multilinear
from gradwright.certify.kernel.pointwise import Pointwise
from gradwright.certify.kernel.shaped import reshape
from gradwright.certify.kernel.tensor import Tensor, plain_digits
from gradwright.certify.meaning_extremes import Extreme, reduced, windowed
from gradwright.certify.meaning_space import Space
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

Values = Mapping[str, Tensor]
Cut = Callable[[Tensor], Tensor]
Met = Callable[[Tensor], bool]
Forms = Callable[[Denotation, Extreme], Iterator[Tensor]]


def _not_met(_: Tensor) -> bool:
    return False


class Meaning:
    """Evaluates statements over values that are known by name.

    `cut` names values that the proof treats as one; `met` tells whether the text has a value.
    """

    def __init__(self, den: Denotation, values: Values, cut: Cut, met: Met = _not_met) -> None:
        self.den = den
        self.values = dict(values)
        self.cut = cut
        self.met = met

    def define(self, statement: Statement) -> Tensor:
        """Denote a statement and remember its value under its name.

        Errors: Undenotable, TooLarge; ParseError for notation that makes no sense.
        """
        if statement.target in self.values:
            raise Undenotable(f"a second definition of {statement.target}")
        self.values[statement.target] = tensor = self._denoted(statement)
        return tensor

    def _denoted(self, statement: Statement) -> Tensor:
        """Return the first form of the value that the text has, else the plain one."""
        left = left_side(statement, {name: t.shape for name, t in self.values.items()})
        space = Space(left.names, left.extents, {})
        if isinstance(statement.value, Bind):
            for form in self._forms(statement.value, space, (reduced, windowed)):
                tensor = self.cut(reshape(self.den, self._over(form, space), left.shape))
                if self.met(tensor):
                    return tensor
        tensor = self._value(statement.value, space)
        if statement.indices is None:
            return self.cut(tensor)
        return self.cut(reshape(self.den, self._over(tensor, space), left.shape))

    def _forms(self, e: Bind, space: Space, kinds: Sequence[Forms]) -> Iterator[Tensor]:
        """Yield the forms that an extreme of a value has as a reduction or over windows."""
        if e.kind not in EXTREMES or not isinstance(e.body, Read) or e.body.indices is None:
            return
        sizes = self._sizes(e, space)
        whole = self._inner(e, sizes, space)
        reads = tuple(whole.index(index) for index in e.body.indices)
        operand = self._named(e.body.name)
        extreme = Extreme(e.kind == "max", operand, reads, space.extents, tuple(sizes))
        for forms in kinds:
            try:
                yield from forms(self.den, extreme)
            except (Undenotable, TooLarge):
                continue

    def _over(self, tensor: Tensor, space: Space) -> Tensor:
        """Return a value over the whole space (a constant knows no dimensions)."""
        return tensor if tensor.digits else Tensor(plain_digits(space.extents), tensor.poly)

    def _value(self, e: Expression, space: Space) -> Tensor:
        match e:
            case Number(value):
                return self.den.splat(value, space.extents)
            case Table(entries):
                return self._table(entries)
            case Read(name, None) if name in space.names or name in space.fixed:
                return self._coordinate(space.index(e), space)
            case Read(name, None) if name == PI:
                return self.den.spread(self.den.whole(Pi(), ()), space.extents)
            case Read(name, None):
                return self._named(name)
            case Read(name, indices):
                assert indices is not None
                return self._read(self._named(name), indices, space)
            case Apply("inside", (Read(name, indices),)):
                ones = self.den.splat(1, self._named(name).shape)
                return self._read(ones, indices or (), space)
            case Apply(function, arguments):
                return self._apply(function, [self._value(a, space) for a in arguments])
            case Bind():
                return self._bound(e, space)

    def _named(self, name: str) -> Tensor:
        if name not in self.values:
            raise Undenotable(f"no value is called {name}")
        return self.values[name]

    def _table(self, entries: tuple[Fraction, ...]) -> Tensor:
        """Return a vector as a text's constant denotes it."""
        shape = (len(entries),)
        if len(set(entries)) == 1:
            return self.den.splat(entries[0], shape)
        return self.den.whole(Dense(shape, entries), shape)

    def _coordinate(self, e: Affine, space: Space) -> Tensor:
        total = self.den.splat(e[0], space.extents)
        for v, k in e[1]:
            total = self.den.pointwise.add(total, self.den.coordinate(space.extents, v), k)
        return total

    def _read(self, tensor: Tensor, indices: Sequence[Expression], space: Space) -> Tensor:
        reads = tuple(space.index(e) for e in indices)
        return self.den.linear(Multilinear(space.extents, (), (reads,)), tensor)

    def _apply(self, function: str, x: Sequence[Tensor]) -> Tensor:
        p = self.den.pointwise
        if len(x) == 1 and function in _UNARY:
            return _UNARY[function](p, x[0])
        if len(x) == 2 and (function == "^" or function in _BINARY):
            a, b = self._same_shape(x)
            return self._power(a, b) if function == "^" else _BINARY[function](p, a, b)
        raise Undenotable(f"no function {function} of {len(x)} arguments")

    def _same_shape(self, x: Sequence[Tensor]) -> Sequence[Tensor]:
        """Return both operands over one shape: a number or a scalar goes with any."""
        whole = max((t.shape for t in x), key=len)
        for t in x:
            if t.shape not in ((), whole) and constant_of(t.poly) is None:
                raise Undenotable(f"values of shapes {list(t.shape)} and {list(whole)}")
        return [t if t.shape == whole else self.den.spread(t, whole) for t in x]

    def _power(self, base: Tensor, exponent: Tensor) -> Tensor:
        p, q = self.den.pointwise, constant_of(exponent.poly)
        if q is not None:
            return p.power(base, q)
        return p.exponential(p.multiply(exponent, p.log(base)))

    def _sizes(self, e: Bind, space: Space) -> list[int]:
        outer = dict(zip(space.names, space.extents, strict=True)) | dict.fromkeys(space.fixed, 1)
        return bound_extents(e, {name: t.shape for name, t in self.values.items()}, outer)

    def _inner(self, e: Bind, sizes: Sequence[int], space: Space) -> Space:
        names = tuple(name for name, _ in e.indices)
        return Space((*space.names, *names), (*space.extents, *sizes), space.fixed)

    def _bound(self, e: Bind, space: Space) -> Tensor:
        sizes = self._sizes(e, space)
        if e.kind in EXTREMES:
            over = next(self._forms(e, space, (reduced,)), None)
            return self._folded(e, sizes, space) if over is None else over
        inner = self._inner(e, sizes, space)
        body = self._over(self._value(e.body, inner), inner)
        rank = len(space.extents)
        reads = tuple(variable(d) for d in range(rank + len(sizes)))
        total = self.den.linear(Multilinear(space.extents, tuple(sizes), (reads,)), body)
        count = prod(sizes) if e.kind == "mean" else 1
        return self.den.pointwise.scale(total, Fraction(1, count))

    def _folded(self, e: Bind, sizes: Sequence[int], space: Space) -> Tensor:
        """Fold the extreme over the bound indices in row-major order; what is outside loses."""
        p, names = self.den.pointwise, [name for name, _ in e.indices]
        combine = p.maximum if e.kind == "max" else p.minimum
        best: Tensor | None = None
        for place in product(*(range(size) for size in sizes)):
            fixed = {**space.fixed, **dict(zip(names, place, strict=True))}
            at = Space(space.names, space.extents, fixed)
            candidate = self._bordered(e, at)
            best = candidate if best is None else combine(best, candidate)
            best = self.cut(best)
        assert best is not None  # sizes are at least 1
        return best

    def _bordered(self, e: Bind, space: Space) -> Tensor:
        value = self._over(self._value(e.body, space), space)
        if not isinstance(e.body, Read) or e.body.indices is None:
            return value
        inside = self._value(Apply("inside", (e.body,)), space)
        outside = self.den.pointwise.negation(inside)
        if not outside.poly:
            return value
        infinity = self.den.whole(Infinity(negative=e.kind == "max"), ())
        border = self.den.spread(infinity, space.extents)
        return self.den.pointwise.add(value, self.den.pointwise.multiply(border, outside))


_HALF = Fraction(1, 2)

_UNARY: dict[str, Callable[[Pointwise, Tensor], Tensor]] = {
    "exp": lambda p, a: p.exponential(a),
    "log": lambda p, a: p.log(a),
    "sqrt": lambda p, a: p.power(a, _HALF),
    "tanh": lambda p, a: p.tanh(a),
    "logistic": lambda p, a: p.logistic(a),
    "erf": lambda p, a: p.odd("erf", a),
    "abs": lambda p, a: p.absolute(a),
}
_BINARY: dict[str, Callable[[Pointwise, Tensor, Tensor], Tensor]] = {
    "+": lambda p, a, b: p.add(a, b),
    "-": lambda p, a, b: p.add(a, b, -1),
    "*": lambda p, a, b: p.multiply(a, b),
    "/": lambda p, a, b: p.multiply(a, p.power(b, -1)),
    "max": lambda p, a, b: p.maximum(a, b),
    "min": lambda p, a, b: p.minimum(a, b),
    "=": lambda p, a, b: p.mask(Relation.ZERO, p.add(a, b, -1)),
    "<": lambda p, a, b: p.mask(Relation.NEGATIVE, p.add(a, b, -1)),
    ">": lambda p, a, b: p.mask(Relation.POSITIVE, p.add(a, b, -1)),
}
"""The functions of the notation, on the kernel's pointwise operations."""
