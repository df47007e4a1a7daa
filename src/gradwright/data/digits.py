"""The handwritten digits that scikit-learn carries: 8×8, no download."""

from typing import Any, cast

import numpy as np

from gradwright.data.normalisation import measure
from gradwright.data.records import Dataset, Split
from gradwright.data.streams import stratified
from gradwright.kinds import checked

_TEST_SAMPLES = 360
_SCALE = 1 / 16


@checked
def load_digits(*, seed: int = 0) -> Dataset:
    """Load the 1,797 digits as 1,437 training and 360 test samples, stratified by class.

    Shapes: images [N, 1, 8, 8] uint8, values 0..16, scale 1/16.
    Source: UCI «Optical Recognition of Handwritten Digits», test part, as in scikit-learn.
    """
    # Imported here: scikit-learn takes a second to import, and only this set needs it.
    from sklearn import datasets  # pyright: ignore[reportMissingTypeStubs] - it has none

    bunch = cast(Any, datasets).load_digits()  # scikit-learn is untyped
    images = np.asarray(bunch.images).astype(np.uint8)[:, None]
    labels = np.asarray(bunch.target).astype(np.int32)
    train, test = stratified(labels, test=_TEST_SAMPLES, seed=seed)
    rule = measure(images[train], scale=_SCALE)
    return Dataset(
        "digits",
        Split(images[train], labels[train], rule),
        Split(images[test], labels[test], rule),
        tuple("0123456789"),
        source=f"scikit-learn load_digits, split seed {seed}",
    )
