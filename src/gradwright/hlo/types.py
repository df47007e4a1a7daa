"""Element types and tensor types of StableHLO."""

import enum
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

import ml_dtypes
import numpy as np
from numpy.typing import DTypeLike

Shape = tuple[int, ...]

_LOWEST_F8E4M3FN = -448.0
"""This format has no infinity (OCP 8-bit floating point specification 1.0, table 2)."""


class ElementType(enum.StrEnum):
    """Element type of a tensor; the value is its spelling in StableHLO text."""

    I1 = "i1"
    I8 = "i8"
    I16 = "i16"
    I32 = "i32"
    I64 = "i64"
    UI8 = "ui8"
    UI16 = "ui16"
    UI32 = "ui32"
    UI64 = "ui64"
    F8E4M3FN = "f8E4M3FN"
    F8E5M2 = "f8E5M2"
    BF16 = "bf16"
    F16 = "f16"
    F32 = "f32"
    F64 = "f64"

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """The NumPy (or ml_dtypes) type that stores one element."""
        return np.dtype(_DTYPES[self])

    @property
    def is_float(self) -> bool:
        """Whether elements are floating-point numbers."""
        return "f" in self.value

    @property
    def is_integer(self) -> bool:
        """Whether elements are integers (booleans are not)."""
        return not self.is_float and self is not ElementType.I1

    @property
    def is_unsigned(self) -> bool:
        """Whether elements are integers without a sign."""
        return self.value.startswith("u")

    @property
    def lowest(self) -> int | float:
        """The element that no other one is below: -inf where there is one."""
        if self.is_float:
            return _LOWEST_F8E4M3FN if self is ElementType.F8E4M3FN else -math.inf
        return -(2 ** (8 * self.dtype.itemsize - 1)) if self._is_signed else 0

    @property
    def highest(self) -> int | float:
        """The element that no other one is above: inf where there is one."""
        if self.is_float:
            return -self.lowest
        bits = 1 if self is ElementType.I1 else 8 * self.dtype.itemsize
        return 2 ** (bits - 1) - 1 if self._is_signed else 2**bits - 1

    @property
    def _is_signed(self) -> bool:
        return self.is_integer and not self.is_unsigned

    @staticmethod
    def of(dtype: DTypeLike) -> "ElementType":
        """Return the element type that stores `dtype`; KeyError where there is none."""
        return _ELEMENTS[np.dtype(dtype)]


_DTYPES: dict[ElementType, DTypeLike] = {
    ElementType.I1: np.bool_,
    ElementType.I8: np.int8,
    ElementType.I16: np.int16,
    ElementType.I32: np.int32,
    ElementType.I64: np.int64,
    ElementType.UI8: np.uint8,
    ElementType.UI16: np.uint16,
    ElementType.UI32: np.uint32,
    ElementType.UI64: np.uint64,
    ElementType.F8E4M3FN: ml_dtypes.float8_e4m3fn,
    ElementType.F8E5M2: ml_dtypes.float8_e5m2,
    ElementType.BF16: ml_dtypes.bfloat16,
    ElementType.F16: np.float16,
    ElementType.F32: np.float32,
    ElementType.F64: np.float64,
}
_ELEMENTS = {np.dtype(dtype): element for element, dtype in _DTYPES.items()}


@dataclass(frozen=True, slots=True)
class TensorType:
    """Shape and element type of one value."""

    shape: Shape
    element: ElementType = ElementType.F32

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    def with_shape(self, shape: Shape) -> "TensorType":
        """Return the same element type at another shape."""
        return TensorType(shape, self.element)

    def with_element(self, element: ElementType) -> "TensorType":
        """Return the same shape with another element type."""
        return TensorType(self.shape, element)

    def __str__(self) -> str:
        """Return the spelling in StableHLO text, e.g. `tensor<8x3xf32>`."""
        return f"tensor<{''.join(f'{extent}x' for extent in self.shape)}{self.element.value}>"


def first_difference(
    wanted: Sequence[TensorType | None], given: Sequence[TensorType]
) -> tuple[int, str, str] | None:
    """Return the first place at which two lists differ, and what either has there."""
    for place, pair in enumerate(zip_longest(wanted, given)):
        if pair[0] != pair[1]:
            ours, theirs = (str(type or "none") for type in pair)
            expected = f"{ours} at {place} of {len(wanted)}"
            return place, expected, f"{theirs} at {place} of {len(given)}"
    return None
