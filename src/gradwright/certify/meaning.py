"""Denoting index notation: a statement becomes a tensor in the kernel's normal form.

An expression is evaluated over the space of its indices, one dimension per index, with the same
operations that denote StableHLO; nothing about layers is known here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from gradwright.certify.kernel.algebra import Poly, Undenotable, constant_of
from gradwright.certify.kernel.atoms import Coordinate, Infinity, Relation
from gradwright.certify.kernel.denotation import Denotation
from gradwright.certify.kernel.index import Affine, combine, constant, variable
from gradwright.certify.kernel.multilinear import Multilinear
from gradwright.certify.kernel.pointwise import Pointwise
from gradwright.certify.kernel.shaped import reshape
from gradwright.certify.kernel.tensor import Tensor, plain_digits
from gradwright.certify.notation import Apply, Bind, Expression, Number, Read, Statement

Values = Mapping[str, Tensor]
Cut = Callable[[Tensor], Tensor]


@dataclass(frozen=True, slots=True)
class _Space:
    """Indices in order with their extents; `fixed` gives some of them one value."""

    names: tuple[str, ...]
    extents: tuple[int, ...]
    fixed: Mapping[str, int]

    def index(self, e: Expression) -> Affine:
        """Return an index expression over the dimensions of the space."""
        match e:
            case Number(value) if value.denominator == 1:
                return constant(int(value))
            case Read(name, None) if name in self.fixed:
                return constant(self.fixed[name])
            case Read(name, None) if name in self.names:
                return variable(self.names.index(name))
            case Apply("+" | "-" as sign, (a, b)):
                return combine(((1, self.index(a)), (1 if sign == "+" else -1, self.index(b))))
            case Apply("*", (a, b)):
                return self._scaled(self.index(a), self.index(b))
            case _:
                raise Undenotable(f"an index that is not affine: {e}")

    def _scaled(self, a: Affine, b: Affine) -> Affine:
        if a[1] and b[1]:
            raise Undenotable("a product of indices")
        factor, expression = (a[0], b) if not a[1] else (b[0], a)
        return combine(((factor, expression),))


class Meaning:
    """Evaluates statements; `cut` names values that the proof treats as one."""

    def __init__(self, den: Denotation, values: Values, cut: Cut) -> None:
        self.den = den
        self.values = dict(values)
        self.cut = cut

    def define(self, statement: Statement) -> Tensor:
        """Denote a statement and remember its value under its name."""
        if statement.indices is None:
            tensor = self._value(statement.value, _Space((), (), {}))
        else:
            tensor = self._indexed(statement)
        tensor = self.cut(tensor)
        self.values[statement.target] = tensor
        return tensor

    def _indexed(self, statement: Statement) -> Tensor:
        """Evaluate over the indices of the left side, which may be digits: y[n,28*i + j]."""
        assert statement.indices is not None
        extents = dict(statement.bounds) | self._extents(statement.value, dict(statement.bounds))
        digits = [_digits(e) for e in statement.indices]
        names = tuple(name for group in digits for name, _ in group)
        missing = [name for name in names if name not in extents]
        if missing:
            raise Undenotable(f"an index without extent: {', '.join(missing)}")
        for group in digits:
            _require_radix(group, extents)
        space = _Space(names, tuple(extents[name] for name in names), {})
        tensor = self._value(statement.value, space)
        shape = tuple(prod(extents[name] for name, _ in group) for group in digits)
        return reshape(self.den, self._over(tensor, space), shape)

    def _over(self, tensor: Tensor, space: _Space) -> Tensor:
        """Return a value over the whole space (a constant knows no dimensions)."""
        return tensor if tensor.digits else Tensor(plain_digits(space.extents), tensor.poly)

    def _extents(self, e: Expression, known: Mapping[str, int]) -> dict[str, int]:
        """Return the extents of indices that some read uses alone."""
        found = dict(known)
        match e:
            case Read(name, indices) if indices is not None and name in self.values:
                shape = self.values[name].shape
                if len(shape) != len(indices):
                    raise Undenotable(
                        f"{name} has {len(shape)} dimensions, {len(indices)} are read"
                    )
                for index, extent in zip(indices, shape, strict=True):
                    if isinstance(index, Read) and index.indices is None:
                        found.setdefault(index.name, extent)
            case Apply(_, arguments):
                for argument in arguments:
                    found |= self._extents(argument, found)
            case Bind(_, indices, body):
                inner = {name: bound for name, bound in indices if bound is not None}
                bound = {name for name, _ in indices}
                deeper = self._extents(body, {**found, **inner})
                found |= {name: n for name, n in deeper.items() if name not in bound}
            case _:
                pass
        return found

    def _value(self, e: Expression, space: _Space) -> Tensor:
        match e:
            case Number(value):
                return self.den.splat(value, space.extents)
            case Read(name, None) if name in space.names or name in space.fixed:
                return self._coordinate(space.index(e), space)
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

    def _coordinate(self, e: Affine, space: _Space) -> Tensor:
        total = self.den.splat(e[0], space.extents)
        for v, k in e[1]:
            atom = self.den.atoms.intern(Coordinate(space.extents[v]), (space.extents[v],))
            place = sum(1 for n in space.extents[:v] if n != 1)
            poly: Poly = {} if space.extents[v] == 1 else _one_read(atom, place)
            total = self.den.pointwise.add(total, Tensor(plain_digits(space.extents), poly), k)
        return total

    def _read(self, tensor: Tensor, indices: Sequence[Expression], space: _Space) -> Tensor:
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
        shapes = [t.shape for t in x]
        whole = max(shapes, key=len)
        return [t if t.shape == whole else self.den.spread(t, whole) for t in x]

    def _power(self, base: Tensor, exponent: Tensor) -> Tensor:
        p, q = self.den.pointwise, constant_of(exponent.poly)
        if q is not None:
            return p.power(base, q)
        return p.exponential(p.multiply(exponent, p.log(base)))

    def _bound(self, e: Bind, space: _Space) -> Tensor:
        extents = self._extents(e.body, dict(zip(space.names, space.extents, strict=True)))
        sizes = [bound or extents.get(name, 0) for name, bound in e.indices]
        if 0 in sizes:
            raise Undenotable("a bound index without extent")
        names = tuple(name for name, _ in e.indices)
        if e.kind == "max":
            return self._maximum(e.body, names, sizes, space)
        inner = _Space((*space.names, *names), (*space.extents, *sizes), space.fixed)
        body = self._over(self._value(e.body, inner), inner)
        rank = len(space.extents)
        reads = tuple(variable(d) for d in range(rank + len(sizes)))
        total = self.den.linear(Multilinear(space.extents, tuple(sizes), (reads,)), body)
        count = prod(sizes) if e.kind == "mean" else 1
        return self.den.pointwise.scale(total, Fraction(1, count))

    def _maximum(
        self, body: Expression, names: Sequence[str], sizes: Sequence[int], space: _Space
    ) -> Tensor:
        """Fold max over the bound indices in row-major order; what is outside is -inf."""
        best: Tensor | None = None
        for place in product(*(range(size) for size in sizes)):
            fixed = {**space.fixed, **dict(zip(names, place, strict=True))}
            at = _Space(space.names, space.extents, fixed)
            candidate = self._bordered(body, at)
            best = candidate if best is None else self.den.pointwise.maximum(best, candidate)
            best = self.cut(best)
        assert best is not None  # sizes are at least 1
        return best

    def _bordered(self, body: Expression, space: _Space) -> Tensor:
        value = self._value(body, space)
        if not isinstance(body, Read):
            return value
        inside = self._value(Apply("inside", (body,)), space)
        outside = self.den.pointwise.negation(inside)
        if not outside.poly:
            return value
        border = self.den.spread(self.den.whole(Infinity(negative=True), ()), space.extents)
        return self.den.pointwise.add(value, self.den.pointwise.multiply(border, outside))


def _one_read(atom: int, place: int) -> Poly:
    return {(((atom, (variable(place),), 1),), ()): Fraction(1)}


def _digits(e: Expression) -> list[tuple[str, int]]:
    """Return (name, weight) of an index on the left side, most significant first."""
    match e:
        case Read(name, None):
            return [(name, 1)]
        case Apply("+", (a, b)):
            return sorted([*_digits(a), *_digits(b)], key=lambda digit: -digit[1])
        case Apply("*", (Number(weight), Read(name, None))):
            return [(name, int(weight))]
        case _:
            raise Undenotable(f"an index on the left side that is no number of digits: {e}")


def _require_radix(group: Sequence[tuple[str, int]], extents: Mapping[str, int]) -> None:
    weight = 1
    for name, stated in reversed(group):
        if stated != weight:
            raise Undenotable(f"the digit {name} weighs {stated}, {weight} was expected")
        weight *= extents[name]


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
