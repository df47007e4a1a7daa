"""Denotations of constants and of operations that move, join or sum elements."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod

from gradwright.certify.kernel import forms
from gradwright.certify.kernel.algebra import Undenotable
from gradwright.certify.kernel.atoms import Infinity, NotANumber, Pi
from gradwright.certify.kernel.denotation import Denotation, Rule
from gradwright.certify.kernel.index import constant, variable
from gradwright.certify.kernel.infinite import parts
from gradwright.certify.kernel.literals import fraction, irrational
from gradwright.certify.kernel.multilinear import Multilinear
from gradwright.certify.kernel.patterns import constant_poly
from gradwright.certify.kernel.tensor import Shape, Tensor, plain_digits, regroup
from gradwright.hlo import Operation, Value
from gradwright.hlo import attributes as attr
from gradwright.hlo.literals import decimals

FACTOR_LIMIT = 16
"""Entries of a product over dimensions that are multiplied out."""


def _constant(den: Denotation, operation: Operation, _: Sequence[Tensor]) -> Sequence[Tensor]:
    value = operation.attributes
    assert isinstance(value, attr.Constant)
    shape = operation.results[0].shape
    entries = [_entry(word) for word in decimals(value)]
    if value.splat:
        entry = entries[0]
        if not isinstance(entry, Fraction):
            return [den.spread(den.whole(entry, ()), shape)]
        return [_number(den, entry, operation.results[0])]
    exact = tuple(entry for entry in entries if isinstance(entry, Fraction))
    if len(exact) != prod(shape):
        raise Undenotable("a dense constant with an entry that is not finite")
    return [Tensor(plain_digits(shape), constant_poly(den.algebra, shape, exact))]


def _number(den: Denotation, entry: Fraction, value: Value) -> Tensor:
    """Return a splat of a rational, or of the irrational number that it stands for."""
    element = value.type.element
    exact = fraction(abs(entry), element)
    if exact is not None:
        den.conditions.idealised[str(entry)] = str(exact)
        return den.splat(exact if entry > 0 else -exact, value.shape)
    meant = irrational(abs(entry), element)
    if meant is None:
        return den.splat(entry, value.shape)
    den.conditions.idealised[str(entry)] = meant.name
    p = den.pointwise
    total = p.power(den.splat(meant.rational, ()), meant.power)
    total = p.multiply(total, p.power(den.whole(Pi(), ()), meant.pi_power))
    log = p.log(den.splat(2, ()))
    total = p.multiply(total, p.power(log, meant.ln2_power))
    return den.spread(p.scale(total, 1 if entry > 0 else -1), value.shape)


def _entry(word: str) -> Fraction | Infinity | NotANumber:
    """Return the exact value of a literal, where it has one."""
    if word in ("inf", "-inf"):
        return Infinity(word.startswith("-"))
    if word == "nan":
        return NotANumber()
    return Fraction({"true": "1", "false": "0"}.get(word, word))


def _iota(den: Denotation, operation: Operation, _: Sequence[Tensor]) -> Sequence[Tensor]:
    assert isinstance(operation.attributes, attr.Iota)
    return [den.coordinate(operation.results[0].shape, operation.attributes.dimension)]


def _reshape(den: Denotation, operation: Operation, operands: Sequence[Tensor]) -> Sequence[Tensor]:
    return [reshape(den, operands[0], operation.results[0].shape)]


def reshape(den: Denotation, tensor: Tensor, shape: Shape) -> Tensor:
    """Return the elements in row-major order at another shape."""
    grouped = regroup(tensor.digits, shape)
    if grouped is None:
        return den.opaque("reshape", [tensor], None, shape)
    digits, mapping = grouped
    return Tensor(digits, den.algebra.substitute(tensor.poly, mapping, den.algebra.box(digits)))


def _structural(
    den: Denotation, operation: Operation, operands: Sequence[Tensor]
) -> Sequence[Tensor]:
    return [den.linear(structural_form(operation), *operands)]


def structural_form(operation: Operation) -> Multilinear:
    """Return the multilinear form of an operation whose attributes alone decide it."""
    shapes = [value.shape for value in operation.operands]
    shape = operation.results[0].shape
    match operation.attributes:
        case attr.Transpose() as a:
            return forms.transpose(shape, a)
        case attr.BroadcastInDim() as a:
            return forms.broadcast(shapes[0], shape, a)
        case attr.Slice() as a:
            return forms.slice_(shape, a)
        case attr.Pad() as a:
            return forms.pad(shapes[0], shape, a)
        case attr.DotGeneral() as a:
            return forms.dot(shapes[0], shapes[1], shape, a)
        case attr.Convolution() as a:
            return forms.convolution(shapes[0], shapes[1], shape, a)
        case attr.Dimensions() as a if operation.opcode == "stablehlo.reverse":
            return forms.reverse(shape, a)
        case attr.Dimensions() as a:
            return forms.reduce(shapes[0], a)
        case attr.Window() as a:
            return forms.window_sum(shapes[0], shape, a)
        case _:
            raise Undenotable(f"{operation.opcode} is not multilinear")


def _pad(den: Denotation, operation: Operation, operands: Sequence[Tensor]) -> Sequence[Tensor]:
    """The padded operand, plus the padding value where nothing of the operand lies."""
    if 0 in operands[0].shape:
        return [den.spread(operands[1], operation.results[0].shape)]
    form = structural_form(operation)
    padded = den.linear(form, operands[0])
    if not operands[1].poly:
        return [padded]
    inside = den.linear(form, den.splat(1, operands[0].shape))
    border = den.spread(operands[1], form.shape)
    outside = den.pointwise.multiply(border, den.pointwise.negation(inside))
    return [den.pointwise.add(padded, outside)]


def _concatenate(
    den: Denotation, operation: Operation, operands: Sequence[Tensor]
) -> Sequence[Tensor]:
    total = den.splat(0, operation.results[0].shape)
    for form, operand in zip(concatenation_forms(operation), operands, strict=True):
        if 0 not in operand.shape:
            total = den.pointwise.add(total, den.linear(form, operand))
    return [total]


def concatenation_forms(operation: Operation) -> list[Multilinear]:
    """Return for each operand the part of the result that it fills."""
    assert isinstance(operation.attributes, attr.Dimension)
    dimension, shape = operation.attributes.dimension, operation.results[0].shape
    parts: list[Multilinear] = []
    start = 0
    for value in operation.operands:
        parts.append(forms.concatenate(value.shape, shape, dimension, start))
        start += value.shape[dimension]
    return parts


def _reduce(den: Denotation, operation: Operation, operands: Sequence[Tensor]) -> Sequence[Tensor]:
    half = len(operands) // 2
    body = operation.regions[0]
    if den.combines_by(body, den.pointwise.add):
        form = structural_form(operation)
        for x in operands:
            den.require_finite(x)
        return [_started(den, den.linear(form, x), start) for x, start in _pairs(operands, half)]
    if half == 1 and den.combines_by(body, den.pointwise.maximum):
        return [_extreme(den, operation, operands, "reduce_maximum")]
    if half == 1 and den.combines_by(body, den.pointwise.minimum):
        return [_extreme(den, operation, operands, "reduce_minimum")]
    if half == 1 and den.combines_by(body, den.pointwise.multiply):
        return [_multiplied(den, operation, operands)]
    raise Undenotable("a reduction by a region that is no sum, product, maximum or minimum")


def _multiplied(den: Denotation, operation: Operation, operands: Sequence[Tensor]) -> Tensor:
    """Return a product over dimensions, factor by factor, times what it starts from."""
    a = operation.attributes
    assert isinstance(a, attr.Dimensions)
    x, start = operands
    den.require_finite(x)
    shape = operation.results[0].shape
    ranges = [range(x.shape[d]) for d in a.dimensions]
    if prod(map(len, ranges)) > FACTOR_LIMIT:
        raise Undenotable(f"a product of more than {FACTOR_LIMIT} entries")
    kept = [d for d in range(len(x.shape)) if d not in a.dimensions]
    total = den.spread(start, shape)
    for place in product(*ranges):
        at = dict(zip(a.dimensions, map(constant, place), strict=True))
        reads = tuple(at[d] if d in at else variable(kept.index(d)) for d in range(len(x.shape)))
        factor = den.linear(Multilinear(shape, (), (reads,)), x)
        total = den.pointwise.multiply(total, factor)
    return total


def _pairs(operands: Sequence[Tensor], half: int) -> list[tuple[Tensor, Tensor]]:
    return list(zip(operands[:half], operands[half:], strict=True))


def _started(den: Denotation, total: Tensor, start: Tensor) -> Tensor:
    return den.pointwise.add(total, den.spread(start, total.shape))


def _extreme(
    den: Denotation, operation: Operation, operands: Sequence[Tensor], opcode: str
) -> Tensor:
    """Return a maximum over dimensions as a value known only by its operand.

    One that starts from a finite number is the greater of that and the maximum.
    """
    x, start = operands
    maximum, shape = opcode == "reduce_maximum", operation.results[0].shape
    over = den.opaque(opcode, [x], operation.attributes, shape)
    if not parts(den.pointwise, start).is_finite:
        require_neutral(den, start, maximum)
        return over
    combine = den.pointwise.maximum if maximum else den.pointwise.minimum
    return combine(over, den.spread(start, shape))


def require_neutral(den: Denotation, start: Tensor, below: bool) -> None:
    """Refuse a maximum that starts from anything but -inf, a minimum from anything but +inf."""
    atom = den.atoms.intern(Infinity(below), ())
    if start.poly != {(((atom, (), 1),), ()): Fraction(1)}:
        raise Undenotable("an extreme that starts from a finite number")


SHAPED: dict[str, Rule] = {
    "stablehlo.constant": _constant,
    "stablehlo.iota": _iota,
    "stablehlo.reshape": _reshape,
    "stablehlo.transpose": _structural,
    "stablehlo.broadcast_in_dim": _structural,
    "stablehlo.slice": _structural,
    "stablehlo.reverse": _structural,
    "stablehlo.dot_general": _structural,
    "stablehlo.convolution": _structural,
    "stablehlo.pad": _pad,
    "stablehlo.concatenate": _concatenate,
    "stablehlo.reduce": _reduce,
}
