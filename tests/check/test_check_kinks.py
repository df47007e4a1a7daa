"""What is equal but for a null set of inputs, and what is not."""

import pytest

from gradwright.certify.certificate import Subject, written
from gradwright.check.certificate import GradientClaim
from gradwright.check.session import numbered

RECTIFIED = """
func.func @main(%x: tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>) {{
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %zs = stablehlo.constant dense<0.0> : tensor<3xf32>
  {value}
  %m = stablehlo.maximum %p, %zs : tensor<3xf32>
  %q = stablehlo.multiply %m, %x : tensor<3xf32>
  %l = stablehlo.reduce(%q init: %z) applies stablehlo.add across dimensions = [0]
      : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %on = stablehlo.compare {direction}, %p, %zs, FLOAT
      : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %g = stablehlo.select %on, %x, %zs : tensor<3xi1>, tensor<3xf32>
  %dx = stablehlo.add %m, %g : tensor<3xf32>
  return %l, %dx : tensor<f32>, tensor<3xf32>
}}
"""
PLAIN = "%p = stablehlo.add %x, %zs : tensor<3xf32>"
TWICE = "%p = stablehlo.maximum %x, %zs : tensor<3xf32>"
UNKNOWN = "%p = stablehlo.round_nearest_even %x : tensor<3xf32>"


@pytest.mark.parametrize(
    ("value", "direction", "claims"),
    [
        (PLAIN, "GT", 1),
        (PLAIN, "GE", 1),  # differs where x = 0
        (TWICE, "GT", 1),
        (TWICE, "GE", 0),  # differs where x < 0
        (UNKNOWN, "GE", 0),  # differs where x rounds to 0
    ],
)
def test_only_a_null_set_is_left_out(value: str, direction: str, claims: int) -> None:
    text = RECTIFIED.format(value=value, direction=direction)
    [function] = Subject("gradients", [text], 0).functions
    values = [v.name for v in numbered([function])]
    claim = GradientClaim(0, values.index("dx"))
    assert len(written(Subject("gradients", [text], 0), [("dx", claim)]).claims) == claims
