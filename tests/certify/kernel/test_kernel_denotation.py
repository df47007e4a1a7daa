"""What the kernel says an operation means is what the reference interpreter computes, in f64."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from certify.kernel.evaluating import Evaluator
from certify.kernel.random_texts import STEPS, Step, programs
from gradwright.certify.effort import TooLarge
from gradwright.certify.kernel.algebra import Undenotable
from gradwright.certify.kernel.denote import new_denotation
from gradwright.certify.kernel.tensor import Tensor
from gradwright.hlo import Function, Module, Value, evaluate

pytestmark = pytest.mark.interpreter
ULPS = 2**20
"""Of f64: a wrong term shows far above; long sums and powers are far below."""
THOROUGH = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def denoted(function: Function) -> tuple[dict[int, Tensor], Evaluator, list[np.ndarray]]:
    """Return the tensors of all values that have one, an evaluator, and the arguments."""
    den = new_denotation()
    generator = np.random.default_rng(0)
    arguments = [generator.normal(size=v.shape) for v in function.body.arguments]
    known = {id(v): den.argument(v.name, v.shape) for v in function.body.arguments}
    for operation in function.body.operations:
        if all(id(v) in known for v in operation.operands):
            operands = [known[id(v)] for v in operation.operands]
            try:
                results = den.operation(operation, operands)
            except (Undenotable, TooLarge):
                continue
            known |= {id(v): t for v, t in zip(operation.results, results, strict=True)}
    names = [v.name for v in function.body.arguments]
    return known, Evaluator(den, dict(zip(names, arguments, strict=True))), arguments


def beyond_the_domain(function: Function, results: list[tuple[Value, np.ndarray]]) -> set[int]:
    """Return the values that are not finite somewhere, and all that is computed from them.

    An angle of -0 is one too: the real numbers have one zero, and `atan2` tells two apart.
    """
    found = {id(v) for v, array in results if not np.all(np.isfinite(array))}
    negative = {id(v) for v, array in results if np.any((array == 0) & np.signbit(array))}
    for operation in function.body.operations:
        if operation.opcode == "stablehlo.atan2" and id(operation.operands[0]) in negative:
            found.update(id(v) for v in operation.results)
        if any(id(v) in found for v in operation.operands):
            found.update(id(v) for v in operation.results)
    return found


def check(function: Function) -> int:
    """Compare every denoted result of a function with the interpreter; return how many."""
    known, evaluator, arguments = denoted(function)
    wanted = evaluate(Module("m", (function,)), arguments)
    pairs = list(zip(function.body.results, wanted, strict=True))
    outside = beyond_the_domain(function, pairs)
    count = 0
    for value, array in pairs:
        if id(value) not in known or id(value) in outside:
            continue
        tensor = known[id(value)]
        assert tensor.shape == value.shape
        with np.errstate(all="ignore"):
            found = evaluator.tensor(tensor)
        scale = max(1.0, float(np.max(np.abs(array))))
        close = np.abs(found - array) <= ULPS * np.finfo(np.float64).eps * scale
        # Where a root of a negative number or a division by zero is multiplied by 0, the
        # interpreter has a number and the formula none.
        assert np.all(close | ~np.isfinite(found)), value.name
        count += 1
    return count


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_an_operation_means_what_it_computes(step: Step) -> None:
    @THOROUGH
    @given(programs([step], longest=2))
    def run(function: Function) -> None:
        check(function)

    run()


@settings(THOROUGH, max_examples=250)
@given(programs(STEPS))
def test_a_random_program_means_what_it_computes(function: Function) -> None:
    check(function)


@given(st.data())
@settings(max_examples=1)
def test_the_comparison_can_fail(data: st.DataObject) -> None:
    function = data.draw(programs([STEPS[1]], longest=1))
    known, evaluator, arguments = denoted(function)
    value = function.body.results[0]
    evaluator.arguments = {name: x + 1 for name, x in evaluator.arguments.items()}
    wanted = evaluate(Module("m", (function,)), arguments)[0]
    assert not np.allclose(evaluator.tensor(known[id(value)]), wanted)
