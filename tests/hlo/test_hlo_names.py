"""Names of values in the text: legal, unique, and those that were asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradwright.hlo import (
    Block,
    Builder,
    Function,
    Module,
    TensorType,
    Value,
    print_module,
    read_module,
    same_module,
    verify,
)

SCALAR = TensorType(())


def texts(*hints: str) -> str:
    """Return the text of a chain of additions under the given names."""
    b = Builder()
    value = b.argument("x", SCALAR)
    for hint in hints:
        value = b.add(value, value, hint=hint)
    return print_module(Module("m", (b.finish("main", [value]),)))


def names(text: str) -> list[str]:
    """Return the names of the operations of main, after a verified round trip."""
    module = read_module(text)
    return [operation.results[0].name for operation in module.main.body.operations]


def test_scopes_prefix_hints() -> None:
    b = Builder()
    x = b.argument("x", SCALAR)
    with b.scope("stage2.block1.conv1", "stage2.block1.conv1 backward"):
        y = b.add(x, x, hint="dw")
    text = print_module(Module("m", (b.finish("main", [y]),)))
    assert "    // stage2.block1.conv1 backward\n    %stage2.block1.conv1.dw = " in text


def test_clashing_names_are_numbered() -> None:
    text = texts("b1", "b1", "b1_2", "b1", "x")
    assert names(text) == ["b1", "b1_2", "b1_2_2", "b1_3", "x_2"]


def test_names_that_mlir_refuses_are_made_legal() -> None:
    assert names(texts("1st", "Ω/β", "a b")) == ["v1st", "___", "a_b"]


@given(st.lists(st.text(max_size=4), max_size=8))
def test_any_names_give_a_legal_text(hints: list[str]) -> None:
    text = texts(*hints)
    assert len(names(text)) == len(hints)


@given(st.text(max_size=6), st.text(max_size=6))
def test_any_names_of_modules_and_functions_come_back(module: str, function: str) -> None:
    b = Builder()
    x = b.argument("x", SCALAR)
    sample = Module(module or "m", (b.finish(function or "f", [x]),))
    assert same_module(read_module(print_module(sample)), sample)


def test_hand_made_values_of_one_name_are_told_apart() -> None:
    left, right = Value(SCALAR, "x"), Value(SCALAR, "x")
    function = Function("main", Block((left, right), (), (right, left)))
    text = print_module(Module("m", (function,)))
    assert "(%x: tensor<f32>, %x_2: tensor<f32>)" in text
    assert "return %x_2, %x " in text


def test_names_of_regions_clash_with_no_outer_name() -> None:
    b = Builder()
    x = b.argument("lhs", TensorType((2,)))

    def combine(lhs: Value, rhs: Value) -> list[Value]:
        return [b.add(b.multiply(lhs, rhs), rhs)]

    total = b.reduce((x,), (0,), (0,), combine)[0]
    verify(print_module(Module("m", (b.finish("main", [total]),))))


def test_the_regions_of_a_while_share_the_names_of_the_carried_values() -> None:
    text = """\
func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %r = "stablehlo.while"(%n) ({
  ^bb0(%a: tensor<i32>):
    %c = stablehlo.compare LT, %a, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%b: tensor<i32>):
    %a = stablehlo.add %b, %n : tensor<i32>
    stablehlo.return %a : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return %r : tensor<i32>
}
"""
    module = read_module(text)
    printed = print_module(module)
    assert "%r = stablehlo.while(%a = %n) : tensor<i32>" in printed
    assert "%a_2 = stablehlo.add %a, %n : tensor<i32>" in printed
    assert same_module(read_module(printed), module)


def test_names_of_several_results_are_kept() -> None:
    text = """\
func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %a, %b = stablehlo.optimization_barrier %x, %y : tensor<f32>, tensor<f32>
  %c:2 = stablehlo.optimization_barrier %a, %b : tensor<f32>, tensor<f32>
  %0:2 = stablehlo.optimization_barrier %c#1, %b : tensor<f32>, tensor<f32>
  return %0#1 : tensor<f32>
}
"""
    operations = read_module(text).main.body.operations
    given = [[result.name for result in operation.results] for operation in operations]
    assert given == [["a", "b"], ["c.0", "c.1"], ["v0.0", "v0.1"]]
    assert [operation.line for operation in operations] == [2, 3, 4]
    verify(print_module(read_module(text)))


@pytest.mark.parametrize("comment", ["one\ntwo", "tab\there", "  spaces  ", "\r\n", ""])
def test_comments_never_wrap(comment: str) -> None:
    b = Builder()
    x = b.argument("x", SCALAR)
    with b.scope("", comment):
        y = b.add(x, x)
    text = print_module(Module("m", (b.finish("main", [y]),)), header=[comment])
    verify(text)
    assert len(text.splitlines()) == 7 + bool(comment.strip())
