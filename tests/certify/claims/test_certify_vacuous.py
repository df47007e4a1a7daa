"""Hypotheses that no input meets: never assumed where signs show it, else said in the scope."""

from collections.abc import Iterator

import pytest

from gradwright.certify import Report, Search, Verdict, certify_equal, certify_text, certify_vjp
from gradwright.certify.hypotheses import judging
from gradwright.certify.hypotheses.meeting import ALMOST_ALL, UNJUDGED, Meeting
from gradwright.certify.hypotheses.trying import FOUND, NOT_FOUND, NOT_TRIED
from gradwright.certify.prove import Proof
from gradwright.certify.witness_process import Evaluator
from gradwright.hlo import read_module

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


@pytest.mark.parametrize(("least", "times"), [("1.75", 4), ("30.0", 64)])
def test_an_input_that_has_to_be_large_is_found(least: str, times: int, search: Search) -> None:
    body = f"""%least = stablehlo.constant dense<{least}> : tensor<N>
  %a = stablehlo.subtract %x, %least : tensor<N>
  %y = stablehlo.log %a : tensor<N>
  %g = stablehlo.divide %one, %a : tensor<N>"""
    report = report_of(body, search, "40xf32")
    assert report.verdict is report_of(body, Search(seconds=0), "40xf32").verdict
    assert report.verdict is Verdict.PROVED
    assert f"{FOUND} ({times} times a random one)" in report.scope


def test_what_is_not_looked_for_is_said() -> None:
    assert report_of(LOG, Search(seconds=0)).scope[-1].startswith(NOT_TRIED)
    large = report_of(CROSS_ENTROPY, Search(), "300000xf32")
    assert large.scope[-1] == (
        f"{NOT_TRIED} (that computes some 1,200,000 numbers, more than 262,144)"
    )


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


LOOP = """
func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %i0 = stablehlo.constant dense<0> : tensor<i32>
  %i, %s, %same = stablehlo.while(%at = %i0, %sum = %z, %v = %x)
      : tensor<i32>, tensor<f32>, tensor<4xf32>
    cond {
      %n = stablehlo.constant dense<4> : tensor<i32>
      %c = stablehlo.compare LT, %at, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %e = stablehlo.dynamic_slice %v, %at, sizes = [1]
          : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
      %r = stablehlo.reshape %e : (tensor<1xf32>) -> tensor<f32>
      %m = stablehlo.negate %r : tensor<f32>
      %l = stablehlo.log %m : tensor<f32>
      %more = stablehlo.add %sum, %l : tensor<f32>
      %j = stablehlo.add %at, %one : tensor<i32>
      stablehlo.return %j, %more, %v : tensor<i32>, tensor<f32>, tensor<4xf32>
    }
  %q = stablehlo.OPCODE %x : tensor<4xf32>
  %t = stablehlo.reduce(%q init: %z) applies stablehlo.add across dimensions = [0]
      : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %out = stablehlo.add %t, %s : tensor<f32>
  return %out : tensor<f32>
}
"""


@pytest.mark.parametrize(("opcode", "line"), [("negate", FOUND), ("log", NOT_FOUND)])
def test_hypotheses_in_a_loop_are_met_together_with_the_others(
    search: Search, opcode: str, line: str
) -> None:
    text = LOOP.replace("OPCODE", opcode)
    report = certify_equal(text, text, search=search)
    assert report.scope[-1].startswith(line)
    assert (report.verdict is Verdict.PROVED) == (line == FOUND)


INDEXED = """
func.func @main(%x: tensor<3xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<f32> {
  %five = stablehlo.constant dense<FIVE> : tensor<i32>
  COMPUTED
  %b = stablehlo.subtract %j, %five : tensor<i32>
  %s = stablehlo.dynamic_slice %x, %i, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
  %t = stablehlo.dynamic_slice %x, %a, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
  %u = stablehlo.dynamic_slice %x, %b, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
  %v = stablehlo.add %s, %t : tensor<1xf32>
  %w = stablehlo.add %v, %u : tensor<1xf32>
  %g = stablehlo.compare GE, %j, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r = stablehlo.reshape %w : (tensor<1xf32>) -> tensor<f32>
  %n = stablehlo.negate %r : tensor<f32>
  %o = stablehlo.select %g, %r, OTHERWISE : tensor<i1>, tensor<f32>
  return %o : tensor<f32>
}
"""
SUM = "%a = stablehlo.add %i, %j : tensor<i32>"
SQUARE = """%p = stablehlo.multiply %j, %j : tensor<i32>
  %q = stablehlo.constant dense<26> : tensor<i32>
  %a = stablehlo.subtract %p, %q : tensor<i32>"""


@pytest.mark.parametrize(
    ("five", "computed", "verdict", "line"),
    [
        ("1", SUM, Verdict.PROVED, FOUND),
        ("5", SUM, Verdict.UNKNOWN, "assumed"),
        ("5", SQUARE, Verdict.UNKNOWN, "assumed"),
        ("6", SQUARE.replace("26", "36"), Verdict.PROVED, FOUND),
    ],
)
def test_indices_are_in_range_together(
    search: Search, five: str, computed: str, verdict: Verdict, line: str
) -> None:
    text = INDEXED.replace("FIVE", five).replace("COMPUTED", computed)
    one, other = (text.replace("OTHERWISE", each) for each in ("%r", "%n"))
    report = certify_equal(one, other, search=search)
    assert report.verdict is verdict
    assert report.scope[-1].startswith(line)


FITTING = """
func.func @main(%x: tensor<4xf32>, %i: tensor<4xi8>) -> tensor<4xf32> {
  %a = stablehlo.constant dense<LARGE> : tensor<4xi8>
  %b = stablehlo.constant dense<2> : tensor<4xi8>
  %u = stablehlo.add %i, %a : tensor<4xi8>
  %v = stablehlo.add %u, %b : tensor<4xi8>
  %p = stablehlo.subtract %i, %a : tensor<4xi8>
  %q = stablehlo.subtract %p, %b : tensor<4xi8>
  %g = stablehlo.compare GT, %v, %q : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi1>
  %n = stablehlo.negate %x : tensor<4xf32>
  %o = stablehlo.select %g, %x, %n : tensor<4xi1>, tensor<4xf32>
  return %o : tensor<4xf32>
}
"""


@pytest.mark.parametrize(("large", "verdict"), [("125", Verdict.PROVED), ("126", Verdict.UNKNOWN)])
def test_integers_fit_their_type_together(large: str, verdict: Verdict) -> None:
    """No i lets both i + 128 and i - 128 fit; i = 0 alone lets i + 127 and i - 127."""
    text = FITTING.replace("LARGE", large)
    kept = text.replace("return %o", "return %x")
    assert certify_equal(text, kept, search=Search(0)).verdict is verdict


_OF_SQUARES = FITTING.replace("add %i, %a", "add %s, %a").replace(
    "subtract %i, %a", "subtract %s, %a"
)
SQUARED = _OF_SQUARES.replace("  %u =", "  %s = stablehlo.multiply %i, %i : tensor<4xi8>\n  %u =")


@pytest.mark.parametrize(("large", "verdict"), [("120", Verdict.PROVED), ("122", Verdict.UNKNOWN)])
def test_squares_of_integers_fit_their_type_together(large: str, verdict: Verdict) -> None:
    """Numbers i * i from 2 to 3, to which 124 is added and from which 130 are taken, are none."""
    text = SQUARED.replace("LARGE", large).replace("subtract %p, %b", "subtract %p, %d")
    text = text.replace(
        "  %b =", f"  %d = stablehlo.constant dense<{130 - int(large)}> : tensor<4xi8>\n  %b ="
    )
    kept = text.replace("return %o", "return %x")
    assert certify_equal(text, kept, search=Search(0)).verdict is verdict


LATER = """
func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %q = stablehlo.divide %x, %y : tensor<3xf32>
  %l = stablehlo.log %x : tensor<3xf32>
  return %q, %l : tensor<3xf32>, tensor<3xf32>
}
"""


def test_what_almost_all_inputs_meet_is_asked_of_each_claim(search: Search) -> None:
    function = read_module(LATER).main
    quotient, log = function.body.operations
    proof = Proof()
    proof.introduce(function.body.arguments)
    met = Meeting((function,), lambda: [proof.den], search)
    with Evaluator(60.0) as evaluate:
        for operation, line in ((quotient, ALMOST_ALL), (log, FOUND)):
            proof.denote([operation], set())
            assert met.objection(evaluate) is None
            assert met.lines[-1].startswith(line)


CONVERTED = """
func.func @main(%x: tensor<3xf32>, %f: tensor<f32>) -> tensor<1xf32> {
  %m = stablehlo.OPCODE %f : tensor<f32>
  %i = stablehlo.convert %f : (tensor<f32>) -> tensor<i32>
  %j = stablehlo.convert %m : (tensor<f32>) -> tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %k = stablehlo.subtract %j, %one : tensor<i32>
  %s = stablehlo.dynamic_slice %x, %i, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
  %t = stablehlo.dynamic_slice %x, %k, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
  %a = stablehlo.add %s, %t : tensor<1xf32>
  return %a : tensor<1xf32>
}
"""


@pytest.mark.parametrize(("opcode", "line"), [("exponential", FOUND), ("cosine", NOT_FOUND)])
def test_indices_made_of_floats_are_in_range_together(
    search: Search, opcode: str, line: str
) -> None:
    text = CONVERTED.replace("OPCODE", opcode)
    report = certify_equal(text, text, search=search)
    assert report.scope[-1].startswith(line)
    assert (report.verdict is Verdict.PROVED) == (line == FOUND)


DIVIDED = """
func.func @main(%x: tensor<N>, %u: tensor<N>) -> tensor<N> {
  %one = stablehlo.constant dense<1.0> : tensor<N>
  BODY
  %q = stablehlo.divide %one, %d : tensor<N>
  %f = stablehlo.is_finite %q : (tensor<N>) -> tensor<T>
  %r = stablehlo.select %f, %u, %one : tensor<T>, tensor<N>
  return %r : tensor<N>
}
"""
HIDDEN = """%s = stablehlo.sine %x : tensor<N>
  %c = stablehlo.cosine %x : tensor<N>
  %p = stablehlo.multiply %s, %s : tensor<N>
  %o = stablehlo.multiply %c, %c : tensor<N>
  %a = stablehlo.add %p, %o : tensor<N>
  %d = stablehlo.subtract %a, %one : tensor<N>"""
LAST = """%i = stablehlo.iota dim = 0 : tensor<N>
  %j = stablehlo.reverse %i, dims = [0] : tensor<N>
  %y = stablehlo.add %x, %j : tensor<N>
  %d = stablehlo.multiply %j, %y : tensor<N>"""


def divided(body: str, size: int, search: Search) -> Report:
    """Return whether a text with a divisor is proved to be the text without it."""
    text = DIVIDED.replace("BODY", body).replace("N>", f"{size}xf32>").replace("T>", f"{size}xi1>")
    return certify_equal(text, text.replace("return %r", "return %u"), search=search)


def test_what_is_0_but_for_its_rounding_is_not_divided_by(search: Search) -> None:
    """In f64 the divisor is 1e-16 here and there; that is its rounding."""
    report = divided(HIDDEN, 1, search)
    assert report.verdict is Verdict.UNKNOWN
    assert "inputs tried meets the hypotheses: line" in str(report.claims[0].reason)
    right = divided(HIDDEN.replace("subtract %a", "add %a"), 1, search)
    assert right.verdict is Verdict.PROVED


def test_a_divisor_of_too_many_indices_is_tried_at_inputs(
    search: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is 0 at the last index only."""
    monkeypatch.setattr(judging, "STEPS", 100)
    unsearched = divided(LAST, 200, Search(seconds=0))
    assert unsearched.verdict is Verdict.PROVED
    assert UNJUDGED in unsearched.scope
    assert divided(LAST, 200, search).verdict is Verdict.REFUTED
