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


def test_a_real_number_is_one() -> None:
    """The control: of a number that is there, a reader is proved."""
    right = text("add %x, %one", READERS["finite"])
    assert gw.certify_equal(right, IDENTITY).verdict is Verdict.PROVED
