"""Dimension numbers of gather and scatter are judged as the official verifier judges them."""

import random

import pytest

from gradwright.errors import ParseError, ShapeError
from gradwright.hlo import Builder, ElementType, Module, TensorType, Value, print_module
from gradwright.hlo.attributes import Gather, Scatter
from gradwright.hlo.bindings import new_context, parse
from gradwright.hlo.index_rules import IndexNumbers

SAMPLES = 1500
WRONG = 0.1


def dimensions(dice: random.Random, rank: int, count: int) -> tuple[int, ...]:
    """Draw dimensions, usually rising, distinct and in range."""
    if dice.random() < WRONG:
        return tuple(dice.randint(0, max(rank, 0)) for _ in range(count))
    return tuple(sorted(dice.sample(range(rank), min(count, rank)))) if rank > 0 else ()


def numbers(
    dice: random.Random, operand: tuple[int, ...], indices: tuple[int, ...]
) -> IndexNumbers:
    """Draw dimension numbers."""
    rank, depth = len(operand), len(indices)
    vector = dice.randint(0, depth)
    dropped = dimensions(dice, rank, dice.randint(0, 2))
    batching = dimensions(dice, rank, dice.choice([0, 0, 0, 1]))
    inside = max(rank - len({*dropped, *batching}), 0)
    return IndexNumbers(
        window=dimensions(dice, inside + depth - (vector < depth), inside),
        dropped=dropped,
        batching=batching,
        outer=dimensions(dice, depth, len(batching)),
        places=dimensions(dice, rank, indices[vector] if vector < depth else 1),
        vector=vector,
    )


@pytest.mark.parametrize("seed", range(2))
def test_gathers_are_judged_as_the_verifier_does(seed: int) -> None:
    dice = random.Random(seed)
    context = new_context()
    accepted = 0
    for _ in range(SAMPLES):
        shape = tuple(dice.randint(1, 4) for _ in range(dice.randint(0, 3)))
        places = tuple(dice.randint(1, 3) for _ in range(dice.randint(0, 3)))
        n = numbers(dice, shape, places)
        one = {*n.dropped, *n.batching} if dice.random() > WRONG else set[int]()
        sizes = tuple(1 if i in one else dice.randint(0, extent) for i, extent in enumerate(shape))
        gather = Gather(
            n.window, n.dropped, n.batching, n.outer, n.places, n.vector, sizes, dice.random() < 0.5
        )
        b = Builder()
        x = b.argument("x", TensorType(shape))
        i = b.argument("i", TensorType(places, ElementType.I32))
        try:
            result, legal = b.gather(x, i, gather), True
        except ShapeError:
            guess = arranged(n, n.within(sizes), n.around(places))
            result = b.emit_one("stablehlo.gather", (x, i), TensorType(guess), gather)
            legal = False
        assert verified(context, b, result) == legal, gather
        accepted += legal
    assert 0.2 < accepted / SAMPLES < 0.8


@pytest.mark.parametrize("seed", range(2))
def test_scatters_are_judged_as_the_verifier_does(seed: int) -> None:
    dice = random.Random(seed)
    context = new_context()
    accepted = 0
    for _ in range(SAMPLES):
        shape = tuple(dice.randint(1, 4) for _ in range(dice.randint(0, 3)))
        places = tuple(dice.randint(1, 3) for _ in range(dice.randint(0, 3)))
        n = numbers(dice, shape, places)
        scatter = Scatter(
            *(n.window, n.dropped, n.batching, n.outer, n.places, n.vector),
            indices_are_sorted=dice.random() < 0.5,
            unique_indices=dice.random() < 0.5,
        )
        inside = [dice.randint(1, extent + (dice.random() < WRONG)) for extent in n.within(shape)]
        b = Builder()
        x = b.argument("x", TensorType(shape))
        i = b.argument("i", TensorType(places, ElementType.I32))
        u = b.argument("u", TensorType(arranged(n, inside, n.around(places))))
        try:
            result, legal = b.scatter_add(x, i, u, scatter), True
        except ShapeError:
            region = b.sum_region(TensorType(()))
            result = b.emit_one("stablehlo.scatter", (x, i, u), x.type, scatter, regions=(region,))
            legal = False
        assert verified(context, b, result) == legal, scatter
        accepted += legal
    assert 0.2 < accepted / SAMPLES < 0.8


def arranged(n: IndexNumbers, inside: list[int], around: list[int]) -> tuple[int, ...]:
    """Return the shape of the windows tensor, or any where the numbers make none."""
    try:
        return n.arrange(inside, around)
    except RuntimeError:
        return (*inside, *around)


def verified(context: object, b: Builder, result: Value) -> bool:
    """Return whether the official verifier accepts the function that returns a value."""
    text = print_module(Module("m", (b.finish("main", [result]),)))
    try:
        parse(text, context)
    except ParseError:
        return False
    return True
