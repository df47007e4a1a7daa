"""Tuning: the fastest form of each site of a net, found by measuring on this machine."""

from gradwright.tune.store import Store
from gradwright.tune.tuned import tune, tuned
from gradwright.tune.verdict import Trial, Tuning

__all__ = ["Store", "Trial", "Tuning", "tune", "tuned"]
