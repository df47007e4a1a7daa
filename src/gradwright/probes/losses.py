"""The probes of losses: every loss, and cross-entropy with each of its settings."""

from gradwright.losses import (
    BinaryCrossEntropy,
    Labels,
    MeanSquaredError,
    Normalization,
    SoftmaxCrossEntropy,
)
from gradwright.probes.probe import LossProbe

LOGITS = (4, 5)
"""Examples, classes."""
WEIGHTS = (0.5, 2.0, 0.25, 1.5, 3.0)
"""One for each class, no two equal."""
IGNORED = 2
"""A class that labels do have, so that ignoring it changes the value."""
GAMMA = 2.0
"""Source: Lin et al. 2017, "Focal Loss", section 4: the value that worked best."""
SMOOTHING = 0.1
"""Source: Szegedy et al. 2016, "Rethinking the Inception Architecture", section 7."""

LOSSES: dict[str, LossProbe] = {
    "mse": LossProbe(MeanSquaredError(), (2, 3, 4, 5)),
    "bce": LossProbe(BinaryCrossEntropy(), (4, 3)),
    "cross-entropy": LossProbe(SoftmaxCrossEntropy(), LOGITS),
    "cross-entropy-soft": LossProbe(SoftmaxCrossEntropy(Labels.SOFT), LOGITS),
    "cross-entropy-smoothed": LossProbe(SoftmaxCrossEntropy(label_smoothing=SMOOTHING), LOGITS),
    "cross-entropy-weighted": LossProbe(SoftmaxCrossEntropy(class_weights=WEIGHTS), LOGITS),
    "cross-entropy-weighted-by-count": LossProbe(
        SoftmaxCrossEntropy(class_weights=WEIGHTS, normalization=Normalization.COUNT), LOGITS
    ),
    "cross-entropy-ignoring": LossProbe(SoftmaxCrossEntropy(ignore_index=IGNORED), LOGITS),
    "focal": LossProbe(SoftmaxCrossEntropy(focal_gamma=GAMMA), LOGITS),
}
"""Every loss alone, by the name of its probe."""
