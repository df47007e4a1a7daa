"""Gradients that JAX wrote are replayed, and no wrong one is."""

import random

import pytest

from certify.jax.mutants_of_text import changed, same_results
from gradwright.certify.certificate import Subject, written
from gradwright.certify.certificate_json import certificate_json
from gradwright.certify.refute_points import restricted
from gradwright.check import check
from gradwright.check.certificate import GradientClaim
from gradwright.check.session import numbered
from gradwright.hlo import Function, Module, print_module

pytestmark = [pytest.mark.jax, pytest.mark.interpreter]

COVERED = [
    "dense",
    "mlp",
    "conv",
    "conv-strided",
    "conv-valid",
    "conv-dilated",
    "conv-grouped",
    "conv-depthwise",
    "conv-transposed",
    "average-pool",
    "global-pool",
    "batch-norm",
    "one-pass-norm",
    "layer-norm",
    "rms-norm",
    "attention",
    "attention-causal",
    "rnn-unrolled",
    "rnn-scanned",
    "lstm-scanned",
    "gru",
    "rope",
    "resize-nearest",
    "resize-bilinear",
    "one-hot-entropy",
    "binary-entropy",
    "focal",
    "dice",
    "huber",
    "cosine-similarity",
    "contrastive",
    "relu",
    "leaky-relu",
    "elu",
    "gelu-tanh",
    "silu",
    "soft-sign",
    "sigmoid-by-hand",
    "logsumexp",
    "maximum",
    "max-pool",
    "max-pool-padded",
    "min-pool",
    "embedding",
    "cross-entropy",
    "relu6",
    "hard-swish",
    "take-along-axis",
    "take-along-axis-clipped",
    "take-clipped",
    "take-columns",
]
"""Of the functions that the prover is tested on, those that the checker knows every step of."""
MUTANTS = 2


def text_of(name: str) -> tuple[str, int]:
    """Return the text of value and gradients, and how many gradients there are."""
    from certify.jax.functions import CASES

    case = CASES[name]
    return case.text(), len(case.shapes)


def covered(text: str, count: int) -> list[int]:
    """Return the gradients that a certificate covers; every certificate must be accepted."""
    [function] = Subject("gradients", [text], 0).functions
    number_of = {id(value): n for n, value in enumerate(numbered([function]))}
    results = [number_of[id(value)] for value in function.body.results[1:]]
    claims = [(str(k), GradientClaim(k, results[k])) for k in range(count)]
    certificate = written(Subject("gradients", [text], 0), claims)
    checked = check(certificate_json(certificate), text)
    assert checked.accepted or not certificate.claims
    return [c.argument for c in certificate.claims if isinstance(c, GradientClaim)]


@pytest.mark.parametrize("name", COVERED)
def test_the_gradients_of_jax_are_covered(name: str) -> None:
    text, count = text_of(name)
    assert covered(text, count) == list(range(count))


@pytest.mark.parametrize("name", COVERED)
def test_no_wrong_gradient_is_covered(name: str) -> None:
    text, count = text_of(name)
    [main] = Subject("gradients", [text], 0).functions
    mutants = list(changed(main))
    random.Random(1).shuffle(mutants)
    for mutant in mutants[:MUTANTS]:
        found = covered(printed(mutant), count)
        assert same_results(only(main, found), only(mutant, found))


def only(function: Function, gradients: list[int]) -> Function:
    """Return the function that computes some gradients."""
    return restricted(function, [function.body.results[k + 1] for k in gradients])


def printed(function: Function) -> str:
    """Return the text of a function."""
    return print_module(Module("changed", (function,)))
