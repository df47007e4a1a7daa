"""Evaluation in f64: the text as the kernel reads it, at inputs drawn from a seed.

Every float of a module becomes f64 and every literal the decimal that the text shows, which is how
the kernel reads it. The reference interpreter may abort its process or take long, so that it works
in a child process under a budget of CPU seconds.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from gradwright.certify.verdicts import Distribution, Input
from gradwright.hlo import Block, ElementType, Function, Module, Operation, TensorType, Value
from gradwright.hlo import attributes as attr
from gradwright.hlo.literals import decimals

LISTED = 32
"""Inputs with more elements are given by seed only."""

_ROUNDINGS = frozenset({"stablehlo.reduce_precision"})

_SIGNIFICANT_BITS = {
    ElementType.F64: 53,
    ElementType.F32: 24,
    ElementType.F16: 11,
    ElementType.BF16: 8,
    ElementType.F8E4M3FN: 4,
    ElementType.F8E5M2: 3,
}
"""Binary digits of the significand, the implicit first one included."""


def widened(module: Module, jitter: int = 0, *, integers: bool = False) -> Module:
    """Return the module over f64, its literals read as decimals and its roundings left out.

    With `integers`, those of up to 64 bits have 64, the unsigned ones a sign.

    A `jitter` other than 0 moves each literal that is no exact binary number by up to half a unit
    in its last place, the same literal by the same amount everywhere: what changes with it is owed
    to the rounding of constants.
    """
    return replace(
        module,
        functions=tuple(
            _Widening(jitter, integers=integers).function(each) for each in module.functions
        ),
    )


class _Widening:
    """Rebuilds the functions of a module over f64."""

    def __init__(self, jitter: int, *, integers: bool) -> None:
        self.jitter = jitter
        self.integers = integers
        self.values: dict[int, Value] = {}

    def function(self, function: Function) -> Function:
        return replace(function, body=self._block(function.body), aliases=())

    def _block(self, block: Block) -> Block:
        arguments = tuple(self._define(value) for value in block.arguments)
        operations = tuple(self._operation(each) for each in block.operations)
        return Block(arguments, operations, self._uses(block.results))

    def _define(self, value: Value) -> Value:
        wide = type_ = value.type
        if type_.element.is_float:
            wide = type_.with_element(ElementType.F64)
        elif self.integers and type_.element.is_integer:
            wide = type_.with_element(ElementType.I64)
        self.values[id(value)] = Value(wide, value.name)
        return self.values[id(value)]

    def _uses(self, values: Sequence[Value]) -> tuple[Value, ...]:
        return tuple(self.values[id(value)] for value in values)

    def _operation(self, operation: Operation) -> Operation:
        attributes, opcode = operation.attributes, operation.opcode
        if opcode in _ROUNDINGS:
            opcode, attributes = "stablehlo.convert", None
        if isinstance(attributes, attr.Constant) and operation.results[0].type.element.is_float:
            attributes = _wide_constant(attributes, self.jitter)
        elif self.integers:
            attributes = _long(attributes)
        operands = self._uses(operation.operands)
        regions = tuple(self._block(region) for region in operation.regions)
        results = tuple(self._define(value) for value in operation.results)
        return replace(
            operation,
            opcode=opcode,
            operands=operands,
            results=results,
            attributes=attributes,
            regions=regions,
        )


def _long(attributes: attr.Attributes) -> attr.Attributes:
    """Return the attributes of the operation on integers of 64 bits."""
    match attributes:
        case attr.Constant(array=array) if array.dtype.kind in "iu":
            return attr.Constant.of(array.astype(np.int64))
        case attr.Compare(compare_type=attr.CompareType.UNSIGNED):
            return replace(attributes, compare_type=attr.CompareType.SIGNED)
        case _:
            return attributes


def _wide_constant(constant: attr.Constant, jitter: int) -> attr.Constant:
    dtype = constant.array.dtype
    half_ulp = 2.0 ** -_SIGNIFICANT_BITS[ElementType.of(dtype)]
    stored = constant.array.reshape(-1)[:1] if constant.splat else constant.array.reshape(-1)
    pairs = zip(decimals(constant), stored, strict=True)
    numbers = [_decimal(word, float(each), half_ulp, jitter) for word, each in pairs]
    array = np.array(numbers, np.float64)
    if constant.splat:
        return attr.Constant.repeated(array, constant.array.shape)
    return attr.Constant.of(array.reshape(constant.array.shape))


def _decimal(word: str, stored: float, half_ulp: float, jitter: int) -> float:
    number = float(word)
    if not jitter or not np.isfinite(number) or Fraction(word) == Fraction(stored):
        return number
    digest = hashlib.sha256(f"{jitter} {word}".encode()).digest()
    return number * (1 + half_ulp * (digest[0] / 127.5 - 1))


def draw(
    types: Sequence[TensorType],
    seed: int,
    distribution: Distribution,
    domains: Mapping[int, Distribution] | None = None,
) -> list[np.ndarray]:
    """Return random arguments: floats as f64 from the distribution, integers and booleans 0 or 1.

    `refute_points.with_integers` puts the integers that a text tells apart in their place.
    `domains` gives single arguments a distribution of their own.
    """
    generator = np.random.default_rng(seed)
    chosen = domains or {}
    return [_drawn(t, generator, chosen.get(i, distribution)) for i, t in enumerate(types)]


def _drawn(t: TensorType, generator: np.random.Generator, law: Distribution) -> np.ndarray:
    if not t.element.is_float:
        return generator.integers(0, 2, t.shape).astype(t.element.dtype)
    match law:
        case Distribution.NORMAL:
            return generator.standard_normal(t.shape)
        case Distribution.SMALL:
            return generator.standard_normal(t.shape) / 8
        case Distribution.POSITIVE:
            return generator.uniform(0.5, 1.5, t.shape)
        case Distribution.NEGATIVE:
            return generator.uniform(-1.5, -0.5, t.shape)
        case Distribution.SIMPLEX:
            array = generator.uniform(0.5, 1.5, t.shape)
            return array / array.sum(axis=-1, keepdims=True)


def inputs_of(
    arguments: Sequence[Value],
    arrays: Sequence[np.ndarray],
    distribution: Distribution,
    domains: Mapping[int, Distribution],
) -> tuple[Input, ...]:
    """Return the record of drawn arguments, small ones in full."""
    return tuple(
        Input(
            value.name,
            value.shape,
            str(value.type.element),
            domains.get(i, distribution),
            tuple(array.reshape(-1).tolist()) if array.size <= LISTED else None,
        )
        for i, (value, array) in enumerate(zip(arguments, arrays, strict=True))
    )
