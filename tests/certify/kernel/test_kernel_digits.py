"""Values whose indices are split in ways that do not divide keep their elements, and meet again."""

import numpy as np
import pytest

from certify.kernel.evaluating import Evaluator
from gradwright.certify.kernel.denotation import Denotation
from gradwright.certify.kernel.index import variable
from gradwright.certify.kernel.multilinear import Multilinear
from gradwright.certify.kernel.shaped import reshape
from gradwright.certify.kernel.tensor import Tensor
from gradwright.certify.prove import Proof

CHANNELS = 15
ORDER = 6
"""Of 3 modulo 14: so many shuffles of 15 channels in 3 groups are none."""


def shuffled(den: Denotation, x: Tensor, groups: int) -> Tensor:
    """Return channels seen as [groups, …] and read off transposed."""
    each = CHANNELS // groups
    turn = Multilinear((each, groups), (), ((variable(1), variable(0)),))
    return reshape(den, den.linear(turn, reshape(den, x, (groups, each))), (CHANNELS,))


def again(den: Denotation, x: Tensor, times: int) -> Tensor:
    for _ in range(times):
        x = shuffled(den, x, 3)
    return x


@pytest.mark.parametrize("times", range(1, ORDER + 1))
def test_digits_that_do_not_fit_keep_the_elements(times: int) -> None:
    den = Proof().den
    x = den.argument("x", (CHANNELS,))
    other = shuffled(den, den.argument("y", (CHANNELS,)), 5)
    p = den.pointwise
    both = p.multiply(p.add(again(den, x, times), other), p.power(other, -1))
    table = reshape(den, both, (5, 3))
    values = {name: np.random.default_rng(seed).normal(size=15) for seed, name in enumerate("xy")}
    wanted, divisor = values["x"], values["y"].reshape(5, 3).T.reshape(15)
    for _ in range(times):
        wanted = wanted.reshape(3, 5).T.reshape(15)
    found = Evaluator(den, values).tensor(table)
    np.testing.assert_allclose(found, ((wanted + divisor) / divisor).reshape(5, 3), rtol=1e-12)


@pytest.mark.parametrize("times", range(1, ORDER + 1))
def test_only_as_many_shuffles_as_undo_each_other_are_none(times: int) -> None:
    proof = Proof()
    x = proof.den.argument("x", (CHANNELS,))
    assert proof.same(again(proof.den, x, times), x) == (times == ORDER)
