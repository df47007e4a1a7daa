"""Rules that reach far, each with texts that it covers and texts that it must leave open."""

import json

import pytest

from attacks.forged import answer
from attacks.subjects import Json
from gradwright.certify.certificate import Subject, written
from gradwright.certify.certificate_json import certificate_json
from gradwright.check import check
from gradwright.check.certificate import Certificate, GradientClaim
from gradwright.check.session import numbered

TWO_SUMS = """
func.func @main(%x: tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>) {
  %p = stablehlo.multiply %x, %x : tensor<3xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s, %u = stablehlo.reduce(%p init: %z), (%x init: %z) across dimensions = [0]
      : (tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<f32>, %d: tensor<f32>) {
    %e = stablehlo.add %a, %b : tensor<f32>
    %f = stablehlo.add %c, %d : tensor<f32>
    stablehlo.return %e, %f : tensor<f32>, tensor<f32>
  }
  %l = stablehlo.add %s, %u : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<3xf32>
  %t = stablehlo.add %x, %x : tensor<3xf32>
  %dx = stablehlo.add %t, %one : tensor<3xf32>
  return %l, %dx : tensor<f32>, tensor<3xf32>
}
"""
SIGMOID = """
func.func @main(%x: tensor<3xf32>, %w: tensor<3x2xf32>) -> (tensor<f32>, tensor<3x2xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<2xf32>
  %u = stablehlo.dot_general %x, %w, contracting_dims = [0] x [0]
      : (tensor<3xf32>, tensor<3x2xf32>) -> tensor<2xf32>
  %e = stablehlo.exponential %u : tensor<2xf32>
  %p = stablehlo.add %one, %e : tensor<2xf32>
  %s = stablehlo.divide %one, %p : tensor<2xf32>
  %l = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [0]
      : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  %c = stablehlo.subtract %s, %one : tensor<2xf32>
  %g = stablehlo.multiply %s, %c : tensor<2xf32>
  %dw = stablehlo.dot_general %x, %g, contracting_dims = [] x []
      : (tensor<3xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  return %l, %dw : tensor<f32>, tensor<3x2xf32>
}
"""
SELECTED = """
func.func @main(%x: tensor<3xf32>, %k: tensor<i1>) -> (tensor<f32>, tensor<3xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %nan = stablehlo.constant dense<0x7FC00000> : tensor<3xf32>
  %t = stablehlo.constant dense<true> : tensor<i1>
  %v = stablehlo.select %t, %x, %nan : tensor<i1>, tensor<3xf32>
  %p = stablehlo.multiply %v, %v : tensor<3xf32>
  %l = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [0]
      : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %dx = stablehlo.add %x, %x : tensor<3xf32>
  return %l, %dx : tensor<f32>, tensor<3xf32>
}
"""
BORDERED = """
func.func @main(%x: tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %zs = stablehlo.constant dense<0.0> : tensor<4xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %w = stablehlo.pad %x, %low, low = [1], high = [0], interior = [0]
      : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  %in = stablehlo.is_finite %w : (tensor<4xf32>) -> tensor<4xi1>
  %v = stablehlo.select %in, %w, %zs : tensor<4xi1>, tensor<4xf32>
  %p = stablehlo.multiply %v, %v : tensor<4xf32>
  %l = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [0]
      : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %dx = stablehlo.add %x, %x : tensor<3xf32>
  return %l, %dx : tensor<f32>, tensor<3xf32>
}
"""
COUNTED = """
func.func @main(%x: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %ones = stablehlo.constant dense<1.0> : tensor<4xf32>
  %n = "stablehlo.reduce_window"(%ones, %z) <{padding = dense<[[1, 1]]> : tensor<1x2xi64>,
      window_dimensions = array<i64: 3>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %p = stablehlo.multiply %n, %x : tensor<4xf32>
  %l = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [0]
      : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %dx = stablehlo.multiply %n, %ones : tensor<4xf32>
  return %l, %dx : tensor<f32>, tensor<4xf32>
}
"""
BLOCKS = """
func.func @main(%x: tensor<6x2xf32>, %y: tensor<6x3xf32>, %w: tensor<2x3xf32>)
    -> (tensor<f32>, tensor<2x3xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %u = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<6x2xf32>, tensor<2x3xf32>) -> tensor<6x3xf32>
  %p = stablehlo.multiply %u, %y : tensor<6x3xf32>
  %l = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<6x3xf32>, tensor<f32>) -> tensor<f32>
  %x0 = stablehlo.slice %x [0:4, 0:2] : (tensor<6x2xf32>) -> tensor<4x2xf32>
  %x1 = stablehlo.slice %x [4:6, 0:2] : (tensor<6x2xf32>) -> tensor<2x2xf32>
  %y0 = stablehlo.slice %y [0:4, 0:3] : (tensor<6x3xf32>) -> tensor<4x3xf32>
  %y1 = stablehlo.slice %y [4:6, 0:3] : (tensor<6x3xf32>) -> tensor<2x3xf32>
  %d0 = stablehlo.dot_general %x0, %y0, contracting_dims = [0] x [0]
      : (tensor<4x2xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %d1 = stablehlo.dot_general %x1, %y1, contracting_dims = [0] x [0]
      : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %dw = stablehlo.add %d0, %d1 : tensor<2x3xf32>
  return %l, %dw : tensor<f32>, tensor<2x3xf32>
}
"""
WINDOWS = """
func.func @main(%c: tensor<4xf32>, %x: tensor<7xf32>) -> (tensor<f32>, tensor<7xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 3>,
      window_strides = array<i64: 2>, padding = dense<1> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %t = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %t : tensor<f32>
  }) : (tensor<7xf32>, tensor<f32>) -> tensor<4xf32>
  %p = stablehlo.multiply %s, %c : tensor<4xf32>
  %l = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [0]
      : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %g = stablehlo.pad %c, %z, low = [1], high = [0], interior = [1]
      : (tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  %d0 = "stablehlo.reduce_window"(%g, %z) <{window_dimensions = array<i64: 2>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %t = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %t : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<7xf32>
  %h = stablehlo.pad %c, %z, low = [0], high = [1], interior = [1]
      : (tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  %d1 = stablehlo.slice %h [1:8] : (tensor<8xf32>) -> tensor<7xf32>
  %dx = stablehlo.add %d0, %d1 : tensor<7xf32>
  return %l, %dx : tensor<f32>, tensor<7xf32>
}
"""
TERMS = """
func.func @main(%x: tensor<6x2xf32>, %y: tensor<6x3xf32>, %t: tensor<6x3xf32>, %w: tensor<2x3xf32>)
    -> (tensor<f32>, tensor<2x3xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %d = stablehlo.subtract %y, %t : tensor<6x3xf32>
  %u = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<6x2xf32>, tensor<2x3xf32>) -> tensor<6x3xf32>
  %p = stablehlo.multiply %u, %d : tensor<6x3xf32>
  %l = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<6x3xf32>, tensor<f32>) -> tensor<f32>
  %d0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0]
      : (tensor<6x2xf32>, tensor<6x3xf32>) -> tensor<2x3xf32>
  %d1 = stablehlo.dot_general %x, %t, contracting_dims = [0] x [0]
      : (tensor<6x2xf32>, tensor<6x3xf32>) -> tensor<2x3xf32>
  %dw = stablehlo.subtract %d0, %d1 : tensor<2x3xf32>
  return %l, %dw : tensor<f32>, tensor<2x3xf32>
}
"""
TRUTHS = """
func.func @main(%m: tensor<2x3xi1>, %x: tensor<2xf32>) -> (tensor<f32>, tensor<2xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %zs = stablehlo.constant dense<0.0> : tensor<2xf32>
  %t = stablehlo.constant dense<true> : tensor<i1>
  %f = stablehlo.constant dense<false> : tensor<i1>
  %all = stablehlo.reduce(%m init: %t) applies stablehlo.and across dimensions = [1]
      : (tensor<2x3xi1>, tensor<i1>) -> tensor<2xi1>
  %n = stablehlo.not %m : tensor<2x3xi1>
  %any = stablehlo.reduce(%n init: %f) applies stablehlo.or across dimensions = [1]
      : (tensor<2x3xi1>, tensor<i1>) -> tensor<2xi1>
  %none = stablehlo.not %any : tensor<2xi1>
  %v = stablehlo.select %all, %x, %zs : tensor<2xi1>, tensor<2xf32>
  %p = stablehlo.multiply %v, %v : tensor<2xf32>
  %l = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [0]
      : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  %w = stablehlo.add %x, %x : tensor<2xf32>
  %dx = stablehlo.select %none, %w, %zs : tensor<2xi1>, tensor<2xf32>
  return %l, %dx : tensor<f32>, tensor<2xf32>
}
"""
TEXTS: dict[str, tuple[str, str]] = {
    "two sums in one reduction": (TWO_SUMS, "dx"),
    "a value divided by itself plus one": (SIGMOID, "dw"),
    "a NaN that is selected away": (SELECTED, "dx"),
    "what is finite inside a border": (BORDERED, "dx"),
    "counts of positions": (COUNTED, "dx"),
    "a sum by blocks": (BLOCKS, "dw"),
    "a sum by ranges": (WINDOWS, "dx"),
    "a sum term by term": (TERMS, "dw"),
    "all and any": (TRUTHS, "dx"),
}
SPOILT: dict[str, tuple[str, str, str]] = {
    "sums that mix": ("two sums in one reduction", "add %c, %d", "add %c, %b"),
    "a sum of the other operand": (
        "two sums in one reduction",
        "stablehlo.return %e, %f",
        "stablehlo.return %f, %e",
    ),
    "a product in place of a sum": (
        "two sums in one reduction",
        "add %c, %d",
        "multiply %c, %d",
    ),
    "the sigmoid's slope with another sign": (
        "a value divided by itself plus one",
        "subtract %s, %one",
        "subtract %one, %s",
    ),
    "the slope of another function": (
        "a value divided by itself plus one",
        "multiply %s, %c",
        "multiply %c, %c",
    ),
    "a NaN that may be selected": (
        "a NaN that is selected away",
        "stablehlo.select %t",
        "stablehlo.select %k",
    ),
    "a NaN that is selected": ("a NaN that is selected away", "dense<true>", "dense<false>"),
    "the border selected": ("what is finite inside a border", "%in, %w, %zs", "%in, %zs, %w"),
    "another count": ("counts of positions", "multiply %n, %ones", "add %n, %ones"),
    "blocks that overlap": ("a sum by blocks", "%y [0:4, 0:3]", "%y [1:5, 0:3]"),
    "a block twice": ("a sum by blocks", "add %d0, %d1", "add %d0, %d0"),
    "a range left out": ("a sum by ranges", "add %d0, %d1", "add %d0, %d0"),
    "ranges that overlap": ("a sum by ranges", "%h [1:8]", "%h [0:7]"),
    "any for all": ("all and any", "applies stablehlo.and", "applies stablehlo.or"),
    "all for any": ("all and any", "applies stablehlo.or", "applies stablehlo.and"),
    "one or the other": ("all and any", "applies stablehlo.or", "applies stablehlo.xor"),
    "all from false": ("all and any", "%m init: %t", "%m init: %f"),
    "any from true": ("all and any", "%n init: %f", "%n init: %t"),
    "any as it is": ("all and any", "select %none", "select %any"),
    "the sum of terms": ("a sum term by term", "subtract %d0, %d1", "add %d0, %d1"),
}
"""Name of the right text, what is replaced and by what."""


def certificate_of(text: str, gradient: str) -> Certificate:
    """Return what can be certified of the gradient of the last argument that has one."""
    [function] = Subject("gradients", [text], 0).functions
    values = [v.name for v in numbered([function])]
    argument = values.index(gradient.removeprefix("d"))
    claim = GradientClaim(argument, values.index(gradient))
    return written(Subject("gradients", [text], 0), [("gradient", claim)])


@pytest.mark.parametrize("name", TEXTS)
def test_a_right_text_is_covered(name: str) -> None:
    text, gradient = TEXTS[name]
    certificate = certificate_of(text, gradient)
    assert len(certificate.claims) == 1
    assert check(certificate_json(certificate), text).accepted


@pytest.mark.parametrize("name", SPOILT)
def test_a_wrong_text_is_left_open(name: str) -> None:
    right, old, new = SPOILT[name]
    text, gradient = TEXTS[right]
    assert old in text
    assert certificate_of(text.replace(old, new), gradient).claims == ()


def _answered(name: str, kind: str) -> tuple[str, Json, list[object]]:
    """Return a text, its certificate, and an answer in it to be changed in place."""
    text, gradient = TEXTS[name]
    certificate: Json = json.loads(json.dumps(certificate_json(certificate_of(text, gradient))))
    assert check(certificate, text).accepted
    return text, certificate, answer(certificate, kind)


@pytest.mark.parametrize(
    ("cuts", "reason"),
    [([], "cut at"), ([0], "cut at"), ([4, 4], "cut at"), ([7], "cut at"), ([3], "a sum")],
)
def test_a_sum_is_cut_inside_its_range_only(cuts: list[int], reason: str) -> None:
    text, rows, row = _answered("a sum by blocks", "split")
    assert row[4] == [4]
    row[4] = cuts
    assert reason in str(check(rows, text).reason)


@pytest.mark.parametrize(
    ("place", "changed", "reason"),
    [
        (4, [], "cut at"),
        (4, [-1], "cut at"),
        (4, [2], "cut at"),
        (4, [1, 0], "cut at"),
        (4, [1], "leaves the points of a sum"),
        (3, 7, "no guard 7"),
        (2, 0, "no sum"),
    ],
)
def test_a_guard_is_cut_inside_its_range_only(place: int, changed: object, reason: str) -> None:
    text, rows, row = _answered("a sum by ranges", "part")
    assert row[3:] == [0, [0]]
    row[place] = changed
    assert reason in str(check(rows, text).reason)


@pytest.mark.parametrize(("factor", "reason"), [(0, "names no"), (9, "names no")])
def test_only_a_named_factor_is_multiplied_out(factor: int, reason: str) -> None:
    text, rows, row = _answered("a sum term by term", "open")
    row[3] = factor
    assert reason in str(check(rows, text).reason)
