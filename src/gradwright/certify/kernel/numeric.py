"""Denotations of elementwise operations."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from gradwright.certify.kernel.algebra import Undenotable, constant_of, number
from gradwright.certify.kernel.atoms import Relation
from gradwright.certify.kernel.denotation import Denotation, Rule
from gradwright.certify.kernel.infinite import parts
from gradwright.certify.kernel.pointwise import Pointwise
from gradwright.certify.kernel.tensor import Tensor
from gradwright.hlo import ElementType, Operation
from gradwright.hlo import attributes as attr


def _compare(den: Denotation, operation: Operation, operands: Sequence[Tensor]) -> Sequence[Tensor]:
    assert isinstance(operation.attributes, attr.Compare)
    if operation.attributes.compare_type is attr.CompareType.TOTALORDER:
        raise Undenotable("a comparison by total order")
    p = den.pointwise
    relation, negated = RELATIONS[operation.attributes.direction]
    mask = p.compare(relation, operands[0], operands[1])
    return [p.complement(mask) if negated else mask]


RELATIONS = {
    attr.Direction.GT: (Relation.POSITIVE, False),
    attr.Direction.LE: (Relation.POSITIVE, True),
    attr.Direction.LT: (Relation.NEGATIVE, False),
    attr.Direction.GE: (Relation.NEGATIVE, True),
    attr.Direction.EQ: (Relation.ZERO, False),
    attr.Direction.NE: (Relation.ZERO, True),
}
"""Which relation each direction tests, or tests the opposite of."""


def _select(den: Denotation, operation: Operation, operands: Sequence[Tensor]) -> Sequence[Tensor]:
    predicate, on, off = operands
    if predicate.shape != on.shape:
        predicate = den.spread(predicate, operation.results[0].shape)
    return [den.pointwise.select(predicate, on, off)]


def _clamp(den: Denotation, operation: Operation, operands: Sequence[Tensor]) -> Sequence[Tensor]:
    shape = operation.results[0].shape
    low, x, high = (t if t.shape == shape else den.spread(t, shape) for t in operands)
    return [den.pointwise.minimum(den.pointwise.maximum(x, low), high)]


def _logical(
    combine: Callable[[Pointwise, Tensor, Tensor], Tensor],
) -> Rule:
    def rule(den: Denotation, operation: Operation, operands: Sequence[Tensor]) -> Sequence[Tensor]:
        _require_boolean(operation)
        return [combine(den.pointwise, *operands)]

    return rule


def _not(den: Denotation, operation: Operation, operands: Sequence[Tensor]) -> Sequence[Tensor]:
    _require_boolean(operation)
    return [den.pointwise.complement(operands[0])]


def _require_boolean(operation: Operation) -> None:
    if operation.results[0].type.element is not ElementType.I1:
        raise Undenotable(f"{operation.opcode} of integers, bit by bit")


def _arithmetic(combine: Callable[[Pointwise, Tensor, Tensor], Tensor]) -> Rule:
    """Return the rule of a binary operation on numbers; integers may not overflow (scope)."""

    def rule(den: Denotation, operation: Operation, operands: Sequence[Tensor]) -> Sequence[Tensor]:
        if operation.results[0].type.element is ElementType.I1:
            raise Undenotable(f"{operation.opcode} of booleans")
        return [combine(den.pointwise, *operands)]

    return rule


def _divide(den: Denotation, operation: Operation, operands: Sequence[Tensor]) -> Sequence[Tensor]:
    p = den.pointwise
    if not operation.results[0].type.element.is_float:
        return [p.quotient(operands[0], operands[1])]
    return [p.multiply(operands[0], p.power(operands[1], -1))]


def _power(den: Denotation, operation: Operation, operands: Sequence[Tensor]) -> Sequence[Tensor]:
    """Powers x ** c for a constant c, else x ** y = exp(y ln x) on x > 0."""
    p = den.pointwise
    exponent = constant_of(operands[1].poly)
    if not operation.results[0].type.element.is_float and (exponent is None or exponent < 0):
        raise Undenotable("a power of integers whose exponent is computed or negative")
    if exponent is not None:
        return [p.power(operands[0], exponent)]
    return [p.exponential(p.multiply(operands[1], p.log(operands[0])))]


def _unary(function: Callable[[Pointwise, Tensor], Tensor]) -> Rule:
    def rule(den: Denotation, operation: Operation, operands: Sequence[Tensor]) -> Sequence[Tensor]:
        del operation
        return [function(den.pointwise, operands[0])]

    return rule


def _identity(
    den: Denotation, operation: Operation, operands: Sequence[Tensor]
) -> Sequence[Tensor]:
    del den, operation
    return operands


def _convert(den: Denotation, operation: Operation, operands: Sequence[Tensor]) -> Sequence[Tensor]:
    """Return the number in another element type: a boolean asks whether it is 0, an integer cuts.

    Rounding to fewer bits is read as the identity, and listed.
    """
    (a,) = operands
    source = operation.operands[0].type.element
    target = operation.results[0].type.element
    if not target.is_float:
        den.require_finite(a)
    if target is ElementType.I1 and source is not ElementType.I1:
        return [den.pointwise.negation(den.pointwise.mask(Relation.ZERO, a))]
    if source.is_float and not target.is_float:
        return [den.pointwise.truncated(a)]
    wider = source.dtype.itemsize < target.dtype.itemsize
    if source.is_float and source is not target and not wider:
        den.conditions.rounded.add(f"line {operation.line}: {source.value} to {target.value}")
    return operands


def _reduce_precision(
    den: Denotation, operation: Operation, operands: Sequence[Tensor]
) -> Sequence[Tensor]:
    a = operation.attributes
    assert isinstance(a, attr.ReducePrecision)
    bits = f"e{a.exponent_bits}m{a.mantissa_bits}"
    den.conditions.rounded.add(f"line {operation.line}: to {bits}")
    return operands


def _is_finite(
    den: Denotation, operation: Operation, operands: Sequence[Tensor]
) -> Sequence[Tensor]:
    del operation
    return [parts(den.pointwise, operands[0]).where_finite]


def _atan2(den: Denotation, operation: Operation, operands: Sequence[Tensor]) -> Sequence[Tensor]:
    return [den.opaque("atan2", operands, None, operation.results[0].shape)]


def _all_reduce(
    den: Denotation, operation: Operation, operands: Sequence[Tensor]
) -> Sequence[Tensor]:
    """A sum over replicas is a linear function of which nothing else is known."""
    a = operation.attributes
    assert isinstance(a, attr.AllReduce)
    if len(operands) != 1 or not den.combines_by(operation.regions[0], den.pointwise.add):
        raise Undenotable("an all_reduce by a region that is no sum")
    den.conditions.replicas.add(max(map(len, a.replica_groups), default=1))
    total = den.splat(0, operands[0].shape)
    for monomial, c in operands[0].poly.items():
        term = Tensor(operands[0].digits, {monomial: Fraction(1)})
        image = den.opaque("all_reduce", [term], a.replica_groups, operands[0].shape)
        total = den.pointwise.add(total, image, c)
    return [total]


NUMERIC: dict[str, Rule] = {
    "stablehlo.add": _arithmetic(lambda p, a, b: p.sum(a, b)),
    "stablehlo.subtract": _arithmetic(lambda p, a, b: p.sum(a, p.opposite(b))),
    "stablehlo.multiply": _arithmetic(lambda p, a, b: p.multiply(a, b)),
    "stablehlo.maximum": _arithmetic(lambda p, a, b: p.maximum(a, b)),
    "stablehlo.minimum": _arithmetic(lambda p, a, b: p.minimum(a, b)),
    "stablehlo.divide": _divide,
    "stablehlo.remainder": _arithmetic(lambda p, a, b: p.remainder(a, b)),
    "stablehlo.atan2": _atan2,
    "stablehlo.power": _power,
    "stablehlo.negate": _unary(lambda p, a: p.scale(a, -1)),
    "stablehlo.sqrt": _unary(lambda p, a: p.power(a, Fraction(1, 2))),
    "stablehlo.rsqrt": _unary(lambda p, a: p.power(a, Fraction(-1, 2))),
    "stablehlo.exponential": _unary(lambda p, a: p.exponential(a)),
    "stablehlo.exponential_minus_one": _unary(
        lambda p, a: p.add(p.exponential(a), Tensor(a.digits, number(1)), -1)
    ),
    "stablehlo.log": _unary(lambda p, a: p.log(a)),
    "stablehlo.log_plus_one": _unary(lambda p, a: p.log(p.add(a, Tensor(a.digits, number(1))))),
    "stablehlo.logistic": _unary(lambda p, a: p.logistic(a)),
    "stablehlo.tanh": _unary(lambda p, a: p.tanh(a)),
    "stablehlo.sine": _unary(lambda p, a: p.odd("sine", a)),
    "stablehlo.cosine": _unary(lambda p, a: p.even("cosine", a)),
    "stablehlo.tan": _unary(lambda p, a: p.odd("tan", a)),
    "stablehlo.cbrt": _unary(lambda p, a: p.odd("cbrt", a)),
    "stablehlo.floor": _unary(lambda p, a: p.floor(a)),
    "stablehlo.ceil": _unary(lambda p, a: p.ceiling(a)),
    "stablehlo.round_nearest_even": _unary(lambda p, a: p.odd("round_nearest_even", a)),
    "stablehlo.round_nearest_afz": _unary(lambda p, a: p.odd("round_nearest_afz", a)),
    "stablehlo.abs": _unary(lambda p, a: p.absolute(a)),
    "stablehlo.sign": _unary(lambda p, a: p.sign(a)),
    "chlo.sinh": _unary(lambda p, a: p.hyperbolic(a, -1)),
    "chlo.cosh": _unary(lambda p, a: p.hyperbolic(a, 1)),
    "chlo.asin": _unary(lambda p, a: p.odd("asin", a)),
    "chlo.acos": _unary(lambda p, a: p.function("acos", a)),
    "chlo.atan": _unary(lambda p, a: p.odd("atan", a)),
    "chlo.asinh": _unary(lambda p, a: p.odd("asinh", a)),
    "chlo.acosh": _unary(lambda p, a: p.function("acosh", a)),
    "chlo.atanh": _unary(lambda p, a: p.odd("atanh", a)),
    "chlo.erf": _unary(lambda p, a: p.odd("erf", a)),
    "chlo.erfc": _unary(lambda p, a: p.negation(p.odd("erf", a))),
    "chlo.erf_inv": _unary(lambda p, a: p.odd("erf_inv", a)),
    "chlo.square": _unary(lambda p, a: p.multiply(a, a)),
}

LOGICAL: dict[str, Rule] = {
    "stablehlo.compare": _compare,
    "stablehlo.select": _select,
    "stablehlo.clamp": _clamp,
    "stablehlo.and": _logical(lambda p, a, b: p.multiply(a, b)),
    "stablehlo.or": _logical(lambda p, a, b: p.add(p.add(a, b), p.multiply(a, b), -1)),
    "stablehlo.xor": _logical(lambda p, a, b: p.add(p.add(a, b), p.multiply(a, b), -2)),
    "stablehlo.not": _not,
    "stablehlo.is_finite": _is_finite,
    "stablehlo.reduce_precision": _reduce_precision,
    "stablehlo.all_reduce": _all_reduce,
    "stablehlo.convert": _convert,
    "stablehlo.optimization_barrier": _identity,
}
