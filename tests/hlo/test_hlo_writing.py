"""The writer: dead code goes, and an exception inside leaves it as it was."""

from collections.abc import Callable

import numpy as np
import pytest

from gradwright.errors import ShapeError
from gradwright.hlo import Builder, ElementType, Module, TensorType, Value, print_module, verify
from gradwright.hlo.attributes import Direction

SCALAR = TensorType(())
COUNT = TensorType((), ElementType.I32)


def below(b: Builder, limit: Value) -> Callable[[Value, Value], Value]:
    """Return the condition that a counter, carried beside another value, is below a limit."""

    def condition(i: Value, other: Value) -> Value:
        del other
        return b.compare(Direction.LT, i, limit)

    return condition


def opcodes(b: Builder, *results: Value) -> list[str]:
    """Return the opcodes, nested ones too, of the finished and verified function."""
    function = b.finish("main", results)
    verify(print_module(Module("m", (function,))))
    return [operation.opcode.partition(".")[2] for operation in function.body.walk()]


def test_operations_that_no_result_needs_are_not_written() -> None:
    b = Builder()
    x = b.argument("x", SCALAR)
    kept = x + 1
    b.multiply(kept, kept)
    assert opcodes(b, kept) == ["constant", "add"]


def test_values_used_only_inside_a_region_stay() -> None:
    b = Builder()
    x, n = b.argument("x", SCALAR), b.argument("n", COUNT)
    inner = b.exponential(x)
    outer = b.tanh(x)

    def inner_body(j: Value, z: Value) -> list[Value]:
        del z
        return [j + 1, outer]

    def body(i: Value, y: Value) -> list[Value]:
        again = b.while_loop([i, y], below(b, n), inner_body, ["j", "z"])
        return [i + 1, again[1] * inner]

    looped = b.while_loop([n, x], below(b, n), body, ["i", "y"])
    found = opcodes(b, looped[1])
    assert "exponential" in found
    assert "tanh" in found


def test_dead_operations_of_a_region_go_and_so_does_what_they_used() -> None:
    b = Builder()
    x = b.argument("x", TensorType((3,)))
    factor = b.exponential(b.splat(2, SCALAR))

    def combine(a: Value, c: Value) -> list[Value]:
        b.multiply(factor, a)
        return [a + c]

    total = b.reduce((x,), (0,), (0,), combine)[0]
    assert opcodes(b, total) == ["constant", "add", "reduce"]


def test_an_exception_in_a_scope_or_region_leaves_the_writer_usable() -> None:
    b = Builder()
    x = b.argument("x", TensorType((3,)))

    def combine(lhs: Value, rhs: Value) -> list[Value]:
        return [b.add(lhs, x), rhs]

    with pytest.raises(ShapeError), b.scope("lost", "lost"):
        b.reduce((x,), (0,), (0,), combine)
    assert b.scope_path == ""
    y = x * 2
    assert y.name == "multiply"
    assert opcodes(b, y) == ["constant", "multiply"]


def test_constants_of_a_region_stay_in_it() -> None:
    b = Builder()
    x = b.argument("x", TensorType((3,)))

    def combine(lhs: Value, rhs: Value) -> list[Value]:
        return [lhs * 2 + rhs]

    first = b.reduce((x,), (0,), (0,), combine)[0]
    second = b.reduce((x,), (0,), (0,), combine)[0]
    assert opcodes(b, first + second).count("constant") == 3


def test_an_array_given_to_constant_stays_the_callers() -> None:
    b = Builder()
    array = np.zeros(3, np.float32)
    b.constant(array)
    array[0] = 1
