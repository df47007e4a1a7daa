"""What may be no real number is never taken for one: neither by the prover nor by the checker."""

import hashlib
import json

import pytest

import gradwright as gw
from gradwright.certify import Search, Verdict

HEAD = """func.func @main(%x: tensor<f32>) -> (tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %minus = stablehlo.constant dense<-1.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>
  %third = stablehlo.constant dense<0.333333343> : tensor<f32>
  %half_pi = stablehlo.constant dense<1.57079637> : tensor<f32>
"""
TAIL = """
  return %r : tensor<f32>
}
"""
IDENTITY = f"{HEAD}  %r = stablehlo.add %x, %zero : tensor<f32>{TAIL}"
MAKERS = {
    "negated": "negate %low",
    "absolute": "abs %low",
    "opposite signs": "add %high, %low",
    "of NaN": "add %nan, %x",
    "tanh of NaN": "tanh %nan",
    "zero divisor": "divide %one, %zero",
    "log of zero": "log %zero",
    "root of a negative": "sqrt %minus",
    "of an unknown function": "chlo.lgamma %minus : tensor<f32> -> tensor<f32>",
    "cube root as a power": "power %minus, %third",
    "pole of a tangent": "tan %half_pi",
    "acos of a literal for pi": "chlo.acos %half_pi : tensor<f32> -> tensor<f32>",
    "erf_inv of its limit": "chlo.erf_inv %minus : tensor<f32> -> tensor<f32>",
    "acosh of zero": "chlo.acosh %zero : tensor<f32> -> tensor<f32>",
}
SELECT = "%r = stablehlo.select %is, %x, %zero : tensor<i1>, tensor<f32>"
READERS = {
    "finite": f"%is = stablehlo.is_finite %n : (tensor<f32>) -> tensor<i1>\n  {SELECT}",
    "greater": f"""%m = stablehlo.add %n, %one : tensor<f32>
  %is = stablehlo.compare GT, %m, %n : (tensor<f32>, tensor<f32>) -> tensor<i1>
  {SELECT}""",
    "itself": f"""%is = stablehlo.compare EQ, %n, %n : (tensor<f32>, tensor<f32>) -> tensor<i1>
  {SELECT}""",
    "subtracted": """%m = stablehlo.subtract %n, %n : tensor<f32>
  %r = stablehlo.add %x, %m : tensor<f32>""",
    "times zero": """%m = stablehlo.multiply %n, %zero : tensor<f32>
  %r = stablehlo.add %x, %m : tensor<f32>""",
}


def text(maker: str, reader: str) -> str:
    full = maker if maker.startswith("chlo.") else f"stablehlo.{maker} : tensor<f32>"
    return f"{HEAD}  %n = {full}\n  {reader}{TAIL}"


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_what_may_be_no_number_is_none(maker: str) -> None:
    certificate = gw.certify_equal(IDENTITY.replace("@main", "@other"), IDENTITY).certificate
    assert certificate is not None
    for reader in READERS.values():
        wrong = text(maker, reader)
        assert gw.certify_equal(wrong, IDENTITY, search=Search(0)).verdict is not Verdict.PROVED
        digests = [hashlib.sha256(each.encode()).hexdigest() for each in (wrong, IDENTITY)]
        forged = {**json.loads(json.dumps(certificate)), "texts": digests}
        checked = gw.check(forged, wrong, IDENTITY)
        assert not checked.accepted
        assert "claim 0" in str(checked.reason)


PAIR = """func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>) {{
  %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
  %two = stablehlo.constant dense<2.0> : tensor<2xf32>
  %c = stablehlo.constant dense<{entries}> : tensor<2xf32>
  %n = stablehlo.{made} : tensor<2xf32>
  %is = stablehlo.is_finite %n : (tensor<2xf32>) -> tensor<2xi1>
  %r = stablehlo.select %is, %x, %zero : tensor<2xi1>, tensor<2xf32>
  return %r : tensor<2xf32>
}}
"""
PAIRS = {
    "log %c": "[1.0, -1.0]",
    "log_plus_one %c": "[1.0, -3.0]",
    "sqrt %c": "[4.0, -1.0]",
    "rsqrt %c": "[4.0, 0.0]",
    "divide %two, %c": "[1.0, 0.0]",
    "remainder %two, %c": "[1.0, 0.0]",
    "power %c, %x": "[2.0, -1.0]",
}


@pytest.mark.parametrize("made", PAIRS)
def test_one_entry_of_a_constant_outside_of_a_domain_is_enough(made: str) -> None:
    identity = PAIR.format(made="add %c, %two", entries="[0.0, 1.0]")
    proof = gw.certify_equal(identity.replace("@main", "@other"), identity)
    assert proof.verdict is Verdict.PROVED
    assert proof.certificate is not None
    wrong = PAIR.format(made=made, entries=PAIRS[made])
    assert gw.certify_equal(wrong, identity, search=Search(0)).verdict is not Verdict.PROVED
    digests = [hashlib.sha256(each.encode()).hexdigest() for each in (wrong, identity)]
    forged = {**json.loads(json.dumps(proof.certificate)), "texts": digests}
    assert not gw.check(forged, wrong, identity).accepted
    right = PAIR.format(made=made, entries="[1.0, 2.0]")
    assert gw.certify_equal(right, identity).verdict is Verdict.PROVED


DOMAINS = {
    "acos": "arguments of inverse functions are between -1 and 1 (line 10: %n)",
    "asin": "arguments of inverse functions are between -1 and 1 (line 10: %n)",
    "atanh": "arguments of inverse functions are between -1 and 1 (line 10: %n)",
    "erf_inv": "arguments of inverse functions are between -1 and 1 (line 10: %n)",
    "acosh": "arguments of acosh are above 1 (line 10: %n)",
}


@pytest.mark.parametrize("name", DOMAINS)
def test_the_domain_of_an_inverse_function_is_said(name: str) -> None:
    """Without the hypothesis the two texts differ: the proof is of a false equality."""
    found = gw.certify_equal(
        text(f"chlo.{name} %x : tensor<f32> -> tensor<f32>", READERS["finite"]), IDENTITY
    )
    assert found.verdict is Verdict.PROVED
    assert f"assumed: {DOMAINS[name]}" in found.scope
    assert found.certificate is None


SAID = {
    "tan %x": "arguments of tangents are no odd multiples of pi/2",
    "remainder %one, %x": "divisors are not 0",
    "log_plus_one %x": "arguments of logarithms are positive",
    "rsqrt %x": "arguments of roots are positive",
    "power %x, %x": "bases of powers are positive",
}


@pytest.mark.parametrize("made", SAID)
def test_the_domain_of_a_function_is_said(made: str) -> None:
    found = gw.certify_equal(text(made, READERS["finite"]), IDENTITY, search=Search(0))
    assert found.verdict is Verdict.PROVED
    assert f"assumed: {SAID[made]} (line 10: %n)" in found.scope


OVERFLOWS = {
    "add %h, %h : tensor<2xi8>": "[100, 3]",
    "multiply %h, %h : tensor<2xi8>": "[16, 3]",
    "negate %h : tensor<2xi8>": "[-128, 3]",
    "convert %g : (tensor<2xi32>) -> tensor<2xi8>": "[0, 0]",
}


@pytest.mark.parametrize("made", OVERFLOWS)
def test_constants_that_overflow_their_type_are_no_integers(made: str) -> None:
    """The sum is > 0 over the integers, and in the text it is not."""
    write = """func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>) {{
  %g = stablehlo.constant dense<{wide}> : tensor<2xi32>
  %h = stablehlo.constant dense<{narrow}> : tensor<2xi8>
  %z = stablehlo.constant dense<-127> : tensor<2xi8>
  %s = stablehlo.{made}
  %p = stablehlo.compare GT, %s, %z : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi1>
  %m = stablehlo.convert %p : (tensor<2xi1>) -> tensor<2xf32>
  %r = stablehlo.multiply %m, %x : tensor<2xf32>
  return %r : tensor<2xf32>
}}
"""
    fits = write.format(made=made, narrow="[11, 3]", wide="[4, 5]")
    proof = gw.certify_equal(fits.replace("@main", "@other"), fits)
    assert proof.verdict is Verdict.PROVED
    assert proof.certificate is not None
    wide = write.format(made=made, narrow=OVERFLOWS[made], wide="[300, 3]")
    assert gw.certify_equal(wide, fits, search=Search(0)).verdict is not Verdict.PROVED
    digests = [hashlib.sha256(each.encode()).hexdigest() for each in (wide, fits)]
    forged = {**json.loads(json.dumps(proof.certificate)), "texts": digests, "answers": []}
    assert "claim 0" in str(gw.check(forged, wide, fits).reason)


def test_a_real_number_is_one() -> None:
    """The control: of a number that is there, a reader is proved."""
    right = text("add %x, %one", READERS["finite"])
    assert gw.certify_equal(right, IDENTITY).verdict is Verdict.PROVED
