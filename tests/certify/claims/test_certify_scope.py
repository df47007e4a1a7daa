"""Hypotheses are printed about what may fail, and about nothing else."""

import pytest

from gradwright.certify import certify_equal

TEXT = """
func.func @main(%x: tensor<3xf32>, %v: tensor<3xf32>) -> tensor<3xf32> {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %three = stablehlo.constant dense<3.0> : tensor<3xf32>
  %e = stablehlo.exponential %x : tensor<3xf32>
  %s = stablehlo.multiply %x, %x : tensor<3xf32>
  %shifted = stablehlo.add %s, %three : tensor<3xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %total = stablehlo.broadcast_in_dim %sum, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %y = {operation} : tensor<3xf32>
  return %y : tensor<3xf32>
}}
"""


def hypotheses(operation: str) -> list[str]:
    text = TEXT.format(operation=operation)
    return [line for line in certify_equal(text, text).scope if line.startswith("assumed")]


@pytest.mark.parametrize(
    "operation",
    [
        "stablehlo.divide %x, %three",
        "stablehlo.divide %x, %total",
        "stablehlo.log %total",
        "stablehlo.rsqrt %shifted",
        "stablehlo.sqrt %e",
        "stablehlo.log_plus_one %s",
        "stablehlo.power %three, %x",
    ],
)
def test_nothing_is_assumed_of_what_a_text_shows(operation: str) -> None:
    assert hypotheses(operation) == []


@pytest.mark.parametrize(
    ("operation", "line"),
    [
        ("stablehlo.divide %three, %x", "assumed: divisors are not 0 (line 12: %y)"),
        ("stablehlo.log %s", "assumed: arguments of logarithms are positive (line 12: %y)"),
        ("stablehlo.sqrt %s", "assumed: arguments of roots are positive (line 12: %y)"),
        (
            "stablehlo.log_plus_one %x",
            "assumed: arguments of logarithms are positive (line 12: %y)",
        ),
        ("stablehlo.power %v, %x", "assumed: bases of powers are positive (line 12: %y)"),
    ],
)
def test_what_may_fail_is_assumed_not_to(operation: str, line: str) -> None:
    assert hypotheses(operation) == [line]


def test_a_half_that_an_integer_cuts_off_may_be_0() -> None:
    text = """
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %whole = stablehlo.convert %half : (tensor<f32>) -> tensor<i32>
  %back = stablehlo.convert %whole : (tensor<i32>) -> tensor<f32>
  %y = stablehlo.divide %x, %back : tensor<f32>
  return %y : tensor<f32>
}
"""
    assert "assumed: divisors are not 0 (line 6: %y)" in certify_equal(text, text).scope
