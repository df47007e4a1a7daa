"""Windows beside infinite entries."""

import pytest

from certify.kernel.test_kernel_soundness import denoted
from gradwright.certify.kernel.algebra import Undenotable
from gradwright.hlo import read_module


@pytest.mark.parametrize(
    ("extreme", "loses", "wins"),
    [("maximum", "0xFF800000", "0x7F800000"), ("minimum", "0x7F800000", "0xFF800000")],
)
def test_an_infinite_border_that_wins_its_windows_is_refused(
    extreme: str, loses: str, wins: str
) -> None:
    """Beside a border that loses every comparison it would be taken for a part of that one."""

    def windows(border: str) -> str:
        return f"""
        func.func @main(%x: tensor<4xf32>) -> tensor<6xf32> {{
          %low = stablehlo.constant dense<{loses}> : tensor<f32>
          %high = stablehlo.constant dense<{border}> : tensor<f32>
          %a = stablehlo.pad %x, %low, low = [1], high = [0], interior = [0]
              : (tensor<4xf32>, tensor<f32>) -> tensor<5xf32>
          %b = stablehlo.pad %a, %high, low = [0], high = [1], interior = [0]
              : (tensor<5xf32>, tensor<f32>) -> tensor<6xf32>
          %m = "stablehlo.reduce_window"(%b, %low) ({{
          ^bb0(%p: tensor<f32>, %q: tensor<f32>):
            %r = stablehlo.{extreme} %p, %q : tensor<f32>
            stablehlo.return %r : tensor<f32>
          }}) {{window_dimensions = array<i64: 3>, padding = dense<1> : tensor<1x2xi64>}}
              : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
          return %m : tensor<6xf32>
        }}"""

    denoted(read_module(windows(loses)).main)
    with pytest.raises(Undenotable, match="wins each window"):
        denoted(read_module(windows(wins)).main)
