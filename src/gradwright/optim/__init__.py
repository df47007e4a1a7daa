"""Optimizers: update rules with every convention named."""

from gradwright.optim.adam import Adam, AdamW, EpsilonPlacement
from gradwright.optim.optimizer import (
    Clock,
    Constants,
    Correction,
    DecayScale,
    Optimizer,
    Partition,
)
from gradwright.optim.sgd import Momentum, Nesterov, NesterovForm, Sgd

__all__ = [
    "Adam",
    "AdamW",
    "Clock",
    "Constants",
    "Correction",
    "DecayScale",
    "EpsilonPlacement",
    "Momentum",
    "Nesterov",
    "NesterovForm",
    "Optimizer",
    "Partition",
    "Sgd",
]
