"""Augmentation: what each choice does to an image, and that choices depend on the seed only."""

from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.samples import pixels, refusal, split
from gradwright.data import Augmentation, EpochAugmentation, Flip, LastBatch, batches


def chosen(padding: int, flipped: bool, top: int, left: int) -> EpochAugmentation:
    return EpochAugmentation(padding, np.array([flipped]), np.array([top]), np.array([left]))


def test_a_flip_mirrors_left_to_right() -> None:
    image = np.arange(6, dtype=np.uint8).reshape(1, 1, 2, 3)
    found = chosen(0, True, 0, 0).apply(image, slice(0, 1))
    assert found[0, 0].tolist() == [[2, 1, 0], [5, 4, 3]]


@pytest.mark.parametrize(
    ("top", "left", "expected"),
    [
        (1, 1, [[1, 2, 3], [4, 5, 6]]),
        (0, 0, [[0, 0, 0], [0, 1, 2]]),
        (2, 2, [[5, 6, 0], [0, 0, 0]]),
        (0, 2, [[0, 0, 0], [2, 3, 0]]),
        (2, 1, [[4, 5, 6], [0, 0, 0]]),
    ],
)
def test_a_crop_shifts_and_fills_with_0(top: int, left: int, expected: list[list[int]]) -> None:
    image = np.arange(1, 7, dtype=np.uint8).reshape(1, 1, 2, 3)
    found = chosen(1, False, top, left).apply(image, slice(0, 1))
    assert found[0, 0].tolist() == expected


@given(
    count=st.integers(1, 12),
    channels=st.integers(1, 3),
    padding=st.integers(0, 3),
    flip=st.sampled_from(Flip),
    seed=st.integers(0, 99),
)
def test_every_image_gets_its_own_choice(
    count: int, channels: int, padding: int, flip: Flip, seed: int
) -> None:
    """The vectorised form equals the plain one, image by image, over a slice of the epoch."""
    images = pixels(count, channels, 5, 4, seed=seed)
    before = images.copy()
    epoch = Augmentation(flip, padding).epoch(count + 3, seed=seed, epoch=2)
    found = epoch.apply(images, slice(3, count + 3))
    for i in range(count):
        side = (padding, padding)
        padded = np.pad(images[i], ((0, 0), side, side))
        top, left = int(epoch.top[i + 3]), int(epoch.left[i + 3])
        expected = padded[:, top : top + 5, left : left + 4]
        if epoch.flipped[i + 3]:
            expected = expected[..., ::-1]
        np.testing.assert_array_equal(found[i], expected)
    np.testing.assert_array_equal(images, before)


def test_choices_cover_their_range_evenly() -> None:
    epoch = Augmentation(Flip.HALF, padding=2).epoch(10_000, seed=0, epoch=0)
    # Six standard deviations of a binomial count.
    assert abs(int(epoch.flipped.sum()) - 5000) < 6 * np.sqrt(2500)
    for offsets in (epoch.top, epoch.left):
        counts = np.bincount(offsets, minlength=5)
        assert len(counts) == 5
        assert np.abs(counts - 2000).max() < 6 * np.sqrt(1600)
    assert abs(np.corrcoef(epoch.top, epoch.left)[0, 1]) < 6 / np.sqrt(10_000)


def test_never_flips_never() -> None:
    assert not Augmentation(padding=2).epoch(1000, seed=0, epoch=0).flipped.any()


def test_choices_depend_on_seed_and_epoch_only() -> None:
    augmentation = Augmentation(Flip.HALF, padding=4)

    def fingerprint(seed: int, epoch: int) -> bytes:
        drawn = augmentation.epoch(50, seed=seed, epoch=epoch)
        return drawn.flipped.tobytes() + drawn.top.tobytes() + drawn.left.tobytes()

    prints = {key: fingerprint(*key) for key in ((0, 0), (0, 1), (1, 0))}
    assert len(set(prints.values())) == 3
    assert all(fingerprint(*key) == text for key, text in prints.items())


def test_each_batch_takes_the_choices_of_its_positions() -> None:
    made, order = split(10), np.arange(9, -1, -1)
    choices = Augmentation(Flip.HALF, padding=2).epoch(10, seed=0, epoch=0)
    drawn = batches(made, 4, order, LastBatch.PAD, augmentation=choices)
    found = np.concatenate([batch.images[: batch.count] for batch in drawn])
    expected = made.normalisation.apply(choices.apply(made.images[order], slice(0, 10)))
    np.testing.assert_array_equal(found, expected)


def test_padding_is_0_before_normalisation() -> None:
    made = split(1)
    augmentation = chosen(1, False, 0, 0)  # its first row and column lie outside the image
    [batch] = batches(made, 1, np.arange(1), LastBatch.DROP, augmentation=augmentation)
    black = (0 - 0.4) / 0.3
    border = np.append(batch.images[0, 0, 0], batch.images[0, 0, :, 0])
    np.testing.assert_array_almost_equal_nulp(border, np.full(len(border), black, np.float32), 1)


@pytest.mark.parametrize("padding", [-1, 1.5, "2", None, True], ids=repr)
def test_padding_is_a_number_of_pixels(padding: object) -> None:
    assert refusal(lambda: Augmentation(padding=cast("int", padding))) == (
        f"augmentation padding: expected a plain integer, pixels >= 0, found {padding!r}"
    )


def test_a_flip_is_a_member_and_not_its_spelling() -> None:
    assert refusal(lambda: Augmentation(flip=cast("Flip", "half"))) == (
        "augmentation flip: expected one of Flip.NEVER, Flip.HALF, found 'half'"
    )


@pytest.mark.parametrize("padding", [4, 10**11])
def test_a_crop_that_would_miss_the_picture_is_refused(padding: int) -> None:
    made = split(3)
    choices = Augmentation(padding=padding).epoch(3, seed=0, epoch=0)
    height, width = made.shape[1:]
    assert refusal(
        lambda: batches(made, 2, np.arange(3), LastBatch.DROP, augmentation=choices)
    ) == (
        f"augmentation padding: expected less than the pictures' {height} x {width} pixels, so "
        f"that each crop shows some, found {padding}"
    )
