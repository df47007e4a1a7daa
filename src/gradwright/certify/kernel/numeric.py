"""Denotations of elementwise operations."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from gradwright.certify.kernel.algebra import Undenotable, constant_of, number
from gradwright.certify.kernel.atoms import Relation
from gradwright.certify.kernel.denotation import Denotation, Rule
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
    return [p.negation(mask) if negated else mask]


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
    return [den.pointwise.negation(operands[0])]


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
    if not operation.results[0].type.element.is_float:
        raise Undenotable("a division of integers, which rounds")
    return [den.pointwise.multiply(operands[0], den.pointwise.power(operands[1], -1))]


def _power(den: Denotation, operation: Operation, operands: Sequence[Tensor]) -> Sequence[Tensor]:
    """Powers x ** c for a constant c, and c ** y = exp(y ln c) for a constant c > 0."""
    p = den.pointwise
    exponent = constant_of(operands[1].poly)
    if exponent is not None:
        return [p.power(operands[0], exponent)]
    base = constant_of(operands[0].poly)
    if base is None or base <= 0:
        raise Undenotable("a power whose base and exponent both vary")
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
    """A change of element type keeps the number (rounding is out of scope), unless it truncates."""
    del den
    source = operation.operands[0].type.element
    target = operation.results[0].type.element
    if source.is_float and not target.is_float:
        raise Undenotable(f"a conversion of {source.value} to {target.value}, which truncates")
    if target is ElementType.I1 and source is not ElementType.I1:
        raise Undenotable(f"a conversion of {source.value} to a boolean")
    return operands


NUMERIC: dict[str, Rule] = {
    "stablehlo.add": _arithmetic(lambda p, a, b: p.add(a, b)),
    "stablehlo.subtract": _arithmetic(lambda p, a, b: p.add(a, b, -1)),
    "stablehlo.multiply": _arithmetic(lambda p, a, b: p.multiply(a, b)),
    "stablehlo.maximum": _arithmetic(lambda p, a, b: p.maximum(a, b)),
    "stablehlo.minimum": _arithmetic(lambda p, a, b: p.minimum(a, b)),
    "stablehlo.divide": _divide,
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
    "stablehlo.abs": _unary(lambda p, a: p.absolute(a)),
    "stablehlo.sign": _unary(lambda p, a: p.sign(a)),
    "chlo.erf": _unary(lambda p, a: p.odd("erf", a)),
    "chlo.square": _unary(lambda p, a: p.multiply(a, a)),
}

LOGICAL: dict[str, Rule] = {
    "stablehlo.compare": _compare,
    "stablehlo.select": _select,
    "stablehlo.clamp": _clamp,
    "stablehlo.and": _logical(lambda p, a, b: p.multiply(a, b)),
    "stablehlo.or": _logical(lambda p, a, b: p.add(p.add(a, b), p.multiply(a, b), -1)),
    "stablehlo.not": _not,
    "stablehlo.convert": _convert,
    "stablehlo.optimization_barrier": _identity,
}
