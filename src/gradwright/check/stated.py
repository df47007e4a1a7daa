"""Denoting index notation: each statement is a tensor, made as the operation table makes them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from gradwright.check.affine import Affine, linear, variable
from gradwright.check.atoms import Constant, Dense, Uncheckable
from gradwright.check.extremes import picked
from gradwright.check.forms import Form, reduction
from gradwright.check.functions import Functions
from gradwright.check.guide import Way
from gradwright.check.notation import Apply, Bind, Expression, Read, Statement, index_names
from gradwright.check.operations import ELEMENTWISE, Meanings
from gradwright.check.poly import constant_of, number
from gradwright.check.tensor import Shape, Tensor, plain

UNROLLED_LIMIT = 64
"""Places of a sum or an extreme up to which it is written out."""


@dataclass(frozen=True, slots=True)
class Space:
    """The indices of an expression with their extents; those that are `fixed` have one value."""

    names: tuple[str, ...]
    extents: Shape
    fixed: Mapping[str, int]

    def with_(self, names: Sequence[str], extents: Sequence[int]) -> "Space":
        """Return a space with more indices."""
        return Space((*self.names, *names), (*self.extents, *extents), self.fixed)

    def at(self, names: Sequence[str], place: Sequence[int]) -> "Space":
        """Return the space where further indices have fixed values."""
        fixed = {**self.fixed, **dict(zip(names, place, strict=True))}
        return Space(self.names, self.extents, fixed)

    def index(self, e: Expression) -> Affine:
        """Return an index as an affine expression over the dimensions of the space."""
        match e:
            case Fraction(denominator=1):
                return int(e), ()
            case Read(name, None) if name in self.fixed:
                return self.fixed[name], ()
            case Read(name, None) if name in self.names:
                return variable(self.names.index(name))
            case Apply("+" | "-" as sign, (a, b)):
                return linear(((1, self.index(a)), (1 if sign == "+" else -1, self.index(b))))
            case Apply("*", (Fraction(denominator=1) as k, b)):
                return linear(((int(k), self.index(b)),))
            case _:
                raise Uncheckable(f"an index that is not affine: {e}")


@dataclass(slots=True)
class Stated:
    """Values by name; `cut` is asked after each that a statement defines or passes through."""

    m: Meanings
    values: dict[str, Tensor]
    cut: Callable[[Tensor], Tensor] = lambda tensor: tensor
    way: Way = Way.PLAIN

    @property
    def f(self) -> Functions:
        """Functions of tensors."""
        return self.m.f

    def value_of(self, statement: Statement, way: Way = Way.PLAIN) -> Tensor:
        """Return the value that a statement defines; Uncheckable where it makes no sense."""
        self.way = way
        if statement.target in self.values:
            raise Uncheckable(f"a second definition of {statement.target}")
        if statement.indices is None:
            return self.cut(self._value(statement.value, Space((), (), {})))
        bounds = {name: n for name, n in statement.bounds if n is not None}
        extents = self._extents(statement.value, bounds)
        groups = [_digits(e, extents) for e in statement.indices]
        names = tuple(name for group in groups for name in group)
        if len(set(names)) < len(names):
            raise Uncheckable(f"an index of {statement.target} twice on the left")
        space = Space(names, tuple(extents[name] for name in names), {})
        found = self._over(self._value(statement.value, space), space)
        digits = iter(found.digits)
        joined = tuple(tuple(n for _ in group for n in next(digits)) for group in groups)
        return self.cut(Tensor(joined, found.poly))

    def _extents(self, e: Expression, known: Mapping[str, int]) -> dict[str, int]:
        """Return the extents of indices: those known, and those that some read uses alone."""
        found = dict(known)
        match e:
            case Read(name, indices) if indices is not None:
                for index, n in zip(indices, self._indexed(name, indices).shape, strict=True):
                    if isinstance(index, Read) and index.indices is None:
                        found.setdefault(index.name, n)
            case Apply(_, arguments):
                for argument in arguments:
                    found |= self._extents(argument, found)
            case Bind(_, indices, body):
                bounds = {name: n for name, n in indices if n is not None}
                inner = self._extents(body, {**found, **bounds})
                found |= {name: n for name, n in inner.items() if name not in dict(indices)}
            case _:
                pass
        return found

    def _named(self, name: str) -> Tensor:
        if name not in self.values:
            raise Uncheckable(f"nothing is called {name}")
        return self.values[name]

    def _indexed(self, name: str, indices: Sequence[Expression]) -> Tensor:
        tensor = self._named(name)
        if len(tensor.shape) != len(indices):
            raise Uncheckable(f"{name} with {len(indices)} indices")
        return tensor

    def _over(self, tensor: Tensor, space: Space) -> Tensor:
        """Return a number at every index of a space."""
        return tensor if tensor.digits else Tensor(plain(space.extents), tensor.poly)

    def _value(self, e: Expression, space: Space) -> Tensor:
        match e:
            case Fraction():
                return Tensor(plain(space.extents), number(e))
            case Read(name, None) if name in space.names or name in space.fixed:
                return self._coordinate(space.index(e), space)
            case Read("pi", None):
                pi = self.f.algebra.atoms.number(Constant("pi"), ())
                return Tensor(plain(space.extents), {(((pi, (), 1),), ()): Fraction(1)})
            case Read(name, None):
                return self._named(name)
            case Read(name, indices):
                assert indices is not None  # by the case above
                return self._read(self._indexed(name, indices), indices, space)
            case Apply("inside", (Read(name, indices),)) if indices is not None:
                ones = Tensor(plain(self._indexed(name, indices).shape), number(1))
                return self._read(ones, indices, space)
            case Apply("{}", entries):
                numbers = tuple(n for n in entries if isinstance(n, Fraction))
                if len(numbers) < len(entries):
                    raise Uncheckable("a vector of other things than numbers")
                if len(set(numbers)) == 1:
                    return Tensor(plain((len(numbers),)), number(numbers[0]))
                return self.m.whole(Dense((len(numbers),), numbers), (len(numbers),))
            case Apply(function, arguments):
                return self._applied(function, [self._value(a, space) for a in arguments])
            case Bind():
                return self._bound(e, space)

    def _coordinate(self, e: Affine, space: Space) -> Tensor:
        total = Tensor(plain(space.extents), number(e[0]))
        for v, k in e[1]:
            total = self.f.add(total, self.f.index_along(space.extents, v), k)
        return total

    def _read(self, tensor: Tensor, indices: Sequence[Expression], space: Space) -> Tensor:
        reads = tuple(space.index(e) for e in indices)
        return self.m.contractions.apply(Form(space.extents, (), (reads,)), [tensor])

    def _applied(self, function: str, x: Sequence[Tensor]) -> Tensor:
        if len(x) == 1 and function in _UNARY:
            return ELEMENTWISE[_UNARY[function]](self.f, x)
        if len(x) != 2 or not (function in _BINARY or function == "^"):
            raise Uncheckable(f"no function {function} of {len(x)} arguments")
        whole = max((t.shape for t in x), key=len)
        if any(t.shape not in ((), whole) and constant_of(t.poly) is None for t in x):
            raise Uncheckable("an operation on values of two shapes")
        a, b = (self.m.spread(t, whole) for t in x)
        return self.f.raised(a, b) if function == "^" else _BINARY[function](self.f, a, b)

    def _bound(self, e: Bind, space: Space) -> Tensor:
        names = [name for name, _ in e.indices]
        outer = {*space.names, *space.fixed}
        bounds = {name: n for name, n in e.indices if n is not None}
        given = {**dict(zip(space.names, space.extents, strict=True)), **bounds}
        extents = self._extents(e.body, given)
        if outer & {*names} or len(set(names)) < len(names) or not all(map(extents.get, names)):
            raise Uncheckable(f"an index among {', '.join(names)} without extent, or one of others")
        sizes = tuple(extents[name] for name in names)
        if e.kind in ("max", "min"):
            return self._extreme(e, sizes, space)
        total = self._sum(e.body, names, sizes, space)
        return self.f.scale(total, Fraction(1, prod(sizes))) if e.kind == "mean" else total

    def _sum(self, body: Expression, names: Sequence[str], sizes: Shape, space: Space) -> Tensor:
        if self.way is Way.UNROLLED and prod(sizes) <= UNROLLED_LIMIT:
            total = Tensor(plain(space.extents), {})
            for at in self._places(names, sizes, space):
                total = self.f.add(total, self._over(self._value(body, at), at))
            return total
        inner = space.with_(names, sizes)
        factors = _factors(body)
        if factors is not None and self.way is not Way.EXPANDED:
            reads = tuple(tuple(map(inner.index, indices)) for _, indices in factors)
            operands = [self._indexed(name, indices) for name, indices in factors]
            return self.m.contractions.apply(Form(space.extents, sizes, reads), operands)
        value = self._over(self._value(body, inner), inner)
        return self.m.contractions.apply(reduction(space.extents, sizes), [value])

    def _places(self, names: Sequence[str], sizes: Shape, space: Space) -> Iterator[Space]:
        for place in product(*map(range, sizes)):
            yield space.at(names, place)

    def _extreme(self, e: Bind, sizes: Shape, space: Space) -> Tensor:
        """Return a maximum or minimum; what lies outside of a value that is read alone loses."""
        names = [name for name, _ in e.indices]
        sign = 1 if e.kind == "max" else -1
        body = e.body
        if self.way in (Way.UNROLLED, Way.SEPARATED) and prod(sizes) <= UNROLLED_LIMIT:
            if self.way is Way.SEPARATED and isinstance(body, Read):
                return self._separated(e, body, sizes, space)
            return self._folded(e, sizes, space)
        inner = space.with_(names, sizes)
        if isinstance(body, Read) and body.indices is not None:
            operand = self._indexed(body.name, body.indices)
            form = Form(space.extents, sizes, (tuple(map(inner.index, body.indices)),))
        else:
            operand = self._over(self._value(body, inner), inner)
            form = reduction(space.extents, sizes)
        return self.m.contractions.apply(*picked(self.f, form, operand, sign))

    def _folded(self, e: Bind, sizes: Shape, space: Space) -> Tensor:
        """Return an extreme place by place; what is outside is an infinity that loses."""
        combine = self.f.maximum if e.kind == "max" else self.f.minimum
        best: Tensor | None = None
        for at in self._places([name for name, _ in e.indices], sizes, space):
            value = self._over(self._value(e.body, at), at)
            if isinstance(e.body, Read) and e.body.indices is not None:
                inside = self._value(Apply("inside", (e.body,)), at)
                lost = self.m.infinity(-1 if e.kind == "max" else 1, at.extents)
                value = self.f.add(value, self.f.multiply(lost, self.f.complement(inside)))
            best = self.cut(value if best is None else combine(best, value))
        assert best is not None  # sizes are at least 1
        return best

    def _separated(self, e: Bind, body: Read, sizes: Shape, space: Space) -> Tensor:
        """Return an extreme along one index after the other, the last one first.

        Each index has to walk a dimension of its own, alone or together with one free index.
        """
        tensor, reads = self._named(body.name), list(body.indices or ())
        extents = dict(zip(space.names, space.extents, strict=True))
        for (name, _), size in reversed(list(zip(e.indices, sizes, strict=True))):
            places = [d for d, index in enumerate(reads) if name in index_names([index])]
            free = [n for d in places for n in index_names([reads[d]]) if n != name]
            if len(places) != 1 or len(free) != 1 or free[0] not in extents:
                raise Uncheckable(f"the index {name} walks no dimension of its own")
            [d], [outer] = places, free
            names = [f"{_STEP}{i}" for i in range(len(reads))]
            shape = list(tensor.shape)
            names[d], shape[d] = outer, extents[outer]
            at: list[Expression] = [Read(each) for each in names]
            at[d] = reads[d]
            step = Bind(e.kind, ((name, size),), Read(_STEP, tuple(at)))
            partial = Stated(self.m, {_STEP: tensor}, self.cut)
            tensor = partial._folded(step, (size,), Space(tuple(names), tuple(shape), space.fixed))
            reads[d] = Read(outer)
        return self._read(tensor, reads, space)


_STEP = "(step)"


def _digits(e: Expression, extents: Mapping[str, int]) -> list[str]:
    """Return the indices that a left index is composed of, most significant first."""
    weights: dict[str, int] = {}
    pending = [e]
    while pending:
        match pending.pop():
            case Read(name, None) if name not in weights:
                weights[name] = 1
            case Apply("*", (Fraction(denominator=1) as k, Read(name, None))) if (
                name not in weights
            ):
                weights[name] = int(k)
            case Apply("+", (a, b)):
                pending += [a, b]
            case other:
                raise Uncheckable(f"a left index that is not composed of digits: {other}")
    names = sorted(weights, key=lambda name: -weights[name])
    below = 1
    for name in reversed(names):
        if not extents.get(name) or weights[name] != below:
            raise Uncheckable(f"the index {name} has no extent, or another weight than {below}")
        below *= extents[name]
    return names


def _factors(e: Expression) -> list[tuple[str, tuple[Expression, ...]]] | None:
    """Return the reads that an expression is the product of, None for anything else."""
    match e:
        case Read(name, indices) if indices is not None:
            return [(name, indices)]
        case Apply("*", (a, b)):
            left, right = _factors(a), _factors(b)
            return None if left is None or right is None else [*left, *right]
        case _:
            return None


_UNARY = {
    "exp": "exponential",
    **{name: name for name in ("log", "sqrt", "tanh", "logistic", "erf", "abs")},
}
_BINARY: dict[str, Callable[[Functions, Tensor, Tensor], Tensor]] = {
    "+": lambda f, a, b: f.add(a, b),
    "-": lambda f, a, b: f.add(a, b, -1),
    "*": lambda f, a, b: f.multiply(a, b),
    "/": lambda f, a, b: f.multiply(a, f.power(b, -1)),
    "max": lambda f, a, b: f.maximum(a, b),
    "min": lambda f, a, b: f.minimum(a, b),
    "=": lambda f, a, b: f.compare("EQ", a, b),
    "<": lambda f, a, b: f.compare("LT", a, b),
    ">": lambda f, a, b: f.compare("GT", a, b),
}
