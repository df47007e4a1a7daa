"""Named nets."""

from gradwright.zoo.nets import DEFAULT_CLASSES, NETS, get

__all__ = ["DEFAULT_CLASSES", "NETS", "get"]
