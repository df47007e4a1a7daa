"""A hypothesis that no input meets, because no input matters at one index, is none."""

import hashlib
import json
import math
from collections.abc import Callable
from fractions import Fraction

import pytest

import gradwright as gw
from certify.kernel.partial_texts import FUNCTIONS, HONEST, SUMMED, applied, made, text_of
from gradwright.certify import Search, Verdict
from gradwright.certify.hypotheses.enclosures import at, enclosed
from gradwright.certify.hypotheses.meeting import UNJUDGED

SCALED = """%t = stablehlo.add %x, %u : tensor<5xf32>
  %s = stablehlo.multiply %c, %t : tensor<5xf32>"""
SHIFTED = """%less = stablehlo.subtract %c, %one : tensor<5xf32>
  %t = stablehlo.multiply %c, %x : tensor<5xf32>
  %s = stablehlo.add %t, %less : tensor<5xf32>"""
REVERSED = """%v = stablehlo.reverse %x, dims = [0] : tensor<5xf32>
  %t = stablehlo.multiply %c, %v : tensor<5xf32>
  %d = stablehlo.multiply %c, %x : tensor<5xf32>
  %s = stablehlo.subtract %d, %t : tensor<5xf32>"""
SUMS = {"prefix": SUMMED, "scaled": SCALED, "shifted": SHIFTED}


def refused(wrong: str) -> None:
    """Neither the prover proves it, nor does the checker take a forged proof of it."""
    assert gw.certify_equal(wrong, HONEST, search=Search(0)).verdict is Verdict.UNKNOWN
    certificate = gw.certify_equal(HONEST.replace("@main", "@other"), HONEST).certificate
    assert certificate is not None
    digests = [hashlib.sha256(each.encode()).hexdigest() for each in (wrong, HONEST)]
    forged = {**json.loads(json.dumps(certificate)), "texts": digests, "answers": []}
    assert not gw.check(forged, wrong, HONEST).accepted


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("name", SUMS)
def test_an_index_where_a_value_is_outside_for_every_input_is_enough(
    name: str, function: str
) -> None:
    """The control: without that index the claim is proved, and its certificate accepted."""
    if (name, function) != ("shifted", "divide"):  # 0 x - 1 may be divided by
        wrong = text_of(SUMS[name], FUNCTIONS[function], first=0, start=0)
        refused(wrong)
    right = text_of(SUMS[name], FUNCTIONS[function])
    proof = gw.certify_equal(right, HONEST)
    assert proof.verdict is Verdict.PROVED
    if proof.certificate is not None:
        assert gw.check(proof.certificate, right, HONEST).accepted


def test_terms_that_cancel_at_one_index_are_nothing_there() -> None:
    refused(text_of(REVERSED, FUNCTIONS["divide"], start=0))


@pytest.mark.parametrize("name", ["asin", "acos", "atanh", "erf_inv", "acosh"])
def test_an_inverse_function_has_its_domain_at_each_index(name: str) -> None:
    function = f"chlo.{name} %s : tensor<5xf32> -> tensor<5xf32>"
    refused(text_of(SHIFTED, function, first=0, start=0))
    right = text_of(SHIFTED, function, start=0)
    assert gw.certify_equal(right, HONEST).verdict is Verdict.PROVED


CONSTANTS = {
    "log of sin 4": (4, "sine %k", "log %s", 1),
    "log of cos 2": (2, "cosine %k", "log %s", 1),
    "log of log 1/2": (0.5, "log %k", "log %s", 2),
    "rsqrt of log 1/2": (0.5, "log %k", "rsqrt %s", 2),
    "sqrt of tanh -3": (-3, "tanh %k", "sqrt %s", 3),
}


@pytest.mark.parametrize("case", CONSTANTS)
def test_a_constant_is_enclosed_before_a_function_takes_it(case: str) -> None:
    number, inner, outer, right = CONSTANTS[case]
    refused(text_of(made(inner), applied(outer), number=number))
    inside = text_of(made(inner), applied(outer), number=right)
    assert gw.certify_equal(inside, HONEST).verdict is Verdict.PROVED


def test_a_large_constant_is_looked_at_to_its_end() -> None:
    long = HONEST.replace("5x", "30000x").replace("[1.0, 1.0, 2.0, 3.0, 5.0]", "1.0")
    long = "\n".join(line for line in long.split("\n") if "30000x30000" not in line)
    taken = (
        "%i = stablehlo.iota dim = 0 : tensor<30000xf32>\n  %q = stablehlo.{} : tensor<30000xf32>"
    )
    wrong = long.replace("%q = stablehlo.add %x, %u : tensor<30000xf32>", taken.format("log %i"))
    assert gw.certify_equal(wrong, long, search=Search(0)).verdict is Verdict.UNKNOWN
    taken = taken.format("log_plus_one %i")
    right = long.replace("%q = stablehlo.add %x, %u : tensor<30000xf32>", taken)
    assert gw.certify_equal(right, long).verdict is Verdict.PROVED


ROWS = """func.func @main(%x: tensor<4x4xf32>, %u: tensor<4xf32>) -> tensor<4xf32> {{
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %lows = stablehlo.constant dense<0xFF800000> : tensor<4x4xf32>
  %seven = stablehlo.constant dense<7.0> : tensor<4xf32>
  %i = stablehlo.iota dim = 0 : tensor<4x4xi32>
  %j = stablehlo.iota dim = 1 : tensor<4x4xi32>
  %m = stablehlo.compare {direction}, %j, %i, SIGNED
      : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
  %me = stablehlo.select %m, %x, %lows : tensor<4x4xi1>, tensor<4x4xf32>
  %s = stablehlo.reduce(%me init: %low) applies stablehlo.maximum across dimensions = [1]
      : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
  %f = stablehlo.is_finite %s : (tensor<4xf32>) -> tensor<4xi1>
  %r = stablehlo.select %f, %u, %seven : tensor<4xi1>, tensor<4xf32>
  return %{result} : tensor<4xf32>
}}
"""


@pytest.mark.parametrize(
    ("direction", "verdict"), [("LT", Verdict.UNKNOWN), ("LE", Verdict.PROVED)]
)
def test_a_row_of_nothing_but_minus_infinity_has_no_maximum(
    direction: str, verdict: Verdict
) -> None:
    texts = [ROWS.format(direction=direction, result=result) for result in ("r", "u")]
    assert gw.certify_equal(*texts, search=Search(0)).verdict is verdict


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))


FLOATS: dict[str, Callable[[float], float]] = {
    "exponential": math.exp,
    "log": math.log,
    "logistic": _logistic,
    "sine": math.sin,
    "cosine": math.cos,
    "erf": math.erf,
}


@pytest.mark.parametrize("name", FLOATS)
def test_enclosures_hold_what_floats_say(name: str) -> None:
    for x in (Fraction(n, 7) for n in (1, 3, 22, 41, 100, 301) if name != "erf" or n < 42):
        for signed in (x, -x) if name != "log" else (x,):
            found, wanted = enclosed(name, at(signed)), FLOATS[name](float(signed))
            assert found.low is not None
            assert found.high is not None
            assert found.high - found.low < Fraction(1, 10**12) * max(1, abs(found.high))
            slack = 1e-14 * max(1.0, abs(wanted))
            assert float(found.low) - slack <= wanted <= float(found.high) + slack


TAPS = """func.func @main(%w: tensor<2xf32>, %x: tensor<30000xf32>) -> tensor<30000xf32> {{
  %o = stablehlo.constant dense<1.0> : tensor<30000xf32>
  %a = stablehlo.slice %w [0:1] : (tensor<2xf32>) -> tensor<1xf32>
  %b = stablehlo.slice %w [1:2] : (tensor<2xf32>) -> tensor<1xf32>
  %k = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<1xf32>) -> tensor<30000xf32>
  %l = stablehlo.broadcast_in_dim %{second}, dims = [0] : (tensor<1xf32>) -> tensor<30000xf32>
  %v = stablehlo.reverse %x, dims = [0] : tensor<30000xf32>
  %p = stablehlo.multiply %k, %x : tensor<30000xf32>
  %q = stablehlo.multiply %l, %v : tensor<30000xf32>
  %s = stablehlo.subtract %p, %q : tensor<30000xf32>
  %r = stablehlo.divide %o, %s : tensor<30000xf32>
  return %r : tensor<30000xf32>
}}"""


@pytest.mark.parametrize(("second", "is_judged"), [("b", True), ("a", False)])
def test_taps_of_a_kernel_are_different_entries(second: str, is_judged: bool) -> None:
    """The control: at the same tap two products may cancel, as w x[i] - w x[n - 1 - i] does."""
    text = TAPS.format(second=second)
    report = gw.certify_equal(text, text, search=Search(0))
    assert (report.verdict is Verdict.PROVED, UNJUDGED in str(report.scope)) == (
        True,
        not is_judged,
    )
