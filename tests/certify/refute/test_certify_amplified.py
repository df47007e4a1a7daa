"""A rounding that is amplified behind a cancellation is no counterexample."""

from collections.abc import Iterator

import pytest

from certify.refute.cases import main
from gradwright.certify import Search, Verdict, certify_equal
from gradwright.certify.witness_process import Evaluator

pytestmark = pytest.mark.interpreter

ROUND = """
  %s = stablehlo.sine %x : tensor<f32>
  %c = stablehlo.cosine %x : tensor<f32>
  %s2 = stablehlo.multiply %s, %s : tensor<f32>
  %c2 = stablehlo.multiply %c, %c : tensor<f32>
  %t = stablehlo.add %s2, %c2 : tensor<f32>
  %o = stablehlo.constant dense<ONE> : tensor<f32>
  %r = stablehlo.subtract %t, %o : tensor<f32>"""
GROUPED = """
  %y = stablehlo.sine %x : tensor<f32>
  %z = stablehlo.exponential %x : tensor<f32>
  %xy = stablehlo.multiply %x, %y : tensor<f32>
  %yz = stablehlo.multiply %y, %z : tensor<f32>
  %a = stablehlo.multiply %xy, %z : tensor<f32>
  %b = stablehlo.multiply %x, %yz : tensor<f32>
  %r = stablehlo.subtract %a, %b : tensor<f32>"""
TAIL = """
  %k = stablehlo.constant dense<1024.0> : tensor<f32>
  %a1 = stablehlo.multiply %r, %k : tensor<f32>
  %a2 = stablehlo.multiply %a1, %k : tensor<f32>
  %a3 = stablehlo.multiply %a2, %k : tensor<f32>
  %a4 = stablehlo.multiply %a3, %k : tensor<f32>
  %a5 = stablehlo.multiply %a4, %k : tensor<f32>
  return %a5 : tensor<f32>"""
ZERO = main(
    "%x: tensor<f32>",
    "tensor<f32>",
    "\n  %z = stablehlo.constant dense<0.0> : tensor<f32>\n  return %z : tensor<f32>",
)


@pytest.fixture(scope="module")
def search() -> Iterator[Search]:
    with Evaluator(60) as evaluator:
        yield Search(evaluator=evaluator)


@pytest.mark.parametrize("nothing", [ROUND.replace("ONE", "1.0"), GROUPED])
def test_amplified_rounding_refutes_nothing(search: Search, nothing: str) -> None:
    """The sides are equal: sin² + cos² - 1 is 0, and so is (x y) z - x (y z)."""
    text = main("%x: tensor<f32>", "tensor<f32>", nothing + TAIL)
    assert certify_equal(text, ZERO, search=search).verdict is not Verdict.REFUTED


def test_a_difference_that_is_amplified_is_one(search: Search) -> None:
    """The control: 2 ** -20 is far more than what is rounded away."""
    wrong = ROUND.replace("ONE", "1.00000095367431640625")
    text = main("%x: tensor<f32>", "tensor<f32>", wrong + TAIL)
    assert certify_equal(text, ZERO, search=search).verdict is Verdict.REFUTED
