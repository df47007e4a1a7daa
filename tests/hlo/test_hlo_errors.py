"""What the parser refuses is told with line, column, the line itself and MLIR's words."""

import numpy as np
import pytest

from gradwright.errors import ParseError, ShapeError
from gradwright.hlo import evaluate, read_module, verify

GOOD = """\
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = stablehlo.add %x, %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
"""


def refusal(source: str | bytes) -> str:
    """Return the message with which the reader refuses a source."""
    with pytest.raises(ParseError) as caught:
        read_module(source)
    return str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "stablehlo.add",
            "stablehlo.ad",
            "2:8: expected a StableHLO module, found `%y = stablehlo.ad %x, %x : tensor<2xf32>`: "
            "custom op 'stablehlo.ad' is unknown",
        ),
        (
            "return %y",
            "return %z",
            "3:10: expected a StableHLO module, found `return %z : tensor<2xf32>`: "
            "use of undeclared SSA value name",
        ),
        (
            "stablehlo.add %x, %x : tensor<2xf32>",
            "stablehlo.slice %x [0:3] : (tensor<2xf32>) -> tensor<2xf32>",
            "2:8: expected a StableHLO module, found "
            "`%y = stablehlo.slice %x [0:3] : (tensor<2xf32>) -> tensor<2xf32>`: ",
        ),
        (
            "stablehlo.add %x, %x",
            "stablehlo.add %x,\0 %x",
            "2:25: expected a StableHLO module, found a NUL character",
        ),
    ],
)
def test_a_bad_line_is_quoted(old: str, new: str, message: str) -> None:
    verify(GOOD)
    assert refusal(GOOD.replace(old, new)).startswith(message)


@pytest.mark.parametrize(
    "type",
    [
        "tensor<?xf32>",
        "tensor<2xcomplex<f32>>",
        "tensor<2xi4>",
        "tensor<*xf32>",
        "!stablehlo.token",
        "tuple<tensor<f32>>",
        "index",
    ],
)
def test_types_outside_the_vocabulary_are_refused_where_they_stand(type: str) -> None:
    head = f"func.func @main(%y: tensor<f32>,\n  %x: {type})"
    message = refusal(f"{head} -> tensor<f32> {{\n  return %y : tensor<f32> }}")
    assert message.startswith("2:3: expected a StableHLO module, found `%x: ")
    assert message.endswith(f"type {type} is not supported")


def test_types_of_dialects_that_are_no_part_of_stablehlo_are_refused() -> None:
    text = "func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>) {\n  return }"
    assert refusal(text).startswith(
        "1:37: expected a StableHLO module, found `func.func @main(%x: "
    )


def test_a_type_in_the_middle_is_refused_at_its_operation() -> None:
    text = """\
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %c = stablehlo.complex %x, %x : tensor<complex<f32>>
  %r = stablehlo.real %c : (tensor<complex<f32>>) -> tensor<f32>
  return %r : tensor<f32>
}
"""
    assert refusal(text) == (
        "2:8: expected a StableHLO module, found "
        "`%c = stablehlo.complex %x, %x : tensor<complex<f32>>`: "
        "type tensor<complex<f32>> is not supported"
    )


def test_nothing_is_refused() -> None:
    for empty in ("", b"", "// only a comment", "module {}"):
        assert "a module without functions" in refusal(empty)


@pytest.mark.parametrize(
    "junk", [b"\xff\xfe", b"\x7fELF\x00", b"ML\xefR", b"ML\xefRjunk", b"PK\x03\x04", "}{", "\\"]
)
def test_junk_is_refused(junk: str | bytes) -> None:
    assert "expected" in refusal(junk)


def test_a_declaration_without_a_body_is_refused() -> None:
    assert "a function of one block" in refusal("func.func private @f(tensor<f32>)")


def test_arguments_that_do_not_fit_are_refused_before_the_interpreter_sees_them() -> None:
    with pytest.raises(ShapeError) as caught:
        evaluate(GOOD, [np.zeros(3, np.float32)])
    assert str(caught.value) == (
        "arguments of main: expected tensor<2xf32> at 0 of 1, found tensor<3xf32> at 0 of 1"
    )
