"""The derivative rules: for each operation, the cotangents of its operands.

Everything multilinear has one rule, `Multilinear.transpose`; the rest is the table POINTWISE.
Masks are locally constant: the rules hold off the set where a mask's argument is 0.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from gradwright.certify.kernel.algebra import Undenotable, constant_of, number
from gradwright.certify.kernel.atoms import Pi, Relation
from gradwright.certify.kernel.denotation import Denotation
from gradwright.certify.kernel.indexing import (
    gather_application,
    scatter_application,
    scatter_remainder,
    slice_application,
    update_applications,
)
from gradwright.certify.kernel.multilinear import Application
from gradwright.certify.kernel.pointwise import Pointwise
from gradwright.certify.kernel.shaped import (
    concatenation_forms,
    require_neutral,
    reshape,
    structural_form,
)
from gradwright.certify.kernel.tensor import Tensor
from gradwright.certify.kernel.windows import window_application
from gradwright.hlo import Operation


@dataclass(frozen=True, slots=True)
class Applied:
    """A pointwise operation with its operands x and result y, all of one shape."""

    p: Pointwise
    x: Sequence[Tensor]
    y: Tensor

    def times(self, *factors: Tensor) -> Tensor:
        """Return a product."""
        product = factors[0]
        for factor in factors[1:]:
            product = self.p.multiply(product, factor)
        return product

    def power(self, operand: int, exponent: Fraction | int) -> Tensor:
        """Return an operand to a power."""
        return self.p.power(self.x[operand], exponent)

    def one_minus(self, t: Tensor) -> Tensor:
        """Return 1 - t."""
        return self.p.negation(t)

    def squares(self) -> Tensor:
        """Return x0 ** 2 + x1 ** 2."""
        return self.p.add(self.power(0, 2), self.power(1, 2))

    def quadratic(self, constant: int, leading: int, exponent: Fraction | int) -> Tensor:
        """Return (constant + leading * x0 ** 2) ** exponent."""
        one = Tensor(self.x[0].digits, number(constant))
        return self.p.power(self.p.add(one, self.power(0, 2), leading), exponent)

    def shifted(self, constant: int, exponent: Fraction | int) -> Tensor:
        """Return (constant + x0) ** exponent."""
        moved = self.p.add(self.x[0], Tensor(self.x[0].digits, number(constant)))
        return self.p.power(moved, exponent)

    def bell(self, sign: int, pi_power: Fraction) -> Tensor:
        """Return exp(sign * x0 ** 2) * pi ** pi_power."""
        atom = self.p.algebra.atoms.intern(Pi(), ())
        pi = Tensor(self.x[0].digits, {(((atom, (), pi_power),), ()): Fraction(1)})
        return self.times(pi, self.p.exponential(self.p.scale(self.power(0, 2), sign)))

    def wins(self, relation: Relation) -> tuple[Tensor, Tensor]:
        """Return the masks of x0 and of x1 winning an extreme; the two add up to 1.

        At a tie a constant operand wins, else x0. Any rule for ties is right where operands that
        are equal on an open set have equal derivatives there; this one is what relu and a search
        for the first maximum compute.
        """
        first, second = self.x
        if constant_of(second.poly) is None:
            loses = self.p.compare(relation, second, first)
            return self.one_minus(loses), loses
        wins = self.p.compare(relation, first, second)
        return wins, self.one_minus(wins)


Slopes = Callable[[Applied, Tensor], Sequence[Tensor | None]]
_HALF = Fraction(1, 2)

POINTWISE: dict[str, Slopes] = {
    "stablehlo.add": lambda a, g: (g, g),
    "stablehlo.subtract": lambda a, g: (g, a.p.scale(g, -1)),
    "stablehlo.negate": lambda a, g: (a.p.scale(g, -1),),
    "stablehlo.multiply": lambda a, g: (a.times(g, a.x[1]), a.times(g, a.x[0])),
    "stablehlo.divide": lambda a, g: (
        a.times(g, a.power(1, -1)),
        a.p.scale(a.times(g, a.y, a.power(1, -1)), -1),
    ),
    "stablehlo.exponential": lambda a, g: (a.times(g, a.y),),
    "stablehlo.exponential_minus_one": lambda a, g: (a.times(g, a.p.exponential(a.x[0])),),
    "stablehlo.log": lambda a, g: (a.times(g, a.power(0, -1)),),
    "stablehlo.log_plus_one": lambda a, g: (
        a.times(g, a.p.power(a.p.add(a.x[0], Tensor(a.x[0].digits, number(1))), -1)),
    ),
    "stablehlo.tanh": lambda a, g: (a.times(g, a.one_minus(a.times(a.y, a.y))),),
    "stablehlo.logistic": lambda a, g: (a.times(g, a.y, a.one_minus(a.y)),),
    "stablehlo.sine": lambda a, g: (a.times(g, a.p.even("cosine", a.x[0])),),
    "stablehlo.cosine": lambda a, g: (a.p.scale(a.times(g, a.p.odd("sine", a.x[0])), -1),),
    "stablehlo.sqrt": lambda a, g: (a.p.scale(a.times(g, a.power(0, -_HALF)), _HALF),),
    "stablehlo.rsqrt": lambda a, g: (a.p.scale(a.times(g, a.power(0, -3 * _HALF)), -_HALF),),
    "stablehlo.abs": lambda a, g: (a.times(g, a.p.sign(a.x[0])),),
    "stablehlo.sign": lambda a, g: (None,),
    "stablehlo.maximum": lambda a, g: [a.times(g, m) for m in a.wins(Relation.POSITIVE)],
    "stablehlo.minimum": lambda a, g: [a.times(g, m) for m in a.wins(Relation.NEGATIVE)],
    "stablehlo.tan": lambda a, g: (a.p.add(g, a.times(g, a.y, a.y)),),
    "stablehlo.cbrt": lambda a, g: (a.p.scale(a.times(g, a.p.power(a.y, -2)), Fraction(1, 3)),),
    "stablehlo.floor": lambda a, g: (None,),
    "stablehlo.ceil": lambda a, g: (None,),
    "stablehlo.round_nearest_even": lambda a, g: (None,),
    "stablehlo.round_nearest_afz": lambda a, g: (None,),
    "stablehlo.is_finite": lambda a, g: (None,),
    "stablehlo.not": lambda a, g: (None,),
    "stablehlo.and": lambda a, g: (None, None),
    "stablehlo.or": lambda a, g: (None, None),
    "stablehlo.xor": lambda a, g: (None, None),
    "stablehlo.remainder": lambda a, g: (
        g,
        a.p.scale(a.times(g, a.p.quotient(a.x[0], a.x[1])), -1),
    ),
    "stablehlo.atan2": lambda a, g: (
        a.times(g, a.x[1], a.p.power(a.squares(), -1)),
        a.p.scale(a.times(g, a.x[0], a.p.power(a.squares(), -1)), -1),
    ),
    "stablehlo.reduce_precision": lambda a, g: (g,),
    "stablehlo.compare": lambda a, g: (None, None),
    "chlo.sinh": lambda a, g: (a.times(g, a.p.hyperbolic(a.x[0], 1)),),
    "chlo.cosh": lambda a, g: (a.times(g, a.p.hyperbolic(a.x[0], -1)),),
    "chlo.asin": lambda a, g: (a.times(g, a.quadratic(1, -1, -_HALF)),),
    "chlo.acos": lambda a, g: (a.p.scale(a.times(g, a.quadratic(1, -1, -_HALF)), -1),),
    "chlo.atan": lambda a, g: (a.times(g, a.quadratic(1, 1, -1)),),
    "chlo.asinh": lambda a, g: (a.times(g, a.quadratic(1, 1, -_HALF)),),
    "chlo.acosh": lambda a, g: (a.times(g, a.shifted(-1, -_HALF), a.shifted(1, -_HALF)),),
    "chlo.atanh": lambda a, g: (a.times(g, a.quadratic(1, -1, -1)),),
    "chlo.erf": lambda a, g: (a.p.scale(a.times(g, a.bell(-1, -_HALF)), 2),),
    "chlo.erfc": lambda a, g: (a.p.scale(a.times(g, a.bell(-1, -_HALF)), -2),),
    "chlo.erf_inv": lambda a, g: (
        a.p.scale(a.times(g, Applied(a.p, (a.y,), a.y).bell(1, _HALF)), _HALF),
    ),
    "chlo.square": lambda a, g: (a.p.scale(a.times(g, a.x[0]), 2),),
}
"""Cotangents of the operands of a pointwise operation, given the cotangent g of its result."""


def pull(
    den: Denotation, operation: Operation, x: Sequence[Tensor], y: Sequence[Tensor], g: Tensor
) -> Sequence[Tensor | None]:
    """Return the cotangent of each operand of a one-result operation; None where it is 0."""
    slopes = POINTWISE.get(operation.opcode)
    if slopes is not None:
        return slopes(Applied(den.pointwise, x, y[0]), g)
    special = _SPECIAL.get(operation.opcode)
    if operation.opcode == "stablehlo.reduce":
        return _reduce(den, operation, x, y[0], g)
    if special is None:
        raise Undenotable(f"{operation.opcode} has no derivative rule")
    return special(den, operation, x, g)


def _multilinear(
    den: Denotation, operation: Operation, x: Sequence[Tensor], g: Tensor
) -> Sequence[Tensor | None]:
    slots = {i: i for i in range(len(x))}
    return den.pulled(Application(structural_form(operation), tuple(x), slots), g, len(x))


def _applied(build: Callable[[Denotation, Operation, Sequence[Tensor]], Application]) -> "Special":
    """Return the rule of an operation that is one multilinear form of some of its operands."""

    def rule(
        den: Denotation, operation: Operation, x: Sequence[Tensor], g: Tensor
    ) -> Sequence[Tensor | None]:
        return den.pulled(build(den, operation, x), g, len(x))

    return rule


def _scatter(
    den: Denotation, operation: Operation, x: Sequence[Tensor], g: Tensor
) -> Sequence[Tensor | None]:
    left = scatter_remainder(den, operation, x)
    kept = g if left is None else den.pointwise.multiply(g, left)
    return [kept, *den.pulled(scatter_application(den, operation, x), g, len(x))[1:]]


def _update(
    den: Denotation, operation: Operation, x: Sequence[Tensor], g: Tensor
) -> Sequence[Tensor | None]:
    placed, left = update_applications(den, operation, x)
    return [den.pointwise.multiply(g, left), *den.pulled(placed, g, len(x))[1:]]


def _first_operand(
    den: Denotation, operation: Operation, x: Sequence[Tensor], g: Tensor
) -> Sequence[Tensor | None]:
    """The form reads the first operand only; a second one (padding, start) must be constant."""
    if not all(den.is_number(other) for other in x[1:]):
        raise Undenotable(f"{operation.opcode} with a computed second operand")
    if 0 in x[0].shape:
        return [None for _ in x]
    form = structural_form(operation).transpose(0, x[0].shape)
    return (den.linear(form, g), *(None for _ in x[1:]))


def _reduce(
    den: Denotation, operation: Operation, x: Sequence[Tensor], y: Tensor, g: Tensor
) -> Sequence[Tensor | None]:
    if not g.poly:
        return [None for _ in x]
    if den.combines_by(operation.regions[0], den.pointwise.add):
        return _first_operand(den, operation, x, g)
    for below, extreme in ((True, den.pointwise.maximum), (False, den.pointwise.minimum)):
        if den.combines_by(operation.regions[0], extreme):
            require_neutral(den, x[1], below)
            return [_extreme(den, operation, x[0], y, g), None]
    raise Undenotable("a reduction that is no sum, maximum or minimum has no derivative rule")


def _extreme(den: Denotation, operation: Operation, x: Tensor, y: Tensor, g: Tensor) -> Tensor:
    """Return g [x = y] / (number of entries equal to y): off ties the one winner gets g."""
    p = den.pointwise
    form = structural_form(operation)
    spread = form.transpose(0, x.shape)
    wins = p.compare(Relation.ZERO, x, den.linear(spread, y))
    share = p.multiply(g, p.power(den.linear(form, wins), -1))
    return p.multiply(wins, den.linear(spread, share))


def _concatenate(
    den: Denotation, operation: Operation, x: Sequence[Tensor], g: Tensor
) -> Sequence[Tensor | None]:
    parts = zip(concatenation_forms(operation), x, strict=True)
    return [
        None if 0 in operand.shape else den.linear(form.transpose(0, operand.shape), g)
        for form, operand in parts
    ]


def _reshape(
    den: Denotation, operation: Operation, x: Sequence[Tensor], g: Tensor
) -> Sequence[Tensor | None]:
    del operation
    return [reshape(den, g, x[0].shape)]


def _select(
    den: Denotation, operation: Operation, x: Sequence[Tensor], g: Tensor
) -> Sequence[Tensor | None]:
    m = x[0] if x[0].shape == g.shape else den.spread(x[0], g.shape)
    on = den.pointwise.multiply(m, g)
    return None, on, den.pointwise.add(g, on, -1)


def _clamp(
    den: Denotation, operation: Operation, x: Sequence[Tensor], g: Tensor
) -> Sequence[Tensor | None]:
    """min(max(x, low), high) by the two rules; the bounds must be constant."""
    p = den.pointwise
    if any(constant_of(bound.poly) is None for bound in (x[0], x[2])):
        raise Undenotable("a clamp between computed bounds")
    low, high = (den.spread(bound, g.shape) for bound in (x[0], x[2]))
    raised = p.maximum(x[1], low)
    inside = p.mask(Relation.NEGATIVE, p.add(raised, high, -1))
    above = p.mask(Relation.POSITIVE, p.add(x[1], low, -1))
    return None, p.multiply(g, p.multiply(inside, above)), None


def _power(
    den: Denotation, operation: Operation, x: Sequence[Tensor], g: Tensor
) -> Sequence[Tensor | None]:
    p = den.pointwise
    exponent = constant_of(x[1].poly)
    if exponent is not None:
        return p.scale(p.multiply(g, p.power(x[0], exponent - 1)), exponent), None
    log = p.log(x[0])
    y = p.exponential(p.multiply(x[1], log))
    slope = p.multiply(x[1], p.multiply(y, p.power(x[0], -1)))
    return p.multiply(g, slope), p.multiply(g, p.multiply(y, log))


def _convert(
    den: Denotation, operation: Operation, x: Sequence[Tensor], g: Tensor
) -> Sequence[Tensor | None]:
    """A change between floats hands the cotangent on; integers and booleans have none."""
    del den, x
    types = operation.operands[0].type.element, operation.results[0].type.element
    return (g if all(t.is_float for t in types) else None,)


def _identity(
    den: Denotation, operation: Operation, x: Sequence[Tensor], g: Tensor
) -> Sequence[Tensor | None]:
    del den, operation, x
    return (g,)


Special = Callable[[Denotation, Operation, Sequence[Tensor], Tensor], Sequence[Tensor | None]]

_SPECIAL: dict[str, Special] = {
    "stablehlo.transpose": _multilinear,
    "stablehlo.broadcast_in_dim": _multilinear,
    "stablehlo.slice": _multilinear,
    "stablehlo.reverse": _multilinear,
    "stablehlo.dot_general": _multilinear,
    "stablehlo.convolution": _multilinear,
    "stablehlo.pad": _first_operand,
    "stablehlo.reduce_window": _applied(window_application),
    "stablehlo.dynamic_slice": _applied(slice_application),
    "stablehlo.gather": _applied(gather_application),
    "stablehlo.scatter": _scatter,
    "stablehlo.dynamic_update_slice": _update,
    "stablehlo.concatenate": _concatenate,
    "stablehlo.reshape": _reshape,
    "stablehlo.select": _select,
    "stablehlo.clamp": _clamp,
    "stablehlo.power": _power,
    "stablehlo.convert": _convert,
    "stablehlo.optimization_barrier": _identity,
}

RULED = frozenset((*POINTWISE, *_SPECIAL, "stablehlo.reduce"))
"""The operations that have a derivative rule."""
