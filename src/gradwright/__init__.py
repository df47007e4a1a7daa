"""Gradwright: a declared net becomes one StableHLO text that trains it."""

from gradwright import data, layers, losses, optim, programs, run, train, zoo
from gradwright.errors import GradwrightError
from gradwright.programs import Program, init
from gradwright.spec import Flat, Image, NetSpec, Tokens

__all__ = [
    "Flat",
    "GradwrightError",
    "Image",
    "NetSpec",
    "Program",
    "Tokens",
    "data",
    "init",
    "layers",
    "losses",
    "optim",
    "programs",
    "run",
    "train",
    "zoo",
]
