"""Every variant of softmax cross-entropy with labels to try it on."""

from dataclasses import dataclass

import numpy as np

from gradwright.losses import Labels, Normalization, SoftmaxCrossEntropy
from losses.closeness import Array

BATCH, CLASSES = 4, 5
LOGITS: Array = np.random.default_rng(7).normal(0, 2, (BATCH, CLASSES))
INDEX = np.array([1, 4, 0, 1], np.int32)
PADDED = np.array([1, -100, 0, 3], np.int32)
ONE_HOT: Array = np.eye(CLASSES)[INDEX]
MIXED: Array = np.random.default_rng(8).dirichlet(np.ones(CLASSES), BATCH)
UNEVEN: Array = np.random.default_rng(9).uniform(0, 1, (BATCH, CLASSES))
WEIGHTS = (0.5, 2.0, 0.25, 1.5, 3.0)
WITH_ZERO = (0.5, 0.0, 0.25, 1.5, 3.0)


@dataclass(frozen=True, slots=True)
class Case:
    """A loss and labels for LOGITS."""

    loss: SoftmaxCrossEntropy
    labels: Array


def _case(labels: Array, **settings: object) -> Case:
    kind = Labels.SOFT if labels.ndim == 2 else Labels.INDEX
    return Case(SoftmaxCrossEntropy(kind, **settings), labels)  # type: ignore[arg-type] # by name


COUNT = Normalization.COUNT
CASES = {
    "plain": _case(INDEX),
    "smoothed": _case(INDEX, label_smoothing=0.1),
    "weights": _case(INDEX, class_weights=WEIGHTS),
    "weights, by count": _case(INDEX, class_weights=WEIGHTS, normalization=COUNT),
    "a weight of zero": _case(INDEX, class_weights=WITH_ZERO),
    "a weight of zero, by count": _case(INDEX, class_weights=WITH_ZERO, normalization=COUNT),
    "weights, smoothed": _case(INDEX, class_weights=WEIGHTS, label_smoothing=0.2),
    "weights, smoothed, by count": _case(
        INDEX, class_weights=WEIGHTS, label_smoothing=0.2, normalization=COUNT
    ),
    "ignored outside": _case(PADDED, ignore_index=-100),
    "ignored inside": _case(INDEX, ignore_index=4),
    "ignored, smoothed": _case(PADDED, ignore_index=-100, label_smoothing=0.2),
    "ignored inside, smoothed": _case(INDEX, ignore_index=4, label_smoothing=0.2),
    "ignored, weights": _case(PADDED, ignore_index=-100, class_weights=WEIGHTS),
    "ignored inside, weights": _case(INDEX, ignore_index=4, class_weights=WEIGHTS),
    "ignored, weights, smoothed": _case(
        PADDED, ignore_index=-100, class_weights=WEIGHTS, label_smoothing=0.1
    ),
    "ignored, weights, by count": _case(
        PADDED, ignore_index=-100, class_weights=WEIGHTS, normalization=COUNT
    ),
    **{f"focal {g}": _case(INDEX, focal_gamma=g) for g in (0.0, 0.5, 1.0, 2.0, 5.0)},
    "focal, weights": _case(INDEX, focal_gamma=2.0, class_weights=WEIGHTS),
    "focal, ignored": _case(PADDED, focal_gamma=2.0, ignore_index=-100),
    "one-hot": _case(ONE_HOT),
    "mixed": _case(MIXED),
    "uneven rows": _case(UNEVEN),
    "mixed, smoothed": _case(MIXED, label_smoothing=0.1),
    "uneven rows, smoothed": _case(UNEVEN, label_smoothing=0.1),
    "uneven rows, weights": _case(UNEVEN, class_weights=WEIGHTS),
    "uneven rows, weights, by count": _case(UNEVEN, class_weights=WEIGHTS, normalization=COUNT),
    "uneven rows, weights, smoothed": _case(UNEVEN, class_weights=WEIGHTS, label_smoothing=0.2),
}
