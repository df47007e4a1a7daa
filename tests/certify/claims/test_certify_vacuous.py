"""Hypotheses that no input meets: never assumed where signs show it, else said in the scope."""

from collections.abc import Iterator

import pytest

from gradwright.certify import Report, Search, Verdict, certify_text, certify_vjp
from gradwright.certify.hypotheses.trying import FOUND, NOT_FOUND, NOT_TRIED
from gradwright.certify.witness_process import Evaluator

pytestmark = pytest.mark.interpreter

TEXT = """
func.func @main(%x: tensor<N>) -> (tensor<f32>, tensor<N>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<N>
  %m = stablehlo.negate %x : tensor<N>
  %e = stablehlo.exponential %x : tensor<N>
  %n = stablehlo.negate %e : tensor<N>
  %s = stablehlo.multiply %m, %x : tensor<N>
  BODY
  %l = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<N>, tensor<f32>) -> tensor<f32>
  return %l, %g : tensor<f32>, tensor<N>
}
"""
LOG_OF_BOTH = """%a = stablehlo.log %x : tensor<N>
  %b = stablehlo.log %m : tensor<N>
  %y = stablehlo.subtract %a, %b : tensor<N>
  %g = stablehlo.subtract %one, %one : tensor<N>"""
LOG = """%y = stablehlo.log %x : tensor<N>
  %g = stablehlo.divide %one, %x : tensor<N>"""
CROSS_ENTROPY = """%c = stablehlo.subtract %one, %x : tensor<N>
  %a = stablehlo.log %x : tensor<N>
  %b = stablehlo.log %c : tensor<N>
  %y = stablehlo.add %a, %b : tensor<N>
  %r = stablehlo.divide %one, %x : tensor<N>
  %q = stablehlo.divide %one, %c : tensor<N>
  %g = stablehlo.subtract %r, %q : tensor<N>"""
SIGNED = (
    """%y = stablehlo.log %n : tensor<N>
  %g = stablehlo.add %one, %zeros : tensor<N>""",
    """%a = stablehlo.sqrt %n : tensor<N>
  %y = stablehlo.multiply %a, %a : tensor<N>
  %g = stablehlo.add %n, %zeros : tensor<N>""",
    """%y = stablehlo.log %s : tensor<N>
  %two = stablehlo.add %one, %one : tensor<N>
  %g = stablehlo.divide %two, %x : tensor<N>""",
)


@pytest.fixture(scope="module")
def search() -> Iterator[Search]:
    with Evaluator(60) as evaluator:
        yield Search(evaluator=evaluator)


def report_of(body: str, search: Search, shape: str = "4xf32") -> Report:
    zeros = "%zeros = stablehlo.subtract %one, %one : tensor<N>\n  "
    text = TEXT.replace("BODY", zeros + body).replace("N>", shape + ">")
    return certify_text(text, loss=0, wrt=[0], grads=[1], search=search)


@pytest.mark.parametrize("body", SIGNED)
def test_a_hypothesis_that_signs_refute_is_not_assumed(body: str) -> None:
    [claim] = report_of(body, Search(seconds=0)).claims
    assert claim.verdict is Verdict.UNKNOWN
    assert "is not seen to be so for any input, somewhere" in str(claim.reason)


@pytest.mark.parametrize(
    ("body", "line", "verdict"),
    [
        (LOG, FOUND, Verdict.PROVED),
        (CROSS_ENTROPY, FOUND, Verdict.PROVED),
        (LOG_OF_BOTH, NOT_FOUND, Verdict.UNKNOWN),
    ],
)
def test_a_proof_needs_an_input_that_meets_its_hypotheses(
    search: Search, body: str, line: str, verdict: Verdict
) -> None:
    report = report_of(body, search)
    assert report.verdict is verdict
    assert report.scope[-1].startswith(line)
    if verdict is Verdict.UNKNOWN:
        [claim] = report.claims
        assert "inputs tried meets the hypotheses: line 1" in str(claim.reason)


def test_what_is_not_looked_for_is_said() -> None:
    assert report_of(LOG, Search(seconds=0)).scope[-1].startswith(NOT_TRIED)
    large = report_of(CROSS_ENTROPY, Search(), "300000xf32")
    assert large.scope[-1] == f"{NOT_TRIED} (the text is large)"


def test_nothing_is_said_without_hypotheses(search: Search) -> None:
    body = """%y = stablehlo.multiply %x, %x : tensor<N>
  %g = stablehlo.add %x, %x : tensor<N>"""
    report = report_of(body, search)
    assert report.verdict is Verdict.PROVED
    assert not any("meets the hypotheses" in line for line in report.scope)


def test_the_hypotheses_of_a_backward_text_alone_count(search: Search) -> None:
    forward = "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  return %x : tensor<f32>\n}\n"
    backward = """func.func @main(%x: tensor<f32>, %d: tensor<f32>) -> tensor<f32> {
  %r = stablehlo.log %x : tensor<f32>
  %a = stablehlo.subtract %d, %r : tensor<f32>
  %b = stablehlo.add %a, %r : tensor<f32>
  return %b : tensor<f32>
}
"""
    report = certify_vjp(forward, backward, search=search)
    assert report.verdict is Verdict.PROVED
    assert report.scope[-1].startswith(FOUND)
