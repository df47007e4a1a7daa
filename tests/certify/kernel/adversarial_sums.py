"""Pairs of nearly equal functions that sum, move and place elements."""

from certify.kernel.adversarial_pairs import (
    SQUARE,
    Pair,
    added,
    counted,
    cut,
    einsum,
    joined,
    product_of,
    table,
    taken,
    updated,
)
from gradwright.hlo import ElementType, TensorType
from gradwright.hlo.attributes import Direction, Window

F64, I32 = ElementType.F64, ElementType.I32

SUMS: dict[str, Pair] = {
    "a product with its transpose, the wrong way round": Pair(
        lambda b, v: einsum(b, v[0], v[0], 0, 0), lambda b, v: einsum(b, v[0], v[0], 1, 1), SQUARE
    ),
    "a contraction that is not symmetric, transposed": Pair(
        lambda b, v: einsum(b, v[0], v[1], 1, 0),
        lambda b, v: einsum(b, v[0], v[1], 1, 0, (1, 0)),
        SQUARE,
    ),
    "equal factors that change places at unequal indices": Pair(
        lambda b, v: einsum(b, v[0], v[0], 1, 0),
        lambda b, v: einsum(b, v[0], v[0], 1, 0, (1, 0)),
        SQUARE,
    ),
    "a symmetric contraction times a matrix that is not": Pair(
        lambda b, v: einsum(b, einsum(b, v[0], v[0], 1, 1), v[1], 1, 0),
        lambda b, v: einsum(b, v[1], einsum(b, v[0], v[0], 1, 1), 1, 0),
        SQUARE,
    ),
    "a function of one order of a product": Pair(
        lambda b, v: b.tanh(einsum(b, v[0], v[1], 1, 1)),
        lambda b, v: b.tanh(einsum(b, v[1], v[0], 1, 1)),
        SQUARE,
    ),
    "a quadratic form over each place": Pair(
        lambda b, v: b.sum(v[0] * v[0], (0,)),
        lambda b, v: b.sum(v[0], (0,)) * b.sum(v[0], (0,)),
    ),
    "the sum of products, the product of sums": Pair(
        lambda b, v: b.sum(v[0] * v[1], (0,)),
        lambda b, v: b.sum(v[0], (0,)) * b.sum(v[1], (0,)),
    ),
    "rows for columns where extents coincide": Pair(
        lambda b, v: b.sum(v[0], (0,)), lambda b, v: b.sum(v[0], (1,)), SQUARE
    ),
    "a broadcast along the other dimension of one extent": Pair(
        lambda b, v: b.broadcast(v[0], (4, 4), (0,)), lambda b, v: b.broadcast(v[0], (4, 4), (1,))
    ),
    "a trace for a sum": Pair(
        lambda b, v: b.sum(
            v[0]
            * b.convert(
                b.compare(
                    Direction.EQ,
                    b.iota(TensorType((3, 3), I32), 0),
                    b.iota(TensorType((3, 3), I32), 1),
                ),
                F64,
            ),
            (0, 1),
        ),
        lambda b, v: b.sum(v[0], (0, 1)),
        SQUARE,
    ),
    "a cross of two diagonals": Pair(
        lambda b, v: b.sum(b.reverse(v[0], (0,)) * v[0], (0, 1)),
        lambda b, v: b.sum(b.reverse(v[0], (1,)) * v[0], (0, 1)),
        SQUARE,
    ),
    "pieces that overlap by one": Pair(
        lambda b, v: b.sum(cut(b, v[0], 0, 3), (0,)) + b.sum(cut(b, v[0], 2, 4), (0,)),
        lambda b, v: b.sum(v[0], (0,)),
    ),
    "pieces that leave one out": Pair(
        lambda b, v: (
            b.sum(cut(b, v[0] * v[1], 0, 1), (0,)) + b.sum(cut(b, v[0] * v[1], 2, 4), (0,))
        ),
        lambda b, v: b.sum(v[0] * v[1], (0,)),
    ),
    "pieces that cross over": Pair(
        lambda b, v: (
            b.sum(cut(b, v[0], 0, 2) * cut(b, v[1], 2, 4), (0,))
            + b.sum(cut(b, v[0], 2, 4) * cut(b, v[1], 0, 2), (0,))
        ),
        lambda b, v: b.sum(v[0] * v[1], (0,)),
    ),
    "a piece of another weight": Pair(
        lambda b, v: (
            b.sum(cut(b, v[0] * v[1], 0, 2), (0,)) + 2 * b.sum(cut(b, v[0] * v[1], 2, 4), (0,))
        ),
        lambda b, v: b.sum(v[0] * v[1], (0,)),
    ),
    "joined halves in the other order": Pair(
        lambda b, v: joined(b, cut(b, v[0], 2, 4), cut(b, v[0], 0, 2)), lambda b, v: v[0]
    ),
    "pieces of two values joined at another border": Pair(
        lambda b, v: joined(b, cut(b, v[0], 0, 1), cut(b, v[1], 1, 4)),
        lambda b, v: joined(b, cut(b, v[0], 0, 2), cut(b, v[1], 2, 4)),
    ),
    "a value beside itself, and twice the last half": Pair(
        lambda b, v: joined(b, v[0], v[0]),
        lambda b, v: joined(b, v[0], joined(b, cut(b, v[0], 2, 4), cut(b, v[0], 2, 4))),
    ),
    "a number beside another": Pair(
        lambda b, v: joined(b, b.splat(2, v[0].type), b.splat(3, v[0].type)),
        lambda b, v: b.splat(2, TensorType((8,), v[0].type.element)),
    ),
    "even places for odd ones": Pair(
        lambda b, v: cut(b, v[0], 0, 4, 2), lambda b, v: cut(b, v[0], 1, 4, 2)
    ),
    "a reshape for a transpose": Pair(
        lambda b, v: b.reshape(v[0], (2, 3)), lambda b, v: b.transpose(v[0], (1, 0)), ((3, 2),)
    ),
    "a reshape that falls inside digits": Pair(
        lambda b, v: b.reshape(b.reshape(cut(b, v[0], 1, 7), (2, 3)), (3, 2)),
        lambda b, v: b.transpose(b.reshape(cut(b, v[0], 1, 7), (2, 3)), (1, 0)),
        ((8,),),
    ),
    "borders counted at the wrong end": Pair(
        lambda b, v: counted(b, v[0], 1, 0), lambda b, v: counted(b, v[0], 0, 1)
    ),
    "borders not counted": Pair(
        lambda b, v: counted(b, v[0], 1, 1),
        lambda b, v: (
            b.reduce_window(v[0], 0, Window((3,), (1,), (1,), (1,), ((1, 1),)), b.adds) / 3
        ),
    ),
    "a product that starts from 2": Pair(
        lambda b, v: product_of(b, v[0], 2.0), lambda b, v: product_of(b, v[0])
    ),
    "a product that leaves one factor out": Pair(
        lambda b, v: product_of(b, v[0]), lambda b, v: product_of(b, cut(b, v[0], 0, 3))
    ),
    "the product of products, of sums": Pair(
        lambda b, v: product_of(b, v[0]) + product_of(b, v[1]),
        lambda b, v: product_of(b, v[0] + v[1]),
    ),
}

PLACES: dict[str, Pair] = {
    "rows that repeat": Pair(
        lambda b, v: taken(b, v[0], table(0, 0, 2)), lambda b, v: taken(b, v[0], table(0, 1, 2))
    ),
    "additions at one place": Pair(
        lambda b, v: added(b, v[0], table(1, 1), cut(b, v[1], 0, 2)),
        lambda b, v: added(b, v[0], table(1, 2), cut(b, v[1], 0, 2)),
    ),
    "an update that adds": Pair(
        lambda b, v: updated(b, v[0], 1, cut(b, v[1], 0, 2)),
        lambda b, v: v[0] + b.pad(cut(b, v[1], 0, 2), 0, (1,), (1,), (0,)),
    ),
    "an update one further": Pair(
        lambda b, v: updated(b, v[0], 1, cut(b, v[1], 0, 2)),
        lambda b, v: updated(b, v[0], 2, cut(b, v[1], 0, 2)),
    ),
    "two updates that overlap, in the other order": Pair(
        lambda b, v: updated(b, updated(b, v[0], 0, cut(b, v[1], 0, 2)), 1, cut(b, v[1] * 2, 2, 4)),
        lambda b, v: updated(b, updated(b, v[0], 1, cut(b, v[1] * 2, 2, 4)), 0, cut(b, v[1], 0, 2)),
    ),
    "an update that leaves nothing of the operand": Pair(
        lambda b, v: updated(b, v[0], 0, v[1]), lambda b, v: v[0]
    ),
    "what is joined to nothing": Pair(
        lambda b, v: joined(b, cut(b, v[0], 0, 0), v[1]),
        lambda b, v: joined(b, v[0], cut(b, v[1], 0, 0)),
    ),
    "nothing padded": Pair(
        lambda b, v: b.pad(cut(b, v[0], 0, 0), 1.0, (2,), (2,), (0,)),
        lambda b, v: b.pad(cut(b, v[0], 0, 0), 0.0, (2,), (2,), (0,)),
    ),
    "a slice of a shifted value": Pair(
        lambda b, v: cut(b, b.pad(v[0], 0, (1,), (0,), (0,)), 0, 4), lambda b, v: v[0]
    ),
    "a mirrored kernel": Pair(
        lambda b, v: b.sum(b.reverse(v[0], (0,)) * v[1], (0,)),
        lambda b, v: b.sum(v[0] * v[1], (0,)),
    ),
    "a value of one place spread": Pair(
        lambda b, v: b.broadcast(b.reshape(cut(b, v[0], 0, 1), ()), (4,), ()), lambda b, v: v[0]
    ),
    "a spread place among others": Pair(
        lambda b, v: b.broadcast(v[0], (3, 4), (0, 1)) * v[1],
        lambda b, v: b.broadcast(b.reshape(v[0], (4,)), (3, 4), (1,)) * v[1] * 2,
        ((1, 4), (3, 4)),
    ),
}

MOVES = {**SUMS, **PLACES}
