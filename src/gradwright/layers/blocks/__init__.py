"""Blocks of published nets: short compositions of primitives; their backward is the chain rule."""

from gradwright.layers.blocks.convnext import ConvNeXtBlock, ConvNeXtDownsample, ConvNeXtStem
from gradwright.layers.blocks.darknet import CspBlock, DarknetUnit
from gradwright.layers.blocks.inverted import (
    FusedInvertedResidual,
    InvertedResidual,
    SeparableConv,
    SqueezeExcite,
    UniversalInvertedBottleneck,
)
from gradwright.layers.blocks.joined import Aspp, DenseLayer, DenseTransition, Fire, Inception
from gradwright.layers.blocks.residual import BasicBlock, Bottleneck
from gradwright.layers.blocks.shuffle import ShuffleUnit, ShuffleV2Unit
from gradwright.layers.blocks.unet import UNetLevel

__all__ = [
    "Aspp",
    "BasicBlock",
    "Bottleneck",
    "ConvNeXtBlock",
    "ConvNeXtDownsample",
    "ConvNeXtStem",
    "CspBlock",
    "DarknetUnit",
    "DenseLayer",
    "DenseTransition",
    "Fire",
    "FusedInvertedResidual",
    "Inception",
    "InvertedResidual",
    "SeparableConv",
    "ShuffleUnit",
    "ShuffleV2Unit",
    "SqueezeExcite",
    "UNetLevel",
    "UniversalInvertedBottleneck",
]
