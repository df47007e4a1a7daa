"""Loops that carry what they captured compute what they computed."""

import numpy as np
import pytest

from gradwright.hlo import Module, evaluate, print_module, read_module, with_captures_carried

pytestmark = pytest.mark.interpreter

COUNTED = """
func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>, %b: tensor<i1>)
    -> (tensor<3xf32>, tensor<i32>, tensor<f32>) {
  %table = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %limit = stablehlo.constant dense<3> : tensor<i32>
  %p:2 = stablehlo.while(%i = %c0, %a = %x) : tensor<i32>, tensor<3xf32>
  cond {
    %c = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %d = stablehlo.and %c, %b : tensor<i1>
    stablehlo.return %d : tensor<i1>
  } do {
    %half = stablehlo.multiply %a, %y : tensor<3xf32>
    %w:2 = stablehlo.while(%j = %i, %u = %half) : tensor<i32>, tensor<3xf32>
    cond {
      %e = stablehlo.compare LT, %j, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %e : tensor<i1>
    } do {
      %t = stablehlo.multiply %u, %table : tensor<3xf32>
      %v = "stablehlo.if"(%b) ({
        %s = stablehlo.add %t, %half : tensor<3xf32>
        stablehlo.return %s : tensor<3xf32>
      }, {
        stablehlo.return %y : tensor<3xf32>
      }) : (tensor<i1>) -> tensor<3xf32>
      %k = stablehlo.add %j, %c1 : tensor<i32>
      stablehlo.return %k, %v : tensor<i32>, tensor<3xf32>
    }
    %n = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %n, %w#1 : tensor<i32>, tensor<3xf32>
  }
  %r = "stablehlo.reduce"(%p#1, %z) ({
  ^bb0(%f: tensor<f32>, %g: tensor<f32>):
    %clipped = stablehlo.maximum %g, %z : tensor<f32>
    %more = stablehlo.add %f, %clipped : tensor<f32>
    stablehlo.return %more : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %p#1, %p#0, %r : tensor<3xf32>, tensor<i32>, tensor<f32>
}
"""
INPUTS = [np.array([0.5, -1.0, 2.0], np.float32), np.array([1.5, 0.25, -0.75], np.float32)]


def test_nothing_is_captured_by_a_loop_and_no_constant_by_a_region() -> None:
    carried = with_captures_carried(read_module(COUNTED).main).body
    loops = [each for each in carried.walk() if each.opcode == "stablehlo.while"]
    assert [len(each.operands) for each in loops] == [6, 5]
    assert not any(region.captured for each in loops for region in each.regions)
    [reduction] = (each for each in carried.walk() if each.opcode == "stablehlo.reduce")
    assert not reduction.regions[0].captured


@pytest.mark.parametrize("runs", [1, 0])
def test_the_results_are_the_same(runs: int) -> None:
    carried = Module("carried", (with_captures_carried(read_module(COUNTED).main),))
    inputs = [*INPUTS, np.array(runs, np.bool_)]
    results = [evaluate(each, inputs) for each in (read_module(COUNTED), carried)]
    for before, after in zip(*results, strict=True):
        np.testing.assert_array_equal(before, after)
    assert bool((results[0][0] != INPUTS[0]).all()) == bool(runs)
    assert evaluate(read_module(print_module(carried)), inputs)[1] == results[0][1]


def test_a_function_without_captures_is_returned_as_it_is() -> None:
    plain = read_module("func.func @main(%x: tensor<f32>) -> tensor<f32> {return %x : tensor<f32>}")
    assert with_captures_carried(plain.main) is plain.main
