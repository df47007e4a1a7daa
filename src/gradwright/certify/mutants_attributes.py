"""Defects in the attributes of one operation: axes, borders, strides, dimensions, constants."""

import enum
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np

from gradwright.hlo import Operation
from gradwright.hlo import attributes as attr

Pairs = tuple[tuple[int, int], ...]


class Defect(enum.StrEnum):
    """What was done; the value is its name in tables."""

    OPERANDS = "operands swapped"
    ARMS = "select arms swapped"
    AXIS = "wrong axis"
    SCALE = "scaled by 1.001"
    COUNT = "N - 1 for N"
    FAN_IN = "fan-in dropped"
    FACTOR = "factor dropped"
    REVERSE = "reverse lost"
    BORDER = "border off by one"
    DILATION = "stride and dilation swapped"
    DIMENSIONS = "wrong dimensions reduced"
    SIGN = "wrong sign"
    OVERWRITTEN = "overwritten, not accumulated"
    CONSTANT = "wrong constant"
    TIE = "other side of a tie"


Changed = tuple[Defect, attr.Attributes]


def attribute_defects(operation: Operation) -> Iterator[Changed]:
    """Yield other attributes for an operation, with what is wrong about them."""
    rank = operation.operands[0].type.rank if operation.operands else 0
    match operation.attributes:
        case attr.Constant() as a if operation.results[0].type.element.is_float:
            yield from _constants(a)
        case attr.Transpose(permutation):
            for other in permutations(permutation):
                if other != permutation:
                    yield Defect.AXIS, attr.Transpose(other)
        case attr.BroadcastInDim(dimensions):
            for other in combinations(range(operation.results[0].type.rank), len(dimensions)):
                if other != dimensions:
                    yield Defect.AXIS, attr.BroadcastInDim(other)
        case attr.Dimensions(dimensions):
            defect = _AXES.get(operation.opcode, Defect.AXIS)
            for other in combinations(range(rank), len(dimensions)):
                if other != dimensions:
                    yield defect, attr.Dimensions(other)
        case attr.Iota(dimension):
            for other in range(operation.results[0].type.rank):
                if other != dimension:
                    yield Defect.AXIS, attr.Iota(other)
        case attr.Slice() as a:
            for start, limit in _shifted(a.start, a.limit, 1):
                yield Defect.BORDER, replace(a, start=start, limit=limit)
        case attr.Pad() as a:
            for low, high in _shifted(a.low, a.high, -1):
                yield Defect.BORDER, replace(a, low=low, high=high)
        case attr.DotGeneral() as a:
            yield Defect.AXIS, replace(a, lhs_contracting=_other(a.lhs_contracting))
            yield Defect.AXIS, replace(a, rhs_contracting=_other(a.rhs_contracting))
        case attr.Convolution() as a:
            yield from _convolutions(a)
        case attr.Window() | attr.ScatterWindow() as a:
            for padding in _moved(a.padding):
                yield Defect.BORDER, replace(a, padding=padding)
        case _:
            return


_AXES = {"stablehlo.reduce": Defect.DIMENSIONS}


def _constants(constant: attr.Constant) -> Iterator[Changed]:
    array = constant.array.astype(np.float64)
    finite = bool(np.isfinite(array).all())
    if not finite:
        return
    if constant.splat and array.size and (fewer := _fewer(float(array.flat[0]))) is not None:
        yield Defect.COUNT, _repeated(constant, fewer)
    if array.size and not constant.splat:
        yield Defect.CONSTANT, attr.Constant.of((array * 1.1).astype(constant.array.dtype))
    elif array.size:
        number = float(array.flat[0])
        yield Defect.CONSTANT, _repeated(constant, number * 1.1 if number else 0.1)


def _fewer(number: float) -> float | None:
    """Return N - 1 for a whole number N > 1, 1 / (N - 1) for its reciprocal, else None."""
    if number == round(number) and number > 1:
        return number - 1
    count = round(1 / number) if number > 1e-4 else 0
    return 1 / (count - 1) if count > 1 and abs(count * number - 1) < 1e-6 else None


def _repeated(constant: attr.Constant, number: float) -> attr.Constant:
    one = np.array([number]).astype(constant.array.dtype)
    return attr.Constant.repeated(one, constant.array.shape)


def _convolutions(a: attr.Convolution) -> Iterator[Changed]:
    for other in (
        replace(a, strides=a.rhs_dilation, rhs_dilation=a.strides),
        replace(a, strides=a.lhs_dilation, lhs_dilation=a.strides),
        replace(a, lhs_dilation=a.rhs_dilation, rhs_dilation=a.lhs_dilation),
    ):
        if other != a:
            yield Defect.DILATION, other
    flipped = tuple(not reversed_ for reversed_ in a.window_reversal)
    yield Defect.REVERSE, replace(a, window_reversal=flipped)
    for padding in _moved(a.padding):
        yield Defect.BORDER, replace(a, padding=padding)
    swapped = replace(
        a.dims,
        kernel_input_feature=a.dims.kernel_output_feature,
        kernel_output_feature=a.dims.kernel_input_feature,
    )
    yield Defect.AXIS, replace(a, dims=swapped)


def _moved(padding: Pairs) -> Iterator[Pairs]:
    """Move one axis's window by one, which keeps every shape."""
    for axis, (low, high) in enumerate(padding):
        for step in (-1, 1):
            yield (*padding[:axis], (low + step, high - step), *padding[axis + 1 :])


def _shifted(
    first: Sequence[int], second: Sequence[int], sign: int
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Move one axis's range by one either way."""
    for axis in range(len(first)):
        for step in (-1, 1):
            moved, opposite = list(first), list(second)
            moved[axis] += step
            opposite[axis] += sign * step
            yield tuple(moved), tuple(opposite)


def _other(dimensions: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(1 - dimension for dimension in dimensions) if len(dimensions) == 1 else dimensions
