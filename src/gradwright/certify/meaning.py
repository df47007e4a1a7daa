"""Denoting index notation: a statement becomes a tensor in the kernel's normal form.

An expression is evaluated over the space of its indices, one dimension per index, with the same
operations that denote StableHLO; nothing about layers is known here. A maximum over indices has
several normal forms, of which one that the text has is taken.
"""

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod

from gradwright.certify.effort import TooLarge
from gradwright.certify.kernel.algebra import Undenotable
from gradwright.certify.kernel.atoms import Dense, Infinity, Pi, Relation
from gradwright.certify.kernel.denotation import Denotation
from gradwright.certify.kernel.index import Affine, variable
from gradwright.certify.kernel.multilinear import Multilinear
from gradwright.certify.kernel.pointwise import Pointwise
from gradwright.certify.kernel.shaped import reshape
from gradwright.certify.kernel.tensor import Shape, Tensor, plain_digits
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
    index_names,
    walk,
)
from gradwright.certify.notation_extents import bound_extents, left_side

Values = Mapping[str, Tensor]
Cut = Callable[[Tensor], Tensor]
Met = Callable[[Tensor], bool]
Forms = Callable[[Denotation, Extreme], Iterator[Tensor]]


_PARTIAL = "(partial extreme)"
UNROLLED_LIMIT = 64
"""Places of a sum up to which it is written out."""


class Way(enum.Enum):
    """How a value is written in the kernel's operations; what it is does not depend on it."""

    EXTREME = enum.auto()
    """An extreme over indices as a reduction or over windows."""
    PLAIN = enum.auto()
    """A product under a sum as one contraction, an extreme folded."""
    EXPANDED = enum.auto()
    """A product under a sum multiplied out."""
    UNROLLED = enum.auto()
    """A sum over few places as so many terms."""


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
        self.way = Way.PLAIN

    def define(self, statement: Statement) -> Tensor:
        """Denote a statement and remember its value under its name.

        Errors: Undenotable, TooLarge; ParseError for notation that makes no sense.
        """
        if statement.target in self.values:
            raise Undenotable(f"a second definition of {statement.target}")
        self.values[statement.target] = tensor = self._denoted(statement)
        return tensor

    def _denoted(self, statement: Statement) -> Tensor:
        """Return the first form of the value that the text has, else the first one."""
        left = left_side(statement, self._shapes(statement.value))
        space = Space(left.names, left.extents, {})
        plain: Tensor | None = None
        for way in Way:
            for form in self._ways(statement.value, space, way):
                tensor = form
                if statement.indices is not None:
                    tensor = reshape(self.den, self._over(form, space), left.shape)
                tensor = self.cut(tensor)
                if self.met(tensor):
                    return tensor
                plain = tensor if way is Way.PLAIN else plain
        assert plain is not None  # the plain way yields one value or raises
        return plain

    def _ways(self, e: Expression, space: Space, way: Way) -> Iterator[Tensor]:
        """Yield the forms that a value has when written in one way."""
        if way is Way.EXTREME:
            if isinstance(e, Bind):
                yield from self._forms(e, space, (reduced, windowed))
                yield from self._separated(e, space)
            return
        if way is Way.PLAIN or any(_multiplies(each) for each in walk(e)):
            self.way = way
            yield self._value(e, space)

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
            if t.shape not in ((), whole) and t.poly.constant is None:
                raise Undenotable(f"values of shapes {list(t.shape)} and {list(whole)}")
        return [t if t.shape == whole else self.den.spread(t, whole) for t in x]

    def _power(self, base: Tensor, exponent: Tensor) -> Tensor:
        p, q = self.den.pointwise, exponent.poly.constant
        if q is not None:
            return p.power(base, q)
        return p.exponential(p.multiply(exponent, p.log(base)))

    def _sizes(self, e: Bind, space: Space) -> list[int]:
        outer = dict(zip(space.names, space.extents, strict=True)) | dict.fromkeys(space.fixed, 1)
        return bound_extents(e, self._shapes(e), outer)

    def _shapes(self, e: Expression) -> Mapping[str, Shape]:
        """Return the shapes of the values that an expression reads."""
        names = {each.name for each in walk(e) if isinstance(each, Read)}
        return {name: self.values[name].shape for name in names if name in self.values}

    def _inner(self, e: Bind, sizes: Sequence[int], space: Space) -> Space:
        names = tuple(name for name, _ in e.indices)
        return Space((*space.names, *names), (*space.extents, *sizes), space.fixed)

    def _bound(self, e: Bind, space: Space) -> Tensor:
        sizes = self._sizes(e, space)
        if e.kind in EXTREMES:
            over = next(self._forms(e, space, (reduced,)), None)
            return self._folded(e, sizes, space) if over is None else over
        total = self._sum(e.body, self._inner(e, sizes, space), space)
        count = prod(sizes) if e.kind == "mean" else 1
        return self.den.pointwise.scale(total, Fraction(1, count))

    def _sum(self, body: Expression, inner: Space, space: Space) -> Tensor:
        """Sum over the indices that `inner` has more; a product of reads is contracted as such."""
        summed = inner.extents[len(space.extents) :]
        factors = factors_of(body)
        if self.way is Way.UNROLLED and prod(summed) <= UNROLLED_LIMIT:
            return self._unrolled(body, inner, space)
        if factors is not None and self.way is Way.PLAIN:
            reads = tuple(tuple(inner.index(e) for e in indices) for _, indices in factors)
            operands = [self._named(name) for name, _ in factors]
            return self.den.linear(Multilinear(space.extents, summed, reads), *operands)
        value = self._over(self._value(body, inner), inner)
        every = tuple(variable(d) for d in range(len(inner.extents)))
        return self.den.linear(Multilinear(space.extents, summed, (every,)), value)

    def _unrolled(self, body: Expression, inner: Space, space: Space) -> Tensor:
        """Sum place by place."""
        total = self.den.splat(0, space.extents)
        count = len(space.extents)
        names = inner.names[count:]
        for place in product(*map(range, inner.extents[count:])):
            fixed = {**space.fixed, **dict(zip(names, place, strict=True))}
            at = Space(space.names, space.extents, fixed)
            total = self.den.pointwise.add(total, self._over(self._value(body, at), at))
        return total

    def _folded(self, e: Bind, sizes: Sequence[int], space: Space) -> Tensor:
        """Fold the extreme over the bound indices in row-major order; what is outside loses."""
        p, names = self.den.pointwise, [name for name, _ in e.indices]
        combine = p.maximum if e.kind == "max" else p.minimum
        best: Tensor | None = None
        spaces = [
            Space(
                space.names, space.extents, {**space.fixed, **dict(zip(names, place, strict=True))}
            )
            for place in product(*(range(size) for size in sizes))
        ]
        outside = [self._outside(e.body, at) for at in spaces]
        has_border = any(each.poly for each in outside)
        for at, border in zip(spaces, outside, strict=True):
            candidate = self._bordered(e, at, border) if has_border else self._body(e, at)
            best = candidate if best is None else combine(best, candidate)
            best = self.cut(best)
        assert best is not None  # sizes are at least 1
        return best

    def _separated(self, e: Bind, space: Space) -> Iterator[Tensor]:
        """Yield an extreme of reads taken along one dimension after the other, the last one first.

        Each bound index has to walk a dimension of its own together with one free index.
        """
        if e.kind not in EXTREMES or len(e.indices) < 2 or not isinstance(e.body, Read):
            return
        extents = dict(zip(space.names, space.extents, strict=True))
        tensor, reads = self._named(e.body.name), list(e.body.indices or ())
        for (name, _), size in reversed(list(zip(e.indices, self._sizes(e, space), strict=True))):
            places = [d for d, index in enumerate(reads) if name in index_names(index)]
            free = [n for d in places for n in index_names(reads[d]) if n != name]
            if len(places) != 1 or len(free) != 1 or free[0] not in extents:
                return
            [d], [outer] = places, free
            names = [f"({i})" for i in range(len(reads))]
            shape = list(tensor.shape)
            names[d], shape[d] = outer, extents[outer]
            at: list[Expression] = [Read(each, None) for each in names]
            at[d] = reads[d]
            along = Bind(e.kind, ((name, size),), Read(_PARTIAL, tuple(at)))
            self.values[_PARTIAL] = tensor
            tensor = self._folded(along, [size], Space(tuple(names), tuple(shape), space.fixed))
            del self.values[_PARTIAL]
            reads[d] = Read(outer, None)
        yield self._read(tensor, reads, space)

    def _body(self, e: Bind, space: Space) -> Tensor:
        return self._over(self._value(e.body, space), space)

    def _outside(self, body: Expression, space: Space) -> Tensor:
        """Return 1 where a read is outside of what it reads, else 0."""
        if not isinstance(body, Read) or body.indices is None:
            return self.den.splat(0, space.extents)
        return self.den.pointwise.negation(self._value(Apply("inside", (body,)), space))

    def _bordered(self, e: Bind, space: Space, outside: Tensor) -> Tensor:
        """Return what is read, as a window of a padded value has it: infinite outside."""
        assert isinstance(e.body, Read)  # else nothing is outside
        assert e.body.indices is not None
        whole = self.den.contractions.in_one_digit(self._named(e.body.name))
        value = self._over(self._read(whole, e.body.indices, space), space)
        infinity = self.den.whole(Infinity(negative=e.kind == "max"), ())
        border = self.den.spread(infinity, space.extents)
        return self.den.pointwise.add(value, self.den.pointwise.multiply(border, outside))


def factors_of(e: Expression) -> list[tuple[str, tuple[Expression, ...]]] | None:
    """Return the reads that an expression is the product of, None for anything else."""
    match e:
        case Read(name, indices) if indices is not None:
            return [(name, indices)]
        case Apply("*", (a, b)):
            left, right = factors_of(a), factors_of(b)
            return None if left is None or right is None else [*left, *right]
        case _:
            return None


def _multiplies(e: Expression) -> bool:
    """Whether an expression is a sum over a product of reads."""
    return isinstance(e, Bind) and len(factors_of(e.body) or ()) > 1


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
