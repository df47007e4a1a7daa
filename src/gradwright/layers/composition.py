"""Compositions: layers in sequence, beside each other, and as a gate.

Their backward is the chain rule over the tape; only the sum and the product carry a rule of
their own.
"""

import abc
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from gradwright.errors import SpecError
from gradwright.hlo import Shape, Value
from gradwright.layers.activation import Activation, Function
from gradwright.layers.batch_norm import BatchNorm
from gradwright.layers.convolution import Conv2d
from gradwright.layers.layer import Layer
from gradwright.layers.sites import Site
from gradwright.layers.walk import Walk, forward_chain
from gradwright.spec import Entry, Plan
from gradwright.spec.net import place, plan_chain, require_entries
from gradwright.spec.padding import AnyPadding, Pair


@dataclass(frozen=True, slots=True)
class Sequential(Layer):
    """Layers applied one after the other. Math: y = f_k(… f_1(x))."""

    kind: ClassVar[str] = "seq"
    layers: Sequence[Entry]

    def __post_init__(self) -> None:
        """Freeze the list."""
        require_entries("Sequential", self.layers)
        object.__setattr__(self, "layers", tuple(self.layers))

    def plan(self, path: str, input: Shape) -> Plan:
        """Return the plans of the parts."""
        children = plan_chain(path, self.layers, input)
        return Plan(path, self, input, children[-1].output, children=children)

    def forward(self, walk: Walk, plan: Plan, x: Value) -> Value:
        """Write the parts."""
        return forward_chain(walk, plan.children, x)

    def meaning(self, plan: Plan) -> str:
        """Return what the last part gives."""
        return f"y = {plan.children[-1].path}"

    def wiring(self, plan: Plan) -> Sequence[tuple[Plan, str]]:
        """Return the parts, each reading the one before it."""
        reads = ["x", *(child.path for child in plan.children)]
        return list(zip(plan.children, reads, strict=False))

    def __str__(self) -> str:
        """Return a short form for comments."""
        return f"Sequential of {len(self.layers)}"


class Block(Layer, abc.ABC):
    """A named composition: `body` says of what, everything else follows."""

    __slots__ = ()

    @abc.abstractmethod
    def body(self, input: Shape) -> Layer:
        """Return the layers that the block stands for at this input."""

    def plan(self, path: str, input: Shape) -> Plan:
        """Return the plan of the body, under the block's own path."""
        inner = place(self.body(input), path, input)
        return Plan(path, self, input, inner.output, inner.slots, inner.masks, inner.children)

    def forward(self, walk: Walk, plan: Plan, x: Value) -> Value:
        """Write the body."""
        return self.body(plan.input).forward(walk, plan, x)

    def meaning(self, plan: Plan) -> str:
        """Return the meaning of the body."""
        return self.body(plan.input).meaning(plan)

    def site(self, plan: Plan, batch: int) -> Site | None:
        """Return the site of the body."""
        return self.body(plan.input).site(plan, batch)

    def evaluation_meaning(self, plan: Plan) -> str:
        """Return the meaning of the body in evaluation."""
        return self.body(plan.input).evaluation_meaning(plan)

    def example_meaning(self, plan: Plan) -> str:
        """Return the meaning of the body where each example stands alone."""
        return self.body(plan.input).example_meaning(plan)

    def statistics(self, plan: Plan) -> str:
        """Return the rule of the body's own running statistics."""
        return self.body(plan.input).statistics(plan)

    def wiring(self, plan: Plan) -> Sequence[tuple[Plan, str]]:
        """Return what the parts of the body read."""
        return self.body(plan.input).wiring(plan)


@dataclass(frozen=True, slots=True)
class ConvBn(Block):
    """Convolution (without bias, unless asked for), batch normalisation, activation.

    Shapes: x: [B, C, H, W], y: [B, out_channels, P, Q].
    """

    kind: ClassVar[str] = "convbn"
    out_channels: int
    kernel: int | Pair
    strides: int | Pair = 1
    padding: AnyPadding | None = None
    activation: Function = Function.RELU
    groups: int = 1
    norm: BatchNorm = field(default_factory=BatchNorm)
    dilation: int | Pair = 1
    bias: bool = False

    def body(self, input: Shape) -> Layer:
        """Return conv, bn, act."""
        del input
        conv = Conv2d(
            self.out_channels,
            self.kernel,
            self.strides,
            self.padding,
            self.dilation,
            self.groups,
            bias=self.bias,
        )
        layers: list[Entry] = [("conv", conv), ("bn", self.norm)]
        if self.activation is not Function.IDENTITY:
            layers.append(("act", Activation(self.activation)))
        return Sequential(layers)


@dataclass(frozen=True, slots=True)
class Residual(Layer):
    """Sum of two paths. Math: y = body(x) + shortcut(x), the shortcut being x where none is given.

    Shapes: x, y: any; both paths end in one shape.
    """

    kind: ClassVar[str] = "residual"
    body: Layer
    shortcut: Layer | None = None

    def plan(self, path: str, input: Shape) -> Plan:
        """Return the plans of both paths."""
        children = [place(self.body, f"{path}.body", input)]
        if self.shortcut is not None:
            children.append(place(self.shortcut, f"{path}.shortcut", input))
        skipped = children[1].output if self.shortcut is not None else input
        if children[0].output != skipped:
            raise SpecError(
                where=path,
                expected=f"both paths to end in one shape, the body's {list(children[0].output)}",
                found=f"{list(skipped)} from the shortcut",
                remedy="Project the shortcut, e.g. with a 1x1 convolution at the body's stride",
            )
        return Plan(path, self, input, skipped, children=tuple(children))

    def forward(self, walk: Walk, plan: Plan, x: Value) -> Value:
        """Write both paths and their sum."""
        main = forward_chain(walk, plan.children[:1], x)
        skip = forward_chain(walk, plan.children[1:], x)
        y = walk.b.add(main, skip, hint="y")
        return walk.record(plan, (main, skip), y, lambda dy: (dy, dy))

    def meaning(self, plan: Plan) -> str:
        """Return the sum of the parts."""
        return f"y = {' + '.join([*(c.path for c in plan.children), 'x'][:2])}"

    def __str__(self) -> str:
        """Return a short form for comments."""
        return f"Residual({'identity' if self.shortcut is None else 'projection'})"


@dataclass(frozen=True, slots=True)
class Gate(Layer):
    """Squeeze and excitation: every channel scaled by a number computed from the whole picture.

    Shapes: x, y: [B, C, H, W]; body: [C, H, W] -> [C].
    Math: y = x gate, gate = body(x); dx = dy gate + pullback of body(sum over H, W of dy x).
    Source: Hu et al. 2018, "Squeeze-and-Excitation Networks", section 3.
    """

    kind: ClassVar[str] = "gate"
    body: Layer

    def plan(self, path: str, input: Shape) -> Plan:
        """Return the plan of the gate."""
        child = place(self.body, f"{path}.body", input)
        if len(input) != 3 or child.output != input[:1]:
            expected = f"a picture and a body that ends in [C] = {list(input[:1])}"
            raise SpecError(where=path, expected=expected, found=f"{list(child.output)}")
        return Plan(path, self, input, input, children=(child,))

    def forward(self, walk: Walk, plan: Plan, x: Value) -> Value:
        """Write the gate and the product."""
        b, layout = walk.b, walk.formulation.layout
        gate = forward_chain(walk, plan.children, x)
        spread = b.broadcast(gate, x.shape, (0, layout.channel), hint="spread")
        y = b.multiply(x, spread, hint="y")

        def pullback(dy: Value) -> tuple[Value, Value]:
            dgate = b.sum(dy * x, layout.spatial, hint="dgate")
            return b.multiply(dy, spread, hint="dx"), dgate

        return walk.record(plan, (x, gate), y, pullback)

    def meaning(self, plan: Plan) -> str:
        """Return the product."""
        return f"y[n,c,i,j] = x[n,c,i,j] * {plan.children[0].path}[n,c]"

    def __str__(self) -> str:
        """Return a short form for comments."""
        return "Gate"
