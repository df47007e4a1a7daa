"""Hypotheses are printed about what may fail, and about nothing else."""

import pytest

from gradwright.certify import Search, Verdict, certify_equal, certify_vjp
from gradwright.certify.kernel.conditions import Conditions
from gradwright.certify.scope import scope_of
from gradwright.hlo import read_module

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
    found = certify_equal(text, text, search=Search(seconds=0)).scope
    return [line for line in found if line.startswith("assumed")]


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


@pytest.mark.parametrize(
    ("divisor", "may_be_0"),
    [
        ("stablehlo.constant dense<-2.0>", False),
        ("stablehlo.negate %e", False),
        ("stablehlo.negate %x", True),
        ("stablehlo.constant dense<[-2.0, 2.0, -1.0]>", True),
    ],
)
def test_a_negative_divisor_is_not_0(divisor: str, may_be_0: bool) -> None:
    """One constant of both signs counts as one that may be 0: it is listed, and holds."""
    text = f"""
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {{
  %e = stablehlo.exponential %x : tensor<3xf32>
  %d = {divisor} : tensor<3xf32>
  %r = stablehlo.reverse %d, dims = [0] : tensor<3xf32>
  %y = stablehlo.divide %x, %r : tensor<3xf32>
  return %y : tensor<3xf32>
}}
"""
    found = certify_equal(text, text, search=Search(seconds=0)).scope
    assert ("assumed: divisors are not 0 (line 6: %y)" in found) is may_be_0


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
    assert (
        "assumed: divisors are not 0 (line 6: %y)"
        in certify_equal(text, text, search=Search(seconds=0)).scope
    )


INTEGERS = """
func.func @main(%a: tensor<4xui8>, %b: tensor<4xi1>, %x: tensor<4xf32>) -> tensor<4xRESULT> {
  %i = stablehlo.iota dim = 0 : tensor<4xui8>
  %ten = stablehlo.constant dense<10> : tensor<4xui8>
  %z = stablehlo.constant dense<0> : tensor<ui8>
  %most = stablehlo.constant dense<10.0> : tensor<4xf32>
  %least = stablehlo.constant dense<0.0> : tensor<4xf32>
  %one = stablehlo.convert %b : (tensor<4xi1>) -> tensor<4xui8>
  %wide = stablehlo.convert %a : (tensor<4xui8>) -> tensor<4xi16>
  %bounded = stablehlo.clamp %least, %x, %most : tensor<4xf32>
  %y = OPERATION
  return %y : tensor<4xRESULT>
}
"""
COMPUTED = ["assumed: computed integers fit their types (line 11: %y)"]
CONVERTED = ["assumed: numbers converted to integers fit their types (line 11: %y)"]


@pytest.mark.parametrize(
    ("operation", "result", "lines"),
    [
        ("stablehlo.add %a, %a : tensor<4xui8>", "ui8", COMPUTED),
        ("stablehlo.subtract %i, %ten : tensor<4xui8>", "ui8", COMPUTED),
        ("stablehlo.multiply %a, %ten : tensor<4xui8>", "ui8", COMPUTED),
        ("stablehlo.negate %wide : tensor<4xi16>", "i16", []),
        ("stablehlo.add %i, %ten : tensor<4xui8>", "ui8", []),
        ("stablehlo.multiply %one, %ten : tensor<4xui8>", "ui8", []),
        ("stablehlo.add %wide, %wide : tensor<4xi16>", "i16", []),
        ("stablehlo.multiply %wide, %wide : tensor<4xi16>", "i16", COMPUTED),
        ("stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xi32>", "i32", CONVERTED),
        ("stablehlo.convert %a : (tensor<4xui8>) -> tensor<4xi8>", "i8", CONVERTED),
        ("stablehlo.convert %bounded : (tensor<4xf32>) -> tensor<4xui8>", "ui8", []),
        ("stablehlo.convert %a : (tensor<4xui8>) -> tensor<4xf32>", "f32", []),
    ],
)
def test_integers_that_may_leave_their_type_are_named(
    operation: str, result: str, lines: list[str]
) -> None:
    text = INTEGERS.replace("OPERATION", operation).replace("RESULT", result)
    found = certify_equal(text, text, search=Search(seconds=0)).scope
    assert [line for line in found if line.startswith("assumed")] == lines


@pytest.mark.parametrize(("name", "lines"), [("a", 1), ("one", 0)])
def test_a_sum_of_integers_is_named_where_it_may_overflow(name: str, lines: int) -> None:
    total = f"""stablehlo.reduce(%{name} init: %z) applies stablehlo.add across dimensions = [0]
      : (tensor<4xui8>, tensor<ui8>) -> tensor<ui8>"""
    text = INTEGERS.replace("OPERATION", total).replace("4xRESULT", "ui8")
    scope = certify_equal(text, text, search=Search(seconds=0)).scope
    assert sum("computed integers fit" in line for line in scope) == lines


def test_the_counter_of_a_loop_needs_no_hypothesis() -> None:
    text = """
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, tensor<f32>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %c = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %t = stablehlo.multiply %s, %s : tensor<f32>
    stablehlo.return %next, %t : tensor<i32>, tensor<f32>
  }
  return %r#1 : tensor<f32>
}
"""
    for limit, lines in (("%i, %n", 0), ("%n, %i", 1)):
        main = read_module(text.replace("%i, %n", limit)).main
        proofs = [Conditions()]
        found = scope_of([main], proofs)
        assert sum("computed integers fit" in line for line in found) == lines


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


def test_indices_that_their_type_does_not_hold_are_named_as_rounded() -> None:
    text = """func.func @main(%x: tensor<f32>) -> tensor<300xbf16> {
  %r = stablehlo.iota dim = 0 : tensor<300xbf16>
  return %r : tensor<300xbf16>
}
"""
    report = certify_equal(text, text, search=Search(seconds=0))
    assert any("to bf16: line 2: %r" in line for line in report.scope)
    small = text.replace("300", "257")
    report = certify_equal(small, small, search=Search(seconds=0))
    assert not any("bf16" in line for line in report.scope)
