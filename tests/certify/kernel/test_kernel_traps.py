"""Traps of normal forms: what has to be recognised as equal although it is written differently.

The traps of soundness are beside them: `test_kernel_soundness`, `test_kernel_pairs`.
"""

import numpy as np
import pytest

from certify.kernel.adversarial_pairs import counted, cut, mask
from certify.kernel.test_kernel_soundness import Write, both, denoted
from gradwright.certify.advice.intervals import suggested_union
from gradwright.certify.kernel.denote import new_denotation
from gradwright.certify.kernel.derive import pull
from gradwright.hlo import Builder, TensorType, Value
from gradwright.hlo.attributes import Direction, Window


def blocks(b: Builder, x: Value, y: Value, size: int) -> Value:
    """Return the sum of x * y by blocks, one after another."""
    total = b.splat(0, TensorType((), x.type.element))
    for start in range(0, 4, size):
        part = cut(b, x, start, start + size) * cut(b, y, start, start + size)
        total = total + b.sum(part, (0,))
    return total


def softmax(b: Builder, x: Value, shift: Value | None) -> Value:
    e = b.exponential(x if shift is None else x - b.broadcast(shift, x.shape, ()))
    return e / b.broadcast(b.sum(e, (0,)), x.shape, ())


EQUAL: dict[str, tuple[Write, Write]] = {
    "an irrational power of a number, and of it times another (c^(-3/2), c^(-1/2)/c)": (
        lambda b, x, y: b.power(b.splat(3, x.type), b.splat(-1.5, x.type)),
        lambda b, x, y: b.rsqrt(b.splat(3, x.type)) / 3,
    ),
    "blocks of extent 1": (
        lambda b, x, y: blocks(b, x, y, 1),
        lambda b, x, y: b.sum(x * y, (0,)),
    ),
    "blocks of extent 2": (
        lambda b, x, y: blocks(b, x, y, 2),
        lambda b, x, y: b.sum(x * y, (0,)),
    ),
    "a softmax shifted by its maximum": (
        lambda b, x, y: softmax(b, x, b.max(x, (0,))),
        lambda b, x, y: softmax(b, x, None),
    ),
    "a sum times its inverse, written out": (
        lambda b, x, y: x / (x + y) + y / (x + y),
        lambda b, x, y: b.splat(1, x.type),
    ),
    "an inverse of 1 + exp(-x), and the logistic": (
        lambda b, x, y: 1 / (1 + b.exponential(-x)),
        lambda b, x, y: b.logistic(x),
    ),
    "deviations from the mean, which sum to 0": (
        lambda b, x, y: b.sum(x - b.broadcast(b.sum(x, (0,)) / 4, x.shape, ()), (0,)),
        lambda b, x, y: b.sum(x, (0,)) - b.sum(x, (0,)),
    ),
    "counts of an average pool that leave padding out": (
        lambda b, x, y: counted(b, x, 1, 1),
        lambda b, x, y: (
            (x + b.pad(x, 0, (1,), (-1,), (0,)) + b.pad(x, 0, (-1,), (1,), (0,)))
            / b.constant(np.array([2, 3, 3, 2], dtype=np.float32))
        ),
    ),
    "a mask that is its own square": (
        lambda b, x, y: mask(b, Direction.GT, x) * mask(b, Direction.GT, x),
        lambda b, x, y: mask(b, Direction.GT, x),
    ),
    "a clamp, and a mask of it": (
        lambda b, x, y: mask(b, Direction.GT, b.minimum(b.maximum(x, x - x), x - x + 6)),
        lambda b, x, y: mask(b, Direction.GT, x),
    ),
    "a relu twice": (
        lambda b, x, y: b.maximum(b.maximum(x, x - x), x - x),
        lambda b, x, y: b.maximum(x, x - x),
    ),
}


@pytest.mark.parametrize("name", EQUAL)
def test_a_trap_of_normal_forms_is_passed(name: str) -> None:
    assert both(*EQUAL[name])[1]


def test_a_short_decimal_is_no_fraction_in_disguise() -> None:
    """0.044715 is near 404 / 9035, and three times it is 0.134145."""
    den, same = both(
        lambda b, x, y: 3 * (x * 0.044715), lambda b, x, y: x * 0.134145, TensorType((4,))
    )
    assert same
    assert not den.conditions.idealised


def test_a_long_literal_read_as_a_fraction_is_listed() -> None:
    den, same = both(lambda b, x, y: x * (1 / 3), lambda b, x, y: x / 3, TensorType((4,)))
    assert same
    assert list(den.conditions.idealised.values()) == ["1/3"]


def test_a_root_keeps_the_sign_of_what_it_is_taken_of() -> None:
    """sqrt(x * x) may become x where x is known to be positive, and only there."""
    den, same = both(
        lambda b, x, y: b.sqrt(b.exponential(x) * b.exponential(x)),
        lambda b, x, y: b.exponential(x),
    )
    assert same
    assert not den.conditions.supposed
    assert not both(lambda b, x, y: b.sqrt(x * x), lambda b, x, y: x)[1]


def beside_itself(b: Builder, x: Value) -> Value:
    """Return a vector with every entry twice, as an average pool of 2 hands back its cotangent."""
    column = b.reshape(x, (*x.shape, 1))
    return b.concatenate([column, column], 1)


def test_equal_pieces_that_meet_are_one_term() -> None:
    b = Builder()
    x = b.argument("x", TensorType((4,)))
    den, [twice, spread] = denoted(
        b.finish("main", [beside_itself(b, x), b.broadcast(x, (4, 2), (0,))])
    )
    assert suggested_union(twice.poly, den.algebra.box(twice.digits)) == spread.poly
    assert len(spread.poly) == 1


def test_pieces_that_differ_stay_apart() -> None:
    b = Builder()
    x, y = b.argument("x", TensorType((4,))), b.argument("y", TensorType((4,)))
    den, [three] = denoted(b.finish("main", [b.concatenate([x, y, 2 * y], 0)]))
    assert len(suggested_union(three.poly, den.algebra.box(three.digits))) == 3


def test_windows_that_tile_hand_back_one_term() -> None:
    """Windows of 2 x 1 read each entry once: its cotangent is that of its window."""
    b = Builder()
    x, dy = b.argument("x", TensorType((4, 3))), b.argument("dy", TensorType((2, 3)))
    y = b.reduce_window(x, 0, Window((2, 1), (2, 1), (1, 1), (1, 1), ((0, 0), (0, 0))), b.adds)
    rows = b.concatenate([b.reshape(dy, (2, 1, 3))] * 2, 1)
    function = b.finish("main", [y, b.reshape(rows, (4, 3))])
    den, [windows, spread] = denoted(function)
    operation = next(op for op in function.body.operations if op.opcode.endswith("reduce_window"))
    known = [den.argument("x", (4, 3), x.type.element), den.splat(0, ())]
    cotangent = den.argument("dy", (2, 3), dy.type.element)
    dx = pull(den, operation, known, [windows], cotangent)[0]
    assert dx is not None
    assert dx.poly == suggested_union(spread.poly, den.algebra.box(spread.digits))
    assert len(dx.poly) == 1


def test_an_unknown_is_another_each_time() -> None:
    den = new_denotation()
    value = Builder().argument("x", TensorType((3,)))
    assert den.fresh("unknown", value).poly != den.fresh("unknown", value).poly
