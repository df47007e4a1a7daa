"""Negative controls: a loss with a seeded defect fails the checks that the right one passes."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from gradwright.hlo import Builder, Value
from gradwright.losses import BinaryCrossEntropy, Evaluated, Loss, MeanSquaredError
from losses.cases import CASES, INDEX, LOGITS, PADDED, Case
from losses.probe import Mutant, check_seed, check_value

pytestmark = pytest.mark.interpreter
BATCH = len(LOGITS)
Change = Callable[[Builder, Value, Value, Evaluated], Evaluated]


def seed_times(factor: float) -> Change:
    return lambda b, output, label, right: replace(right, seed=right.seed * factor)


def value_times(factor: float) -> Change:
    return lambda b, output, label, right: replace(right, value=right.value * factor)


def seed_of(other: Loss) -> Change:
    return lambda b, output, label, right: replace(right, seed=other.write(b, output, label).seed)


def value_of(other: Loss) -> Change:
    return lambda b, output, label, right: replace(right, value=other.write(b, output, label).value)


SCALES = {
    "scaled by 1.001": seed_times(1.001),
    "the other sign": seed_times(-1),
    "N - 1 for N": seed_times(BATCH / (BATCH - 1)),
    "not divided by N": seed_times(BATCH),
    "divided by N twice": seed_times(1 / BATCH),
}
SWAPS = {
    "the seed of the unsmoothed loss": (CASES["smoothed"], seed_of(CASES["plain"].loss)),
    "the value of the unsmoothed loss": (CASES["smoothed"], value_of(CASES["plain"].loss)),
    "the focal weight not differentiated away from 1": (
        CASES["focal 2.0"],
        seed_of(CASES["plain"].loss),
    ),
    "another exponent": (CASES["focal 2.0"], seed_of(CASES["focal 1.0"].loss)),
    "weights forgotten in the seed": (CASES["weights"], seed_of(CASES["plain"].loss)),
    "the other normalisation": (CASES["weights"], seed_of(CASES["weights, by count"].loss)),
    "ignored rows that are counted": (
        Case(CASES["ignored inside"].loss, INDEX),
        seed_of(CASES["plain"].loss),
    ),
    "ignored rows that are counted in the smoothing": (
        Case(CASES["ignored, smoothed"].loss, PADDED),
        seed_of(CASES["smoothed"].loss),
    ),
}


@pytest.mark.parametrize("change", SCALES.values(), ids=SCALES.keys())
@pytest.mark.parametrize("name", ["plain", "smoothed", "weights", "focal 2.0", "uneven rows"])
def test_a_scaled_seed_is_found(name: str, change: Change) -> None:
    case = CASES[name]
    with pytest.raises(AssertionError, match="ulps apart"):
        check_seed(Mutant(case.loss, change), LOGITS, case.labels)


@pytest.mark.parametrize("name", ["plain", "weights", "focal 2.0"])
def test_a_scaled_value_is_found(name: str) -> None:
    case = CASES[name]
    for check in (check_value, check_seed):
        with pytest.raises(AssertionError, match="ulps apart"):
            check(Mutant(case.loss, value_times(1.001)), LOGITS, case.labels)


@pytest.mark.parametrize(("case", "change"), SWAPS.values(), ids=SWAPS.keys())
def test_value_and_seed_of_two_losses_are_found(case: Case, change: Change) -> None:
    with pytest.raises(AssertionError, match="ulps apart"):
        check_seed(Mutant(case.loss, change), LOGITS, case.labels)


@pytest.mark.parametrize("classes", [2, 3])
def test_smoothing_for_ten_classes_is_found_at_any_other_count(classes: int) -> None:
    """e / 10 instead of e / K, in value and seed alike: only the definition tells."""
    logits, labels = LOGITS[:, :classes], INDEX % classes
    loss = CASES["smoothed"].loss

    def tenths(b: Builder, output: Value, label: Value, right: Evaluated) -> Evaluated:
        plain = CASES["plain"].loss.write(b, output, label)
        excess = (right.value - plain.value) * (classes / 10)
        return replace(right, value=plain.value + excess)

    check_value(loss, logits, labels)
    with pytest.raises(AssertionError, match="ulps apart"):
        check_value(Mutant(loss, tenths), logits, labels)


@pytest.mark.parametrize("loss", [MeanSquaredError(), BinaryCrossEntropy()], ids=lambda x: x.kind)
@pytest.mark.parametrize("factor", [1.001, -1, 0.5, 2, 5], ids=str)
def test_a_wrong_factor_of_an_elementwise_loss_is_found(loss: Loss, factor: float) -> None:
    """0.5: the 2 of the square forgotten; 5: divided by B instead of B K."""
    targets = np.random.default_rng(0).uniform(0, 1, LOGITS.shape)
    with pytest.raises(AssertionError, match="ulps apart"):
        check_seed(Mutant(loss, seed_times(factor)), LOGITS, targets)


def test_the_right_loss_passes_as_a_mutant_of_nothing() -> None:
    case = CASES["plain"]
    same = Mutant(case.loss, lambda b, output, label, right: right)
    check_value(same, LOGITS, case.labels)
    check_seed(same, LOGITS, case.labels)
