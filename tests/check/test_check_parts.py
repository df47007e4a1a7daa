"""Gradients that no unknown operation stands before are covered, and no other ones."""

import json

import pytest

from gradwright.certify.certificate import Subject, written
from gradwright.certify.certificate_json import certificate_json
from gradwright.check import check
from gradwright.check.certificate import GradientClaim
from gradwright.check.replay import digest
from gradwright.check.session import numbered

VECTOR = "tensor<3xf32>"
TEXT = f"""
func.func @main(%x: {VECTOR}, %w: {VECTOR}, %v: {VECTOR})
    -> (tensor<f32>, {VECTOR}, {VECTOR}, {VECTOR}) {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.constant dense<0.0> : {VECTOR}
  %ones = stablehlo.constant dense<1.0> : {VECTOR}
  %s = stablehlo.add %SORTED, %zeros : {VECTOR}
  %u = "stablehlo.sort"(%s) <{{dimension = 0 : i64}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }}) : ({VECTOR}) -> {VECTOR}
  %above = stablehlo.compare GT, %READ, %zeros : ({VECTOR}, {VECTOR}) -> tensor<3xi1>
  %kept = stablehlo.select %above, %w, %v : tensor<3xi1>, {VECTOR}
  %p = stablehlo.multiply %kept, %kept : {VECTOR}
  %q = stablehlo.add %p, %ADDED : {VECTOR}
  %l = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [0]
      : ({VECTOR}, tensor<f32>) -> tensor<f32>
  %twice = stablehlo.add %kept, %kept : {VECTOR}
  %dw = stablehlo.select %above, %twice, %zeros : tensor<3xi1>, {VECTOR}
  %dv = stablehlo.select %above, %zeros, %twice : tensor<3xi1>, {VECTOR}
  return %l, %DX, %dw, %dv : tensor<f32>, {VECTOR}, {VECTOR}, {VECTOR}
}}
"""


def text_of(sorted_: str, read: str, added: str, dx: str) -> str:
    text = TEXT.replace("SORTED", sorted_).replace("READ", read)
    return text.replace("ADDED", added).replace("DX", dx)


def covered(text: str) -> dict[str, object]:
    """Return the certificate of what can be covered of the three gradients; it is accepted."""
    subject = Subject("gradients", [text], 0)
    number_of = {id(value): n for n, value in enumerate(numbered(subject.functions))}
    results = [number_of[id(value)] for value in subject.functions[0].body.results[1:]]
    claims = [(str(k), GradientClaim(k, n)) for k, n in enumerate(results)]
    found = certificate_json(written(subject, claims))
    assert not found["claims"] or check(found, text).accepted
    return found


@pytest.mark.parametrize(
    ("sorted_", "read", "added", "dx", "left"),
    [
        ("x", "x", "x", "ones", []),
        ("x", "x", "u", "ones", ["0"]),
        ("w", "x", "x", "ones", []),
        ("w", "x", "u", "zeros", ["1"]),
        ("v", "u", "x", "ones", ["2"]),
        ("w", "u", "x", "ones", ["1"]),
        ("x", "u", "zeros", "zeros", ["0"]),
    ],
)
def test_what_comes_through_an_unknown_operation_is_left_out(
    sorted_: str, read: str, added: str, dx: str, left: list[str]
) -> None:
    """What is sorted counts where only a mask reads it, which has no slope."""
    assert covered(text_of(sorted_, read, added, dx))["uncovered"] == left


def test_a_claim_about_it_is_refused() -> None:
    honest = text_of("x", "x", "x", "ones")
    lying = text_of("x", "x", "u", "ones")
    forged = json.dumps(covered(honest)).replace(digest(honest), digest(lying))
    checked = check(forged, lying)
    assert not checked.accepted
    assert "stablehlo.sort" in str(checked.reason)
