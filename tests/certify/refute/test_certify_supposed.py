"""Inputs that no claim is about refute none: broken promises, indices out of range, overflow."""

import numpy as np
import pytest

from gradwright.certify import Search, Verdict, certify_equal
from gradwright.certify.refute_supposed import Supposed
from gradwright.certify.witness_process import Evaluator
from gradwright.hlo import read_module

pytestmark = pytest.mark.interpreter

ADDED = """%s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>"""
WRITTEN = "stablehlo.return %b : tensor<f32>"
SCATTERED = """func.func @main(%x: tensor<4xf32>, %u: tensor<2xf32>, %i: tensor<2x1xi32>,
    %y: tensor<2x1xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<4xf32>
  INDICES
  %r = "stablehlo.scatter"(%z, %j, %u) <{indices_are_sorted = SORTED,
      scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = UNIQUE}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      REGION
  }) : (tensor<4xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
"""
GIVEN = "%j = stablehlo.optimization_barrier %i : tensor<2x1xi32>"
COMPUTED = "%j = stablehlo.convert %y : (tensor<2x1xf32>) -> tensor<2x1xi32>"
CLAMPED = """%low = stablehlo.constant dense<0.0> : tensor<2x1xf32>
  %high = stablehlo.constant dense<3.5> : tensor<2x1xf32>
  %c = stablehlo.clamp %low, %y, %high : tensor<2x1xf32>
  %j = stablehlo.convert %c : (tensor<2x1xf32>) -> tensor<2x1xi32>"""
SQUARES = """func.func @main(%x: tensor<2xf32>, %i: tensor<2xi8>) -> tensor<2xf32> {
  %h = stablehlo.constant dense<100> : tensor<2xi8>
  %l = stablehlo.constant dense<50> : tensor<2xi8>
  %z = stablehlo.constant dense<0> : tensor<2xi8>
  %s = stablehlo.multiply %i, %i : tensor<2xi8>
  %m = stablehlo.add %s, %h : tensor<2xi8>
  %d = stablehlo.subtract %m, %i : tensor<2xi8>
  %p = stablehlo.compare GT, %d, %z : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi1>
  %w = stablehlo.compare EQ, %i, %l : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi1>
  %n = stablehlo.negate %x : tensor<2xf32>
  %t = stablehlo.select %w, %n, %x : tensor<2xi1>, tensor<2xf32>
  %r = stablehlo.select %p, %x, %t : tensor<2xi1>, tensor<2xf32>
  return %r : tensor<2xf32>
}
"""


def scattered(region: str, indices: str = GIVEN, *, unique: str = "false") -> str:
    text = SCATTERED.replace("REGION", region).replace("INDICES", indices)
    return text.replace("UNIQUE", unique).replace("SORTED", "false")


PAIRS = {
    "unique indices": (scattered(WRITTEN, unique="true"), scattered(ADDED, unique="true")),
    "indices that are computed from floats": (
        scattered(ADDED, COMPUTED),
        scattered(ADDED, CLAMPED),
    ),
    "integers that overflow": (SQUARES, SQUARES.replace("return %r", "return %x")),
}


@pytest.mark.parametrize(
    "name", [pytest.param(PAIRS[each], id=each) for each in PAIRS if each != "unique indices"]
)
def test_what_differs_only_beyond_what_is_supposed_is_not_refuted(name: tuple[str, str]) -> None:
    assert certify_equal(*name).verdict is not Verdict.REFUTED


def test_indices_are_unique_where_the_text_says_so() -> None:
    assert certify_equal(*PAIRS["unique indices"]).verdict is not Verdict.REFUTED
    either = [
        text.replace("unique_indices = true", "unique_indices = false")
        for text in PAIRS["unique indices"]
    ]
    assert certify_equal(*either, search=Search()).verdict is Verdict.REFUTED


def test_which_inputs_a_claim_is_about() -> None:
    text = scattered(ADDED, unique="true").replace("sorted = false", "sorted = true")
    promised, fitting = (Supposed.of(read_module(each).main) for each in (text, SQUARES))
    assert promised is not None
    assert fitting is not None
    floats = np.zeros(4), np.zeros(2)
    with Evaluator(60.0) as evaluate:
        for i, holds in (((0, 2), True), ((2, 2), False), ((2, 0), False), ((3, 4), False)):
            indices = np.array(i, np.int32).reshape(2, 1)
            assert promised.holds([*floats, indices, np.zeros((2, 1))], evaluate) is holds
        for i, holds in (((5, 0), True), ((6, 0), False), ((0, -5), False)):
            assert fitting.holds([np.zeros(2), np.array(i, np.int8)], evaluate) is holds


def test_nothing_is_supposed_of_floats() -> None:
    text = "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  return %x : tensor<f32>\n}\n"
    assert Supposed.of(read_module(text).main) is None
