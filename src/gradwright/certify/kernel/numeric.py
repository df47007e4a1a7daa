"""Denotations of elementwise operations."""

from collections.abc import Sequence
from fractions import Fraction

from gradwright.certify.kernel.algebra import Poly, Undenotable
from gradwright.certify.kernel.atoms import Relation
from gradwright.certify.kernel.denotation import Rule, Step
from gradwright.certify.kernel.infinite import parts
from gradwright.certify.kernel.tensor import Tensor
from gradwright.hlo import ElementType
from gradwright.hlo import attributes as attr


def _compare(at: Step) -> Tensor:
    assert isinstance(at.operation.attributes, attr.Compare)
    if at.operation.attributes.compare_type is attr.CompareType.TOTALORDER:
        raise Undenotable("a comparison by total order")
    relation, negated = RELATIONS[at.operation.attributes.direction]
    mask = at.p.compare(relation, *at.x)
    return at.p.complement(mask) if negated else mask


RELATIONS = {
    attr.Direction.GT: (Relation.POSITIVE, False),
    attr.Direction.LE: (Relation.POSITIVE, True),
    attr.Direction.LT: (Relation.NEGATIVE, False),
    attr.Direction.GE: (Relation.NEGATIVE, True),
    attr.Direction.EQ: (Relation.ZERO, False),
    attr.Direction.NE: (Relation.ZERO, True),
}
"""Which relation each direction tests, or tests the opposite of."""


def _clamp(at: Step) -> Tensor:
    low, x, high = at.spread()
    return at.p.minimum(at.p.maximum(x, low), high)


def _by_kind(of_booleans: Rule | None = None, of_numbers: Rule | None = None) -> Rule:
    """Return a rule by the kind of the result, refused where there is none for that kind.

    Sums, products and extremes of booleans are `or` and `and`; integers may not overflow (scope).
    """

    def chosen(at: Step) -> Tensor | Sequence[Tensor]:
        is_boolean = at.operation.results[0].type.element is ElementType.I1
        rule = of_booleans if is_boolean else of_numbers
        if rule is None:
            kind = "booleans" if is_boolean else "integers, bit by bit"
            raise Undenotable(f"{at.operation.opcode} of {kind}")
        return rule(at)

    return chosen


def _and(at: Step) -> Tensor:
    return at.p.multiply(*at.x)


def _or(at: Step) -> Tensor:
    return at.p.either(*at.x)


def _exclusive_or(at: Step) -> Tensor:
    return at.p.add(at.p.either(*at.x), at.p.multiply(*at.x), -1)


def _divide(at: Step) -> Tensor:
    if not at.operation.results[0].type.element.is_float:
        return at.p.quotient(*at.x)
    return at.p.multiply(at.x[0], at.p.power(at.x[1], -1))


def _power(at: Step) -> Tensor:
    """Powers x ** c for a constant c, else x ** y = exp(y ln x) on x > 0."""
    x, y = at.x
    exponent = y.poly.constant
    if not at.operation.results[0].type.element.is_float and (exponent is None or exponent < 0):
        raise Undenotable("a power of integers whose exponent is computed or negative")
    if exponent is not None:
        return at.p.power(x, exponent)
    return at.p.exponential(at.p.multiply(y, at.p.log(x)))


def _convert(at: Step) -> Tensor:
    """Return the number in another element type: a boolean asks whether it is 0, an integer cuts.

    Rounding to fewer bits is read as the identity, and listed.
    """
    source, target = (v.type.element for v in (*at.operation.operands, *at.operation.results))
    if not target.is_float:
        at.den.require_finite(at.x[0])
    if target is ElementType.I1 and source is not ElementType.I1:
        return at.p.negation(at.p.mask(Relation.ZERO, at.x[0]))
    if source.is_float and not target.is_float:
        return at.p.truncated(at.x[0])
    wider = source.dtype.itemsize < target.dtype.itemsize
    if source.is_float and source is not target and not wider:
        at.den.conditions.rounded.add(at.line(f"{source.value} to {target.value}"))
    return at.x[0]


def _reduce_precision(at: Step) -> Tensor:
    a = at.operation.attributes
    assert isinstance(a, attr.ReducePrecision)
    at.den.conditions.rounded.add(at.line(f"to e{a.exponent_bits}m{a.mantissa_bits}"))
    return at.x[0]


def _all_reduce(at: Step) -> Tensor:
    """A sum over replicas is a linear function of which nothing else is known."""
    a = at.operation.attributes
    assert isinstance(a, attr.AllReduce)
    if len(at.x) != 1 or not at.den.combines_by(at.operation.regions[0], at.p.add):
        raise Undenotable("an all_reduce by a region that is no sum")
    at.den.conditions.replicas.add(max(map(len, a.replica_groups), default=1))
    total = at.den.splat(0, at.shape)
    for monomial, c in at.x[0].poly.items():
        term = Tensor(at.x[0].digits, Poly({monomial: Fraction(1)}))
        image = at.den.opaque("all_reduce", [term], a.replica_groups, at.shape)
        total = at.p.add(total, image, c)
    return total


def _odd(opcode: str) -> Rule:
    return lambda at: at.p.odd(opcode.partition(".")[2], at.x[0])


_ODD = (
    *(f"stablehlo.{name}" for name in ("sine", "tan", "cbrt")),
    *(f"stablehlo.round_nearest_{ties}" for ties in ("even", "afz")),
    *(f"chlo.{name}" for name in ("asin", "atan", "asinh", "atanh", "erf", "erf_inv")),
)
"""Functions of which the kernel knows that they are odd, and the derivative."""

NUMERIC: dict[str, Rule] = {
    "stablehlo.add": _by_kind(_or, lambda at: at.p.sum(*at.x)),
    "stablehlo.subtract": _by_kind(of_numbers=lambda at: at.p.sum(at.x[0], at.p.opposite(at.x[1]))),
    "stablehlo.multiply": _by_kind(_and, lambda at: at.p.multiply(*at.x)),
    "stablehlo.maximum": _by_kind(_or, lambda at: at.p.maximum(*at.x)),
    "stablehlo.minimum": _by_kind(_and, lambda at: at.p.minimum(*at.x)),
    "stablehlo.divide": _by_kind(of_numbers=_divide),
    "stablehlo.remainder": _by_kind(of_numbers=lambda at: at.p.remainder(*at.x)),
    "stablehlo.atan2": lambda at: at.den.opaque("atan2", at.x, None, at.shape),
    "stablehlo.power": _by_kind(of_numbers=_power),
    "stablehlo.negate": lambda at: at.p.scale(at.x[0], -1),
    "stablehlo.sqrt": lambda at: at.p.power(at.x[0], Fraction(1, 2)),
    "stablehlo.rsqrt": lambda at: at.p.power(at.x[0], Fraction(-1, 2)),
    "stablehlo.exponential": lambda at: at.p.exponential(at.x[0]),
    "stablehlo.exponential_minus_one": lambda at: at.p.plus(at.p.exponential(at.x[0]), -1),
    "stablehlo.log": lambda at: at.p.log(at.x[0]),
    "stablehlo.log_plus_one": lambda at: at.p.log(at.p.plus(at.x[0], 1)),
    "stablehlo.logistic": lambda at: at.p.logistic(at.x[0]),
    "stablehlo.tanh": lambda at: at.p.tanh(at.x[0]),
    "stablehlo.cosine": lambda at: at.p.cosine(at.x[0]),
    "stablehlo.floor": lambda at: at.p.floor(at.x[0]),
    "stablehlo.ceil": lambda at: at.p.ceiling(at.x[0]),
    "stablehlo.abs": lambda at: at.p.absolute(at.x[0]),
    "stablehlo.sign": lambda at: at.p.sign(at.x[0]),
    "chlo.sinh": lambda at: at.p.hyperbolic(at.x[0], -1),
    "chlo.cosh": lambda at: at.p.hyperbolic(at.x[0], 1),
    "chlo.acos": lambda at: at.p.function("acos", at.x[0]),
    "chlo.acosh": lambda at: at.p.function("acosh", at.x[0]),
    "chlo.erfc": lambda at: at.p.negation(at.p.odd("erf", at.x[0])),
    "chlo.square": lambda at: at.p.multiply(at.x[0], at.x[0]),
    **{opcode: _odd(opcode) for opcode in _ODD},
}

LOGICAL: dict[str, Rule] = {
    "stablehlo.compare": _compare,
    "stablehlo.select": lambda at: at.p.select(*at.spread()),
    "stablehlo.clamp": _clamp,
    "stablehlo.and": _by_kind(_and),
    "stablehlo.or": _by_kind(_or),
    "stablehlo.xor": _by_kind(_exclusive_or),
    "stablehlo.not": _by_kind(lambda at: at.p.complement(at.x[0])),
    "stablehlo.is_finite": lambda at: parts(at.p, at.x[0]).where_finite,
    "stablehlo.reduce_precision": _reduce_precision,
    "stablehlo.all_reduce": _all_reduce,
    "stablehlo.convert": _convert,
    "stablehlo.optimization_barrier": lambda at: at.x,
}
