"""Gradients that JAX wrote are proved on their text, and no wrong one is."""

import random
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from certify.jax.proving import prepared, verdicts
from gradwright.certify.refute_points import restricted
from gradwright.hlo import Function, Module, Operation, Value, evaluate
from gradwright.hlo import attributes as attr

pytestmark = [pytest.mark.jax, pytest.mark.interpreter]
MUTANTS = 4
DIFFER = "the forms differ"
NEAR = 1e-4
"""Relative; f32 sums of these sizes stay within, and a factor of 1.001 does not."""
UNKNOWN = {
    "cond": "stablehlo.case has no denotation",
    "cross-entropy-filled": "a NaN constant",
    "cumulative-product": DIFFER,
    "erf": "stablehlo.bitcast_convert has no denotation",
    "gelu-erf": "stablehlo.bitcast_convert has no denotation",
    "scatter-add": DIFFER,
    "segment-sum": DIFFER,
    "solve": "stablehlo.custom_call has no denotation",
    "sort": "stablehlo.sort has no denotation",
    "take-along-axis": DIFFER,
}
"""What stops the proof of a function; every other one is proved."""
IN_EACH_RUN = (
    *("conv-strided", "conv-grouped", "max-pool-padded", "average-pool-counted", "batch-norm"),
    *("layer-norm", "attention-infinite", "lstm-scanned", "embedding", "rope", "focal", "dice"),
    *("cosine-similarity", "contrastive", "squeeze-excite", "gelu-tanh", "mish", "hard-swish"),
    *("grouped-query", "linear-attention", "scatter-set", "cls-token", "quadratic-form"),
)
"""The functions whose mutants every run tries; a sweep tries those of all."""
_SWAPS = {
    "stablehlo.add": "stablehlo.subtract",
    "stablehlo.subtract": "stablehlo.add",
    "stablehlo.multiply": "stablehlo.add",
    "stablehlo.divide": "stablehlo.multiply",
    "stablehlo.negate": "stablehlo.abs",
    "stablehlo.sine": "stablehlo.cosine",
    "stablehlo.cosine": "stablehlo.sine",
    "stablehlo.exponential": "stablehlo.logistic",
    "stablehlo.tanh": "stablehlo.sine",
}


def test_the_gradients_of_jax_are_proved() -> None:
    from certify.jax.functions import CASES

    found = {name: _reason(name) for name in CASES}
    stopped = {name: reason for name, reason in found.items() if reason}
    assert stopped.keys() == UNKNOWN.keys()
    assert all(UNKNOWN[name] in reason for name, reason in stopped.items())


def _reason(name: str) -> str:
    """Return "" where every gradient of a function is proved, else what stops the proof."""
    main, count = _read(name)
    return next(filter(None, verdicts(main, count)), "")


@pytest.mark.parametrize("name", IN_EACH_RUN)
def test_a_wrong_gradient_is_not_proved(name: str) -> None:
    _require_no_false_proof(name)


@pytest.mark.slow
def test_no_wrong_gradient_is_proved() -> None:
    from certify.jax.functions import CASES

    for name in CASES.keys() - UNKNOWN.keys() - set(IN_EACH_RUN):
        _require_no_false_proof(name)


def _require_no_false_proof(name: str) -> None:
    main, count = _read(name)
    mutants = list(_mutants(main))
    random.Random(0).shuffle(mutants)
    for mutant in mutants[:MUTANTS]:
        if not any(verdicts(mutant, count)):
            for right, found in zip(_evaluated(main), _evaluated(mutant), strict=True):
                np.testing.assert_allclose(found, right, NEAR, NEAR)


def _read(name: str) -> tuple[Function, int]:
    """Return the text of a function and its gradients, and how many there are."""
    from certify.jax.functions import CASES

    return prepared(CASES[name].text()), len(CASES[name].shapes)


def _mutants(main: Function) -> Iterator[Function]:
    """Yield the function with one operation changed that the value does not depend on."""
    forward = {id(op) for op in restricted(main, [main.body.results[0]]).body.operations}
    values = {
        id(r) for op in restricted(main, [main.body.results[0]]).body.operations for r in op.results
    }
    for i, operation in enumerate(main.body.operations):
        if id(operation) in forward or any(id(r) in values for r in operation.results):
            continue
        for changed in _changes(operation):
            operations = list(main.body.operations)
            operations[i] = changed
            yield replace(main, body=replace(main.body, operations=tuple(operations)))


def _changes(operation: Operation) -> Iterator[Operation]:
    if not operation.results[0].type.element.is_float:
        return
    if operation.opcode in _SWAPS:
        yield replace(operation, opcode=_SWAPS[operation.opcode])
    if operation.opcode in ("stablehlo.subtract", "stablehlo.divide", "stablehlo.select"):
        *first, a, b = operation.operands
        yield replace(operation, operands=(*first, b, a))
    if isinstance(operation.attributes, attr.Constant) and operation.attributes.splat:
        array = operation.attributes.array
        scaled = np.full(array.shape, array.flat[0] * np.float32(1.001), array.dtype)
        if np.isfinite(array.flat[0]):
            yield replace(operation, attributes=attr.Constant.of(scaled))


def _evaluated(main: Function) -> list[np.ndarray]:
    generator = np.random.default_rng(1)
    arguments = [_drawn(generator, value) for value in main.body.arguments]
    return evaluate(Module("m", (replace(main, name="main", aliases=()),)), arguments)


def _drawn(generator: np.random.Generator, value: Value) -> np.ndarray:
    if value.type.element.is_float:
        return generator.normal(size=value.shape).astype(np.float32)
    return generator.integers(0, 4, value.shape).astype(np.int32)
