"""Hypotheses that no input meets at some index: no certificate rests on one."""

import hashlib
import json

import pytest

from certify.kernel.partial_texts import FUNCTIONS, HONEST, SUMMED, made, text_of
from gradwright.certify.certificate import Subject, written
from gradwright.certify.certificate_json import certificate_json
from gradwright.check import check
from gradwright.check.certificate import Certificate, EqualClaim

WINDOWS = """%s = "stablehlo.reduce_window"(%e, %zero) <{{
      padding = dense<[[{pads}]]> : tensor<1x2xi64>,
      window_dimensions = array<i64: {extent}>}}> ({{
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %t = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %t : tensor<f32>
  }}) : (tensor<5xf32>, tensor<f32>) -> tensor<5xf32>"""


def certified(text: str) -> Certificate:
    """Return what can be certified of the claim that a text returns its second argument."""
    return written(Subject("equal", [text, HONEST]), [("result 0", EqualClaim(0))])


def refused(text: str) -> None:
    """Neither is a certificate written for it, nor is one that was written for another taken."""
    assert certified(text).claims == ()
    texts = (text, HONEST)
    digests = [hashlib.sha256(each.encode()).hexdigest() for each in texts]
    honest = json.loads(json.dumps(certificate_json(certified(HONEST.replace("@main", "@other")))))
    for what in ("nonzero", "positive", "nonnegative"):
        for assumed in ([], [[what, n] for n in range(20)]):
            forged = {**honest, "texts": digests, "answers": [], "assumed": assumed}
            assert not check(forged, *texts).accepted


def accepted(text: str) -> int:
    """Return how many hypotheses the certificate of a text has, which must be accepted."""
    certificate = certified(text)
    assert check(certificate_json(certificate), text, HONEST).accepted
    return len(certificate.assumed)


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_an_entry_of_a_constant_takes_the_input_away(function: str) -> None:
    for making in (made("multiply %c, %e"), made("multiply %c, %x")):
        refused(text_of(making, function, first=0))
        accepted(text_of(making, function))


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_an_empty_sum_is_at_one_index(function: str) -> None:
    refused(text_of(SUMMED, function, start=0))
    assert accepted(text_of(SUMMED, function)) > 0
    refused(text_of(WINDOWS.format(pads="2, -1", extent=2), function))
    accepted(text_of(WINDOWS.format(pads="1, 1", extent=3), function))


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_a_value_meets_itself_in_the_middle(function: str) -> None:
    reverse = "%v = stablehlo.reverse %x, dims = [0] : tensor<5xf32>\n  "
    refused(text_of(reverse + made("subtract %x, %v"), function))
    accepted(text_of(reverse + made("add %x, %v"), function))


CONSTANTS = {
    "a difference of equal numbers": ("subtract %h, %h", "exponential", 1, None),
    "a sine": ("add %h, %h", "sine", 4, 1),
    "a logarithm": ("add %h, %h", "log", 0.5, 2),
}


@pytest.mark.parametrize("name", CONSTANTS)
def test_a_constant_is_looked_at(name: str) -> None:
    how, inner, wrong, right = CONSTANTS[name]
    making = f"%h = stablehlo.{inner} %k : tensor<5xf32>\n  {made(how)}"
    refused(text_of(making, FUNCTIONS["log"], number=wrong))
    if right is not None:
        assert accepted(text_of(making, FUNCTIONS["log"], number=right)) == 0


def test_what_the_checker_does_not_know_meets_nothing() -> None:
    """The number of which nothing is known is 0."""
    making = "%h = stablehlo.floor %k : tensor<5xf32>\n  " + made("add %h, %h")
    refused(text_of(making, FUNCTIONS["divide"], number=0.5))


def test_a_name_does_not_hide_that_a_value_is_0() -> None:
    """The sum is named or not, as a certificate likes; without 1 it is what it was made of."""
    making = f"""%n = stablehlo.add %x, %k : tensor<5xf32>
  %d = stablehlo.subtract %n, %x : tensor<5xf32>
  {made("subtract %d, %one")}"""
    text = text_of(making, FUNCTIONS["divide"])
    refused(text)
    digests = [hashlib.sha256(each.encode()).hexdigest() for each in (text, HONEST)]
    honest = json.loads(json.dumps(certificate_json(certified(HONEST.replace("@main", "@other")))))
    for value in range(20):
        forged = {**honest, "texts": digests, "answers": [], "cuts": [value]}
        assert not check(forged, text, HONEST).accepted
    accepted(text_of(making, FUNCTIONS["divide"], number=2))


PAIRED = {
    "an argument and its opposite": ("log %x", "negate %x", "add %x, %x"),
    "a difference and its opposite": ("log %d", "subtract %u, %x", "add %d, %x"),
    "below 1 and above": ("log %o", "subtract %x, %one", "subtract %one, %x"),
}
"""What is taken first, what then no input lets be positive beside it, and what one does."""


@pytest.mark.parametrize("name", PAIRED)
def test_one_input_meets_all_hypotheses(name: str) -> None:
    first, wrong, right = PAIRED[name]
    before = f"""%d = stablehlo.subtract %x, %u : tensor<5xf32>
  %o = stablehlo.subtract %one, %x : tensor<5xf32>
  %before = stablehlo.{first} : tensor<5xf32>
  """
    refused(text_of(before + made(wrong), FUNCTIONS["log"]))
    assert accepted(text_of(before + made(right), FUNCTIONS["log"])) > 0
    assert accepted(text_of(made(wrong), FUNCTIONS["log"])) > 0
