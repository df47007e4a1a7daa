"""Operations that a text performs again: the same on the same values, and nothing else."""

import pytest

from certify.refute.cases import main
from gradwright.certify.prove_repeats import Repeats
from gradwright.hlo import read_module

SUMMED = """stablehlo.reduce(%x init: %z) across dimensions = [0]
      : (tensor<3x2xf32>, tensor<f32>) -> tensor<2xf32>
    reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %d = stablehlo.subtract %a, %b : tensor<f32>
      stablehlo.return %d : tensor<f32>
    }"""
COUNTED = """stablehlo.while(%c = %z) : tensor<f32>
    cond {
      %t = stablehlo.compare LT, %c, %s : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      %n = stablehlo.add %c, %s : tensor<f32>
      stablehlo.return %n : tensor<f32>
    }"""


def is_repeated(first: str, second: str) -> bool:
    """Return whether the second of two values is known by the first."""
    module = read_module(
        main(
            "%x: tensor<3x2xf32>, %y: tensor<3x2xf32>, %z: tensor<f32>, %s: tensor<f32>",
            "tensor<f32>",
            f"""
  %k = stablehlo.optimization_barrier %x : tensor<3x2xf32>
  %r1 = {first}
  %r2 = {second}
  return %z : tensor<f32>""",
        )
    )
    repeats = Repeats()
    *_, one, two = [(op, repeats.met(op)) for op in module.main.body.operations]
    assert one[1] is one[0].results
    return two[1] is one[0].results


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("stablehlo.sine %x : tensor<3x2xf32>", "stablehlo.sine %x : tensor<3x2xf32>", True),
        ("stablehlo.sine %x : tensor<3x2xf32>", "stablehlo.sine %k : tensor<3x2xf32>", True),
        ("stablehlo.sine %x : tensor<3x2xf32>", "stablehlo.sine %y : tensor<3x2xf32>", False),
        ("stablehlo.sine %x : tensor<3x2xf32>", "stablehlo.cosine %x : tensor<3x2xf32>", False),
        (
            "stablehlo.subtract %x, %y : tensor<3x2xf32>",
            "stablehlo.subtract %y, %x : tensor<3x2xf32>",
            False,
        ),
        (
            "stablehlo.slice %x [0:2, 0:2] : (tensor<3x2xf32>) -> tensor<2x2xf32>",
            "stablehlo.slice %x [1:3, 0:2] : (tensor<3x2xf32>) -> tensor<2x2xf32>",
            False,
        ),
        (
            "stablehlo.reshape %x : (tensor<3x2xf32>) -> tensor<6xf32>",
            "stablehlo.reshape %x : (tensor<3x2xf32>) -> tensor<2x3xf32>",
            False,
        ),
        (
            "stablehlo.constant dense<0.0> : tensor<2xf32>",
            "stablehlo.constant dense<-0.0> : tensor<2xf32>",
            False,
        ),
        (SUMMED, SUMMED.replace("%a", "%e").replace("%b", "%f"), True),
        (SUMMED, SUMMED.replace("%a, %b", "%b, %a"), False),
        (SUMMED, SUMMED.replace("return %d", "return %b"), False),
        (SUMMED, SUMMED.replace("init: %z", "init: %s"), False),
        (COUNTED, COUNTED, True),
        (COUNTED, COUNTED.replace("add %c, %s", "add %c, %z"), False),
        (COUNTED, COUNTED.replace("add %c, %s", "add %s, %c"), False),
        (COUNTED, COUNTED.replace("%c, %s : (", "%s, %c : ("), False),
    ],
)
def test_the_same_on_the_same_values_is_met_again(first: str, second: str, same: bool) -> None:
    assert is_repeated(first, second) == same
