"""Learning-rate schedules against numbers worked out by hand."""

import math
from typing import cast

import pytest

from gradwright.errors import SpecError
from gradwright.train import Decay, Schedule, TrainOptions

# Peak 0.8, warm-up 2 of 10 steps, down to a quarter: lr(s) = 0.8 (0.25 + 0.75 (1 + cos a) / 2) with
# a = pi (s - 2) / 8; cos(pi/4) = 0.70710678, cos(pi/2) = 0, cos(pi) = -1.
COSINE = Schedule(0.8, 10, warmup_steps=2, decay=Decay.COSINE, final_fraction=0.25)


@pytest.mark.parametrize(
    ("step", "rate"),
    [(1, 0.4), (2, 0.8), (4, 0.71213203), (6, 0.5), (8, 0.28786797), (10, 0.2)],
)
def test_cosine_with_warmup_gives_the_numbers_worked_out_by_hand(step: int, rate: float) -> None:
    assert COSINE.lr(step) == pytest.approx(rate, abs=1e-8)


def test_a_constant_schedule_keeps_the_peak_after_the_warmup() -> None:
    rates = [Schedule(0.3, 5, warmup_steps=3).lr(step) for step in range(1, 6)]
    assert rates == pytest.approx([0.1, 0.2, 0.3, 0.3, 0.3])


def test_without_warmup_the_first_step_of_a_cosine_is_already_on_the_curve() -> None:
    schedule = Schedule(1.0, 4, decay=Decay.COSINE)
    expected = [(1 + math.cos(math.pi * step / 4)) / 2 for step in range(1, 5)]
    assert [schedule.lr(step) for step in range(1, 5)] == expected
    assert schedule.lr(4) == 0.0


def test_warmup_may_last_the_whole_run() -> None:
    schedule = Schedule(1.0, 4, warmup_steps=4, decay=Decay.COSINE)
    assert [schedule.lr(step) for step in range(1, 5)] == [0.25, 0.5, 0.75, 1.0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Schedule(-1.0, 3),
            "Schedule.peak: expected a number of at least 0 that f32 holds, found -1.0",
        ),
        (
            lambda: Schedule(math.inf, 3),
            "Schedule.peak: expected a number of at least 0 that f32 holds, found inf",
        ),
        (lambda: Schedule(1.0, 0), "Schedule.total_steps: expected at least 1, found 0"),
        (
            lambda: Schedule(1.0, 3, warmup_steps=4),
            "Schedule.warmup_steps: expected 0 to 3 (total_steps), found 4",
        ),
        (
            lambda: Schedule(1.0, 3, final_fraction=1.5),
            "Schedule.final_fraction: expected a number from 0 to 1, found 1.5",
        ),
        (
            lambda: Schedule(1.0, 3).lr(0),
            "Schedule.step: expected 1 to 3 (total_steps), found 0",
        ),
        (
            lambda: Schedule(1.0, 3).lr(4),
            "Schedule.step: expected 1 to 3 (total_steps), found 4",
        ),
        (lambda: TrainOptions(epochs=0), "TrainOptions.epochs: expected at least 1, found 0"),
        (lambda: TrainOptions(seed=-1), "TrainOptions.seed: expected at least 0, found -1"),
        (
            lambda: TrainOptions(warmup_epochs=math.nan),
            "TrainOptions.warmup_epochs: expected at least 0, found nan",
        ),
        (
            lambda: TrainOptions(epochs=2, warmup_epochs=3),
            "TrainOptions.warmup_epochs: expected at most 2 (epochs), found 3",
        ),
        (
            lambda: TrainOptions(lr=math.nan),
            "Schedule.peak: expected a number of at least 0 that f32 holds, found nan",
        ),
        (
            lambda: TrainOptions(lr=1e39),
            "Schedule.peak: expected a number of at least 0 that f32 holds, found 1e+39",
        ),
        (
            lambda: TrainOptions(batch=2**31),
            "TrainOptions.batch: expected at most 2147483647, found 2147483648",
        ),
        (
            lambda: TrainOptions(epochs=cast("int", 1.5)),
            "TrainOptions.epochs: expected a plain integer, found 1.5",
        ),
        (
            lambda: TrainOptions(decay=cast("Decay", "constant")),
            "TrainOptions.decay: expected one of Decay.CONSTANT, Decay.COSINE, found 'constant'",
        ),
        (
            lambda: Schedule(cast("float", "0.1"), 3),
            "Schedule.peak: expected a plain number, found '0.1'",
        ),
    ],
)
def test_numbers_outside_the_domain_are_refused(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(SpecError) as caught:
        make()
    assert str(caught.value) == message


def test_epochs_and_warmup_of_the_options_become_steps_of_the_schedule() -> None:
    options = TrainOptions(epochs=4, lr=0.5, warmup_epochs=0.5, final_fraction=0.1)
    schedule = options.schedule(steps_per_epoch=9)
    assert schedule == Schedule(0.5, 36, 4, Decay.COSINE, 0.1)
