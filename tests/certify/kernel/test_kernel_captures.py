"""A region that reads a value from outside depends on it, whatever its operands are.

Each text of `text_of` returns a loss that depends on `%x` through a region only, and 0 as the
gradient by `%x`. Those of `nested` return what may be the gradients of loops in loops.
"""

import json

import pytest

from gradwright.certify import Refuted, Search, Verdict, certify_text
from gradwright.certify.texts import subject_of_text
from gradwright.certify.texts_gradient import derive
from gradwright.check.replay import check, digest
from gradwright.hlo import read_module

SCALAR, VECTOR = "tensor<f32>", "tensor<3xf32>"

CHOICES = """
    %p = "stablehlo.case"(%i) ({
      stablehlo.return %y : tensor<3xf32>
    }, {
      %s = stablehlo.multiply %CAPTURED, %y : tensor<3xf32>
      stablehlo.return %s : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>"""

REGIONS = {
    "case": CHOICES,
    "case that returns": CHOICES.replace("stablehlo.return %y", "stablehlo.return %CAPTURED"),
    "if": CHOICES.replace("case", "if")
    .replace("(%i)", "(%b)")
    .replace("tensor<i32>", "tensor<i1>"),
    "map": """
    %p = "stablehlo.map"(%y) ({
    ^bb0(%a: tensor<f32>):
      %q = stablehlo.multiply %a, %sum : tensor<f32>
      stablehlo.return %q : tensor<f32>
    }) {dimensions = array<i64: 0>} : (tensor<3xf32>) -> tensor<3xf32>""",
    "reduce": """
    %t = "stablehlo.reduce"(%y, %z) ({
    ^bb0(%a: tensor<f32>, %c: tensor<f32>):
      %q = stablehlo.add %a, %c : tensor<f32>
      %r = stablehlo.add %q, %sum : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) {dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %p = stablehlo.broadcast_in_dim %t, dims = [] : (tensor<f32>) -> tensor<3xf32>""",
    "while": """
    %p = stablehlo.while(%a = %y) : tensor<3xf32>
    cond {
      %first = stablehlo.slice %a [0:1] : (tensor<3xf32>) -> tensor<1xf32>
      %number = stablehlo.reshape %first : (tensor<1xf32>) -> tensor<f32>
      %c = stablehlo.compare GT, %number, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %h = stablehlo.subtract %a, %x : tensor<3xf32>
      stablehlo.return %h : tensor<3xf32>
    }""",
    "while inside an if": """
    %p = "stablehlo.if"(%b) ({
      %w = stablehlo.while(%a = %y) : tensor<3xf32>
      cond {
        stablehlo.return %b : tensor<i1>
      } do {
        stablehlo.return %x : tensor<3xf32>
      }
      stablehlo.return %w : tensor<3xf32>
    }, {
      stablehlo.return %y : tensor<3xf32>
    }) : (tensor<i1>) -> tensor<3xf32>""",
}


def text_of(region: str, captured: str = "x") -> str:
    return f"""
func.func @main(%x: {VECTOR}, %y: {VECTOR}, %i: tensor<i32>, %b: tensor<i1>)
    -> ({SCALAR}, {VECTOR}) {{
    %z = stablehlo.constant dense<0.0> : {SCALAR}
    %sum = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0]
      : ({VECTOR}, {SCALAR}) -> {SCALAR}
    {region.replace("CAPTURED", captured)}
    %l = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [0]
      : ({VECTOR}, {SCALAR}) -> {SCALAR}
    %d = stablehlo.constant dense<0.0> : {VECTOR}
    return %l, %d : {SCALAR}, {VECTOR}
}}"""


@pytest.mark.parametrize("name", REGIONS)
def test_what_a_region_captures_has_a_cotangent(name: str) -> None:
    text = text_of(REGIONS[name])
    [claim] = certify_text(text, wrt=[0], grads=[1], search=Search(seconds=0)).claims
    assert claim.verdict is Verdict.UNKNOWN
    derived = derive(subject_of_text(text, loss=0, wrt=[0], grads=[1]))
    assert derived.lost


def test_what_a_region_does_not_capture_has_none() -> None:
    text = text_of(CHOICES, captured="y")
    assert certify_text(text, wrt=[0], grads=[1]).verdict is Verdict.PROVED


def test_the_checker_refuses_captures_too() -> None:
    honest = text_of("%p = stablehlo.multiply %y, %y : tensor<3xf32>")
    lying = text_of(CHOICES)
    certificate = certify_text(honest, wrt=[0], grads=[1]).certificate
    assert check(json.dumps(certificate), honest).accepted
    forged = json.dumps(certificate).replace(digest(honest), digest(lying))
    checked = check(forged, lying)
    assert not checked.accepted


def test_an_operation_reads_its_operands_and_what_its_regions_capture() -> None:
    body = read_module(text_of(REGIONS["while inside an if"])).main.body
    [choice] = [each for each in body.operations if each.opcode == "stablehlo.if"]
    assert {value.name for value in choice.reads} == {"b", "x", "y"}


INNER = """
      %w:2 = stablehlo.while(%j = %c0, %b = %a) : tensor<i32>, tensor<3xf32>
      cond {
        %t = stablehlo.compare LT, %j, %c2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %t : tensor<i1>
      } do {
        %h = stablehlo.multiply %b, %y : tensor<3xf32>
        %g = stablehlo.add %h, %i_y : tensor<3xf32>
        %m = stablehlo.add %j, %c1 : tensor<i32>
        stablehlo.return %m, %g : tensor<i32>, tensor<3xf32>
      }"""


def nested(slope: str) -> str:
    """Return f(f(x)) of f(a) = (a y + y) y + y, its gradient by x and a claimed one by y.

    With y^4 for the gradient by x, and for the one by y `slope` x y^3 + 4 y^3 + 3 y^2 + 2 y + 1.
    """
    return f"""
func.func @main(%x: {VECTOR}, %y: {VECTOR}) -> ({SCALAR}, {VECTOR}, {VECTOR}) {{
    %z = stablehlo.constant dense<0.0> : {SCALAR}
    %c0 = stablehlo.constant dense<0> : tensor<i32>
    %c1 = stablehlo.constant dense<1> : tensor<i32>
    %c2 = stablehlo.constant dense<2> : tensor<i32>
    %one = stablehlo.constant dense<1.0> : {VECTOR}
    %p:2 = stablehlo.while(%i = %c0, %a = %x) : tensor<i32>, tensor<3xf32>
    cond {{
      %c = stablehlo.compare LT, %i, %c2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }} do {{
      %i_y = stablehlo.multiply %one, %y : tensor<3xf32>{INNER}
      %n = stablehlo.add %i, %c1 : tensor<i32>
      stablehlo.return %n, %w#1 : tensor<i32>, tensor<3xf32>
    }}
    %l = stablehlo.reduce(%p#1 init: %z) applies stablehlo.add across dimensions = [0]
      : ({VECTOR}, {SCALAR}) -> {SCALAR}
    %y2 = stablehlo.multiply %y, %y : {VECTOR}
    %y3 = stablehlo.multiply %y2, %y : {VECTOR}
    %dx = stablehlo.multiply %y2, %y2 : {VECTOR}
    %slope = stablehlo.constant dense<{slope}> : {VECTOR}
    %two = stablehlo.constant dense<2.0> : {VECTOR}
    %three = stablehlo.constant dense<3.0> : {VECTOR}
    %four = stablehlo.constant dense<4.0> : {VECTOR}
    %xy3 = stablehlo.multiply %x, %y3 : {VECTOR}
    %d0 = stablehlo.multiply %slope, %xy3 : {VECTOR}
    %d1 = stablehlo.multiply %four, %y3 : {VECTOR}
    %d2 = stablehlo.multiply %three, %y2 : {VECTOR}
    %d3 = stablehlo.multiply %two, %y : {VECTOR}
    %e0 = stablehlo.add %d0, %d1 : {VECTOR}
    %e1 = stablehlo.add %e0, %d2 : {VECTOR}
    %e2 = stablehlo.add %e1, %d3 : {VECTOR}
    %dy = stablehlo.add %e2, %one : {VECTOR}
    return %l, %dx, %dy : {SCALAR}, {VECTOR}, {VECTOR}
}}"""


def test_loops_in_loops_that_capture_are_proved_and_checked() -> None:
    text = nested("4.0")
    report = certify_text(text, wrt=[0, 1], grads=[1, 2], search=Search(seconds=0))
    assert report.verdict is Verdict.PROVED
    checked = check(json.dumps(report.certificate), text)
    assert checked.accepted, checked.reason
    assert len(checked.claims) == 2


def test_a_wrong_gradient_of_loops_that_capture_is_refuted() -> None:
    text = nested("3.0")
    by_x, by_y = certify_text(text, wrt=[0, 1], grads=[1, 2]).claims
    assert by_x.verdict is Verdict.PROVED
    assert isinstance(by_y.outcome, Refuted)
    found = by_y.outcome.counterexample
    [x, y] = (given.values for given in found.inputs)
    assert x is not None
    assert y is not None
    missing = x[found.index[0]] * y[found.index[0]] ** 3
    assert found.wanted - found.emitted == pytest.approx(missing)
