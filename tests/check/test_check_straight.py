"""Loops are written out only where their trips are known."""

import pytest

from gradwright.certify.certificate import Subject, written
from gradwright.check.certificate import EqualClaim
from gradwright.check.straight import straightened
from gradwright.hlo import read_module

NESTED = """
func.func @main(%x: tensor<f32>, %m: tensor<i32>) -> tensor<f32> {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %i:2 = stablehlo.while(%a = %zero, %v = %x) : tensor<i32>, tensor<f32>
   cond {{
      %limit = stablehlo.constant dense<{trips}> : tensor<i32>
      %c = stablehlo.compare LT, %a, %limit, SIGNED
          : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
   }} do {{
      %n = stablehlo.subtract {trips_inside}, %one : tensor<i32>
      %w:2 = stablehlo.while(%b = %zero, %u = %v) : tensor<i32>, tensor<f32>
       cond {{
          %d = stablehlo.compare LT, %b, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %d : tensor<i1>
       }} do {{
          %b2 = stablehlo.add %b, %one : tensor<i32>
          %u2 = stablehlo.add %u, %u : tensor<f32>
          stablehlo.return %b2, %u2 : tensor<i32>, tensor<f32>
       }}
      %a2 = stablehlo.add %a, %one : tensor<i32>
      stablehlo.return %a2, %w#1 : tensor<i32>, tensor<f32>
   }}
  return %i#1 : tensor<f32>
}}
"""
UNCHANGED = """
func.func @main(%x: tensor<f32>, %m: tensor<i32>) -> tensor<f32> {
  return %x : tensor<f32>
}
"""


@pytest.mark.parametrize("trips", [1, 2, 3])
def test_a_loop_of_as_many_trips_as_an_argument_says_stays(trips: int) -> None:
    text = NESTED.format(trips=trips, trips_inside="%m")
    opcodes = [operation.opcode for operation in straightened(read_module(text)).body.operations]
    assert opcodes.count("stablehlo.while") == trips
    assert written(Subject("equal", [text, UNCHANGED]), [("0", EqualClaim(0))]).claims == ()


@pytest.mark.parametrize("trips", [1, 2, 3])
def test_a_loop_of_known_trips_is_written_out(trips: int) -> None:
    text = NESTED.format(trips=trips, trips_inside="%one")
    opcodes = [operation.opcode for operation in straightened(read_module(text)).body.operations]
    assert "stablehlo.while" not in opcodes
    assert len(written(Subject("equal", [text, UNCHANGED]), [("0", EqualClaim(0))]).claims) == 1
