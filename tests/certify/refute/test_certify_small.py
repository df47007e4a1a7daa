"""Small errors beside large numbers: a step is a thousandth of its parameter; -inf is written."""

import pytest

from certify.refute.cases import main
from gradwright.certify.notation import parse
from gradwright.certify.refute import NotRefuted, refute
from gradwright.certify.refute_statements import Rule, UpdateQuestion
from gradwright.certify.witness_process import Evaluator
from gradwright.hlo import Function, read_module

pytestmark = pytest.mark.interpreter

DESCENT = Rule(tuple(parse("theta' = theta - lr * g")), (("theta", 0), ("lr", 2)))
AS_IT_IS = "%start = stablehlo.reshape %theta : (tensor<4xf32>) -> tensor<4xf32>"
FROM_INFINITY = """
  %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %l = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %start = stablehlo.maximum %theta, %l : tensor<4xf32>"""
THIRDS = """
  %three = stablehlo.constant dense<3.0> : tensor<4xf32>
  %third = stablehlo.constant dense<0.333333343> : tensor<4xf32>
  %more = stablehlo.multiply %theta, %three : tensor<4xf32>
  %start = stablehlo.multiply %more, %third : tensor<4xf32>"""


def descent(start: str, factor: str) -> Function:
    """Return a step along a millionth of %d, times a factor, from what `start` makes of %theta."""
    body = f"""
  {start}
  %tiny = stablehlo.constant dense<0.000001> : tensor<4xf32>
  %factor = stablehlo.constant dense<{factor}> : tensor<4xf32>
  %g = stablehlo.multiply %d, %tiny : tensor<4xf32>
  %s = stablehlo.multiply %g, %factor : tensor<4xf32>
  %b = stablehlo.broadcast_in_dim %lr, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %m = stablehlo.multiply %b, %s : tensor<4xf32>
  %new = stablehlo.subtract %start, %m : tensor<4xf32>
  return %new, %g : tensor<4xf32>, tensor<4xf32>"""
    arguments = "%theta: tensor<4xf32>, %d: tensor<4xf32>, %lr: tensor<f32>"
    return read_module(main(arguments, "(tensor<4xf32>, tensor<4xf32>)", body)).main


@pytest.mark.parametrize("start", [AS_IT_IS, FROM_INFINITY])
def test_a_step_that_is_too_long_by_a_thousandth_is_refuted(start: str) -> None:
    emitted = descent(start, "1.001")
    question = UpdateQuestion(0, DESCENT, "theta'", gradient=1, given=False)
    with Evaluator(60) as evaluator:
        found = refute(emitted, emitted, question, evaluator)
    assert 0 < abs(found.emitted - found.wanted) < 1e-7


@pytest.mark.parametrize("start", [AS_IT_IS, FROM_INFINITY, THIRDS])
def test_a_right_step_is_not_refuted_for_its_literals(start: str) -> None:
    emitted = descent(start, "1.0")
    question = UpdateQuestion(0, DESCENT, "theta'", gradient=1, given=False)
    with Evaluator(60) as evaluator, pytest.raises(NotRefuted) as why:
        refute(emitted, emitted, question, evaluator)
    assert ("rounding of literals" in str(why.value)) is (start == THIRDS)
