"""Integers and truth values that compute something else than numbers do are not taken for them."""

import hashlib
import json

import pytest

import gradwright as gw
from gradwright.certify import Search, Verdict


def is_refused(wrong: str, right: str) -> bool:
    """Return whether neither prover nor checker takes a text for another one."""
    proof = gw.certify_equal(right.replace("@main", "@other"), right)
    assert proof.verdict is Verdict.PROVED
    assert proof.certificate is not None
    digests = [hashlib.sha256(each.encode()).hexdigest() for each in (wrong, right)]
    forged = {**json.loads(json.dumps(proof.certificate)), "texts": digests, "answers": []}
    unproved = gw.certify_equal(wrong, right, search=Search(0)).verdict is Verdict.UNKNOWN
    return unproved and not gw.check(forged, wrong, right).accepted


CONTRACTED = """func.func @main(%x: tensor<2xi1>, %y: tensor<2xi1>) -> tensor<f32> {
  %b = stablehlo.convert %x : (tensor<2xi1>) -> tensor<2xE>
  %c = stablehlo.convert %y : (tensor<2xi1>) -> tensor<2xE>
  MADE
  %f = stablehlo.convert %s : (tensor<E>) -> tensor<f32>
  return %f : tensor<f32>
}
"""
CONTRACTIONS = {
    "dot_general": """%s = stablehlo.dot_general %b, %c, contracting_dims = [0] x [0]
      : (tensor<2xE>, tensor<2xE>) -> tensor<E>""",
    "convolution": """%w = stablehlo.reshape %b : (tensor<2xE>) -> tensor<1x2x1xE>
  %v = stablehlo.reshape %c : (tensor<2xE>) -> tensor<2x1x1xE>
  %o = stablehlo.convolution(%w, %v) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
      window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x2x1xE>, tensor<2x1x1xE>) -> tensor<1x1x1xE>
  %s = stablehlo.reshape %o : (tensor<1x1x1xE>) -> tensor<E>""",
    "scatter": """%p = stablehlo.constant dense<[[0], [0]]> : tensor<2x1xi32>
  %i = stablehlo.constant dense<0> : tensor<1xi32>
  %t = stablehlo.convert %i : (tensor<1xi32>) -> tensor<1xE>
  %o = "stablehlo.scatter"(%t, %p, %b) <{scatter_dimension_numbers = #stablehlo.scatter<
      inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%q: tensor<E>, %r: tensor<E>):
    %u = stablehlo.add %q, %r : tensor<E>
    stablehlo.return %u : tensor<E>
  }) : (tensor<1xE>, tensor<2x1xi32>, tensor<2xE>) -> tensor<1xE>
  %s = stablehlo.reshape %o : (tensor<1xE>) -> tensor<E>""",
}


@pytest.mark.parametrize("name", CONTRACTIONS)
def test_a_sum_of_truth_values_is_no_sum_of_numbers(name: str) -> None:
    """It is true where one of them is, which counts 1 where the sum of numbers is 2."""
    both = CONTRACTED.replace("MADE", CONTRACTIONS[name])
    assert is_refused(both.replace("E>", "i1>"), both.replace("E>", "f32>"))


SUMS = """func.func @main(%k: tensor<4xi32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0> : tensor<E>
  %c = stablehlo.convert %k : (tensor<4xi32>) -> tensor<4xE>
  %s:2 = "stablehlo.reduce"(%c, %c, %z, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<E>, %b: tensor<E>, %d: tensor<E>, %e: tensor<E>):
    %t = stablehlo.add %a, %d : tensor<E>
    %u = stablehlo.add %b, %e : tensor<E>
    stablehlo.return %t, %u : tensor<E>, tensor<E>
  }) : (tensor<4xE>, tensor<4xE>, tensor<E>, tensor<E>) -> (tensor<E>, tensor<E>)
  %f = stablehlo.convert %s#0 : (tensor<E>) -> tensor<f32>
  return %f : tensor<f32>
}
"""


def test_that_several_sums_of_integers_fit_is_said() -> None:
    narrow, wide = SUMS.replace("E>", "i32>"), SUMS.replace("E>", "i64>")
    said = "assumed: computed integers fit their types (line 4: "
    assert any(line.startswith(said) for line in gw.certify_equal(narrow, wide).scope)
    assert not any(said in line for line in gw.certify_equal(wide, wide).scope)


GATHERED = """func.func @main(%x: tensor<5xf32>, %k: tensor<1xi32>) -> tensor<2xf32> {
  %c = stablehlo.constant dense<AT> : tensor<1xi32>
  %i = stablehlo.concatenate %k, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %j = stablehlo.reshape %i : (tensor<2xi32>) -> tensor<2x1xi32>
  %g = "stablehlo.gather"(%x, %j) <{dimension_numbers = #stablehlo.gather<
      collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
      slice_sizes = array<i64: 1>}> : (tensor<5xf32>, tensor<2x1xi32>) -> tensor<2xf32>
  return %g : tensor<2xf32>
}
"""
PICKED = """func.func @main(%x: tensor<5xf32>, %k: tensor<1xi32>) -> tensor<2xf32> {
  %j = stablehlo.reshape %k : (tensor<1xi32>) -> tensor<1x1xi32>
  %g = "stablehlo.gather"(%x, %j) <{dimension_numbers = #stablehlo.gather<
      collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
      slice_sizes = array<i64: 1>}> : (tensor<5xf32>, tensor<1x1xi32>) -> tensor<1xf32>
  %c = REST
  %r = stablehlo.concatenate %g, %c, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
"""


def test_a_constant_index_beside_computed_ones_is_not_assumed_to_be_in_range() -> None:
    last = PICKED.replace("REST", "stablehlo.slice %x [4:5] : (tensor<5xf32>) -> tensor<1xf32>")
    assert gw.certify_equal(GATHERED.replace("AT", "4"), last).verdict is Verdict.PROVED
    nothing = PICKED.replace("REST", "stablehlo.constant dense<0.0> : tensor<1xf32>")
    assert is_refused(GATHERED.replace("AT", "7"), nothing)


SLICED = """func.func @main(%x: tensor<3xf32>, %k: tensor<i32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = 0 : tensor<8xi32>
  %most = stablehlo.reduce(%i init: %z) applies stablehlo.maximum across dimensions = [0]
      : (tensor<8xi32>, tensor<i32>) -> tensor<i32>
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %more = stablehlo.compare GT, %k, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %one = stablehlo.convert %more : (tensor<i1>) -> tensor<i32>
  %eight = stablehlo.add %one, %seven : tensor<i32>
  %s = stablehlo.dynamic_slice %x, %START, sizes = [1]
      : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
  %r = stablehlo.reshape %s : (tensor<1xf32>) -> tensor<f32>
  return %r : tensor<f32>
}
"""
MASKED = """func.func @main(%x: tensor<3xf32>, %k: tensor<i32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = 0 : tensor<8xi32>
  %most = stablehlo.reduce(%i init: %z) applies stablehlo.maximum across dimensions = [0]
      : (tensor<8xi32>, tensor<i32>) -> tensor<i32>
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %more = stablehlo.compare GT, %k, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %one = stablehlo.convert %more : (tensor<i1>) -> tensor<i32>
  %eight = stablehlo.add %one, %seven : tensor<i32>
  %at = stablehlo.broadcast_in_dim %START, dims = [] : (tensor<i32>) -> tensor<3xi32>
  %j = stablehlo.iota dim = 0 : tensor<3xi32>
  %p = stablehlo.compare EQ, %j, %at : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  %m = stablehlo.convert %p : (tensor<3xi1>) -> tensor<3xf32>
  %r = stablehlo.dot_general %m, %x, contracting_dims = [0] x [0]
      : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  return %r : tensor<f32>
}
"""


@pytest.mark.parametrize("start", ["most", "eight"])
def test_an_index_that_no_input_puts_in_range_is_not_assumed_to_be(start: str) -> None:
    sliced, masked = (text.replace("START", start) for text in (SLICED, MASKED))
    assert gw.certify_equal(sliced, masked, search=Search(0)).verdict is Verdict.UNKNOWN
    sliced, masked = (text.replace("START", "k") for text in (SLICED, MASKED))
    assert gw.certify_equal(sliced, masked).verdict is Verdict.PROVED


SHIFTED = """func.func @main(%x: tensor<5xf32>, %k: tensor<3xi32>) -> tensor<3xf32> {
  %c = stablehlo.constant dense<7> : tensor<3xi32>
  %d = stablehlo.constant dense<[1, 0, 2]> : tensor<3xi32>
  MADE
  %s = stablehlo.add %m, %c : tensor<3xi32>
  READ
  return %r : tensor<3xf32>
}
"""
LOOKED_UP = """%j = stablehlo.reshape %s : (tensor<3xi32>) -> tensor<3x1xi32>
  %r = "stablehlo.gather"(%x, %j) <{dimension_numbers = #stablehlo.gather<
      collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
      slice_sizes = array<i64: 1>}> : (tensor<5xf32>, tensor<3x1xi32>) -> tensor<3xf32>"""
COMPARED = """%a = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<3xi32>) -> tensor<3x5xi32>
  %p = stablehlo.iota dim = 1 : tensor<3x5xi32>
  %q = stablehlo.compare EQ, %p, %a : (tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi1>
  %f = stablehlo.convert %q : (tensor<3x5xi1>) -> tensor<3x5xf32>
  %r = stablehlo.dot_general %f, %x, contracting_dims = [1] x [0]
      : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3xf32>"""
OFFSETS = {
    "free": ("%m = stablehlo.optimization_barrier %k : tensor<3xi32>", Verdict.PROVED),
    "square": ("%m = stablehlo.multiply %k, %k : tensor<3xi32>", Verdict.UNKNOWN),
    "0 in the middle": ("%m = stablehlo.multiply %k, %d : tensor<3xi32>", Verdict.UNKNOWN),
    "mirrored": (
        """%v = stablehlo.reverse %k, dims = [0] : tensor<3xi32>
  %m = stablehlo.subtract %k, %v : tensor<3xi32>""",
        Verdict.UNKNOWN,
    ),
}


@pytest.mark.parametrize("name", OFFSETS)
def test_an_index_that_is_fixed_at_one_place_has_to_be_in_range_there(name: str) -> None:
    made, verdict = OFFSETS[name]
    text = SHIFTED.replace("MADE", made)
    found, compared = text.replace("READ", LOOKED_UP), text.replace("READ", COMPARED)
    assert gw.certify_equal(found, compared, search=Search(0)).verdict is verdict


TESTED = """func.func @main(%k: tensor<i32>, %x: tensor<1xf32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %d = stablehlo.dynamic_slice %x, %k, sizes = [1] : (tensor<1xf32>, tensor<i32>) -> tensor<1xf32>
  %p = stablehlo.compare GT, %k, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %t = stablehlo.convert %p : (tensor<i1>) -> tensor<f32>
  %no = stablehlo.constant dense<0.0> : tensor<f32>
  %e = stablehlo.reshape %d : (tensor<1xf32>) -> tensor<f32>
  %one = stablehlo.add %e, %t : tensor<f32>
  %other = stablehlo.add %e, %no : tensor<f32>
  return %RESULT : tensor<f32>
}
"""


def test_what_an_unused_value_supposes_of_its_index_proves_nothing() -> None:
    def equal(left: str, right: str) -> Verdict:
        texts = TESTED.replace("RESULT", left), TESTED.replace("RESULT", right)
        return gw.certify_equal(*texts, search=Search(0)).verdict

    assert equal("no", "t") is Verdict.UNKNOWN
    assert equal("other", "one") is Verdict.PROVED


LOOP = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %i0 = stablehlo.constant dense<0> : tensor<E>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %r:2 = stablehlo.while(%i = %i0, %y = %one) : tensor<E>, tensor<f32>
    cond {
      %n = stablehlo.constant dense<END> : tensor<E>
      %p = stablehlo.compare LT, %i, %n : (tensor<E>, tensor<E>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %s = stablehlo.constant dense<STEP> : tensor<E>
      %h = stablehlo.convert %i : (tensor<E>) -> tensor<NARROW>
      %g = stablehlo.convert %h : (tensor<NARROW>) -> tensor<E>
      %j = stablehlo.add %g, %s : tensor<E>
      %w = stablehlo.multiply %y, %y : tensor<f32>
      %v = stablehlo.add %w, %one : tensor<f32>
      stablehlo.return %j, %v : tensor<E>, tensor<f32>
    }
  return %r#1 : tensor<f32>
}
"""
WRITTEN_OUT = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %five = stablehlo.constant dense<5.0> : tensor<f32>
  return %five : tensor<f32>
}
"""


@pytest.mark.parametrize(
    ("element", "narrow", "step", "end"),
    [
        ("i32", "i32", "1500000000", "2000000000"),
        ("i64", "i64", "6000000000000000000", "9000000000000000000"),
        ("ui8", "ui8", "150", "250"),
        ("i32", "i8", "200", "300"),
    ],
)
def test_a_counter_that_leaves_its_type_counts_no_trips(
    element: str, narrow: str, step: str, end: str
) -> None:
    """Over the whole numbers there would be two trips, and 5 after them."""

    def loop(step: str, end: str) -> str:
        text = LOOP.replace("NARROW", narrow).replace("E>", f"{element}>")
        return text.replace("STEP", step).replace("END", end)

    right, wrong = loop("60", "100"), loop(step, end)
    assert gw.certify_equal(right, WRITTEN_OUT).verdict is Verdict.PROVED
    assert gw.certify_equal(wrong, WRITTEN_OUT, search=Search(0)).verdict is Verdict.UNKNOWN


LARGE = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %i = stablehlo.iota dim = 0 : tensor<4xE>
  %d = stablehlo.constant dense<[1000000000, 1000000001, 1000000002, 1000000003]> : tensor<4xE>
  %k = stablehlo.constant dense<1000000000> : tensor<E>
  %z = stablehlo.constant dense<0> : tensor<E>
  %c = stablehlo.constant dense<30.0> : tensor<f32>
  MADE
  %f = stablehlo.convert %s : (tensor<E>) -> tensor<f32>
  %r = stablehlo.multiply %f, %x : tensor<f32>
  return %r : tensor<f32>
}
"""
LARGE_SUMS = {
    "dot": """%s = stablehlo.dot_general %i, %d, contracting_dims = [0] x [0]
      : (tensor<4xE>, tensor<4xE>) -> tensor<E>""",
    "maximum": """%m = stablehlo.reduce(%i init: %z) applies stablehlo.maximum
      across dimensions = [0]
      : (tensor<4xE>, tensor<E>) -> tensor<E>
  %s = stablehlo.multiply %m, %k : tensor<E>""",
    "exponential": """%e = stablehlo.exponential %c : tensor<f32>
  %s = stablehlo.convert %e : (tensor<f32>) -> tensor<E>""",
}


@pytest.mark.parametrize("name", LARGE_SUMS)
def test_constants_that_are_summed_or_chosen_may_leave_their_type(name: str) -> None:
    text = LARGE.replace("MADE", LARGE_SUMS[name])
    narrow, wide = text.replace("E>", "i32>"), text.replace("E>", "i64>")
    assert gw.certify_equal(narrow, wide, search=Search(0)).verdict is Verdict.UNKNOWN
    if name == "dot":
        assert is_refused(narrow, wide)


NEAREST = """func.func @main(%x: tensor<3xf32>) -> tensor<5xf32> {
  %i = stablehlo.iota dim = 0 : tensor<5xf32>
  %h = stablehlo.constant dense<0.5> : tensor<5xf32>
  %s = stablehlo.constant dense<SCALE> : tensor<5xf32>
  %m = stablehlo.add %i, %h : tensor<5xf32>
  %p = stablehlo.multiply %m, %s : tensor<5xf32>
  %f = stablehlo.floor %p : tensor<5xf32>
  %k = stablehlo.convert %f : (tensor<5xf32>) -> tensor<5xi32>
  %z = stablehlo.constant dense<0> : tensor<5xi32>
  %n = stablehlo.constant dense<3> : tensor<5xi32>
  %l = stablehlo.compare LT, %k, %z, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
  %w = stablehlo.add %k, %n : tensor<5xi32>
  %j = stablehlo.select %l, %w, %k : tensor<5xi1>, tensor<5xi32>
  %c = stablehlo.reshape %j : (tensor<5xi32>) -> tensor<5x1xi32>
  %r = "stablehlo.gather"(%x, %c) {
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0],
        index_vector_dim = 1>,
    slice_sizes = array<i64: 1>, indices_are_sorted = false
  } : (tensor<3xf32>, tensor<5x1xi32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}
"""


@pytest.mark.parametrize(("scale", "verdict"), [("0.6", Verdict.PROVED), ("1.6", Verdict.UNKNOWN)])
def test_an_index_that_is_cut_to_whole_numbers_is_seen_to_be_in_range(
    scale: str, verdict: Verdict
) -> None:
    text = NEAREST.replace("SCALE", scale)
    assert gw.certify_equal(text, text, search=Search(0)).verdict is verdict
