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
NUMBER = "\n  %n = stablehlo.constant dense<3.0> : tensor<f32>" + ROUND.replace("%x", "%n")
LOOP = """
  %first = stablehlo.constant dense<0> : tensor<i32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %last, %r, %same = stablehlo.while(%i = %first, %sum = %zero, %v = %x)
      : tensor<i32>, tensor<f32>, tensor<f32>
    cond {
      %two = stablehlo.constant dense<2> : tensor<i32>
      %on = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %on : tensor<i1>
    } do {BODY
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %more = stablehlo.add %sum, %d : tensor<f32>
      stablehlo.return %next, %more, %v : tensor<i32>, tensor<f32>, tensor<f32>
    }"""
IN_A_LOOP = LOOP.replace("BODY", ROUND.replace("%x", "%v").replace("%r", "%d"))
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


@pytest.mark.parametrize(
    "nothing",
    [each.replace("ONE", "1.0") for each in (ROUND, NUMBER, IN_A_LOOP)] + [GROUPED],
)
def test_amplified_rounding_refutes_nothing(search: Search, nothing: str) -> None:
    """The sides are equal: sin² + cos² - 1 is 0, and so is (x y) z - x (y z)."""
    text = main("%x: tensor<f32>", "tensor<f32>", nothing + TAIL)
    assert certify_equal(text, ZERO, search=search).verdict is not Verdict.REFUTED


def test_amplified_rounding_of_integers_refutes_nothing(search: Search) -> None:
    threefold = """
  %w = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
  %n = stablehlo.constant dense<3.0> : tensor<f32>
  %x = stablehlo.multiply %w, %n : tensor<f32>"""
    nothing = ROUND.replace("ONE", "1.0") + TAIL
    text = main("%i: tensor<i32>", "tensor<f32>", threefold + nothing)
    zero = ZERO.replace("%x: tensor<f32>", "%i: tensor<i32>")
    assert certify_equal(text, zero, search=search).verdict is not Verdict.REFUTED


@pytest.mark.parametrize("difference", [ROUND, NUMBER, IN_A_LOOP])
def test_a_difference_that_is_amplified_is_one(search: Search, difference: str) -> None:
    """The control: 2 ** -20 is far more than what is rounded away."""
    wrong = difference.replace("ONE", "1.00000095367431640625")
    text = main("%x: tensor<f32>", "tensor<f32>", wrong + TAIL)
    assert certify_equal(text, ZERO, search=search).verdict is Verdict.REFUTED
