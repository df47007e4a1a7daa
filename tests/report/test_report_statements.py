"""Statements of a text: their lines, and what they use, through regions and calls."""

import pytest

from gradwright.certify.anchors import Spot
from gradwright.hlo import read_module, to_bytecode
from gradwright.report.proof_page import NamedText
from gradwright.report.proof_page.statements import Statements

CALLS = """
module @calls {
  // a comment
  func.func public @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<f32> {
    %0 = call @double(%x) : (tensor<3xf32>) -> tensor<3xf32>
    %1 = stablehlo.add %0, %y : tensor<3xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %z) across dimensions = [0]
        : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
     reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %3 = stablehlo.add %a, %b : tensor<f32>
      %4 = stablehlo.add %3, %z : tensor<f32>
      stablehlo.return %4 : tensor<f32>
    }

    // the end
    return %2 : tensor<f32>
  }
  func.func private @double(
    %x: tensor<3xf32>
  ) -> tensor<3xf32> {
    %0 = stablehlo.add %x, %x : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
"""


def used(statements: Statements, name: str, line: int = 0) -> list[int]:
    """Return the first lines of what the maker of a value uses."""
    number = statements.find(Spot(name, line))
    assert number is not None
    return [statements.listed[use].first for use in statements.listed[number].uses]


def test_an_operation_with_a_region_takes_all_its_lines() -> None:
    statements = Statements.of(CALLS)
    number = statements.find(Spot("2", 8))
    assert number is not None
    assert (statements.listed[number].first, statements.listed[number].last) == (8, 14)


def test_uses_go_through_captures_and_calls() -> None:
    statements = Statements.of(CALLS)
    assert used(statements, "2", 8) == [6, 7]
    # The call uses its operand, the argument in line 4, and what the called function returns.
    assert used(statements, "0", 5) == [4, 22]
    assert used(statements, "0", 22) == [20]
    callee = statements.listed[statements.listed[statements.find(Spot("0", 22)) or 0].uses[0]]
    assert [statements.listed[use].first for use in callee.uses] == [4]


def test_arguments_of_one_line_are_statements_of_their_own() -> None:
    statements = Statements.of(CALLS)
    x, y = statements.find(Spot("x")), statements.find(Spot("y"))
    assert x is not None
    assert y is not None
    assert x != y
    assert statements.listed[x] == statements.listed[y]
    assert statements.arguments == ("x", "y")
    assert used(statements, "1") == [4, 5]


def test_a_value_is_found_by_line_and_by_name_without_one() -> None:
    statements = Statements.of(CALLS)
    main, called = statements.find(Spot("0", 5)), statements.find(Spot("0", 22))
    assert main is not None
    assert called is not None
    assert main < called
    assert statements.find(Spot("0")) == main
    assert statements.find(Spot("nothing", 5)) is None


@pytest.mark.parametrize("source", [CALLS, CALLS.encode(), to_bytecode(CALLS)])
def test_texts_and_bytecode_are_shown_as_text(source: str | bytes) -> None:
    text = NamedText("calls", source).text
    assert len(read_module(text).functions) == 2
    assert len(Statements.of(text).listed) == 8
