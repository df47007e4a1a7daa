"""Reductions: the derivative of one is not taken for that of another."""

import pytest

from gradwright.certify import Verdict, certify_text

SHAPE = "(tensor<3xf32>, tensor<f32>) -> tensor<f32>"
SHARED = """
func.func @main(%x: tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>) {{
  %start = stablehlo.constant dense<{start}> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %l = stablehlo.reduce(%x init: %start) applies stablehlo.{kind} across dimensions = [0]
      : {shape}
  %all = stablehlo.broadcast_in_dim %l, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %wins = stablehlo.compare EQ, %x, %all : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %ones = stablehlo.convert %wins : (tensor<3xi1>) -> tensor<3xf32>
  %n = stablehlo.reduce(%ones init: %zero) applies stablehlo.add across dimensions = [0]
      : {shape}
  %ns = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %dx = stablehlo.divide %ones, %ns : tensor<3xf32>
  return %l, %dx : tensor<f32>, tensor<3xf32>
}}
"""


@pytest.mark.parametrize(
    ("kind", "start", "proved"),
    [
        ("maximum", "0xFF800000", True),
        ("minimum", "0x7F800000", True),
        ("multiply", "1.0", False),
        ("maximum", "0.5", False),
    ],
)
def test_only_an_extreme_has_the_gradient_of_one(kind: str, start: str, proved: bool) -> None:
    text = SHARED.format(kind=kind, start=start, shape=SHAPE)
    report = certify_text(text, loss=0, wrt=[0], grads=[1])
    assert (report.verdict is Verdict.PROVED) is proved
