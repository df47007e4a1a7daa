"""Where a value is free, one number is a null set of it: what a proof does not know is not free.

A region is denoted at unknown arguments, a loop at unknown carried values, and an operation
without denotation is an unknown. Each may be 0 on an open set of inputs, or at one trip of many.
"""

import numpy as np
import pytest

from certify.kernel.test_kernel_soundness import denoted, reduced
from gradwright.certify import Verdict, certify_text
from gradwright.certify.kernel.algebra import Undenotable
from gradwright.hlo import evaluate, read_module

VECTOR, TRUTHS = "tensor<4xf32>", "tensor<4xi1>"
COMPARED = f"FLOAT : ({VECTOR}, {VECTOR}) -> {TRUTHS}"


def test_a_region_that_cuts_its_operand_is_no_sum() -> None:
    body = """
        %i = stablehlo.convert %b : (tensor<f32>) -> tensor<i32>
        %f = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
        %r = stablehlo.add %a, %f : tensor<f32>"""
    with pytest.raises(Undenotable, match="no sum"):
        denoted(read_module(reduced(body)).main)


def test_a_region_that_is_a_sum_but_at_0_is_no_sum() -> None:
    body = """
        %o = stablehlo.constant dense<0.0> : tensor<f32>
        %m = stablehlo.compare EQ, %b, %o, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %f = stablehlo.convert %m : (tensor<i1>) -> tensor<f32>
        %p = stablehlo.add %a, %b : tensor<f32>
        %r = stablehlo.add %p, %f : tensor<f32>"""
    with pytest.raises(Undenotable, match="no sum"):
        denoted(read_module(reduced(body)).main)


def counting(grown: str) -> str:
    """Return a loop of five trips that counts in floats, too, and ends its body in %o."""
    return f"""
    func.func @main(%x: {VECTOR}) -> {VECTOR} {{
      %i = stablehlo.constant dense<0> : tensor<i32>
      %z = stablehlo.constant dense<0.0> : {VECTOR}
      %r:3 = stablehlo.while(%k = %i, %c = %z, %d = %x) : tensor<i32>, {VECTOR}, {VECTOR}
      cond {{
        %l = stablehlo.constant dense<5> : tensor<i32>
        %t = stablehlo.compare LT, %k, %l, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %t : tensor<i1>
      }} do {{
        %s = stablehlo.constant dense<1> : tensor<i32>
        %three = stablehlo.constant dense<3.0> : {VECTOR}
        %one = stablehlo.constant dense<1.0> : {VECTOR}
        %m = stablehlo.add %k, %s : tensor<i32>
        %n = stablehlo.add %c, %one : {VECTOR}
        {grown}
        stablehlo.return %m, %n, %o : tensor<i32>, {VECTOR}, {VECTOR}
      }}
      return %r#2 : {VECTOR}
    }}"""


@pytest.mark.interpreter
def test_a_value_that_a_loop_reaches_once_is_no_null_set() -> None:
    grown = f"""%e = stablehlo.compare EQ, %c, %three, {COMPARED}
        %f = stablehlo.convert %e : ({TRUTHS}) -> {VECTOR}
        %o = stablehlo.add %d, %f : {VECTOR}"""
    module = read_module(counting(grown))
    x = np.ones(4, dtype=np.float32)
    (moved,) = evaluate(module, [x])
    np.testing.assert_array_equal(moved, x + 1)
    with pytest.raises(Undenotable, match="a loop that carries more"):
        denoted(module.main)


def test_a_step_that_is_another_at_one_trip_is_no_step() -> None:
    text = """
    func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %r = stablehlo.while(%k = %z) : tensor<f32>
      cond {
        %l = stablehlo.constant dense<5.0> : tensor<f32>
        %t = stablehlo.compare LT, %k, %l, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %t : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1.0> : tensor<f32>
        %two = stablehlo.constant dense<2.0> : tensor<f32>
        %e = stablehlo.compare EQ, %k, %two, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %f = stablehlo.convert %e : (tensor<i1>) -> tensor<f32>
        %m = stablehlo.add %k, %one : tensor<f32>
        %n = stablehlo.add %m, %f : tensor<f32>
        stablehlo.return %n : tensor<f32>
      }
      return %r : tensor<f32>
    }"""
    with pytest.raises(Undenotable, match="without a counter"):
        denoted(read_module(text).main)


SORTED = f"""
      %y = "stablehlo.sort"(%h) <{{dimension = 0 : i64, is_stable = true}}> ({{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      }}) : ({VECTOR}) -> {VECTOR}"""


def gated(test: str, emitted: str) -> str:
    """Return <w, [test]> and [emitted] as its gradient, of a sorted rectified value %y."""
    return f"""
    func.func @main(%x: {VECTOR}, %w: {VECTOR}) -> (tensor<f32>, {VECTOR}) {{
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %none = stablehlo.constant dense<0.0> : {VECTOR}
      %h = stablehlo.maximum %x, %none : {VECTOR}
      {SORTED}
      %m = stablehlo.compare {test}, {COMPARED}
      %n = stablehlo.compare {emitted}, {COMPARED}
      %s = stablehlo.select %m, %w, %none : {TRUTHS}, {VECTOR}
      %l = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [0]
          : ({VECTOR}, tensor<f32>) -> tensor<f32>
      %dw = stablehlo.convert %n : ({TRUTHS}) -> {VECTOR}
      return %l, %dw : tensor<f32>, {VECTOR}
    }}"""


@pytest.mark.interpreter
@pytest.mark.parametrize("operands", ["%y, %none", "%y, %h"])
def test_what_has_no_denotation_may_be_0_anywhere(operands: str) -> None:
    [claim] = certify_text(gated(f"GE, {operands}", f"GT, {operands}"), wrt=[1], grads=[1]).claims
    assert claim.verdict is Verdict.REFUTED
    [claim] = certify_text(gated(f"GE, {operands}", f"GE, {operands}"), wrt=[1], grads=[1]).claims
    assert claim.verdict is Verdict.PROVED


def test_what_has_no_denotation_may_be_its_operand() -> None:
    """A sorted value equals the first entry of what is sorted on an open set."""
    text = gated("GE, %y, %x", "GT, %y, %x").replace("(%h)", "(%x)")
    assert certify_text(text, wrt=[1], grads=[1]).verdict is not Verdict.PROVED


def rectified(value: str, test: str) -> str:
    """Return the sum of a rectified root of squares beside %x, and its gradient by a test."""
    return f"""
    func.func @main(%x: {VECTOR}, %w: {VECTOR}) -> (tensor<f32>, {VECTOR}) {{
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %none = stablehlo.constant dense<0.0> : {VECTOR}
      %q = stablehlo.multiply %x, %x : {VECTOR}
      %p = stablehlo.multiply %w, %w : {VECTOR}
      %r = stablehlo.sqrt %q : {VECTOR}
      %s = stablehlo.sqrt %p : {VECTOR}
      %y = {value} : {VECTOR}
      %m = stablehlo.compare GT, %y, %none, FLOAT : ({VECTOR}, {VECTOR}) -> {TRUTHS}
      %n = stablehlo.compare {test}, %y, %none, FLOAT : ({VECTOR}, {VECTOR}) -> {TRUTHS}
      %t = stablehlo.select %m, %w, %none : {TRUTHS}, {VECTOR}
      %l = stablehlo.reduce(%t init: %z) applies stablehlo.add across dimensions = [0]
          : ({VECTOR}, tensor<f32>) -> tensor<f32>
      %dw = stablehlo.convert %n : ({TRUTHS}) -> {VECTOR}
      return %l, %dw : tensor<f32>, {VECTOR}
    }}"""


def test_roots_of_different_values_are_rarely_equal() -> None:
    text = rectified("stablehlo.subtract %r, %s", "GE")
    assert certify_text(text, wrt=[1], grads=[1]).verdict is Verdict.PROVED


def test_a_root_of_a_square_may_be_what_was_squared() -> None:
    """It is wrong where x >= 0: the two are equal there, which no rounding may hide."""
    text = rectified("stablehlo.subtract %r, %x", "GE")
    [claim] = certify_text(text, wrt=[1], grads=[1]).claims
    assert claim.verdict is Verdict.REFUTED


def test_what_only_rounding_makes_equal_refutes_nothing() -> None:
    """In f64 |x| + 1e-20 x x is |x|, where it should be more."""
    text = rectified("stablehlo.divide %d, %e", "GE").replace(
        "%y =",
        f"""%c = stablehlo.constant dense<1.0e-20> : {VECTOR}
      %tiny = stablehlo.multiply %c, %q : {VECTOR}
      %more = stablehlo.add %r, %tiny : {VECTOR}
      %d = stablehlo.subtract %more, %x : {VECTOR}
      %three = stablehlo.constant dense<3.0> : {VECTOR}
      %e = stablehlo.subtract %x, %three : {VECTOR}
      %y =""",
        1,
    )
    [claim] = certify_text(text, wrt=[1], grads=[1]).claims
    assert claim.verdict is Verdict.UNKNOWN
    assert "rounding on the way explains" in str(claim.reason)
