"""A small function through each operation of the checker's table; how a function is denoted."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from check.worth import Array, Worth
from gradwright.check.affine import Box
from gradwright.check.atoms import Uncheckable
from gradwright.check.derivatives import swept
from gradwright.check.guide import Contraction
from gradwright.check.operations import ELEMENTWISE, Meanings
from gradwright.check.poly import Poly, constant_of
from gradwright.check.session import new_meanings, numbered
from gradwright.check.tensor import Tensor
from gradwright.hlo import Builder, ElementType, Function, TensorType, Value
from gradwright.hlo.attributes import (
    Convolution,
    ConvolutionDims,
    Direction,
    Gather,
    Scatter,
    ScatterWindow,
    Window,
)

Write = Callable[[Builder, Value, Value], Value]
F64 = ElementType.F64


@dataclass(frozen=True, slots=True)
class Silent:
    """A guide that answers nothing, and names the values whose numbers `every` divides."""

    every: int = 0

    def cuts(self, value: int, p: Poly, box: Box) -> bool:
        """Cut by number; what is a number itself stays one, for attributes are made of them."""
        is_named = self.every > 0 and value % self.every == 0
        return is_named and constant_of(p) is None

    cuts_cotangent = cuts

    def recognize(self, p: Poly, box: Box) -> None:
        """Answer nothing."""

    def recognize_sum(self, contraction: Contraction) -> None:
        """Answer nothing."""

    def split(self, p: Poly) -> None:
        """Answer nothing."""

    def made(self, atom: int, variables: object) -> None:
        """Remember nothing."""


@dataclass(slots=True)
class Denoted:
    """The meanings of a function's values, as far as the table goes."""

    function: Function
    guide: Silent
    m: Meanings
    known: dict[int, Tensor] = field(default_factory=dict[int, Tensor])

    def worth(self, arguments: list[Array]) -> Worth:
        """Return what evaluates meanings at arguments."""
        names = [v.name for v in self.function.body.arguments]
        return Worth(self.m.algebra.atoms, dict(zip(names, arguments, strict=True)))

    def cotangents(self, seed: Tensor) -> list[Tensor]:
        """Return the cotangent of each argument for one of the first result; 0 where none is."""
        body = self.function.body
        number_of = {id(v): n for n, v in enumerate(numbered([self.function]))}
        wrt = {id(v) for v in body.arguments}
        seeds = {id(body.results[0]): seed}
        cotangents = swept(
            self.m, body.operations, self.known, seeds, wrt, number_of, self.guide, {}
        )
        for why in cotangents.lost.values():
            raise Uncheckable(why)
        found = dict(cotangents.found)
        zero = {id(v): Tensor(self.known[id(v)].digits, {}) for v in body.arguments}
        return [(zero | found)[id(v)] for v in body.arguments]


def denoted(function: Function, every: int = 0) -> Denoted:
    """Denote the values of a function; what the table does not know has no meaning."""
    guide = Silent(every)
    den = Denoted(function, guide, new_meanings(guide, {}))
    for v in function.body.arguments:
        den.known[id(v)] = den.m.unknown(v.name, v, is_argument=True)
    for n, operation in enumerate(function.body.operations):
        if all(id(v) in den.known for v in operation.operands):
            operands = [den.known[id(v)] for v in operation.operands]
            try:
                results = den.m.results(operation, operands)
                cut = [
                    den.m.contractions.as_name(t)
                    if guide.cuts(n, t.poly, t.box) and den.m.f.parts(t)[0].poly == t.poly
                    else t
                    for t in results
                ]
            except Uncheckable:
                continue
            den.known |= {id(v): t for v, t in zip(operation.results, cut, strict=True)}
    return den


def _unary(opcode: str) -> Write:
    return lambda b, x, y: b.unary(opcode, b.multiply(b.multiply(x, x), y))


def _logic(b: Builder, x: Value, y: Value) -> Value:
    less = b.compare(Direction.LT, x, y)
    more = b.compare(Direction.GT, b.negate(x), y)
    either = b.logical_or(less, more)
    return b.select(b.logical_and(either, b.logical_not(more)), b.multiply(x, y), y)


def _scalar(b: Builder, x: float) -> Value:
    return b.splat(x, TensorType((), F64))


def _starts(b: Builder) -> list[Value]:
    return [b.splat(n, TensorType((), ElementType.I32)) for n in (1, 7)]


def _index(b: Builder, x: Value) -> Value:
    return b.convert(b.iota(x.type.with_element(ElementType.I32), 1), F64)


def _windows(b: Builder, x: Value, y: Value) -> Value:
    window = Window((2, 2), (1, 2), (1, 2), (2, 1), ((1, 0), (0, 1)))
    return b.reduce_window(b.multiply(x, y), 0.0, window, b.adds)


def _all_and_any(b: Builder, x: Value, y: Value) -> Value:
    def both(p: Value, q: Value) -> list[Value]:
        return [b.logical_and(p, q)]

    def either(p: Value, q: Value) -> list[Value]:
        return [b.logical_or(p, q)]

    less = b.compare(Direction.LT, x, y)
    [every] = b.reduce((less,), (1,), (1,), both)
    [some] = b.reduce((b.logical_not(less),), (0,), (0,), either)
    rows = b.broadcast(b.convert(every, F64), x.shape, (0,))
    return b.add(b.multiply(rows, x), b.broadcast(b.convert(some, F64), x.shape, (1,)))


def _bordered(b: Builder, x: Value, y: Value) -> Value:
    """Maxima over windows that reach into an explicit border on one side, an implicit one else."""
    window = Window((2, 2), (1, 2), (1, 1), (1, 1), ((1, 0), (0, 0)))
    inside = b.pad(b.multiply(x, y), -np.inf, (0, 1), (0, 1), (0, 0))
    return b.reduce_window(inside, -np.inf, window, b.maxima)


def _routed(b: Builder, x: Value, y: Value) -> Value:
    window = ScatterWindow((2, 2), (1, 2), ((1, 0), (0, 0)))
    return b.select_and_scatter(x, b.slice(y, (0, 0), (3, 2), (1, 1)), window)


def _running(b: Builder, x: Value, y: Value) -> Value:
    """A running maximum of slices of a picture in an infinite border."""
    inside = b.pad(b.multiply(x, y), -np.inf, (0, 1), (0, 1), (0, 0))
    slices = [b.slice(inside, (0, k), (3, k + 4), (1, 1)) for k in range(3)]
    return b.maximum(b.maximum(slices[0], slices[1]), slices[2])


def is_finite(b: Builder, x: Value) -> Value:
    """Return where a tensor is finite."""
    return b.emit_one("stablehlo.is_finite", (x,), x.type.with_element(ElementType.I1))


_ROWS = np.array([2, 0, 2, 1], dtype=np.int32)
"""Rows of a tensor, one of them twice."""


def _gathered(b: Builder, x: Value, y: Value) -> Value:
    rows = b.reshape(b.constant(_ROWS), (4, 1))
    gather = Gather((1,), (0,), (), (), (0,), 1, (1, 4), indices_are_sorted=False)
    return b.gather(b.multiply(x, y), rows, gather)


def _scattered(b: Builder, x: Value, y: Value) -> Value:
    rows = b.reshape(b.constant(_ROWS), (4, 1))
    scatter = Scatter((1,), (0,), (), (), (0,), 1, indices_are_sorted=False, unique_indices=False)
    updates = b.concatenate([y, b.slice(x, (0, 0), (1, 4), (1, 1))], 0)
    return b.scatter_add(b.multiply(x, y), rows, updates, scatter)


def _convolved(b: Builder, x: Value, y: Value) -> Value:
    dims = ConvolutionDims(0, 1, (2,), 1, 0, (2,), 0, 1, (2,))
    conv = Convolution(dims, (2,), ((1, 2),), (2,), (1,), (True,), 1, 1)
    return b.convolution(b.reshape(x, (3, 2, 2)), b.reshape(y, (3, 2, 2)), conv)


_LIKE_X = np.arange(-5.0, 7.0).reshape(3, 4)
_UNARY = {
    f"chlo.{name}" if name in ("square", "erf", "erfc") else f"stablehlo.{name}"
    for name in ELEMENTWISE
    if name not in ("add", "subtract", "multiply", "divide", "maximum", "minimum")
    and name not in ("and", "or", "not", "is_finite")
}
"""Elementwise functions of one operand."""
TEXTS: dict[str, Write] = {
    **{opcode.partition(".")[2]: _unary(opcode) for opcode in sorted(_UNARY)},
    **{
        name: lambda b, x, y, name=name: b.binary(f"stablehlo.{name}", b.multiply(x, x), y)
        for name in ("add", "subtract", "multiply", "divide", "maximum", "minimum")
    },
    **dict.fromkeys(("and", "or", "not"), _logic),
    "constant": lambda b, x, y: b.multiply(x, b.constant(_LIKE_X)),
    "iota": lambda b, x, y: b.multiply(x, _index(b, y)),
    "reshape": lambda b, x, y: b.reshape(b.multiply(x, y), (6, 2)),
    "transpose": lambda b, x, y: b.transpose(b.multiply(x, y), (1, 0)),
    "broadcast_in_dim": lambda b, x, y: b.broadcast(b.multiply(x, y), (3, 2, 4), (0, 2)),
    "slice": lambda b, x, y: b.slice(b.multiply(x, y), (0, 1), (3, 4), (2, 2)),
    "reverse": lambda b, x, y: b.reverse(b.multiply(x, y), (1,)),
    "dot_general": lambda b, x, y: b.dot(b.multiply(x, x), y, ((1,), (1,))),
    "pad": lambda b, x, y: b.pad(b.multiply(x, y), 0.0, (1, -1), (0, 2), (1, 0)),
    "concatenate": lambda b, x, y: b.concatenate([b.multiply(x, y), y, x], 1),
    "reduce": lambda b, x, y: b.sum(b.multiply(b.multiply(x, x), y), (0,)),
    "reduce_window": _windows,
    "select_and_scatter": _routed,
    "gather": _gathered,
    "scatter": _scattered,
    "dynamic_slice": lambda b, x, y: b.dynamic_slice(b.multiply(x, y), _starts(b), (2, 2)),
    "dynamic_update_slice": lambda b, x, y: b.dynamic_update_slice(
        b.multiply(x, x), b.slice(y, (0, 0), (2, 2), (1, 1)), _starts(b)
    ),
    "select": lambda b, x, y: b.select(b.compare(Direction.LE, x, y), b.multiply(x, y), y),
    "is_finite": lambda b, x, y: b.multiply(x, b.convert(is_finite(b, b.multiply(x, y)), F64)),
    "compare": lambda b, x, y: b.multiply(x, b.convert(b.compare(Direction.NE, x, y), F64)),
    "clamp": lambda b, x, y: b.multiply(b.clamp(_scalar(b, -0.5), x, _scalar(b, 0.7)), y),
    "power": lambda b, x, y: b.power(b.multiply(x, y), b.splat(3.0, x.type)),
    "convert": lambda b, x, y: b.multiply(x, b.convert(b.compare(Direction.LT, x, y), F64)),
    "convolution": _convolved,
    "optimization_barrier": lambda b, x, y: b.multiply(*b.optimization_barrier(x, y)),
}
"""By opcode; x takes both signs, y is positive."""
MORE: dict[str, Write] = {
    "maximum of a dimension": lambda b, x, y: b.multiply(b.max(x, (0,)), b.sum(y, (0,))),
    "maximum of windows": _bordered,
    "running maximum": _running,
    "sum of copies": lambda b, x, y: b.sum(b.broadcast(b.multiply(x, y), (3, 2, 4), (0, 2)), (1,)),
    "filled padding": lambda b, x, y: b.pad(b.multiply(x, y), 0.5, (1, -1), (0, 2), (1, 0)),
    "minimum of windows": lambda b, x, y: b.reduce_window(
        b.multiply(x, y),
        np.inf,
        Window((2, 3), (1, 1), (1, 1), (1, 1), ((0, 1), (1, 1))),
        b.minima,
    ),
    "computed power": lambda b, x, y: b.power(y, x),
    "all and any": _all_and_any,
}
"""Further forms of these, by their meaning alone."""


MAXIMA = [name for name in MORE if "maximum" in name or "minimum" in name]
"""Those that have slopes of their own."""


def written(write: Write) -> Function:
    """Return a function of two tensors of 3 by 4."""
    b = Builder()
    x, y = (b.argument(name, TensorType((3, 4), F64)) for name in "xy")
    return b.finish("main", [write(b, x, y)])
