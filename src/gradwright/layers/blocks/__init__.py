"""Blocks of published nets: short compositions of primitives; their backward is the chain rule."""

from gradwright.layers.blocks.residual import BasicBlock, Bottleneck

__all__ = ["BasicBlock", "Bottleneck"]
