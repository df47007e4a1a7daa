"""Convolutions on the whole grid of their options: forward, dx, dW and dbias in every form."""

import math

import pytest

from gradwright.layers import PORTABLE, TEXTBOOK, Formulation
from oracles.arithmetic import complex_step, convolution, convolution_gradients
from oracles.closeness import assert_rounded
from oracles.convolutions import Case, covering_cases, every_case, pairs_of
from oracles.subject import FORMULATIONS, Arrays, Subject

pytestmark = pytest.mark.interpreter

COVERING = covering_cases()


def forms(index: int) -> tuple[Formulation, ...]:
    """Both named formulations and one of the mixed ones, a different one for each case."""
    return TEXTBOOK, PORTABLE, FORMULATIONS[index % len(FORMULATIONS)]


def local(arrays: Arrays) -> Arrays:
    """Rename `conv1.weight` to `weight`."""
    return {name.removeprefix("conv1."): array for name, array in arrays.items()}


def check(case: Case, formulations: tuple[Formulation, ...]) -> None:
    subject = Subject([case.layer], case.input)
    arrays = subject.draw()
    expected = convolution(case.patches, local(arrays), case.groups)
    gradients = convolution_gradients(case.patches, local(arrays), case.groups)
    # A sum of `terms` products of order 1, summed in another order than the reference's.
    terms = max(arrays["conv1.weight"].size, math.prod(expected.shape))
    for formulation in formulations:
        emitted = subject.under(formulation)
        assert_rounded(emitted.forward(arrays), expected, terms=terms, name="y")
        for name, gradient in local(emitted.gradients(arrays)).items():
            assert_rounded(gradient, gradients[name], terms=terms, name=f"d{name}")


def test_the_sample_covers_every_pair_of_options() -> None:
    covered = set[tuple[object, ...]]().union(*map(pairs_of, COVERING))
    assert covered == set[tuple[object, ...]]().union(*map(pairs_of, every_case()))


@pytest.mark.parametrize("index", range(len(COVERING)), ids=[str(case) for case in COVERING])
def test_convolution_equals_its_definition(index: int) -> None:
    check(COVERING[index], forms(index))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(40))
def test_every_convolution_equals_its_definition(part: int) -> None:
    for index, case in enumerate(every_case()[part::40]):
        check(case, forms(index))


def test_the_reference_is_the_gradient_of_the_reference() -> None:
    """The collected shares equal the derivative of the forward, taken by a complex step."""
    case = COVERING[0]
    arrays = local(Subject([case.layer], case.input).draw())
    expected = convolution_gradients(case.patches, arrays, case.groups)
    for name, gradient in expected.items():
        derived = complex_step(lambda a: convolution(case.patches, a, case.groups), arrays, name)
        assert_rounded(derived, gradient, terms=arrays["dy"].size, name=name)
