"""No two functions that differ are proved equal: pairs aimed at each rule of equality."""

import numpy as np
import pytest

from certify.kernel.adversarial_pairs import I32, VALUES, Pair
from certify.kernel.adversarial_sums import MOVES
from certify.kernel.test_kernel_soundness import denoted
from gradwright.certify.kernel.algebra import Undenotable
from gradwright.certify.kernel.equality import equal
from gradwright.hlo import Builder, Function, Module, TensorType, evaluate

pytestmark = pytest.mark.interpreter
PAIRS = {**VALUES, **MOVES}


def written(pair: Pair) -> Function:
    b = Builder()
    types = [TensorType(shape, pair.element) for shape in pair.shapes]
    arguments = [b.argument(f"x{i}", type) for i, type in enumerate(types)]
    return b.finish("main", [pair.left(b, arguments), pair.right(b, arguments)])


def values(function: Function, seed: int) -> list[np.ndarray]:
    generator = np.random.default_rng(seed)
    arguments = [
        generator.choice([-7, -3, 2, 5], size=v.shape).astype(np.int32)
        if v.type.element is I32
        else generator.normal(size=v.shape)
        for v in function.body.arguments
    ]
    return evaluate(Module("m", (function,)), arguments)


@pytest.mark.parametrize("name", PAIRS)
def test_what_differs_is_not_proved_equal(name: str) -> None:
    function = written(PAIRS[name])
    found = (values(function, seed) for seed in range(8))
    assert any(np.any(np.abs(left - right) > 1e-3) for left, right in found), "no difference"
    den, (ours, theirs) = denoted(function)
    try:
        ours, theirs = den.pointwise.align(ours, theirs)
    except Undenotable:
        return
    assert not equal(den.algebra, ours, theirs)


@pytest.mark.parametrize("name", PAIRS)
def test_each_side_is_proved_equal_to_itself(name: str) -> None:
    """So that a pair is not left unproved because nothing about it can be proved."""
    pair = PAIRS[name]
    for side in (pair.left, pair.right):
        den, (ours, theirs) = denoted(written(Pair(side, side, pair.shapes, pair.element)))
        assert equal(den.algebra, ours, theirs)
