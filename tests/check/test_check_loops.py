"""Loops that count and add are sums over their trips; what is no such loop is not taken for one."""

import pytest

from gradwright.certify.certificate import Subject, written
from gradwright.check.certificate import EqualClaim, GradientClaim
from gradwright.check.session import numbered
from gradwright.check.straight import straightened
from gradwright.hlo import read_module

LOOP = """
func.func @main(%x: tensor<6x4xf32>, %y: tensor<6x4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %start = stablehlo.constant dense<0.0> : tensor<4xf32>
  %r:4 = stablehlo.while(%i = %zero, %a = %x, %b = %y, %s = %start)
      : tensor<i32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<4xf32>
   cond {
      %end = stablehlo.constant dense<6> : tensor<i32>
      %c = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
   } do {
      %one = stablehlo.constant dense<2> : tensor<i32>
      %nil = stablehlo.constant dense<0> : tensor<i32>
      %c0 = stablehlo.constant dense<0.0> : tensor<f32>
      %u = stablehlo.dynamic_slice %a, %i, %nil, sizes = [2, 4]
          : (tensor<6x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
      %v = stablehlo.dynamic_slice %b, %i, %nil, sizes = [2, 4]
          : (tensor<6x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
      %p = stablehlo.multiply %u, %v : tensor<2x4xf32>
      %t = stablehlo.reduce(%p init: %c0) applies stablehlo.add across dimensions = [0]
          : (tensor<2x4xf32>, tensor<f32>) -> tensor<4xf32>
      %s2 = stablehlo.add %s, %t : tensor<4xf32>
      %i2 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %i2, %a, %b, %s2
          : tensor<i32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<4xf32>
   }
  return %r#3 : tensor<4xf32>
}
"""
AT_ONCE = """
func.func @main(%x: tensor<6x4xf32>, %y: tensor<6x4xf32>) -> tensor<4xf32> {
  %c0 = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.multiply %x, %y : tensor<6x4xf32>
  %s = stablehlo.reduce(%p init: %c0) applies stablehlo.add across dimensions = [0]
      : (tensor<6x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}
"""
READS_SUM = """%h = stablehlo.multiply %s, %t : tensor<4xf32>
      %w = stablehlo.add %t, %h : tensor<4xf32>
      %s2 = stablehlo.add %s, %w"""
READS_PART = """%m = stablehlo.add %s, %t : tensor<4xf32>
      %d = stablehlo.subtract %m, %t : tensor<4xf32>
      %h = stablehlo.multiply %d, %t : tensor<4xf32>
      %s2 = stablehlo.add %m, %h"""
DEFECTS = {
    "a trip too few": ("dense<6> : tensor<i32>", "dense<4> : tensor<i32>"),
    "a trip too many": ("dense<6> : tensor<i32>", "dense<7> : tensor<i32>"),
    "rows left out": ("%one = stablehlo.constant dense<2>", "%one = stablehlo.constant dense<3>"),
    "rows met twice": ("%one = stablehlo.constant dense<2>", "%one = stablehlo.constant dense<1>"),
    "a late start": ("%zero = stablehlo.constant dense<0>", "%zero = stablehlo.constant dense<2>"),
    "the wrong row": ("slice %b, %i, %nil", "slice %b, %nil, %nil"),
    "a sum from 1": ("constant dense<0.0> : tensor<4xf32>", "constant dense<1.0> : tensor<4xf32>"),
    "the sum doubled": ("add %s, %t", "add %s, %s"),
    "the sum scaled": ("add %s, %t", "multiply %s, %t"),
    "the sum read by its term": ("%s2 = stablehlo.add %s, %t", READS_SUM),
    "a part of the sum read": ("%s2 = stablehlo.add %s, %t", READS_PART),
    "a sum that comes last": ("add %s, %t", "subtract %t, %s"),
}  # fmt: skip
"""What is replaced by what; with each the loop is another function."""
COUNTED = "%zero = stablehlo.constant dense<0> : tensor<i32>"


def covered(one: str, other: str) -> int:
    """Return how many results of two texts are in the certificate of their equality."""
    return len(written(Subject("equal", [one, other]), [("0", EqualClaim(0))]).claims)


def loops(text: str) -> int:
    """Return how many loops stay in a straight line."""
    operations = straightened(read_module(text)).body.operations
    return [each.opcode for each in operations].count("stablehlo.while")


def test_a_loop_that_counts_and_adds_is_the_sum_over_its_trips() -> None:
    assert loops(LOOP) == 1
    assert covered(LOOP, AT_ONCE) == covered(AT_ONCE, LOOP) == 1


@pytest.mark.parametrize("defect", DEFECTS)
def test_no_other_loop_is_taken_for_that_sum(defect: str) -> None:
    text = LOOP.replace(*DEFECTS[defect])
    assert text != LOOP
    assert covered(text, AT_ONCE) == 0


@pytest.mark.parametrize(("end", "claims"), [(6, 1), (4, 0), (8, 0)])
def test_what_was_counted_is_known_after_the_loop(end: int, claims: int) -> None:
    text = LOOP.replace("-> tensor<4xf32> {", "-> tensor<i32> {", 1)
    text = text.replace("return %r#3 : tensor<4xf32>", "return %r#0 : tensor<i32>")
    other = f"""func.func @main(%x: tensor<6x4xf32>, %y: tensor<6x4xf32>) -> tensor<i32> {{
  %n = stablehlo.constant dense<{end}> : tensor<i32>
  return %n : tensor<i32>
}}"""
    assert covered(text, other) == claims


def test_a_loop_whose_start_an_argument_says_is_no_sum() -> None:
    text = LOOP.replace("%y: tensor<6x4xf32>)", "%y: tensor<6x4xf32>, %zero: tensor<i32>)")
    other = AT_ONCE.replace("%y: tensor<6x4xf32>)", "%y: tensor<6x4xf32>, %zero: tensor<i32>)")
    assert covered(text.replace(COUNTED, ""), other) == 0


def test_loops_that_are_differentiated_are_written_out() -> None:
    text = LOOP.replace("-> tensor<4xf32> {", "-> (tensor<f32>, tensor<6x4xf32>) {").replace(
        "  return %r#3 : tensor<4xf32>\n",
        """  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %l = stablehlo.reduce(%r#3 init: %z) applies stablehlo.add across dimensions = [0]
      : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %l, %y : tensor<f32>, tensor<6x4xf32>
""",
    )
    subject = Subject("gradients", [text], 0)
    [function] = subject.functions
    assert "stablehlo.while" not in [each.opcode for each in function.body.operations]
    assert loops(text) == 1
    y = [value.name for value in numbered([function])].index("y")
    assert len(written(subject, [("dx", GradientClaim(0, y))]).claims) == 1
    assert written(subject, [("dy", GradientClaim(1, y))]).claims == ()
