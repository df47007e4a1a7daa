"""Slices of joined dimensions: one that starts at a whole number of rows is a slice of rows."""

import json

import pytest

from gradwright.certify import certify_equal
from gradwright.check import check
from gradwright.check.replay import digest

ROWS = """
func.func @main(%x: tensor<5x3xf32>) -> tensor<3x3xf32> {
  %y = stablehlo.slice %x [1:4, 0:3] : (tensor<5x3xf32>) -> tensor<3x3xf32>
  return %y : tensor<3x3xf32>
}
"""


def joined(start: int) -> str:
    """Return nine numbers of the joined rows from a start on."""
    return f"""
func.func @main(%x: tensor<5x3xf32>) -> tensor<3x3xf32> {{
  %whole = stablehlo.reshape %x : (tensor<5x3xf32>) -> tensor<15xf32>
  %part = stablehlo.slice %whole [{start}:{start + 9}] : (tensor<15xf32>) -> tensor<9xf32>
  %y = stablehlo.reshape %part : (tensor<9xf32>) -> tensor<3x3xf32>
  return %y : tensor<3x3xf32>
}}
"""


def test_a_slice_of_joined_rows_is_one_of_rows() -> None:
    certificate = certify_equal(joined(3), ROWS).certificate
    assert check(certificate, joined(3), ROWS).accepted


@pytest.mark.parametrize("start", [0, 1, 2, 4, 5, 6])
def test_a_slice_from_elsewhere_is_another_one(start: int) -> None:
    certificate = certify_equal(joined(3), ROWS).certificate
    forged: dict[str, object] = json.loads(json.dumps(certificate))
    forged["texts"] = [digest(joined(start)), digest(ROWS)]
    checked = check(forged, joined(start), ROWS)
    assert not checked.accepted
    assert "is another one" not in (checked.reason or "")
