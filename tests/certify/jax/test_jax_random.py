"""Gradients that JAX writes for random functions are proved, and none of their wrong mutants."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from certify.jax.mutants_of_text import changed, same_results
from certify.jax.proving import prepared, verdicts

pytestmark = [pytest.mark.jax, pytest.mark.interpreter]
places = st.integers(0, 30)
steps = st.tuples(st.integers(0, 20), places, places)
LONG = 30
TRIED = 60
PROVED = 0.9
"""Share of long random functions that are proved at least; of the others the forms differ."""


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(steps, min_size=1, max_size=8))
def test_a_random_function_is_proved(chosen: list[tuple[int, int, int]]) -> None:
    from certify.jax.random_functions import random_case

    main = prepared(random_case(chosen).text())
    assert verdicts(main, 2) == ["", ""]
    mutants = list(changed(main))
    for mutant in random.Random(0).sample(mutants, min(1, len(mutants))):
        assert any(verdicts(mutant, 2)) or same_results(main, mutant)


@pytest.mark.slow
def test_long_random_functions_are_mostly_proved() -> None:
    from certify.jax.random_functions import random_case

    generator = random.Random(7)
    proved = 0
    for _ in range(TRIED):
        count = generator.randint(1, LONG)
        chosen = [
            (generator.randrange(21), place + 2 - generator.randint(1, 3), generator.randrange(9))
            for place in range(count)
        ]
        found = verdicts(prepared(random_case(chosen).text()), 2)
        assert all(reason in ("", "the forms differ") for reason in found)
        proved += not any(found)
    assert proved >= PROVED * TRIED
