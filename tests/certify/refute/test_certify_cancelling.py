"""Wrong elements whose gaps cancel in a sum of equal weights: the search finds one all the same."""

from collections.abc import Iterator

import pytest

from certify.refute.cases import main
from gradwright.certify import Search, certify_text
from gradwright.certify.witness_process import Evaluator

pytestmark = pytest.mark.interpreter

LINEAR = """
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %f = stablehlo.constant dense<[FACTORS]> : tensor<8xf32>
  %p = stablehlo.multiply %f, %x : tensor<8xf32>
  %dx = stablehlo.constant dense<[CLAIMED]> : tensor<8xf32>
  %l = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [0]
      : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %l, %dx : tensor<f32>, tensor<8xf32>"""


def linear(factors: list[float], claimed: list[float]) -> str:
    """Return the sum of x times factors, beside what is claimed to be its gradient."""
    body = LINEAR.replace("FACTORS", str(factors)[1:-1]).replace("CLAIMED", str(claimed)[1:-1])
    return main("%x: tensor<8xf32>", "(tensor<f32>, tensor<8xf32>)", body)


@pytest.fixture(scope="module")
def search() -> Iterator[Search]:
    with Evaluator(60) as evaluator:
        yield Search(evaluator=evaluator)


@pytest.mark.parametrize(("first", "second"), [(0, 1.0), (6, 1.0), (4, -1.0), (5, -1.0)])
def test_two_neighbours_wrong_by_as_much_are_refuted(
    search: Search, first: int, second: float
) -> None:
    right = [2.0, -1.0, 3.0, 0.5, -2.0, 1.0, 4.0, -3.0]
    claimed = list(right)
    claimed[first] += 1.0
    claimed[first + 1] += second
    text = linear(right, claimed)
    [claim] = certify_text(text, loss=0, wrt=[0], grads=[1], search=search).claims
    assert claim.counterexample is not None
    assert claim.counterexample.index in ((first,), (first + 1,))
