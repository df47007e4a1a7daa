"""Nets by a line of text each: the layer lists and exact counts that lean4-mlir publishes."""

from gradwright.zoo.catalogue.build import build, waiting
from gradwright.zoo.catalogue.rows import ROWS, Row

NAMES = tuple(name for name in ROWS if name not in waiting())
"""The nets that can be built."""

__all__ = ["NAMES", "ROWS", "Row", "build", "waiting"]
