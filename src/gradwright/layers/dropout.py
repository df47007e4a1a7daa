"""Dropout and stochastic depth; their masks are inputs of the program."""

from dataclasses import dataclass
from typing import ClassVar

from gradwright.errors import SpecError
from gradwright.hlo import Shape, Value
from gradwright.layers.layer import Layer
from gradwright.layers.walk import Walk
from gradwright.spec import MaskSlot, Plan
from gradwright.spec.numbers import is_real


@dataclass(frozen=True, slots=True)
class Dropout(Layer):
    """Multiplication with a mask per element; the identity in evaluation.

    Shapes: x, y, mask: [B, …]. Math: y = x mask; dx = dy mask. The mask holds 0 or 1 / keep, so
    that a mask of ones is the identity. Source: Srivastava et al. 2014, in the inverted form of
    PyTorch and Flax; differs in that the mask is an argument.
    """

    kind: ClassVar[str] = "drop"
    rate: float

    def plan(self, path: str, input: Shape) -> Plan:
        """Return shapes and the mask."""
        return Plan(path, self, input, input, masks=(_mask(path, self.rate, input),))

    def forward(self, walk: Walk, plan: Plan, x: Value) -> Value:
        """Write y and record dx."""
        mask = walk.mask(plan, "mask")
        if mask is None:
            return x
        return _masked(walk, plan, x, walk.enter(mask, hint="mask"))

    def meaning(self, plan: Plan) -> str:
        """Return the index notation."""
        axes = ",".join(["n", *(f"i{axis}" for axis in range(len(plan.input)))])
        return f"y[{axes}] = x[{axes}] * mask[{axes}]"

    def evaluation_meaning(self, plan: Plan) -> str:
        """Return the identity."""
        del plan
        return "y = x"


@dataclass(frozen=True, slots=True)
class DropPath(Layer):
    """Stochastic depth: multiplication with one mask number per example.

    Shapes: x, y: [B, …], mask: [B]. Math: y = x mask; dx = dy mask; the identity in evaluation.
    Source: Huang et al. 2016, in the form of timm's drop_path (mask 0 or 1 / keep).
    """

    kind: ClassVar[str] = "droppath"
    rate: float

    def plan(self, path: str, input: Shape) -> Plan:
        """Return shapes and the mask."""
        return Plan(path, self, input, input, masks=(_mask(path, self.rate, ()),))

    def forward(self, walk: Walk, plan: Plan, x: Value) -> Value:
        """Write y and record dx."""
        mask = walk.mask(plan, "mask")
        if mask is None:
            return x
        return _masked(walk, plan, x, walk.b.broadcast(mask, x.shape, (0,), hint="mask"))

    def meaning(self, plan: Plan) -> str:
        """Return the index notation."""
        axes = ",".join(["n", *(f"i{axis}" for axis in range(len(plan.input)))])
        return f"y[{axes}] = x[{axes}] * mask[n]"

    def evaluation_meaning(self, plan: Plan) -> str:
        """Return the identity."""
        del plan
        return "y = x"


def _mask(path: str, rate: float, shape: Shape) -> MaskSlot:
    if not is_real(rate) or not 0 <= rate < 1:
        raise SpecError(where=path, expected="a number with 0 <= rate < 1", found=repr(rate))
    return MaskSlot("mask", shape, keep=1 - rate)


def _masked(walk: Walk, plan: Plan, x: Value, mask: Value) -> Value:
    y = walk.b.multiply(x, mask, hint="y")
    return walk.record(plan, (x,), y, lambda dy: (walk.b.multiply(dy, mask, hint="dx"),))
