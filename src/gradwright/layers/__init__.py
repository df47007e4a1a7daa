"""Layers: for each its parameters, shapes, forward, backward and meaning in one place."""

from gradwright.layers.activation import Activation, Function
from gradwright.layers.batch_norm import BatchNorm, RunningVariance
from gradwright.layers.channels import Branches, ChannelShuffle, ChannelSlice, Spread
from gradwright.layers.composition import Block, ConvBn, Gate, Residual, Sequential
from gradwright.layers.convolution import Conv2d, DepthwiseConv2d
from gradwright.layers.dense import Dense, Flatten, OneHot
from gradwright.layers.dropout import Dropout, DropPath
from gradwright.layers.forms import (
    ConvolutionForm,
    DepthwiseForm,
    InputGradient,
    Layout,
    MaxPoolForm,
    WeightGradient,
)
from gradwright.layers.formulation import FAST, PORTABLE, TEXTBOOK, Choice, Formulation, blocks_of
from gradwright.layers.layer import Layer
from gradwright.layers.layer_norm import LayerNorm
from gradwright.layers.pooling import AvgPool, Divisor, GlobalAvgPool, MaxPool
from gradwright.layers.precision import BF16, BF16_DENSE, F8E4M3, F8E4M3_BF16, FULL, Leaf, Precision
from gradwright.layers.scaling import LayerScale
from gradwright.layers.sites import Primitive, Site, sites_of
from gradwright.layers.upsampling import Upsample
from gradwright.layers.walk import Statistics
from gradwright.spec.padding import Explicit, Padding

__all__ = [
    "BF16",
    "BF16_DENSE",
    "F8E4M3",
    "F8E4M3_BF16",
    "FAST",
    "FULL",
    "PORTABLE",
    "TEXTBOOK",
    "Activation",
    "AvgPool",
    "BatchNorm",
    "Block",
    "Branches",
    "ChannelShuffle",
    "ChannelSlice",
    "Choice",
    "Conv2d",
    "ConvBn",
    "ConvolutionForm",
    "Dense",
    "DepthwiseConv2d",
    "DepthwiseForm",
    "Divisor",
    "DropPath",
    "Dropout",
    "Explicit",
    "Flatten",
    "Formulation",
    "Function",
    "Gate",
    "GlobalAvgPool",
    "InputGradient",
    "Layer",
    "LayerNorm",
    "LayerScale",
    "Layout",
    "Leaf",
    "MaxPool",
    "MaxPoolForm",
    "OneHot",
    "Padding",
    "Precision",
    "Primitive",
    "Residual",
    "RunningVariance",
    "Sequential",
    "Site",
    "Spread",
    "Statistics",
    "Upsample",
    "WeightGradient",
    "blocks_of",
    "sites_of",
]
