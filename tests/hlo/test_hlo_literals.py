"""Literals: short, and read back bit for bit by the official parser."""

import math
from math import ldexp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradwright.hlo import Builder, ElementType, Module, TensorType, print_module, read_module
from gradwright.hlo.attributes import Constant
from gradwright.hlo.literals import constant_text, element_text

FLOATS = [element for element in ElementType if element.is_float]
WHOLE = [element for element in ElementType if not element.is_float]
SMALL = [element for element in FLOATS if element.dtype.itemsize <= 2]


def exp2(exponent: int) -> float:
    """Return a power of two, exactly."""
    return ldexp(1, exponent)


def read_back(array: np.ndarray) -> np.ndarray:
    """Return the array of a constant after print, official parse and read."""
    b = Builder()
    module = Module("m", (b.finish("main", [b.constant(array)]),))
    attributes = read_module(print_module(module)).main.body.operations[0].attributes
    assert isinstance(attributes, Constant)
    return attributes.array


def spelled(number: float, element: ElementType) -> str:
    """Return the literal of a number."""
    return element_text(np.asarray(number).astype(element.dtype).tobytes(), element)


@pytest.mark.parametrize("element", SMALL)
def test_every_value_of_a_small_float_is_read_back(element: ElementType) -> None:
    count = 1 << (8 * element.dtype.itemsize)
    raw = np.arange(count, dtype=np.dtype(f"u{element.dtype.itemsize}"))
    every = np.ndarray((count,), element.dtype, raw.tobytes())
    words = [element_text(value.tobytes(), element) for value in every]
    text = (
        f"func.func @main() -> tensor<{count}x{element}> {{\n"
        f"%a = stablehlo.constant dense<[{', '.join(words)}]> : tensor<{count}x{element}>\n"
        f"return %a : tensor<{count}x{element}> }}"
    )
    attributes = read_module(text).main.body.operations[0].attributes
    assert attributes == Constant.of(every)


@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("count", [40, 70])
def test_adversarial_floats_are_read_back(element: ElementType, count: int) -> None:
    exponents = [*range(-1074, 1024, 17), -149, -24, -133, -16, 127, 15, 8]
    edges = [0.1, 1 / 3, 6.25e-5, 0.0, 1.0, 1.5, 448.0, math.inf, math.nan, *map(exp2, exponents)]
    layouts = ((1023, 52), (127, 23), (15, 10), (127, 7))
    edges += [exp2(bits) * (2 - exp2(-digits)) for bits, digits in layouts]
    with np.errstate(all="ignore"):
        numbers: np.ndarray = np.array([*edges, *(-e for e in edges)]).astype(element.dtype)
    for start in range(0, len(numbers), count):
        array = numbers[start : start + count]
        assert read_back(array).tobytes() == array.tobytes()


@given(st.floats(), st.floats())
def test_any_double_is_read_back(left: float, right: float) -> None:
    array = np.array([left, right])
    assert read_back(array).tobytes() == array.tobytes()


@given(st.floats(width=32))
def test_any_single_is_read_back(number: float) -> None:
    array = np.array(number, np.float32)
    assert read_back(array).tobytes() == array.tobytes()


@pytest.mark.parametrize("element", WHOLE)
@pytest.mark.parametrize("count", [2, 70])
def test_extreme_integers_are_read_back(element: ElementType, count: int) -> None:
    array = np.array([element.lowest, element.highest] * (count // 2), element.dtype)
    assert read_back(array).tobytes() == array.tobytes()


@pytest.mark.parametrize(
    ("number", "element", "text"),
    [
        (0.1, ElementType.F32, "0.1"),
        (0.1, ElementType.BF16, "0.1"),
        (1 / 3, ElementType.F32, "0.33333334"),
        (1 / 3, ElementType.F64, "0.3333333333333333"),
        (6.25e-5, ElementType.F32, "6.25e-5"),
        (1e-5, ElementType.F32, "1.0e-5"),
        (1e20, ElementType.F32, "1.0e20"),
        (100, ElementType.F32, "100.0"),
        (-0.0, ElementType.F16, "-0.0"),
        (math.inf, ElementType.F32, "0x7F800000"),
        (-math.inf, ElementType.BF16, "0xFF80"),
        (-7, ElementType.I8, "-7"),
        (1, ElementType.I1, "true"),
    ],
)
def test_spelling(number: float, element: ElementType, text: str) -> None:
    assert spelled(number, element) == text


def test_shapes_nest_and_more_than_64_elements_become_a_dump() -> None:
    listed = np.arange(6, dtype=np.int32).reshape(2, 1, 3)
    assert (
        constant_text(Constant.of(listed), ElementType.I32) == "dense<[[[0, 1, 2]], [[3, 4, 5]]]>"
    )
    dump = np.arange(65, dtype=np.uint8)
    assert constant_text(Constant.of(dump), ElementType.UI8).startswith('dense<"0x000102')
    assert constant_text(Constant.of(dump[:64]), ElementType.UI8).startswith("dense<[0, 1, 2,")
    empty = np.zeros((0, 2))
    assert constant_text(Constant.of(empty), ElementType.F64) == "dense<>"
    assert read_back(empty).shape == (0, 2)


def test_a_splat_is_rounded_once_to_its_element_type() -> None:
    b = Builder()
    value = b.splat(0.1, TensorType((1000, 1000, 1000), ElementType.BF16))
    text = print_module(Module("m", (b.finish("main", [value]),)))
    assert "dense<0.1> : tensor<1000x1000x1000xbf16>" in text
