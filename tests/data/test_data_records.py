"""Splits, data sets and the one normalisation rule."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.samples import pixels, refusal, split
from gradwright.data import Dataset, Normalisation, Split, measure

RULE = Normalisation(1 / 255, (0.5,), (0.25,))
ONE = Normalisation(1.0, (0.0,), (1.0,))


def dataset(train: Split, test: Split, classes: int = 3) -> Dataset:
    return Dataset("small", train, test, tuple("abcdefgh"[:classes]), "made here")


def test_the_rule_is_scale_then_mean_then_std() -> None:
    stored = np.array([0, 51, 255], np.uint8).reshape(1, 1, 1, 3)
    # 0 -> -0.5 / 0.25; 51/255 = 0.2 -> -0.3 / 0.25; 1 -> 0.5 / 0.25
    found = RULE.apply(stored)
    assert found.dtype == np.float32
    np.testing.assert_array_almost_equal_nulp(
        found.ravel(), np.array([-2.0, -1.2, 2.0], np.float32), nulp=2
    )


def test_each_channel_has_its_own_rule() -> None:
    rule = Normalisation(1.0, (0.0, 0.5), (1.0, 0.5))
    found = rule.apply(np.ones((2, 2, 1, 1), np.float32))
    assert found[:, :, 0, 0].tolist() == [[1.0, 1.0]] * 2


def test_applying_leaves_the_stored_pixels_alone() -> None:
    stored = np.full((1, 1, 2, 2), 0.5, np.float32)
    ONE.apply(stored)
    Normalisation(1.0, (0.5,), (2.0,)).apply(stored)
    assert (stored == 0.5).all()


@given(count=st.integers(1, 1100), channels=st.integers(1, 3), seed=st.integers(0, 99))
def test_measured_pixels_have_mean_0_and_std_1(count: int, channels: int, seed: int) -> None:
    stored = pixels(count, channels, 2, 3, seed=seed)
    rule = measure(stored, scale=1 / 255)
    scaled = stored.astype(np.float64) / 255
    np.testing.assert_allclose(rule.mean, scaled.mean(axis=(0, 2, 3)), rtol=1e-12)
    np.testing.assert_allclose(rule.std, scaled.std(axis=(0, 2, 3)), rtol=1e-9)


def test_bytes_and_the_same_floats_measure_alike() -> None:
    stored = pixels(7, 2, 3, 3)
    a, b = measure(stored, scale=1 / 255), measure(stored.astype(np.float32), scale=1 / 255)
    np.testing.assert_allclose(a.mean + a.std, b.mean + b.std, rtol=1e-12)


def test_a_constant_channel_is_not_divided_by_0() -> None:
    assert measure(np.full((3, 1, 2, 2), 255, np.uint8), scale=1 / 255).std == (1.0,)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (
            lambda: Normalisation(1.0, (0.0,), (1.0, 1.0)),
            "normalisation: expected one mean and one std per channel, found 1 means and 2 stds",
        ),
        (
            lambda: Normalisation(1.0, (0.0,), (0.0,)),
            "normalisation: expected finite numbers, scale > 0 and std > 0, "
            "found scale 1.0, mean (0.0,), std (0.0,)",
        ),
        (
            lambda: Normalisation(float("nan"), (0.0,), (1.0,)),
            "normalisation: expected finite numbers, scale > 0 and std > 0, "
            "found scale nan, mean (0.0,), std (1.0,)",
        ),
    ],
)
def test_a_senseless_rule_is_refused(rule: Callable[[], object], text: str) -> None:
    assert refusal(rule) == text


def floats(*values: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.array(values, np.float32).reshape(len(values), 1, 1, 1)


LABELS = np.zeros(2, np.int32)
# What a caller without a type checker may bring.
WIDE_LABELS: Any = LABELS.astype(np.int64)
WIDE_PIXELS: Any = floats(0, 1).astype(np.float64)


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (
            lambda: Split(WIDE_PIXELS, LABELS, ONE),
            "images: expected uint8 or float32 pixels, found float64",
        ),
        (
            lambda: Split(floats(0, 1)[:, 0], LABELS, ONE),
            "images: expected images of shape [N, C, H, W], no size 0, found shape [2, 1, 1]",
        ),
        (
            lambda: Split(floats(), LABELS[:0], ONE),
            "images: expected images of shape [N, C, H, W], no size 0, found shape [0, 1, 1, 1]",
        ),
        (
            lambda: Split(floats(0, np.nan), LABELS, ONE),
            "images: expected finite pixels, found NaN in image 1",
        ),
        (
            lambda: Split(floats(0, np.inf), LABELS, ONE),
            "images: expected pixels in 0..1 after the declared scale 1, found 0..inf before it. "
            "Declare the scale the pixels have, e.g. 1/255 for bytes",
        ),
        (
            lambda: Split(floats(-0.5, 1), LABELS, ONE),
            "images: expected pixels in 0..1 after the declared scale 1, found -0.5..1 before it. "
            "Declare the scale the pixels have, e.g. 1/255 for bytes",
        ),
        (
            lambda: Split(floats(0, 1), WIDE_LABELS, ONE),
            "labels: expected int32, found int64",
        ),
        (
            lambda: Split(floats(0, 1), np.array([0, -1], np.int32), ONE),
            "labels: expected labels in 0..2147483647, found label -1 at index 1",
        ),
        (
            lambda: Split(floats(0, 1), LABELS[:1], ONE),
            "labels: expected 2 labels, one per image, found 1. "
            "Images and labels belong to different files or one of them is incomplete",
        ),
        (
            lambda: Split(floats(0, 1), LABELS[:, None], ONE),
            "labels: expected integer labels of shape [N], found int32 of shape [2, 1]",
        ),
        (
            lambda: Split(floats(0, 1), LABELS, Normalisation(1.0, (0.0,) * 3, (1.0,) * 3)),
            "normalisation: expected 1 channels, as the images have, found 3",
        ),
    ],
)
def test_a_split_that_is_not_what_it_claims_is_refused(
    made: Callable[[], object], text: str
) -> None:
    assert refusal(made) == text


def test_bytes_declared_as_0_to_1_are_refused() -> None:
    """bugs L12: pixels 0..255 where 0..1 was meant; gradients some 500 times too large."""
    stored = np.array([0, 255], np.uint8).reshape(2, 1, 1, 1)
    assert refusal(lambda: Split(stored, LABELS, ONE)) == (
        "images: expected pixels in 0..1 after the declared scale 1, found 0..255 before it. "
        "Declare the scale the pixels have, e.g. 1/255 for bytes"
    )
    Split(stored, LABELS, RULE)


def test_a_split_cannot_be_written_to() -> None:
    made = split(4)
    with pytest.raises(ValueError, match="read-only"):
        made.images[0] = 0
    with pytest.raises(ValueError, match="read-only"):
        made.labels[0] = 0


def test_the_arrays_a_split_was_made_from_stay_writable() -> None:
    stored, labels = pixels(2, 1, 2, 2), np.zeros(2, np.int32)
    Split(stored, labels, RULE)
    assert stored.flags.writeable
    assert labels.flags.writeable


def test_a_split_knows_its_sizes() -> None:
    made = split(7, classes=3, channels=2)
    assert len(made) == 7
    assert made.shape == (2, 5, 4)
    assert made.class_counts(4) == (3, 2, 2, 0)


def test_a_label_without_class_is_refused() -> None:
    assert refusal(lambda: dataset(split(6), split(6), classes=2)) == (
        "small train: expected labels in 0..1, found label 2 at index 2"
    )


def test_splits_normalised_differently_are_refused() -> None:
    train = split(6)
    other = Split(train.images, train.labels, RULE)
    assert refusal(lambda: dataset(train, other)) == (
        "small test: expected the normalisation of train, found another"
    )


def test_missing_classes_are_warned_of() -> None:
    found = dataset(split(6, classes=2), split(2, classes=2), classes=3)
    assert found.warnings == (
        "small: class 2 (c) has no train sample",
        "small: class 2 (c) has no test sample",
    )
    assert dataset(split(6), split(3)).warnings == ()


def again(made: Split) -> Split:
    return Split(made.images, made.labels, RULE)


def test_the_fingerprint_sees_every_part() -> None:
    train, test = split(6), split(3, seed=1)
    changed = train.images.copy()
    changed[5, 0, 4, 3] ^= 1
    labels = train.labels.copy()
    labels[0], labels[1] = labels[1], labels[0]
    variants = [
        dataset(train, test),
        dataset(Split(changed, train.labels, train.normalisation), test),
        dataset(Split(train.images, labels, train.normalisation), test),
        dataset(train, split(3, seed=2)),
        dataset(train, test, classes=4),
        dataset(again(train), again(test)),
    ]
    prints = [variant.fingerprint() for variant in variants]
    assert len(set(prints)) == len(variants)
    assert all(len(text) == 64 for text in prints)


def test_the_fingerprint_does_not_see_name_and_source() -> None:
    train, test = split(6), split(3)
    other = Dataset("other", train, test, tuple("abc"), "elsewhere")
    assert other.fingerprint() == dataset(train, test).fingerprint()
