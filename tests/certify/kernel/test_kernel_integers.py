"""Integers and truth values that compute something else than numbers do are not taken for them."""

import hashlib
import json

import pytest

import gradwright as gw
from gradwright.certify import Search, Verdict


def is_refused(wrong: str, right: str) -> bool:
    """Return whether neither prover nor checker takes a text for another one."""
    proof = gw.certify_equal(right.replace("@main", "@other"), right)
    assert proof.verdict is Verdict.PROVED
    assert proof.certificate is not None
    digests = [hashlib.sha256(each.encode()).hexdigest() for each in (wrong, right)]
    forged = {**json.loads(json.dumps(proof.certificate)), "texts": digests, "answers": []}
    unproved = gw.certify_equal(wrong, right, search=Search(0)).verdict is Verdict.UNKNOWN
    return unproved and not gw.check(forged, wrong, right).accepted


CONTRACTED = """func.func @main(%x: tensor<2xi1>, %y: tensor<2xi1>) -> tensor<f32> {
  %b = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xE>
  %c = stablehlo.convert %y : (tensor<2xi1>) -> tensor<2xE>
  MADE
  %f = stablehlo.convert %s : (tensor<E>) -> tensor<f32>
  return %f : tensor<f32>
}
"""
CONTRACTIONS = {
    "dot_general": """%s = stablehlo.dot_general %b, %c, contracting_dims = [0] x [0]
      : (tensor<2xE>, tensor<2xE>) -> tensor<E>""",
    "convolution": """%w = stablehlo.reshape %b : (tensor<2xE>) -> tensor<1x2x1xE>
  %v = stablehlo.reshape %c : (tensor<2xE>) -> tensor<2x1x1xE>
  %o = stablehlo.convolution(%w, %v) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
      window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x2x1xE>, tensor<2x1x1xE>) -> tensor<1x1x1xE>
  %s = stablehlo.reshape %o : (tensor<1x1x1xE>) -> tensor<E>""",
    "scatter": """%p = stablehlo.constant dense<[[0], [0]]> : tensor<2x1xi32>
  %i = stablehlo.constant dense<0> : tensor<1xi32>
  %t = stablehlo.convert %i : (tensor<1xi32>) -> tensor<1xE>
  %o = "stablehlo.scatter"(%t, %p, %b) <{scatter_dimension_numbers = #stablehlo.scatter<
      inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%q: tensor<E>, %r: tensor<E>):
    %u = stablehlo.add %q, %r : tensor<E>
    stablehlo.return %u : tensor<E>
  }) : (tensor<1xE>, tensor<2x1xi32>, tensor<2xE>) -> tensor<1xE>
  %s = stablehlo.reshape %o : (tensor<1xE>) -> tensor<E>""",
}


@pytest.mark.parametrize("name", CONTRACTIONS)
def test_a_sum_of_truth_values_is_no_sum_of_numbers(name: str) -> None:
    """It is true where one of them is, which counts 1 where the sum of numbers is 2."""
    both = CONTRACTED.replace("MADE", CONTRACTIONS[name])
    assert is_refused(both.replace("E>", "i1>"), both.replace("E>", "f32>"))


SUMS = """func.func @main(%k: tensor<4xi32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0> : tensor<E>
  %c = stablehlo.convert %k : (tensor<4xi32>) -> tensor<4xE>
  %s:2 = "stablehlo.reduce"(%c, %c, %z, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<E>, %b: tensor<E>, %d: tensor<E>, %e: tensor<E>):
    %t = stablehlo.add %a, %d : tensor<E>
    %u = stablehlo.add %b, %e : tensor<E>
    stablehlo.return %t, %u : tensor<E>, tensor<E>
  }) : (tensor<4xE>, tensor<4xE>, tensor<E>, tensor<E>) -> (tensor<E>, tensor<E>)
  %f = stablehlo.convert %s#0 : (tensor<E>) -> tensor<f32>
  return %f : tensor<f32>
}
"""


def test_that_several_sums_of_integers_fit_is_said() -> None:
    narrow, wide = SUMS.replace("E>", "i32>"), SUMS.replace("E>", "i64>")
    said = "assumed: computed integers fit their types (line 4: "
    assert any(line.startswith(said) for line in gw.certify_equal(narrow, wide).scope)
    assert not any(said in line for line in gw.certify_equal(wide, wide).scope)
