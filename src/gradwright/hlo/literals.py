"""Spelling of constants: the shortest text that MLIR's parser reads back bit for bit."""

import functools
import math
import sys
from collections.abc import Sequence

import numpy as np

from gradwright.hlo.attributes import Constant
from gradwright.hlo.types import ElementType

_LISTED = 64
"""Constants with more elements are written as the hexadecimal dump of their bytes."""


def constant_text(constant: Constant, element: ElementType) -> str:
    """Return `dense<…>` of a constant: one element, a nested list or a hexadecimal dump."""
    array = constant.array
    if constant.splat:
        return f"dense<{element_text(array.flat[:1].tobytes(), element)}>"
    if array.size == 0:
        return "dense<>"
    # Versions of MLIR disagree on whether a dump of booleans holds bits or bytes.
    if array.size > _LISTED and element is not ElementType.I1:
        return f'dense<"0x{_little_endian(array).hex().upper()}">'
    width = array.dtype.itemsize
    raw = array.tobytes()
    words = [element_text(raw[i : i + width], element) for i in range(0, len(raw), width)]
    return f"dense<{_nested(words, array.shape)}>"


def decimals(constant: Constant) -> list[str]:
    """Return the decimal of each element in row-major order (one for a splat).

    Each is the shortest that rounds to the stored element, or inf, -inf, nan, true, false.
    """
    array = constant.array.reshape(-1)[:1] if constant.splat else constant.array
    element = ElementType.of(array.dtype)
    raw, width = array.tobytes(), array.dtype.itemsize
    words = [element_text(raw[i : i + width], element) for i in range(0, len(raw), width)]
    if not any(word.startswith("0x") for word in words):
        return words
    return [
        str(float(value)) if word.startswith("0x") else word
        for word, value in zip(words, array.reshape(-1), strict=True)
    ]


@functools.lru_cache(maxsize=4096)
def element_text(raw: bytes, element: ElementType) -> str:
    """Return the literal of one element, given its bytes in the machine's order."""
    value = np.ndarray((1,), element.dtype, raw)[0]
    if element is ElementType.I1:
        return "true" if value else "false"
    if element.is_integer:
        return str(int(value))
    number = float(value)
    if not math.isfinite(number):
        return f"0x{int.from_bytes(raw, sys.byteorder):0{2 * len(raw)}X}"
    return _decimal(_shortest(number, value))


def _shortest(number: float, value: np.generic) -> float:
    """Return the double of fewest decimal digits that rounds to `value`."""
    if isinstance(value, np.float64):
        return number
    for digits in range(1, 17):
        short = float(f"{number:.{digits}g}")
        # Rounded up, the largest number overflows.
        with np.errstate(over="ignore"):
            rounded = np.asarray(short).astype(value.dtype)
        if rounded == value:
            return short
    return number


def _decimal(number: float) -> str:
    mantissa, _, exponent = repr(number).partition("e")
    whole = mantissa if "." in mantissa else f"{mantissa}.0"
    return f"{whole}e{int(exponent)}" if exponent else whole


def _little_endian(array: np.ndarray) -> bytes:
    return array.tobytes() if sys.byteorder == "little" else array.byteswap().tobytes()


def _nested(words: Sequence[str], shape: Sequence[int]) -> str:
    if not shape:
        return words[0]
    step = len(words) // shape[0]
    rows = (_nested(words[i : i + step], shape[1:]) for i in range(0, len(words), step))
    return f"[{', '.join(rows)}]"
