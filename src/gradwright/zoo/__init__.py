"""Named nets, weights of their reference implementations, and named programs."""

from gradwright.zoo.artifacts import ARTIFACTS, artifact, artifact_names
from gradwright.zoo.catalogue import NAMES as CATALOGUE
from gradwright.zoo.catalogue import waiting
from gradwright.zoo.nets import DEFAULT_CLASSES, NETS
from gradwright.zoo.registry import PUBLISHED, get, names
from gradwright.zoo.weights import load

__all__ = [
    "ARTIFACTS",
    "CATALOGUE",
    "DEFAULT_CLASSES",
    "NETS",
    "PUBLISHED",
    "artifact",
    "artifact_names",
    "get",
    "load",
    "names",
    "waiting",
]
