"""Named nets, and weights of their reference implementations."""

from gradwright.zoo.catalogue import NAMES as CATALOGUE
from gradwright.zoo.catalogue import waiting
from gradwright.zoo.nets import DEFAULT_CLASSES, NETS
from gradwright.zoo.registry import PUBLISHED, get, names
from gradwright.zoo.weights import load

__all__ = ["CATALOGUE", "DEFAULT_CLASSES", "NETS", "PUBLISHED", "get", "load", "names", "waiting"]
