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
NEAR = 1e-4
"""Relative; f32 sums of these sizes stay within, and a factor of 1.001 does not."""
VERDICTS = {
    "dense": "",
    "mlp": "",
    "conv": "",
    "conv-strided": "",
    "conv-valid": "",
    "conv-dilated": "",
    "conv-grouped": "",
    "conv-depthwise": "",
    "conv-transposed": "",
    "max-pool": "",
    "max-pool-padded": "",
    "min-pool": "",
    "average-pool": "",
    "average-pool-counted": "",
    "global-pool": "",
    "batch-norm": "",
    "one-pass-norm": "",
    "layer-norm": "",
    "group-norm": "",
    "rms-norm": "",
    "attention": "",
    "attention-causal": "",
    "attention-infinite": "",
    "rnn-unrolled": "",
    "rnn-scanned": "",
    "lstm-scanned": "",
    "gru": "",
    "embedding": "",
    "rope": "",
    "resize-nearest": "",
    "resize-bilinear": "",
    "cross-entropy": "",
    "cross-entropy-filled": "a NaN constant",
    "one-hot-entropy": "",
    "soft-entropy": "",
    "binary-entropy": "",
    "focal": "",
    "dice": "",
    "huber": "",
    "cosine-similarity": "",
    "contrastive": "",
    "squeeze-excite": "",
    "glu": "",
    "relu": "",
    "relu6": "",
    "leaky-relu": "",
    "elu": "",
    "selu": "",
    "gelu-tanh": "",
    "gelu-erf": "stablehlo.bitcast_convert has no denotation",
    "silu": "",
    "mish": "",
    "softplus": "",
    "hard-swish": "",
    "hard-sigmoid": "",
    "soft-sign": "",
    "log-sigmoid": "",
    "sigmoid-by-hand": "",
    "logsumexp": "",
    "cumulative-sum": "",
    "maximum": "",
    "clip": "",
    "max-over": "",
    "cbrt": "",
    "arctan2": "",
    "expm1-log1p": "",
    "power": "",
    "tan-floor": "",
    "sort": "stablehlo.sort has no denotation",
}
"""The verdict on each function: proved (""), or the operation that stops the proof."""
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


@pytest.mark.parametrize("name", VERDICTS)
def test_the_gradients_of_jax_are_proved(name: str) -> None:
    main, count = _read(name)
    found = verdicts(main, count)
    if VERDICTS[name]:
        assert any(VERDICTS[name] in verdict for verdict in found)
    else:
        assert found == [""] * count


def test_every_function_has_a_verdict() -> None:
    from certify.jax.functions import CASES

    assert list(CASES) == list(VERDICTS)


@pytest.mark.parametrize("name", [name for name, unknown in VERDICTS.items() if not unknown])
def test_a_wrong_gradient_is_not_proved(name: str) -> None:
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
