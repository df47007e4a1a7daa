"""Masks of dropout: what they hold and what they depend on."""

import numpy as np
import pytest

from gradwright.train import draw_mask


def test_a_mask_holds_zero_and_one_over_keep() -> None:
    mask = draw_mask(3, 1, "drop", (7, 5, 3), 0.7)
    assert mask.shape == (7, 5, 3)
    assert mask.dtype == np.float32
    assert set(np.unique(mask)) == {np.float32(0), np.float32(1 / 0.7)}


def test_keep_one_gives_ones() -> None:
    assert (draw_mask(3, 1, "drop", (101,), 1.0) == 1).all()


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.9])
def test_the_mean_of_a_mask_is_one(keep: float) -> None:
    count = 100_000
    mean = float(draw_mask(0, 1, "drop", (count,), keep).mean(dtype=np.float64))
    deviation = np.sqrt((1 - keep) / keep / count)
    assert abs(mean - 1) < 5 * deviation


def test_a_mask_depends_on_seed_step_and_name_and_on_nothing_else() -> None:
    first = draw_mask(0, 1, "a", (1000,), 0.5)
    assert (draw_mask(0, 1, "a", (1000,), 0.5) == first).all()
    for other in [(1, 1, "a"), (0, 2, "a"), (0, 1, "b")]:
        differing = (draw_mask(*other, (1000,), 0.5) != first).mean()
        assert 0.4 < differing < 0.6


def test_the_stream_is_pinned() -> None:
    # Philox words are stable between NumPy releases, so these bits are too.
    mask = draw_mask(42, 7, "drop1.mask", (16,), 0.5)
    assert "".join(str(int(value > 0)) for value in mask) == "1000010111111110"


def test_scalars_and_odd_sizes_are_drawn_whole() -> None:
    assert draw_mask(0, 1, "a", (), 1.0).shape == ()
    assert draw_mask(0, 1, "a", (3,), 1.0).shape == (3,)
    assert draw_mask(0, 1, "a", (0, 4), 1.0).shape == (0, 4)
