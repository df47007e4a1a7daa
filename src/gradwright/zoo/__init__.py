"""Named nets, and weights of their reference implementations."""

from gradwright.zoo.nets import DEFAULT_CLASSES, NETS
from gradwright.zoo.registry import PUBLISHED, get, names
from gradwright.zoo.weights import load

__all__ = ["DEFAULT_CLASSES", "NETS", "PUBLISHED", "get", "load", "names"]
