"""What a user declares: nets, inputs, slots, initialisers, conventions."""

from gradwright.spec.inputs import Flat, Image, Input, Tokens
from gradwright.spec.net import Entry, Layer, NetSpec, Plan
from gradwright.spec.slots import Constant, Decay, HeNormal, Initializer, MaskSlot, Slot

__all__ = [
    "Constant",
    "Decay",
    "Entry",
    "Flat",
    "HeNormal",
    "Image",
    "Initializer",
    "Input",
    "Layer",
    "MaskSlot",
    "NetSpec",
    "Plan",
    "Slot",
    "Tokens",
]
