"""Hypotheses on computed indices: what they say of integers, and whose hypotheses are used."""

import operator
from collections.abc import Callable

import pytest

from gradwright.certify import Search, Verdict, certify_equal, certify_vjp
from gradwright.certify.kernel.denote import new_denotation
from gradwright.certify.prove import Proof
from gradwright.hlo import read_module

QUIET = Search(seconds=0)


def picking(start: str, kept: str = "%r", arguments: str = "%x: tensor<5xf64>") -> str:
    """Return x at the places %s that are made of %i."""
    return f"""
    func.func @main({arguments}, %i: tensor<3xi32>) -> tensor<3xf64> {{
      %zero = stablehlo.constant dense<0> : tensor<3xi32>
      %n = stablehlo.constant dense<5> : tensor<3xi32>
      %z = stablehlo.constant dense<0.0> : tensor<3xf64>
      {start}
      %v = stablehlo.reshape %s : (tensor<3xi32>) -> tensor<3x1xi32>
      %r = "stablehlo.gather"(%x, %v) <{{
        dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0],
          index_vector_dim = 1>,
        slice_sizes = array<i64: 1>, indices_are_sorted = false
      }}> : (tensor<5xf64>, tensor<3x1xi32>) -> tensor<3xf64>
      {"" if kept == "%r" else kept}
      return {"%r" if kept == "%r" else "%k"} : tensor<3xf64>
    }}"""


PLAIN = "%s = stablehlo.add %i, %zero : tensor<3xi32>"
FROM_THE_END = """
      %low = stablehlo.compare LT, %i, %zero, SIGNED
        : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %up = stablehlo.add %i, %n : tensor<3xi32>
      %s = stablehlo.select %low, %up, %i : tensor<3xi1>, tensor<3xi32>"""


def masked(bound: int, direction: str) -> str:
    """Return a selection of the result where the place is on one side of a bound."""
    return f"""
      %b = stablehlo.constant dense<{bound}> : tensor<3xi32>
      %m = stablehlo.compare {direction}, %s, %b, SIGNED
        : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %k = stablehlo.select %m, %r, %z : tensor<3xi1>, tensor<3xf64>"""


@pytest.mark.parametrize("start", [PLAIN, FROM_THE_END])
@pytest.mark.parametrize(("bound", "direction"), [(0, "GE"), (-1, "GT"), (4, "LE"), (5, "LT")])
def test_a_bound_that_the_hypothesis_implies_holds(start: str, bound: int, direction: str) -> None:
    other = picking(start, masked(bound, direction))
    assert certify_equal(picking(start), other, search=QUIET).verdict is Verdict.PROVED


@pytest.mark.parametrize("start", [PLAIN, FROM_THE_END])
@pytest.mark.parametrize(("bound", "direction"), [(1, "GE"), (0, "GT"), (3, "LE"), (4, "LT")])
def test_a_bound_that_it_does_not_imply_counts(start: str, bound: int, direction: str) -> None:
    other = picking(start, masked(bound, direction))
    assert certify_equal(picking(start), other).verdict is Verdict.REFUTED


def test_indices_that_no_integer_puts_in_range_are_refused() -> None:
    far = """
      %ten = stablehlo.constant dense<10> : tensor<3xi32>
      %s = stablehlo.add %i, %ten : tensor<3xi32>"""
    proof = Proof(new_denotation())
    functions = [read_module(picking(start)).main for start in (PLAIN, far)]
    for function in functions:
        for name, value in zip("xi", function.body.arguments, strict=True):
            proof.known[id(value)] = proof.den.argument(name, value.shape, value.type.element)
        proof.denote(function.body.operations, set())
    [reason] = proof.failures.values()
    assert "no number puts inside" in reason


def test_a_hypothesis_that_only_the_judged_text_needs_proves_nothing() -> None:
    forward = """
    func.func @main(%x: tensor<3xf64>, %i: tensor<3xi32>) -> tensor<3xf64> {
      %zero = stablehlo.constant dense<0> : tensor<3xi32>
      %z = stablehlo.constant dense<0.0> : tensor<3xf64>
      %m = stablehlo.compare GE, %i, %zero, SIGNED
        : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %r = stablehlo.select %m, %x, %z : tensor<3xi1>, tensor<3xf64>
      return %r : tensor<3xf64>
    }"""
    backward = """
    func.func @main(%x: tensor<3xf64>, %i: tensor<3xi32>, %g: tensor<3xf64>) -> tensor<3xf64> {
      %v = stablehlo.reshape %i : (tensor<3xi32>) -> tensor<3x1xi32>
      %p = "stablehlo.gather"(%x, %v) <{
        dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0],
          index_vector_dim = 1>,
        slice_sizes = array<i64: 1>, indices_are_sorted = false
      }> : (tensor<3xf64>, tensor<3x1xi32>) -> tensor<3xf64>
      %o = stablehlo.subtract %p, %p : tensor<3xf64>
      %d = stablehlo.add %g, %o : tensor<3xf64>
      return %d : tensor<3xf64>
    }"""
    assert certify_vjp(forward, backward, search=QUIET).verdict is not Verdict.PROVED


def masking(mask: str) -> str:
    """Return x where a mask of 4 x 5 holds."""
    return f"""
    func.func @main(%x: tensor<4x5xf64>) -> tensor<4x5xf64> {{
      %z = stablehlo.constant dense<0.0> : tensor<4x5xf64>
      {mask}
      %r = stablehlo.select %m, %x, %z : tensor<4x5xi1>, tensor<4x5xf64>
      return %r : tensor<4x5xf64>
    }}"""


def compared(direction: str) -> str:
    """Return a mask that compares both indices."""
    return f"""
      %i = stablehlo.iota dim = 0 : tensor<4x5xi32>
      %j = stablehlo.iota dim = 1 : tensor<4x5xi32>
      %m = stablehlo.compare {direction}, %i, %j, SIGNED
        : (tensor<4x5xi32>, tensor<4x5xi32>) -> tensor<4x5xi1>"""


def literal(rows: list[list[bool]]) -> str:
    """Return a mask that is a literal."""
    written = str(rows).lower()
    return f"%m = stablehlo.constant dense<{written}> : tensor<4x5xi1>"


RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "GE": operator.ge,
    "GT": operator.gt,
    "LE": operator.le,
    "EQ": operator.eq,
    "NE": operator.ne,
}


@pytest.mark.parametrize("direction", RELATIONS)
def test_a_literal_mask_is_the_comparison_that_it_writes_out(direction: str) -> None:
    holds = RELATIONS[direction]
    rows = [[holds(i, j) for j in range(5)] for i in range(4)]
    same = certify_equal(masking(literal(rows)), masking(compared(direction)), search=QUIET)
    assert same.verdict is Verdict.PROVED
    rows[2][3] = not rows[2][3]
    assert certify_equal(masking(literal(rows)), masking(compared(direction))).verdict is (
        Verdict.REFUTED
    )
