"""The checker's operation table: meanings are what the reference interpreter computes, in f64.

Derivative rules are the slopes that central differences of the interpreter measure.
"""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from certify.kernel.random_texts import STEPS, convolution, programs
from check.operation_texts import MAXIMA, MORE, TEXTS, Denoted, denoted, written
from check.worth import Array
from gradwright.check.atoms import Uncheckable
from gradwright.check.comparing import same
from gradwright.check.derivatives import SLOPES
from gradwright.check.operations import ELEMENTWISE, SPECIAL, opcode_of
from gradwright.hlo import Block, Function, Module, Value, evaluate

pytestmark = pytest.mark.interpreter
NEAR = 1e-9
"""A wrong term shows far above; long sums and powers are far below."""
STEP = 1e-4
SLOPE = 1e-5
"""Central differences with a step of 1e-4 are off by 1e-8 of the third derivative."""
DRAWN = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def arguments_of(function: Function) -> list[Array]:
    """Return one argument of both signs, and positive ones."""
    draw = np.random.default_rng(3)
    shapes = [v.shape for v in function.body.arguments]
    return [draw.uniform(0.5, 2, n) if i else draw.normal(size=n) for i, n in enumerate(shapes)]


def close(found: Array, wanted: Array, tolerance: float) -> bool:
    """Return whether numbers agree; a formula may have none where the interpreter hides it."""
    scale = max(1.0, float(np.max(np.abs(wanted), initial=0)))
    return bool(np.all((np.abs(found - wanted) <= tolerance * scale) | ~np.isfinite(found)))


def values_of(function: Function, arguments: list[Array]) -> dict[int, Array]:
    """Return the results that are finite and computed from such only, by identity."""
    with np.errstate(all="ignore"):
        arrays = evaluate(Module("m", (function,)), arguments)
    pairs = list(zip(function.body.results, arrays, strict=True))
    outside = {id(v) for v, array in pairs if not np.all(np.isfinite(array))}
    for operation in function.body.operations:
        if any(id(v) in outside for v in operation.operands):
            outside.update(id(v) for v in operation.results)
    return {id(v): array for v, array in pairs if id(v) not in outside}


def compared(den: Denoted) -> int:
    """Compare the meaning of each result with its value; return how many have both."""
    arguments = arguments_of(den.function)
    worth = den.worth(arguments)
    known = {n: array for n, array in values_of(den.function, arguments).items() if n in den.known}
    for n, wanted in known.items():
        with np.errstate(all="ignore"):
            found = worth.tensor(den.known[n])
        assert found.shape == wanted.shape
        assert close(found, wanted, NEAR)
    return len(known)


def slopes(den: Denoted) -> tuple[float, float, float]:
    """Return the derived slope of <seed, result> along a direction, and two measured ones."""
    function = den.function
    arguments = arguments_of(function)
    draw = np.random.default_rng(7)
    direction = [draw.normal(size=x.shape) for x in arguments]
    result = function.body.results[0]
    seed = draw.normal(size=result.shape)
    given_seed = Value(result.type, "seed")
    cotangents = den.cotangents(den.m.unknown("seed", given_seed))
    worth = den.worth(arguments)
    worth.unknowns = {**worth.unknowns, "seed": seed}
    derived = [worth.tensor(g) for g in cotangents]

    def at(step: float) -> float:
        moved = [x + step * d for x, d in zip(arguments, direction, strict=True)]
        return float(np.sum(seed * evaluate(Module("m", (function,)), moved)[0]))

    slope = float(sum(np.sum(g * d) for g, d in zip(derived, direction, strict=True)))
    measured, finer = ((at(h) - at(-h)) / (2 * h) for h in (STEP, STEP / 2))
    return slope, measured, finer


@pytest.mark.parametrize("every", [0, 1])
@pytest.mark.parametrize("name", [*TEXTS, *MORE])
def test_an_operation_means_what_it_computes(name: str, every: int) -> None:
    assert compared(denoted(written({**TEXTS, **MORE}[name]), every)) == 1


@pytest.mark.parametrize("every", [0, 1])
@pytest.mark.parametrize("name", [*TEXTS, *MAXIMA])
def test_a_rule_gives_the_measured_slope(name: str, every: int) -> None:
    function = written({**TEXTS, **MORE}[name])
    assert name in MORE or any(opcode_of(each) == name for each in function.body.walk())
    derived, measured, _ = slopes(denoted(function, every))
    assert derived == pytest.approx(measured, rel=SLOPE, abs=SLOPE)


def test_every_operation_and_rule_has_a_text() -> None:
    table = {*ELEMENTWISE, *SPECIAL, "optimization_barrier"}
    assert table == TEXTS.keys()
    assert SLOPES.keys() <= TEXTS.keys()


@DRAWN
@given(programs([convolution], longest=2))
def test_a_convolution_means_what_it_computes(function: Function) -> None:
    compared(denoted(function))


@settings(DRAWN, max_examples=100)
@given(programs(STEPS))
def test_a_random_program_means_what_it_computes(function: Function) -> None:
    for every in (0, 2):
        compared(denoted(function, every))


@settings(DRAWN, max_examples=60)
@given(programs(STEPS, longest=6))
def test_what_is_shown_to_be_equal_has_equal_values(function: Function) -> None:
    den = denoted(function)
    values = values_of(function, arguments_of(function))
    for a, b in combinations([n for n in values if n in den.known], 2):
        try:
            equal = den.known[a].shape == den.known[b].shape and same(
                den.m.f, den.known[a], den.known[b]
            )
        except Uncheckable:
            continue
        assert not equal or close(values[a], values[b], NEAR)


@settings(DRAWN, max_examples=60)
@given(programs(STEPS, longest=6))
def test_a_random_program_has_the_measured_slope(function: Function) -> None:
    body = function.body
    values = values_of(function, arguments_of(function))
    last = Function("main", Block(body.arguments, body.operations, body.results[-1:]))
    if len(values) < len(body.results):
        return  # a logarithm of a negative number, say, even if a selection hides it
    try:
        with np.errstate(all="ignore"):
            derived, measured, finer = slopes(denoted(last))
    except (Uncheckable, KeyError):
        return
    rounded = SLOPE * max(1.0, abs(finer))
    if np.isfinite([derived, measured]).all() and abs(measured - finer) <= rounded / 10:
        assert abs(derived - finer) <= rounded


def test_the_comparison_can_fail() -> None:
    den = denoted(written(TEXTS["multiply"]))
    result = id(den.function.body.results[0])
    den.known[result] = den.m.f.scale(den.known[result], 2)
    with pytest.raises(AssertionError):
        compared(den)
