"""Denotations of constants and of operations that move, join or sum elements."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import accumulate, product
from math import prod

from gradwright.certify.advice.digits import suggested_regrouping
from gradwright.certify.advice.literals import fraction, irrational
from gradwright.certify.kernel import forms
from gradwright.certify.kernel.algebra import Undenotable
from gradwright.certify.kernel.atoms import Infinity, NotANumber, Pi
from gradwright.certify.kernel.denotation import Denotation, Rule, Step
from gradwright.certify.kernel.forms import in_order
from gradwright.certify.kernel.index import Affine, variable
from gradwright.certify.kernel.infinite import parts
from gradwright.certify.kernel.literals import rounds_alike
from gradwright.certify.kernel.multilinear import Multilinear
from gradwright.certify.kernel.patterns import constant_poly
from gradwright.certify.kernel.tensor import Shape, Tensor, plain_digits
from gradwright.hlo import ElementType, Operation, Value
from gradwright.hlo import attributes as attr
from gradwright.hlo.literals import decimals

FACTOR_LIMIT = 16
"""Entries of a product over dimensions that are multiplied out."""


def _constant(at: Step) -> Tensor:
    value = at.operation.attributes
    assert isinstance(value, attr.Constant)
    entries = [_entry(word) for word in decimals(value)]
    if value.splat:
        entry = entries[0]
        if not isinstance(entry, Fraction):
            return at.den.spread(at.den.whole(entry, ()), at.shape)
        return _number(at.den, entry, at.operation.results[0])
    exact = tuple(entry for entry in entries if isinstance(entry, Fraction))
    if len(exact) != prod(at.shape):
        raise Undenotable("a dense constant with an entry that is not finite")
    return Tensor(plain_digits(at.shape), constant_poly(at.den.algebra, at.shape, exact))


def _number(den: Denotation, entry: Fraction, value: Value) -> Tensor:
    """Return a splat of a rational, or of the irrational number that it stands for."""
    size, element, p = abs(entry), value.type.element, den.pointwise
    exact, meant = fraction(size, element), irrational(size, element)
    if exact is not None and rounds_alike(size, exact, element):
        name, total = str(exact), den.splat(exact, ())
    elif meant is not None and rounds_alike(size, meant.digits(), element):
        name, total = meant.name, p.power(den.splat(meant.rational, ()), meant.power)
        total = p.multiply(total, p.power(den.whole(Pi(), ()), meant.pi_power))
        total = p.multiply(total, p.power(p.log(den.splat(2, ())), meant.ln2_power))
    else:
        return den.splat(entry, value.shape)
    den.conditions.idealised[str(entry)] = name
    return den.spread(p.scale(total, 1 if entry > 0 else -1), value.shape)


def _entry(word: str) -> Fraction | Infinity | NotANumber:
    """Return the exact value of a literal, where it has one."""
    if word in ("inf", "-inf"):
        return Infinity(word.startswith("-"))
    if word == "nan":
        return NotANumber()
    return Fraction({"true": "1", "false": "0"}.get(word, word))


def _iota(at: Step) -> Tensor:
    assert isinstance(at.operation.attributes, attr.Iota)
    return at.den.coordinate(at.shape, at.operation.attributes.dimension)


def reshape(den: Denotation, tensor: Tensor, shape: Shape) -> Tensor:
    """Return the elements in row-major order at another shape."""
    digits = suggested_regrouping(tensor.digits, shape)
    return den.contractions.rearranged(tensor, digits, shape)


def _structural(at: Step) -> Tensor:
    contracts = isinstance(at.operation.attributes, attr.DotGeneral | attr.Convolution)
    if contracts and at.operation.results[0].type.element is ElementType.I1:
        raise Undenotable(f"{at.operation.opcode} of booleans")
    return at.den.linear(structural_form(at.operation), *at.x)


def structural_form(operation: Operation) -> Multilinear:
    """Return the multilinear form of an operation whose attributes alone decide it."""
    shapes = [value.shape for value in operation.operands]
    return forms.FORMS[operation.opcode](shapes, operation.results[0].shape, operation.attributes)


def _pad(at: Step) -> Tensor:
    """The padded operand, plus the padding value where nothing of the operand lies.

    A border other than 0 is for windows to be read at many distances.
    """
    x, padding = at.x
    border = at.den.spread(padding, at.shape)
    if 0 in x.shape:
        return border
    form = structural_form(at.operation)
    padded = at.den.linear(form, at.den.contractions.in_one_digit(x) if padding.poly else x)
    if not padding.poly:
        return padded
    inside = at.den.linear(form, at.den.splat(1, x.shape))
    return at.p.add(padded, at.p.multiply(border, at.p.negation(inside)))


def _concatenate(at: Step) -> Tensor:
    total = at.den.splat(0, at.shape)
    for form, operand in zip(concatenation_forms(at.operation), at.x, strict=True):
        if 0 not in operand.shape:
            total = at.p.add(total, at.den.linear(form, operand))
    return total


def concatenation_forms(operation: Operation) -> list[Multilinear]:
    """Return for each operand the part of the result that it fills."""
    assert isinstance(operation.attributes, attr.Dimension)
    along, shape = operation.attributes.dimension, operation.results[0].shape
    extents = [value.shape[along] for value in operation.operands]
    starts = accumulate(extents[:-1], initial=0)
    return [forms.concatenate(shape, along, start) for start in starts]


def _reduce(at: Step) -> Tensor | Sequence[Tensor]:
    half = len(at.x) // 2
    operands, starts = at.x[:half], [at.den.spread(start, at.shape) for start in at.x[half:]]
    combines = partial(at.den.combines_by, at.operation.regions[0])
    if combines(at.p.add):
        form = structural_form(at.operation)
        for x in operands:
            at.den.require_finite(x)
        sums = (at.den.linear(form, x) for x in operands)
        return [at.p.add(total, start) for total, start in zip(sums, starts, strict=True)]
    if half == 1 and combines(at.p.maximum):
        return _extreme(at, maximum=True)
    if half == 1 and combines(at.p.minimum):
        return _extreme(at, maximum=False)
    if half == 1 and combines(at.p.multiply):
        return _multiplied(at, starts[0])
    raise Undenotable("a reduction by a region that is no sum, product, maximum or minimum")


def _multiplied(at: Step, total: Tensor) -> Tensor:
    """Return a product over dimensions, factor by factor, times what it starts from."""
    a, x = at.operation.attributes, at.x[0]
    assert isinstance(a, attr.Dimensions)
    at.den.require_finite(x)
    ranges = [range(x.shape[d]) for d in a.dimensions]
    if prod(map(len, ranges)) > FACTOR_LIMIT:
        raise Undenotable(f"a product of more than {FACTOR_LIMIT} entries")
    kept = [d for d in range(len(x.shape)) if d not in a.dimensions]
    for place in product(*ranges):
        reads = dict(zip(a.dimensions, map(Affine, place), strict=True))
        reads |= {d: variable(i) for i, d in enumerate(kept)}
        form = Multilinear(at.shape, (), (in_order(reads),))
        total = at.p.multiply(total, at.den.linear(form, x))
    return total


def _extreme(at: Step, *, maximum: bool) -> Tensor:
    """Return a maximum over dimensions as a value known only by its operand.

    One that starts from a finite number is the greater of that and the maximum.
    """
    x, start = at.x
    opcode = "reduce_maximum" if maximum else "reduce_minimum"
    over = at.den.opaque(opcode, [x], at.operation.attributes, at.shape)
    if not parts(at.p, start).is_finite:
        require_neutral(at.den, start, below=maximum)
        _require_finite_entries(at, maximum=maximum)
        return over
    combine = at.p.maximum if maximum else at.p.minimum
    return combine(over, at.den.spread(start, at.shape))


def _require_finite_entries(at: Step, *, maximum: bool) -> None:
    """Refuse a maximum over nothing but -inf, for some input, or over any +inf."""
    split = parts(at.p, at.x[0])
    if split.is_finite:
        return
    reach = at.den.reach(at.den.linear(structural_form(at.operation), split.where_finite))
    if split.side(1 if maximum else -1).poly or reach is None or reach[0] <= 0:
        raise Undenotable("an extreme over entries that may all be infinite")


def require_neutral(den: Denotation, start: Tensor, *, below: bool) -> None:
    """Refuse a maximum that starts from anything but -inf, a minimum from anything but +inf."""
    if start.poly != den.whole(Infinity(below), ()).poly:
        raise Undenotable("an extreme that starts from a finite number")


MULTILINEAR = [name for name in forms.FORMS if name not in ("stablehlo.pad", "stablehlo.reduce")]
"""What is one multilinear form of all its operands."""

SHAPED: dict[str, Rule] = {
    "stablehlo.constant": _constant,
    "stablehlo.iota": _iota,
    "stablehlo.reshape": lambda at: reshape(at.den, at.x[0], at.shape),
    **dict.fromkeys(MULTILINEAR, _structural),
    "stablehlo.pad": _pad,
    "stablehlo.concatenate": _concatenate,
    "stablehlo.reduce": _reduce,
}
