"""Losses: how labels are passed, the value, and the cotangent that starts the backward."""

from gradwright.losses.cross_entropy import Labels, Normalization, SoftmaxCrossEntropy
from gradwright.losses.loss import Evaluated, Loss
from gradwright.losses.regression import BinaryCrossEntropy, MeanSquaredError

__all__ = [
    "BinaryCrossEntropy",
    "Evaluated",
    "Labels",
    "Loss",
    "MeanSquaredError",
    "Normalization",
    "SoftmaxCrossEntropy",
]
