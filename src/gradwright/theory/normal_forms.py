"""Statements over whole dimensions as normal forms of the kernel, and cotangents by its rules."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gradwright.certify.kernel.algebra import Poly, Undenotable, number, product_of
from gradwright.certify.kernel.atoms import Pi
from gradwright.certify.kernel.derive import POINTWISE, Applied
from gradwright.certify.kernel.index import Affine, variable
from gradwright.certify.kernel.multilinear import Multilinear
from gradwright.certify.kernel.tensor import Tensor
from gradwright.certify.notation import Apply, Bind, Expression, Number, Read, Statement, Table
from gradwright.theory.evaluation import constant, extent_of, index_name
from gradwright.theory.functions import OPERATIONS, apply
from gradwright.theory.generic import Generic
from gradwright.theory.record import Law, Symbols
from gradwright.theory.regions import zero_in_every_region


@dataclass(frozen=True, slots=True)
class _Space:
    """Indices in order with their extents."""

    names: tuple[str, ...]
    extents: tuple[int, ...]

    def reads(self, indices: Sequence[Expression], shape: tuple[int, ...]) -> tuple[Affine, ...]:
        """Return the variables that are read; each runs over the whole dimension that it reads.

        An index that left the box, or left some of it out, would be a matter of the numbers.
        """
        names = [e.name if isinstance(e, Read) and e.indices is None else "" for e in indices]
        if not set(names) <= set(self.names):
            raise Undenotable("an index expression that is no plain index")
        places = [self.names.index(name) for name in names]
        if len(set(places)) < len(places):
            raise Undenotable("an index that is read twice")
        if tuple(self.extents[place] for place in places) != shape:
            raise Undenotable("an index that runs over another size than it reads")
        return tuple(variable(place) for place in places)


@dataclass(slots=True)
class Evaluation:
    """Values of statements, and cotangents by the kernel's rules."""

    den: Generic
    symbols: Symbols
    values: dict[str, Tensor] = field(default_factory=dict[str, Tensor])

    def argument(self, name: str) -> Tensor:
        """Return an input (or a value already defined)."""
        if name not in self.values:
            self.values[name] = self.den.argument(name, self._shape(name))
        return self.values[name]

    def _shape(self, name: str) -> tuple[int, ...]:
        if name not in self.symbols.boxes:
            raise Undenotable(f"no value is called {name}")
        return tuple(self._extent(e) for e in self.symbols.boxes[name])

    def _extent(self, e: Expression) -> int:
        if isinstance(e, Read) and e.name in self.den.numbers:
            return self.den.numbers[e.name]
        raise Undenotable(f"an extent that is not one size: {e}")

    def define(self, statement: Statement) -> Tensor:
        """Denote a statement and remember its value."""
        value = self._value(statement.value, self._space(statement))
        self.values[statement.target] = value
        return value

    def _space(self, statement: Statement) -> _Space:
        names = tuple(index_name(e) for e in statement.indices or ())
        return _Space(names, self._shape(statement.target))

    def _value(self, e: Expression, space: _Space) -> Tensor:
        match e:
            case Number(value):
                return self.den.splat(value, space.extents)
            case Read("pi", None):
                atom = self.den.atoms.intern(Pi(), ())
                return self._over(Tensor((), product_of((atom, (), 1))), space)
            case Read(name, None) if name in self.den.numbers:
                return self._over(self.den.size(name), space)
            case Read(name, indices):
                return self.den.linear(
                    self._reading(name, indices or (), space), self.argument(name)
                )
            case Apply(function, arguments):
                return self._apply(e, function, [self._value(a, space) for a in arguments])
            case Bind():
                inner, form, weight = self._binder(e, space)
                total = self.den.linear(form, self._value(e.body, inner))
                return self._weighted(total, weight)
            case Table():
                raise Undenotable("a vector of numbers")

    def _reading(self, name: str, indices: Sequence[Expression], space: _Space) -> Multilinear:
        return Multilinear(space.extents, (), (space.reads(indices, self._shape(name)),))

    def _over(self, scalar: Tensor, space: _Space) -> Tensor:
        return self.den.spread(scalar, space.extents)

    def _apply(self, e: Expression, function: str, x: Sequence[Tensor]) -> Tensor:
        p = self.den.pointwise
        if function == "^" and isinstance(e, Apply):
            return p.power(x[0], constant(e.arguments[1]))
        return apply(p, function, x)

    def _binder(self, e: Bind, space: _Space) -> tuple[_Space, Multilinear, Poly]:
        """Return the space of the body, the sum over it, and what multiplies the sum."""
        if e.kind not in ("sum", "mean") or any(bound is not None for _, bound in e.indices):
            raise Undenotable(f"{e.kind} over a number of entries")
        names = tuple(name for name, _ in e.indices)
        sizes = tuple(self._extent(extent_of(name, e.body, self.symbols.boxes)) for name in names)
        inner = _Space((*space.names, *names), (*space.extents, *sizes))
        reads = tuple(variable(d) for d in range(len(inner.extents)))
        weight = self.den.product_of(sizes, -1) if e.kind == "mean" else number(1)
        return inner, Multilinear(space.extents, sizes, (reads,)), weight

    def _weighted(self, t: Tensor, weight: Poly) -> Tensor:
        return Tensor(t.digits, self.den.algebra.multiply(t.poly, weight, {}))

    def cotangent(self, statements: Sequence[Statement], seed: Tensor, wrt: str) -> Tensor:
        """Return the cotangent of an input from that of the last statement's value."""
        found = {statements[-1].target: seed}
        for statement in reversed(statements):
            g = found.pop(statement.target, None)
            if g is None:
                continue
            for name, part in self._pull(statement.value, self._space(statement), g):
                known = found.get(name)
                found[name] = part if known is None else self.den.pointwise.add(known, part)
        if wrt not in found:
            return self.den.splat(0, self._shape(wrt))
        return found[wrt]

    def _pull(self, e: Expression, space: _Space, g: Tensor) -> Iterator[tuple[str, Tensor]]:
        """Yield the cotangents of the values that an expression reads."""
        match e:
            case Read(name, indices) if name in self.values and name in self.symbols.boxes:
                form = self._reading(name, indices or (), space)
                yield name, self.den.linear(form.transpose(0, self._shape(name)), g)
            case Apply("^", (base, exponent)):
                q = constant(exponent)
                slope = self.den.pointwise.power(self._value(base, space), q - 1)
                product = self.den.pointwise.multiply(g, slope)
                yield from self._pull(base, space, self.den.pointwise.scale(product, q))
            case Apply(function, arguments) if function in OPERATIONS:
                x = [self._value(a, space) for a in arguments]
                applied = Applied(self.den.pointwise, x, self._value(e, space))
                parts = POINTWISE[OPERATIONS[function]](applied, g)
                for argument, part in zip(arguments, parts, strict=True):
                    if part is not None and part.poly:
                        yield from self._pull(argument, space, part)
            case Bind():
                inner, form, weight = self._binder(e, space)
                spread = self.den.linear(form.transpose(0, inner.extents), g)
                yield from self._pull(e.body, inner, self._weighted(spread, weight))
            case Apply(function, _) if function not in ("=", "<", ">"):
                raise Undenotable(f"{function} has no derivative rule")
            case _:
                return


def compare(
    den: Generic, symbols: Symbols, laws: Sequence[Law], left: Tensor, right: Tensor
) -> bool:
    """Return whether two values are proved equal, for inputs that obey the laws."""
    den.require_whole_dimensions(left, right)
    difference = left.poly - right.poly
    for law in laws:
        whole = Evaluation(den, symbols).argument(law.value)
        form = Multilinear(whole.shape[:-1], whole.shape[-1:], (_identity(whole),))
        total = den.linear(form, whole).poly
        (((atom, _, _),), _) = next(iter(total))
        difference = _without(difference, atom)
    return zero_in_every_region(den.atoms, difference)


def _identity(t: Tensor) -> tuple[Affine, ...]:
    return tuple(variable(d) for d in range(len(t.shape)))


def _without(p: Poly, one: int) -> Poly:
    """Return p where an atom is 1."""
    total = Poly()
    for (factors, guards), c in p.items():
        left = tuple(factor for factor in factors if factor[0] != one)
        total.gather((left, guards), c)
    return total
