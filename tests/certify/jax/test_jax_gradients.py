"""Gradients that JAX wrote are proved on their text, and no wrong one is."""

import random

import pytest

from certify.jax.mutants_of_text import changed, same_results
from certify.jax.proving import NO_DERIVATIVE, prepared, verdicts
from gradwright.hlo import Function

pytestmark = [pytest.mark.jax, pytest.mark.interpreter]
MUTANTS = 4
DIFFER = "the forms differ"
REGION = "a scatter by a region that is neither a sum nor the update"
UNKNOWN = {
    "cond": "stablehlo.case has no denotation",
    "erf": "stablehlo.bitcast_convert has no denotation",
    "gelu-erf": "stablehlo.bitcast_convert has no denotation",
    "scatter-max": REGION,
    "scatter-multiply": REGION,
    "segment-max": "stablehlo.scatter of an infinite constant",
    "solve": "chlo.square of a NaN constant",
    "sort": "stablehlo.sort has no denotation",
    "top-k": "chlo.top_k has no denotation",
}
"""What stops the proof of a function; every other one is proved."""
IN_EACH_RUN = (
    *("conv-strided", "conv-grouped", "max-pool-padded", "average-pool-counted", "batch-norm"),
    *("layer-norm", "attention-infinite", "lstm-scanned", "embedding", "rope", "focal", "dice"),
    *("cosine-similarity", "contrastive", "squeeze-excite", "gelu-tanh", "mish", "hard-swish"),
    *("grouped-query", "linear-attention", "scatter-set", "cls-token", "quadratic-form"),
    *("segment-sum", "take-along-axis", "scatter-add-2d", "cumulative-product", "asinh"),
    *("batch-norm-flax", "associative-scan", "hypot", "local-attention-infinite"),
    "cumulative-logsumexp",
)
"""The functions whose mutants every run tries; a sweep tries those of all."""


def test_the_gradients_of_jax_are_proved() -> None:
    from certify.jax.functions import CASES

    found = {name: _reason(name) for name in CASES}
    stopped = {name: reason for name, reason in found.items() if reason}
    assert stopped.keys() == UNKNOWN.keys() | NO_DERIVATIVE.keys()
    assert all(UNKNOWN.get(name, DIFFER) in reason for name, reason in stopped.items())


def _reason(name: str) -> str:
    """Return "" where every gradient of a function is proved, else what stops the proof."""
    main, count = _read(name)
    return next(filter(None, verdicts(main, count)), "")


@pytest.mark.parametrize("name", IN_EACH_RUN)
def test_a_wrong_gradient_is_not_proved(name: str) -> None:
    _require_no_false_proof(name)


@pytest.mark.slow
def test_a_long_scan_of_logarithms_is_proved() -> None:
    from certify.jax.indices import LONG_SCAN

    assert verdicts(prepared(LONG_SCAN.text()), 1) == [""]


@pytest.mark.slow
def test_no_wrong_gradient_is_proved() -> None:
    from certify.jax.functions import CASES

    for name in CASES.keys() - UNKNOWN.keys() - NO_DERIVATIVE.keys() - set(IN_EACH_RUN):
        _require_no_false_proof(name)


def _require_no_false_proof(name: str) -> None:
    main, count = _read(name)
    mutants = list(changed(main))
    random.Random(0).shuffle(mutants)
    for mutant in mutants[:MUTANTS]:
        assert any(verdicts(mutant, count)) or same_results(main, mutant)


def _read(name: str) -> tuple[Function, int]:
    """Return the text of a function and its gradients, and how many there are."""
    from certify.jax.functions import CASES

    return prepared(CASES[name].text()), len(CASES[name].shapes)
