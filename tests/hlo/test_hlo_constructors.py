"""Constructors accept what the official verifier accepts, and say what is wrong otherwise."""

from collections.abc import Callable
from dataclasses import replace
from typing import cast

import pytest

from gradwright.errors import ParseError, ShapeError
from gradwright.hlo import Builder, ElementType, Module, TensorType, Value, print_module, verify
from gradwright.hlo.attributes import (
    Convolution,
    ConvolutionDims,
    Direction,
    Gather,
    Iota,
    Scatter,
    ScatterWindow,
    Window,
)
from hlo.vocabulary import BINARY, UNARY

Make = Callable[[Builder], object]

LINE = Convolution(
    ConvolutionDims(0, 1, (2,), 1, 0, (2,), 0, 1, (2,)), (1,), ((0, 0),), (1,), (1,), (False,), 1, 1
)
ROWS = Gather((1,), (0,), (), (), (0,), 1, (1, 3), indices_are_sorted=False)
ADDED = Scatter((1,), (0,), (), (), (0,), 1, indices_are_sorted=False, unique_indices=False)
POOL = Window((2, 2), (1, 1), (1, 1), (1, 1), ((0, 0), (0, 0)))
TIES = ScatterWindow((2, 3), (2, 3), ((0, 0), (0, 0)))


def f32(b: Builder, *shape: int) -> Value:
    """Return an argument of f32."""
    return b.argument("x", TensorType(shape))


def i32(b: Builder, *shape: int) -> Value:
    """Return an argument of i32."""
    return b.argument("i", TensorType(shape, ElementType.I32))


def i1(b: Builder, *shape: int) -> Value:
    """Return an argument of i1."""
    return b.argument("p", TensorType(shape, ElementType.I1))


def carry(
    b: Builder, condition: Callable[[Value], Value], body: Callable[[Value], list[Value]]
) -> object:
    """Return a loop that carries one scalar."""
    return b.while_loop([f32(b)], condition, body, ["x"])


def itself(value: Value) -> Value:
    """Return a value, as a condition of the wrong type."""
    return value


def twice(value: Value) -> list[Value]:
    """Return a value two times, as a body of the wrong number of results."""
    return [value, value]


def always(b: Builder) -> Callable[[Value], Value]:
    """Return a condition of the right type."""

    def condition(value: Value) -> Value:
        return b.compare(Direction.EQ, value, value)

    return condition


def identity(value: Value) -> list[Value]:
    """Return a value as the results of a region."""
    return [value]


def first_of(lhs: Value, rhs: Value) -> list[Value]:
    """Return the left one, as a combination of the wrong number of results."""
    return [lhs, rhs]


# fmt: off
REFUSED: dict[str, tuple[Make, str]] = {
    "unary": (lambda b: b.tanh(i32(b, 2)),
        "stablehlo.tanh: expected a floating-point operand, found tensor<2xi32>"),
    "binary": (lambda b: b.add(f32(b, 2), f32(b, 3)),
        "stablehlo.add: expected two operands of one type, found tensor<2xf32> and tensor<3xf32>"),
    "booleans": (lambda b: b.subtract(i1(b, 2), i1(b, 2)),
        "stablehlo.subtract: expected numbers, found tensor<2xi1>"),
    "and": (lambda b: b.logical_and(f32(b, 2), f32(b, 2)),
        "stablehlo.and: expected boolean or integer operands, found tensor<2xf32>"),
    "not": (lambda b: b.logical_not(f32(b, 2)),
        "stablehlo.not: expected a boolean or integer operand, found tensor<2xf32>"),
    "negate": (lambda b: -i1(b, 2),
        "stablehlo.negate: expected numbers, found tensor<2xi1>"),
    "abs": (lambda b: b.abs(b.argument("u", TensorType((2,), ElementType.UI8))),
        "stablehlo.abs: expected signed or floating numbers, found tensor<2xui8>"),
    "compare": (lambda b: b.compare(Direction.EQ, f32(b, 2), i32(b, 2)),
        "stablehlo.compare: expected two operands of one type, "
        "found tensor<2xf32> and tensor<2xi32>"),
    "select": (lambda b: b.select(i1(b, 3), f32(b, 2), f32(b, 2)),
        "stablehlo.select: expected a predicate tensor<2xi1> or tensor<i1> and two operands of "
        "one type, found tensor<3xi1>, tensor<2xf32>, tensor<2xf32>"),
    "clamp": (lambda b: b.clamp(f32(b, 2), f32(b, 3), f32(b)),
        "stablehlo.clamp: expected bounds tensor<3xf32> or tensor<f32>, "
        "found tensor<2xf32> and tensor<f32>"),
    "reduce_precision": (lambda b: b.reduce_precision(f32(b, 2), 0, 2),
        "stablehlo.reduce_precision: expected a float operand, exponent bits >= 1 and mantissa "
        "bits >= 0, found tensor<2xf32>, e0m2"),
    "splat": (lambda b: b.splat(1.5, TensorType((2,), ElementType.I8)),
        "stablehlo.constant: expected a number of i8, found 1.5"),
    "splat range": (lambda b: b.splat(300, TensorType((2,), ElementType.I8)),
        "stablehlo.constant: expected a number of i8, found 300"),
    "iota": (lambda b: b.iota(TensorType((2, 3)), 2),
        "stablehlo.iota: expected a dimension of tensor<2x3xf32>, found 2"),
    "iota of booleans": (lambda b: b.iota(TensorType((2,), ElementType.I1), 0),
        "stablehlo.iota: expected numbers, found tensor<2xi1>"),
    "reshape": (lambda b: b.reshape(f32(b, 2, 3), (4,)),
        "stablehlo.reshape: expected 6 elements, found 4 in tensor<4xf32>"),
    "reshape sign": (lambda b: b.reshape(f32(b, 2, 3), (-2, -3)),
        "stablehlo.reshape: expected 6 elements, found 6 in tensor<-2x-3xf32>"),
    "transpose": (lambda b: b.transpose(f32(b, 2, 3), (0, 0)),
        "stablehlo.transpose: expected a permutation of the 2 dimensions, found [0, 0]"),
    "broadcast": (lambda b: b.broadcast(f32(b, 2), (3, 4), (0,)),
        "stablehlo.broadcast_in_dim: expected dimensions that fit tensor<2xf32> into [3, 4], "
        "found [0]"),
    "slice": (lambda b: b.slice(f32(b, 2, 3), (0, 1), (2, 4)),
        "stablehlo.slice: expected 0 <= start <= limit <= extent and stride >= 1 in "
        "tensor<2x3xf32>, found start [0, 1], limit [2, 4], strides [1, 1]"),
    "slice rank": (lambda b: b.slice(f32(b, 2, 3), (0,), (2,)),
        "stablehlo.slice: expected 0 <= start <= limit <= extent and stride >= 1 in "
        "tensor<2x3xf32>, found start [0], limit [2], strides [1, 1]"),
    "pad": (lambda b: b.pad(f32(b, 2), 0, (-3,), (0,)),
        "stablehlo.pad: expected one entry per dimension, interior >= 0 and extents >= 0, "
        "found low (-3,), high (0,), interior (0,) on tensor<2xf32>"),
    "concatenate": (lambda b: b.concatenate([f32(b, 2, 3), f32(b, 3, 2)], 0),
        "stablehlo.concatenate: expected operands that differ at most in dimension 0, "
        "found tensor<2x3xf32>, tensor<3x2xf32>"),
    "concatenate none": (lambda b: b.concatenate([], 0),
        "stablehlo.concatenate: expected one operand or more, found none"),
    "reverse": (lambda b: b.reverse(f32(b, 2), (0, 0)),
        "stablehlo.reverse: expected distinct dimensions of tensor<2xf32>, found [0, 0]"),
    "dot": (lambda b: b.dot(f32(b, 2, 3), f32(b, 2, 3), ((1,), (0,))),
        "stablehlo.dot_general: expected distinct dimension pairs of equal extent and one element "
        "type, found [1] of tensor<2x3xf32> with [0] of tensor<2x3xf32>"),
    "convolution rank": (lambda b: b.convolution(f32(b, 2, 3, 4), f32(b, 2, 3), LINE),
        "stablehlo.convolution: expected operands of one rank and element type, "
        "found tensor<2x3x4xf32> and tensor<2x3xf32>"),
    "convolution features": (lambda b: b.convolution(f32(b, 2, 3, 4), f32(b, 5, 2, 1), LINE),
        "stablehlo.convolution: expected kernel input features x groups = 3 input features, "
        "found 2 x 1 groups"),
    "convolution kernel": (lambda b: b.convolution(f32(b, 2, 3, 4), f32(b, 5, 3, 0), LINE),
        "stablehlo.convolution: expected kernel extents >= 1, found tensor<5x3x0xf32>"),
    "convolution strides": (
        lambda b: b.convolution(f32(b, 2, 3, 4), f32(b, 5, 3, 2), replace(LINE, strides=(0,))),
        "stablehlo.convolution: expected strides and dilations >= 1, "
        "found ((0,), ((0, 0),), (1,), (1,))"),
    "convolution groups": (
        lambda b: b.convolution(
            f32(b, 2, 4, 4), f32(b, 5, 2, 2), replace(LINE, feature_group_count=2)),
        "stablehlo.convolution: expected 5 output features and the batch divisible by the groups, "
        "found 2"),
    "reduce": (lambda b: b.sum(f32(b, 2, 3), (2,)),
        "stablehlo.reduce: expected distinct dimensions of one shape, found [2] of "
        "tensor<2x3xf32>"),
    "reduce count": (lambda b: b.reduce((f32(b, 2),), (0, 0), (0,), b.adds),
        "stablehlo.reduce: expected one initial value per operand, found 1 operands, 2 values"),
    "reduce region": (lambda b: b.reduce((f32(b, 2),), (0,), (0,), first_of),
        "stablehlo.reduce: expected a combination that returns tensor<f32>, "
        "found tensor<f32>, tensor<f32>"),
    "reduce_window": (
        lambda b: b.reduce_window(f32(b, 4, 4), 0, replace(POOL, strides=(0, 1)), b.adds),
        "stablehlo.reduce_window: expected one entry per dimension, extents, strides and dilations "
        ">= 1, found Window(dimensions=(2, 2), strides=(0, 1), base_dilations=(1, 1), "
        "window_dilations=(1, 1), padding=((0, 0), (0, 0))) on tensor<4x4xf32>"),
    "select_and_scatter": (lambda b: b.select_and_scatter(f32(b, 4, 6), f32(b, 2, 3), TIES),
        "stablehlo.select_and_scatter: expected source tensor<2x2xf32>, found tensor<2x3xf32>"),
    "dynamic_slice": (lambda b: b.dynamic_slice(f32(b, 4), [i32(b)], (5,)),
        "stablehlo.dynamic_slice: expected sizes within tensor<4xf32>, found [5]"),
    "dynamic_slice starts": (lambda b: b.dynamic_slice(f32(b, 4), [f32(b)], (2,)),
        "stablehlo.dynamic_slice: expected 1 integer scalars, found tensor<f32>"),
    "dynamic_update_slice": (lambda b: b.dynamic_update_slice(f32(b, 4), f32(b, 5), [i32(b)]),
        "stablehlo.dynamic_update_slice: expected an update within tensor<4xf32>, "
        "found tensor<5xf32>"),
    "gather indices": (lambda b: b.gather(f32(b, 5, 3), f32(b, 2, 1), ROWS),
        f"stablehlo.gather: expected integer indices, found {ROWS} on tensor<5x3xf32> at "
        "tensor<2x1xf32>"),
    "gather sizes": (
        lambda b: b.gather(f32(b, 5, 3), i32(b, 2, 1), replace(ROWS, slice_sizes=(2, 3))),
        "stablehlo.gather: expected slice sizes of at most 1 in collapsed and batching dimensions, "
        f"found {replace(ROWS, slice_sizes=(2, 3))} on tensor<5x3xf32> at tensor<2x1xi32>"),
    "gather vector": (lambda b: b.gather(f32(b, 5, 3), i32(b, 2, 2), ROWS),
        "stablehlo.gather: expected 2 operand dimensions for an index vector of 2, "
        f"found {ROWS} on tensor<5x3xf32> at tensor<2x2xi32>"),
    "scatter": (lambda b: b.scatter_add(f32(b, 5, 3), i32(b, 2, 1), f32(b, 2, 4), ADDED),
        "stablehlo.scatter: expected updates of f32 with windows within the operand, "
        f"found {ADDED} on tensor<5x3xf32>, tensor<2x1xi32>, tensor<2x4xf32>"),
    "while condition": (lambda b: carry(b, itself, identity),
        "stablehlo.while: expected a condition that returns tensor<i1>, found tensor<f32>"),
    "while body": (lambda b: carry(b, always(b), twice),
        "stablehlo.while: expected a body that returns tensor<f32>, "
        "found tensor<f32>, tensor<f32>"),
    "region names": (lambda b: b.region([TensorType(())], identity, ["x", "y"]),
        "region: expected 1 names, found ['x', 'y']"),
    "call": (lambda b: b.call(Builder().finish("f", []), [f32(b)]),
        "func.call: expected (), found tensor<f32>"),
    "all_reduce": (lambda b: b.all_reduce(f32(b, 2), [[0, 1], [1]]),
        "stablehlo.all_reduce: expected groups of one size that share out the replicas 0, 1, …, "
        "found ((0, 1), (1,))"),
}
# fmt: on


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_fit_is_refused_with_a_reason(case: str) -> None:
    make, message = REFUSED[case]
    with pytest.raises(ShapeError) as caught:
        make(Builder())
    assert str(caught.value) == message


def test_an_error_names_the_layer() -> None:
    b = Builder()
    x = f32(b, 2)
    with b.scope("stage2.block1.conv1", "forward"), pytest.raises(ShapeError) as caught:
        b.reshape(x, (3,))
    assert str(caught.value) == (
        "stage2.block1.conv1: stablehlo.reshape: expected 2 elements, found 3 in tensor<3xf32>"
    )
    assert caught.value.where == "stage2.block1.conv1: stablehlo.reshape"


def unary(name: str) -> Callable[[Builder, TensorType], Value]:
    """Return the use of a constructor of one operand."""

    def use(b: Builder, type: TensorType) -> Value:
        return cast("Value", getattr(b, name)(b.argument("x", type)))

    return use


def binary(name: str) -> Callable[[Builder, TensorType], Value]:
    """Return the use of a constructor of two operands."""

    def use(b: Builder, type: TensorType) -> Value:
        x = b.argument("x", type)
        return cast("Value", getattr(b, name)(x, x))

    return use


NUMERIC: dict[str, Callable[[Builder, TensorType], Value]] = {
    **{name: unary(name) for name in (*UNARY, "logical_not")},
    **{name: binary(name) for name in (*BINARY, "logical_and", "logical_or")},
    "iota": lambda b, t: b.iota(t, 0),
    "max": lambda b, t: b.max(b.argument("x", t), (0,)),
    "sum": lambda b, t: b.sum(b.argument("x", t), (0,)),
    "splat": lambda b, t: b.splat(1, t),
}


OPCODES = {
    "erf": "chlo.erf",
    "logical_not": "stablehlo.not",
    "logical_and": "stablehlo.and",
    "logical_or": "stablehlo.or",
}


@pytest.mark.parametrize("name", NUMERIC)
def test_element_types_are_judged_as_the_verifier_does(name: str) -> None:
    for element in ElementType:
        b = Builder()
        type = TensorType((2, 3), element)
        try:
            result = NUMERIC[name](b, type)
        except ShapeError:
            with pytest.raises(ParseError):
                verify(print_module(forced(name, type)))
            continue
        verify(print_module(Module("m", (b.finish("main", [result]),))))


def forced(name: str, type: TensorType) -> Module:
    """Return a module with an operation that its constructor refuses."""
    b = Builder()
    x = b.argument("x", type)
    opcode = OPCODES.get(name, f"stablehlo.{name}")
    operands = [x] if name in {*UNARY, "logical_not"} else [x, x]
    if name == "iota":
        return Module("m", (b.finish("main", b.emit(opcode, [], [type], Iota(0))),))
    return Module("m", (b.finish("main", b.emit(opcode, operands, [type])),))


def test_the_maximum_of_integers_starts_at_the_lowest() -> None:
    b = Builder()
    x = i32(b, 2, 3)
    text = print_module(Module("m", (b.finish("main", [b.max(x, (0,))]),)))
    assert "dense<-2147483648> : tensor<i32>" in text


@pytest.mark.parametrize("extent", range(5))
@pytest.mark.parametrize("low", [-6, -3, -1, 0, 2])
def test_window_extents_are_those_of_the_verifier(extent: int, low: int) -> None:
    b = Builder()
    results: list[Value] = []
    for stride, dilation in ((1, 1), (2, 1), (1, 2), (2, 2)):
        conv = replace(LINE, strides=(stride,), padding=((low, 1),), lhs_dilation=(dilation,))
        window = Window((2,), (stride,), (dilation,), (1,), ((low, 1),))
        results.append(b.convolution(f32(b, 2, 1, extent), f32(b, 3, 1, 2), conv))
        results.append(b.reduce_window(f32(b, extent), 0, window, b.adds))
    verify(print_module(Module("m", (b.finish("main", results),))))


NO_OPS: dict[str, Callable[[Builder, Value], Value]] = {
    "reshape": lambda b, x: b.reshape(x, (2, 3)),
    "transpose": lambda b, x: b.transpose(x, (0, 1)),
    "broadcast": lambda b, x: b.broadcast(x, (2, 3), (0, 1)),
    "slice": lambda b, x: b.slice(x, (0, 0), (2, 3), (1, 1)),
    "pad": lambda b, x: b.pad(x, 0, (0, 0), (0, 0)),
    "concatenate": lambda b, x: b.concatenate([x], 1),
    "convert": lambda b, x: b.convert(x, ElementType.F32),
}


@pytest.mark.parametrize("name", NO_OPS)
def test_a_no_op_is_not_written(name: str) -> None:
    b = Builder()
    x = f32(b, 2, 3)
    assert NO_OPS[name](b, x) is x


def test_a_splat_beyond_the_largest_float_is_infinite() -> None:
    b = Builder()
    value = b.splat(1e39, TensorType(()))
    assert "dense<0x7F800000>" in print_module(Module("m", (b.finish("main", [value]),)))
