"""The derivative rules: for each operation, the cotangents of its operands.

Everything multilinear has one rule, `Multilinear.transpose`; the rest is the table POINTWISE.
Masks are locally constant: the rules hold off the set where a mask's argument is 0.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from gradwright.certify.kernel.algebra import Undenotable, product_of
from gradwright.certify.kernel.atoms import Pi, Relation
from gradwright.certify.kernel.denotation import Denotation, Step
from gradwright.certify.kernel.indexing import read, written
from gradwright.certify.kernel.multilinear import Application
from gradwright.certify.kernel.pointwise import Pointwise
from gradwright.certify.kernel.shaped import (
    MULTILINEAR,
    concatenation_forms,
    require_neutral,
    reshape,
    structural_form,
)
from gradwright.certify.kernel.tensor import Tensor
from gradwright.certify.kernel.windows import window_application
from gradwright.hlo import Operation

Cotangents = Sequence[Tensor | None]
"""One for each operand; None where it is 0."""


@dataclass(frozen=True, slots=True)
class Applied:
    """A pointwise operation with its operands x and result y, all of one shape."""

    p: Pointwise
    x: Sequence[Tensor]
    y: Tensor

    def power(self, operand: int, exponent: Fraction | int) -> Tensor:
        """Return an operand to a power."""
        return self.p.power(self.x[operand], exponent)

    def squares(self) -> Tensor:
        """Return 1 / (x0 ** 2 + x1 ** 2)."""
        return self.p.power(self.p.add(self.power(0, 2), self.power(1, 2)), -1)

    def quadratic(self, leading: int, exponent: Fraction | int) -> Tensor:
        """Return (1 + leading * x0 ** 2) ** exponent."""
        return self.p.power(self.p.plus(self.p.scale(self.power(0, 2), leading), 1), exponent)

    def shifted(self, constant: int, exponent: Fraction | int) -> Tensor:
        """Return (constant + x0) ** exponent."""
        return self.p.power(self.p.plus(self.x[0], constant), exponent)

    def bell(self, sign: int, pi_power: Fraction) -> Tensor:
        """Return exp(sign * x0 ** 2) * pi ** pi_power."""
        atom = self.p.algebra.atoms.intern(Pi(), ())
        pi = Tensor(self.x[0].digits, product_of((atom, (), pi_power)))
        return self.p.times(pi, self.p.exponential(self.p.scale(self.power(0, 2), sign)))

    def wins(self, relation: Relation) -> tuple[Tensor, Tensor]:
        """Return the masks of x0 and of x1 winning an extreme; the two add up to 1.

        At a tie a constant operand wins, else x0. Any rule for ties is right where operands that
        are equal on an open set have equal derivatives there; this one is what relu and a search
        for the first maximum compute.
        """
        first, second = self.x
        if second.poly.constant is None:
            loses = self.p.compare(relation, second, first)
            return self.p.negation(loses), loses
        wins = self.p.compare(relation, first, second)
        return wins, self.p.negation(wins)


Slopes = Callable[[Applied, Tensor], Cotangents]
_HALF = Fraction(1, 2)
_CONSTANT = (
    *("sign", "floor", "ceil", "round_nearest_even", "round_nearest_afz", "is_finite"),
    *("not", "and", "or", "xor", "compare"),
)
"""Operations that do not change off their jumps, or whose result is no float."""

POINTWISE: dict[str, Slopes] = {
    "stablehlo.add": lambda a, g: (g, g),
    "stablehlo.subtract": lambda a, g: (g, a.p.scale(g, -1)),
    "stablehlo.negate": lambda a, g: (a.p.scale(g, -1),),
    "stablehlo.multiply": lambda a, g: (a.p.times(g, a.x[1]), a.p.times(g, a.x[0])),
    "stablehlo.divide": lambda a, g: (
        a.p.times(g, a.power(1, -1)),
        a.p.scale(a.p.times(g, a.y, a.power(1, -1)), -1),
    ),
    "stablehlo.exponential": lambda a, g: (a.p.times(g, a.y),),
    "stablehlo.exponential_minus_one": lambda a, g: (a.p.times(g, a.p.exponential(a.x[0])),),
    "stablehlo.log": lambda a, g: (a.p.times(g, a.power(0, -1)),),
    "stablehlo.log_plus_one": lambda a, g: (a.p.times(g, a.shifted(1, -1)),),
    "stablehlo.tanh": lambda a, g: (a.p.times(g, a.p.negation(a.p.times(a.y, a.y))),),
    "stablehlo.logistic": lambda a, g: (a.p.times(g, a.y, a.p.negation(a.y)),),
    "stablehlo.sine": lambda a, g: (a.p.times(g, a.p.cosine(a.x[0])),),
    "stablehlo.cosine": lambda a, g: (a.p.scale(a.p.times(g, a.p.odd("sine", a.x[0])), -1),),
    "stablehlo.sqrt": lambda a, g: (a.p.scale(a.p.times(g, a.power(0, -_HALF)), _HALF),),
    "stablehlo.rsqrt": lambda a, g: (a.p.scale(a.p.times(g, a.power(0, -3 * _HALF)), -_HALF),),
    "stablehlo.abs": lambda a, g: (a.p.times(g, a.p.sign(a.x[0])),),
    "stablehlo.maximum": lambda a, g: [a.p.times(g, m) for m in a.wins(Relation.POSITIVE)],
    "stablehlo.minimum": lambda a, g: [a.p.times(g, m) for m in a.wins(Relation.NEGATIVE)],
    "stablehlo.tan": lambda a, g: (a.p.add(g, a.p.times(g, a.y, a.y)),),
    "stablehlo.cbrt": lambda a, g: (a.p.scale(a.p.times(g, a.p.power(a.y, -2)), Fraction(1, 3)),),
    "stablehlo.remainder": lambda a, g: (g, a.p.scale(a.p.times(g, a.p.quotient(*a.x)), -1)),
    "stablehlo.atan2": lambda a, g: (
        a.p.times(g, a.x[1], a.squares()),
        a.p.scale(a.p.times(g, a.x[0], a.squares()), -1),
    ),
    "stablehlo.reduce_precision": lambda a, g: (g,),
    **dict.fromkeys((f"stablehlo.{name}" for name in _CONSTANT), lambda a, g: [None] * len(a.x)),
    "chlo.sinh": lambda a, g: (a.p.times(g, a.p.hyperbolic(a.x[0], 1)),),
    "chlo.cosh": lambda a, g: (a.p.times(g, a.p.hyperbolic(a.x[0], -1)),),
    "chlo.asin": lambda a, g: (a.p.times(g, a.quadratic(-1, -_HALF)),),
    "chlo.acos": lambda a, g: (a.p.scale(a.p.times(g, a.quadratic(-1, -_HALF)), -1),),
    "chlo.atan": lambda a, g: (a.p.times(g, a.quadratic(1, -1)),),
    "chlo.asinh": lambda a, g: (a.p.times(g, a.quadratic(1, -_HALF)),),
    "chlo.acosh": lambda a, g: (a.p.times(g, a.shifted(-1, -_HALF), a.shifted(1, -_HALF)),),
    "chlo.atanh": lambda a, g: (a.p.times(g, a.quadratic(-1, -1)),),
    "chlo.erf": lambda a, g: (a.p.scale(a.p.times(g, a.bell(-1, -_HALF)), 2),),
    "chlo.erfc": lambda a, g: (a.p.scale(a.p.times(g, a.bell(-1, -_HALF)), -2),),
    "chlo.erf_inv": lambda a, g: (
        a.p.scale(a.p.times(g, Applied(a.p, (a.y,), a.y).bell(1, _HALF)), _HALF),
    ),
    "chlo.square": lambda a, g: (a.p.scale(a.p.times(g, a.x[0]), 2),),
}
"""Cotangents of the operands of a pointwise operation, given the cotangent g of its result."""


def pull(
    den: Denotation, operation: Operation, x: Sequence[Tensor], y: Sequence[Tensor], g: Tensor
) -> Cotangents:
    """Return the cotangent of each operand of a one-result operation; None where it is 0."""
    at, opcode = Step(den, operation, x), operation.opcode
    if opcode in POINTWISE:
        return POINTWISE[opcode](Applied(den.pointwise, x, y[0]), g)
    if opcode in _LINEAR:
        return pulled(at.den, _LINEAR[opcode](at), g, len(at.x))
    if opcode in _SPECIAL:
        return _SPECIAL[opcode](at, g)
    if opcode == "stablehlo.reduce":
        return _reduce(at, y[0], g)
    raise Undenotable(f"{opcode} has no derivative rule")


def pulled(den: Denotation, application: Application, g: Tensor, count: int) -> Cotangents:
    """Return the cotangents of `count` operands, of which a multilinear form reads some."""
    cotangents: list[Tensor | None] = [None] * count
    for operand, place in application.slots.items():
        form = application.form.transpose(place, application.operands[place].shape)
        others = (*application.operands[:place], g, *application.operands[place + 1 :])
        cotangents[operand] = den.linear(form, *others)
    return cotangents


def _structural(at: Step) -> Application:
    slots = {i: i for i in range(len(at.x))}
    return Application(structural_form(at.operation), tuple(at.x), slots)


_LINEAR: dict[str, Callable[[Step], Application]] = {
    **dict.fromkeys(MULTILINEAR, _structural),
    "stablehlo.reduce_window": window_application,
    "stablehlo.dynamic_slice": read,
    "stablehlo.gather": read,
}
"""Operations that are one multilinear form of some of their operands."""


def _write(at: Step, g: Tensor) -> Cotangents:
    placed, left = written(at)
    kept = g if left is None else at.p.multiply(g, left)
    return [kept, *pulled(at.den, placed, g, len(at.x))[1:]]


def _first_operand(at: Step, g: Tensor) -> Cotangents:
    """The form reads the first operand only; a second one (padding, start) must be constant."""
    if not all(map(at.den.is_number, at.x[1:])):
        raise Undenotable(f"{at.operation.opcode} with a computed second operand")
    if 0 in at.x[0].shape:
        return [None] * len(at.x)
    return pulled(
        at.den, Application(structural_form(at.operation), (at.x[0],), {0: 0}), g, len(at.x)
    )


def _reduce(at: Step, y: Tensor, g: Tensor) -> Cotangents:
    if not g.poly:
        return [None] * len(at.x)
    if at.den.combines_by(at.operation.regions[0], at.p.add):
        return _first_operand(at, g)
    for below, extreme in ((True, at.p.maximum), (False, at.p.minimum)):
        if at.den.combines_by(at.operation.regions[0], extreme):
            require_neutral(at.den, at.x[1], below=below)
            return [_extreme(at, y, g), None]
    raise Undenotable("a reduction that is no sum, maximum or minimum has no derivative rule")


def _extreme(at: Step, y: Tensor, g: Tensor) -> Tensor:
    """Return g [x = y] / (number of entries equal to y): off ties the one winner gets g."""
    form = structural_form(at.operation)
    spread = form.transpose(0, at.x[0].shape)
    wins = at.p.compare(Relation.ZERO, at.x[0], at.den.linear(spread, y))
    share = at.p.multiply(g, at.p.power(at.den.linear(form, wins), -1))
    return at.p.multiply(wins, at.den.linear(spread, share))


def _concatenate(at: Step, g: Tensor) -> Cotangents:
    return [
        None if 0 in x.shape else at.den.linear(form.transpose(0, x.shape), g)
        for form, x in zip(concatenation_forms(at.operation), at.x, strict=True)
    ]


def _select(at: Step, g: Tensor) -> Cotangents:
    on = at.p.multiply(at.spread()[0], g)
    return None, on, at.p.add(g, on, -1)


def _clamp(at: Step, g: Tensor) -> Cotangents:
    """min(max(x, low), high) by the two rules; the bounds must be constant."""
    low, x, high = at.spread()
    if any(bound.poly.constant is None for bound in (low, high)):
        raise Undenotable("a clamp between computed bounds")
    inside = at.p.mask(Relation.NEGATIVE, at.p.add(at.p.maximum(x, low), high, -1))
    above = at.p.mask(Relation.POSITIVE, at.p.add(x, low, -1))
    return None, at.p.multiply(g, at.p.multiply(inside, above)), None


def _power(at: Step, g: Tensor) -> Cotangents:
    p, (x, y) = at.p, at.x
    exponent = y.poly.constant
    if exponent is not None:
        return p.scale(p.multiply(g, p.power(x, exponent - 1)), exponent), None
    log = p.log(x)
    whole = p.exponential(p.multiply(y, log))
    slope = p.multiply(y, p.multiply(whole, p.power(x, -1)))
    return p.multiply(g, slope), p.multiply(g, p.multiply(whole, log))


def _convert(at: Step, g: Tensor) -> Cotangents:
    """A change between floats hands the cotangent on; integers and booleans have none."""
    values = (*at.operation.operands, *at.operation.results)
    return (g if all(value.type.element.is_float for value in values) else None,)


_SPECIAL: dict[str, Callable[[Step, Tensor], Cotangents]] = {
    "stablehlo.pad": _first_operand,
    "stablehlo.scatter": _write,
    "stablehlo.dynamic_update_slice": _write,
    "stablehlo.concatenate": _concatenate,
    "stablehlo.reshape": lambda at, g: [reshape(at.den, g, at.x[0].shape)],
    "stablehlo.select": _select,
    "stablehlo.clamp": _clamp,
    "stablehlo.power": _power,
    "stablehlo.convert": _convert,
    "stablehlo.optimization_barrier": lambda at, g: (g,),
}

RULED = frozenset((*POINTWISE, *_LINEAR, *_SPECIAL, "stablehlo.reduce"))
"""The operations that have a derivative rule."""
