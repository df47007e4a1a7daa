"""Sums, products and extremes of booleans are `or` and `and`, as StableHLO says."""

import pytest

from gradwright.certify import Search, certify_equal
from gradwright.check.replay import check


def text(operation: str) -> str:
    return f"""
    func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {{
      %a = stablehlo.compare GT, %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %z = stablehlo.constant dense<0.0> : tensor<3xf32>
      %b = stablehlo.compare GT, %x, %z : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %c = stablehlo.{operation} %a, %b : tensor<3xi1>
      %n = stablehlo.convert %c : (tensor<3xi1>) -> tensor<3xf32>
      return %n : tensor<3xf32>
    }}"""


@pytest.mark.parametrize(
    ("operation", "logical", "other"),
    [
        ("add", "or", "xor"),
        ("maximum", "or", "and"),
        ("multiply", "and", "or"),
        ("minimum", "and", "xor"),
    ],
)
def test_an_operation_on_booleans_is_one_of_logic(operation: str, logical: str, other: str) -> None:
    report = certify_equal(text(operation), text(logical))
    assert report.verdict == "proved"
    assert report.certificate is not None
    assert check(report.certificate, text(operation), text(logical)).accepted
    proved = certify_equal(text(operation), text(other), search=Search(seconds=0))
    assert proved.verdict == "unknown"
