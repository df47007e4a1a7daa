"""The derivative rules, and the reverse sweep that applies them.

Masks are locally constant: the rules hold off the inputs where the argument of a mask is 0, and at
a tie of a maximum the first operand wins, a constant before anything else.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from gradwright.check.atoms import Constant, Uncheckable
from gradwright.check.forms import Form, form_of, part_of_concatenation, slice_at
from gradwright.check.functions import Functions
from gradwright.check.guide import Guide
from gradwright.check.operations import FORMS, Meanings, combiner_of, opcode_of
from gradwright.check.poly import constant_of
from gradwright.check.tensor import Tensor
from gradwright.hlo import Operation, Value
from gradwright.hlo import attributes as attr

Tensors = Sequence[Tensor]
Cotangents = Sequence[Tensor | None]
Slope = Callable[[Functions, Tensors, Tensor, Tensor], Cotangents]
HALF = Fraction(1, 2)


def _extreme(f: Functions, x: Tensors, g: Tensor, beats: str) -> Cotangents:
    a, b = x
    if constant_of(b.poly) is None:
        second = f.compare(beats, b, a)
        first = f.complement(second)
    else:
        first = f.compare(beats, a, b)
        second = f.complement(first)
    return f.multiply(g, first), f.multiply(g, second)


def _bell(f: Functions, x: Tensor, g: Tensor) -> Tensor:
    """Return g * 2 / sqrt(pi) * exp(-x ** 2)."""
    pi = f.algebra.atoms.number(Constant("pi"), ())
    factor = Tensor(x.digits, {(((pi, (), -HALF),), ()): Fraction(2)})
    return f.multiply(g, factor, f.exponential(f.scale(f.multiply(x, x), -1)))


SLOPES: dict[str, Slope] = {
    "add": lambda f, x, y, g: (g, g),
    "subtract": lambda f, x, y, g: (g, f.scale(g, -1)),
    "multiply": lambda f, x, y, g: (f.multiply(g, x[1]), f.multiply(g, x[0])),
    "divide": lambda f, x, y, g: (
        f.multiply(g, f.power(x[1], -1)),
        f.scale(f.multiply(g, y, f.power(x[1], -1)), -1),
    ),
    "negate": lambda f, x, y, g: (f.scale(g, -1),),
    "maximum": lambda f, x, y, g: _extreme(f, x, g, "GT"),
    "minimum": lambda f, x, y, g: _extreme(f, x, g, "LT"),
    "abs": lambda f, x, y, g: (f.multiply(g, f.sign(x[0])),),
    "exponential": lambda f, x, y, g: (f.multiply(g, y),),
    "exponential_minus_one": lambda f, x, y, g: (f.multiply(g, f.exponential(x[0])),),
    "log_plus_one": lambda f, x, y, g: (
        f.multiply(g, f.power(f.add(x[0], f.number(x[0], 1)), -1)),
    ),
    "square": lambda f, x, y, g: (f.scale(f.multiply(g, x[0]), 2),),
    "log": lambda f, x, y, g: (f.multiply(g, f.power(x[0], -1)),),
    "tanh": lambda f, x, y, g: (f.multiply(g, f.complement(f.multiply(y, y))),),
    "logistic": lambda f, x, y, g: (f.multiply(g, y, f.complement(y)),),
    "erf": lambda f, x, y, g: (_bell(f, x[0], g),),
    "erfc": lambda f, x, y, g: (f.scale(_bell(f, x[0], g), -1),),
    "sine": lambda f, x, y, g: (f.multiply(g, f.applied("cosine", x[0])),),
    "cosine": lambda f, x, y, g: (f.scale(f.multiply(g, f.applied("sine", x[0])), -1),),
    "sqrt": lambda f, x, y, g: (f.scale(f.multiply(g, f.power(x[0], -HALF)), HALF),),
    "rsqrt": lambda f, x, y, g: (f.scale(f.multiply(g, f.power(x[0], -3 * HALF)), -HALF),),
    **dict.fromkeys(("sign", "not", "is_finite"), lambda f, x, y, g: (None,)),
    **dict.fromkeys(("compare", "and", "or"), lambda f, x, y, g: (None, None)),
}
"""Cotangents of the operands x of an elementwise operation with result y, given that of y."""


def pulled(m: Meanings, operation: Operation, x: Tensors, y: Tensor, g: Tensor) -> Cotangents:
    """Return the cotangent of each operand; None where it is 0."""
    opcode = opcode_of(operation)
    f = m.f
    if opcode in SLOPES:
        return SLOPES[opcode](f, x, y, g)
    if opcode in FORMS:
        return [_through(m, form_of(operation), i, x, g) for i in range(len(x))]
    match opcode:
        case "pad" if constant_of(x[1].poly) is not None or f.is_infinite(x[1]):
            return _through(m, form_of(operation), 0, x[:1], g), None
        case "reduce" | "reduce_window":
            form, operands = m.summed(operation, x)
            losing = {"maximum": -1, "minimum": 1}.get(combiner_of(operation.regions[0]) or "")
            if f.is_infinite(x[1], losing) if losing else not x[1].poly:
                return _through(m, form, len(operands) - 1, operands, g), None
        case "gather":
            form, operands = m.placed(operation, x)
            return _through(m, form, len(operands) - 1, operands, g), None
        case "scatter":
            form, operands = m.placed(operation, x)
            return g, None, _through(m, form, len(operands) - 1, operands, g)
        case "select_and_scatter":
            form, operands = m.routed(operation, x)
            return None, _through(m, form, 1, operands, g), None
        case "dynamic_slice":
            form = slice_at(m.starts(x[1:], x[0].shape, g.shape), g.shape)
            return [_through(m, form, 0, x[:1], g), *(None for _ in x[1:])]
        case "dynamic_update_slice":
            form = m.block(x)
            dx = _through(m, form, 0, x[1:2], g)
            return [m.over(form, f.scale(x[1], 0), g), dx, *(None for _ in x[2:])]
        case "concatenate":
            return _parts(m, operation, x, g)
        case "reshape":
            return (m.reshaped(g, x[0].shape),)
        case "select":
            on = f.multiply(f.decided(m.spread(x[0], g.shape)), g)
            return None, on, f.add(g, on, -1)
        case "clamp" if all(constant_of(bound.poly) is not None for bound in (x[0], x[2])):
            low, high = (m.spread(bound, g.shape) for bound in (x[0], x[2]))
            inside, _ = _extreme(f, (f.maximum(x[1], low), high), g, "LT")
            assert inside is not None  # an extreme gives both operands something
            return None, _extreme(f, (x[1], low), inside, "GT")[0], None
        case "power":
            return _power(f, x, g)
        case "convert":
            types = operation.operands[0].type.element, operation.results[0].type.element
            return (g if all(t.is_float for t in types) else None,)
        case _:
            pass
    raise Uncheckable(f"{operation.opcode} has no derivative rule")


def _through(m: Meanings, form: Form, operand: int, x: Tensors, g: Tensor) -> Tensor:
    """Apply the transposed form: g in the place of the operand."""
    transposed = form.transposed(operand, x[operand].shape)
    return m.contractions.apply(transposed, [*x[:operand], g, *x[operand + 1 :]])


def _parts(m: Meanings, operation: Operation, x: Tensors, g: Tensor) -> Cotangents:
    assert isinstance(operation.attributes, attr.Dimension)
    d = operation.attributes.dimension
    start = 0
    found: list[Tensor] = []
    for tensor in x:
        form = part_of_concatenation(tensor.shape, g.shape, d, start)
        found.append(_through(m, form, 0, [tensor], g))
        start += tensor.shape[d]
    return found


def _power(f: Functions, x: Tensors, g: Tensor) -> Cotangents:
    exponent = constant_of(x[1].poly)
    if exponent is None:
        raise Uncheckable("the derivative of a computed power")
    if exponent == 0:
        return None, None
    return f.scale(f.multiply(g, f.power(x[0], exponent - 1)), exponent), None


@dataclass(frozen=True, slots=True)
class Swept:
    """Cotangents of values, by identity, and why others have none; of any other value it is 0."""

    found: Mapping[int, Tensor]
    lost: Mapping[int, str]


def swept(
    m: Meanings,
    operations: Sequence[Operation],
    known: Mapping[int, Tensor],
    seeds: Mapping[int, Tensor],
    wrt: set[int],
    number_of: Mapping[int, int],
    guide: Guide,
    unmeant: Mapping[int, str],
) -> Swept:
    """Return the cotangents of the values that depend on `wrt`.

    `unmeant` says of values why their operation has no meaning. What such an operation reads has no
    cotangent, nor what one without a derivative rule hands it on to; nor what that was made of.
    """
    depends = set(wrt)
    for operation in operations:
        if any(id(v) in depends for v in operation.reads):
            depends.update(id(v) for v in operation.results)
    found, lost = dict(seeds), dict[int, str]()

    def give(value: Value, dx: Tensor | None) -> None:
        if dx is not None and id(value) in depends:
            before = found.get(id(value))
            found[id(value)] = dx if before is None else m.f.add(before, dx)

    def sweep(operation: Operation) -> None:
        if operation.opcode == "stablehlo.optimization_barrier":
            for value, result in zip(operation.operands, operation.results, strict=True):
                give(value, found.get(id(result)))
            return
        arrived = [r for r in operation.results if id(r) in depends and id(r) in found]
        arrived = [r for r in arrived if found[id(r)].poly]
        if not arrived:
            return
        result, g = arrived[0], found[id(arrived[0])]
        if len(operation.results) > 1:
            raise Uncheckable(f"{operation.opcode} of several results has no derivative rule")
        m.f.at = number_of[id(result)]
        if guide.cuts_cotangent(m.f.at, g.poly, g.box):
            g = m.contractions.as_name(g)
        x = [known[id(v)] for v in operation.operands]
        pairs = pulled(m, operation, x, known[id(result)], g)
        for value, dx in zip(operation.operands, pairs, strict=True):
            give(value, dx)

    for operation in reversed(operations):
        reasons = (lost.get(id(r)) or unmeant.get(id(r)) for r in operation.results)
        why = next(filter(None, reasons), None)
        if why is None:
            try:
                sweep(operation)
            except Uncheckable as problem:
                why = f"%{operation.results[0].name}: {problem}"
        if why is not None:
            lost.update((id(v), why) for v in operation.reads if id(v) in depends)
    return Swept(found, lost)
