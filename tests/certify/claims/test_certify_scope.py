"""Hypotheses are printed about what may fail, and about nothing else."""

import pytest

from gradwright.certify import Search, Verdict, certify_equal, certify_vjp

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


CAPPED = """
func.func @main(%x: tensor<3x2xf64>) -> tensor<3xf64> {{
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %one = stablehlo.constant dense<1.0> : tensor<3xf64>
  %s = stablehlo.multiply %x, %x : tensor<3x2xf64>
  %n = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [1]
      : (tensor<3x2xf64>, tensor<f64>) -> tensor<3xf64>
  {lines}
  return %r : tensor<3xf64>
}}
"""
LEAST = CAPPED.format(
    lines="""%d = stablehlo.divide %one, %n : tensor<3xf64>
  %r = stablehlo.minimum %one, %d : tensor<3xf64>"""
)
MOST = CAPPED.format(
    lines="""%d = stablehlo.maximum %n, %one : tensor<3xf64>
  %r = stablehlo.divide %one, %d : tensor<3xf64>"""
)


def test_equality_names_no_convention_of_gradients() -> None:
    report = certify_equal(LEAST, MOST)
    assert report.verdict is Verdict.PROVED
    assert not any("kinks and ties" in line for line in report.scope)
    backward = MOST.replace("(%x: tensor<3x2xf64>)", "(%x: tensor<3x2xf64>, %g: tensor<3xf64>)")
    backward = backward.replace("-> tensor<3xf64> {", "-> tensor<3x2xf64> {")
    backward = backward.replace("return %r : tensor<3xf64>", "return %x : tensor<3x2xf64>")
    differentiated = certify_vjp(MOST, backward, search=Search(seconds=0))
    assert any("kinks and ties" in line for line in differentiated.scope)


LOOKED_UP = """
func.func @main(%x: tensor<5xf32>, %i: tensor<3x1xi32>) -> tensor<3xf32> {
  %r = "stablehlo.gather"(%x, %i) <{
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1>, indices_are_sorted = SAID
  }> : (tensor<5xf32>, tensor<3x1xi32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
"""


@pytest.mark.parametrize(("said", "count"), [("true", 1), ("false", 0)])
def test_what_a_text_promises_of_indices_is_named(said: str, count: int) -> None:
    text = LOOKED_UP.replace("SAID", said)
    lines = [line for line in certify_equal(text, text).scope if "are sorted" in line]
    assert len(lines) == count


@pytest.mark.parametrize("budget", [0.0, 60.0])
def test_a_budget_bounds_the_proof_too(budget: float) -> None:
    report = certify_equal(LEAST, MOST, search=Search(budget=budget))
    [claim] = report.claims
    if budget:
        assert report.verdict is Verdict.PROVED
    else:
        assert report.verdict is Verdict.UNKNOWN
        assert "the 0 s for all of it are over" in str(claim.outcome)
