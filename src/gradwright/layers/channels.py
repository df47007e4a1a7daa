"""Layers that move channels: shuffle, slice, concatenation of paths, repetition over a picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from gradwright.errors import SpecError
from gradwright.hlo import Shape, Value
from gradwright.layers.layer import Layer, require_counts, require_image
from gradwright.layers.walk import Walk, forward_chain
from gradwright.spec import Entry, Plan
from gradwright.spec.net import named, place
from gradwright.spec.numbers import is_count


@dataclass(frozen=True, slots=True)
class ChannelShuffle(Layer):
    """Channels seen as [groups, C / groups] and read off transposed.

    Shapes: x, y: [B, C, H, W]. Math: y[k groups + g] = x[g C / groups + k]; dx is the shuffle of dy
    with C / groups groups. Source: Zhang et al. 2018, "ShuffleNet", figure 1. Same as torchvision.
    """

    kind: ClassVar[str] = "shuffle"
    groups: int

    def plan(self, path: str, input: Shape) -> Plan:
        """Return shapes."""
        channels, _, _ = require_image(path, self, input)
        require_counts(path, self, self.groups)
        if channels % self.groups:
            expected = f"channels divisible by {self.groups} groups"
            raise SpecError(where=path, expected=expected, found=str(channels))
        return Plan(path, self, input, input)

    def forward(self, walk: Walk, plan: Plan, x: Value) -> Value:
        """Write y and record dx."""
        inverse = plan.input[0] // self.groups
        y = _shuffled(walk, x, self.groups, hint="y")
        return walk.record(plan, (x,), y, lambda dy: (_shuffled(walk, dy, inverse, hint="dx"),))

    def meaning(self, plan: Plan) -> str:
        """Return the index notation."""
        each = plan.input[0] // self.groups
        bounds = f"k<{each},g<{self.groups}"
        return f"y[n,{self.groups}*k + g,i,j | {bounds}] = x[n,{each}*g + k,i,j]"


def _shuffled(walk: Walk, x: Value, groups: int, *, hint: str) -> Value:
    """Return [.., groups K, ..] as [.., K groups, ..]."""
    axis = walk.formulation.layout.channel
    shape = x.shape
    split = (*shape[:axis], groups, shape[axis] // groups, *shape[axis + 1 :])
    order = list(range(len(split)))
    order[axis], order[axis + 1] = axis + 1, axis
    turned = walk.b.transpose(walk.b.reshape(x, split), order)
    return walk.b.reshape(turned, shape, hint=hint)


@dataclass(frozen=True, slots=True)
class ChannelSlice(Layer):
    """Channels start … stop - 1.

    Shapes: x: [B, C, H, W], y: [B, stop - start, H, W]. Math: y[c] = x[start + c]; dx is dy with
    zeros around. Same as x[:, start:stop] in PyTorch.
    """

    kind: ClassVar[str] = "channels"
    start: int
    stop: int

    def plan(self, path: str, input: Shape) -> Plan:
        """Return shapes."""
        channels, height, width = require_image(path, self, input)
        fits = is_count(self.stop) and type(self.start) is int
        if not fits or not 0 <= self.start < self.stop <= channels:
            expected = f"0 <= start < stop <= {channels}"
            raise SpecError(where=path, expected=expected, found=str(self))
        return Plan(path, self, input, (self.stop - self.start, height, width))

    def forward(self, walk: Walk, plan: Plan, x: Value) -> Value:
        """Write y and record dx."""
        rest = plan.input[0] - self.stop
        y = _slice(walk, x, self.start, self.stop, hint="y")
        return walk.record(plan, (x,), y, lambda dy: (_surround(walk, dy, self.start, rest),))

    def meaning(self, plan: Plan) -> str:
        """Return the index notation."""
        return f"y[n,c<{plan.output[0]},i,j] = x[n,c + {self.start},i,j]"


@dataclass(frozen=True, slots=True)
class Branches(Layer):
    """Several paths from one input, their results joined along the channels in order.

    Shapes: x: any; every path ends in [C_k, H, W] with one H and W; y: [B, sum C_k, H, W].
    Math: the cotangent of path k is the slice of dy that it filled. Same as torch.cat(dim=1).
    """

    kind: ClassVar[str] = "branches"
    paths: Sequence[Entry]

    def __post_init__(self) -> None:
        """Freeze the list."""
        object.__setattr__(self, "paths", tuple(self.paths))

    def plan(self, path: str, input: Shape) -> Plan:
        """Return the plans of the paths."""
        if not self.paths:
            raise SpecError(where=path, expected="at least one path", found="none")
        pairs = named(path, self.paths)
        children = tuple(place(layer, f"{path}.{name}", input) for name, layer in pairs)
        extents = {child.output[1:] for child in children}
        if len(extents) != 1 or any(len(child.output) != 3 for child in children):
            found = ", ".join(f"{child.path}: {list(child.output)}" for child in children)
            expected = "paths that end in pictures of one height and width"
            raise SpecError(where=path, expected=expected, found=found)
        joined = sum(child.output[0] for child in children)
        return Plan(path, self, input, (joined, *children[0].output[1:]), children=children)

    def forward(self, walk: Walk, plan: Plan, x: Value) -> Value:
        """Write the paths and join them."""
        parts = [forward_chain(walk, [child], x) for child in plan.children]
        y = walk.b.concatenate(parts, walk.formulation.layout.channel, hint="y")
        if y is parts[0]:
            return y

        def pullback(dy: Value) -> list[Value]:
            return [
                _slice(walk, dy, first, first + child.output[0], hint="dpart")
                for first, child in zip(_firsts(plan), plan.children, strict=True)
            ]

        return walk.record(plan, parts, y, pullback)

    def meaning(self, plan: Plan) -> str:
        """Return the sum of the parts, each at its channels: reads outside a part are 0."""
        parts = [
            f"{child.path}[n,c - {first},i,j]"
            for first, child in zip(_firsts(plan), plan.children, strict=True)
        ]
        return f"y[n,c<{plan.output[0]},i,j] = {' + '.join(parts)}"

    def __str__(self) -> str:
        """Return a short form for comments."""
        return f"Branches of {len(self.paths)}"


@dataclass(frozen=True, slots=True)
class Spread(Layer):
    """One number per channel repeated over a picture.

    Shapes: x: [B, C], y: [B, C, height, width]. Math: y[c,i,j] = x[c]; dx = sum of dy over H, W.
    Same as a resize of a 1x1 picture by any rule.
    """

    kind: ClassVar[str] = "spread"
    height: int
    width: int

    def plan(self, path: str, input: Shape) -> Plan:
        """Return shapes."""
        require_counts(path, self, self.height, self.width)
        if len(input) != 1:
            found = f"shape {list(input)}"
            raise SpecError(where=path, expected="a feature vector [C]", found=found)
        return Plan(path, self, input, (*input, self.height, self.width))

    def forward(self, walk: Walk, plan: Plan, x: Value) -> Value:
        """Write y and record dx."""
        b, layout = walk.b, walk.formulation.layout
        y = b.broadcast(x, walk.shape(plan.output), (0, layout.channel), hint="y")
        return walk.record(plan, (x,), y, lambda dy: (b.sum(dy, layout.spatial, hint="dx"),))

    def meaning(self, plan: Plan) -> str:
        """Return the index notation."""
        del plan
        return f"y[n,c,i<{self.height},j<{self.width}] = x[n,c]"


def _firsts(plan: Plan) -> list[int]:
    """Return the first channel of each path's part."""
    sizes = [child.output[0] for child in plan.children]
    return [sum(sizes[:index]) for index in range(len(sizes))]


def _slice(walk: Walk, x: Value, start: int, stop: int, *, hint: str) -> Value:
    axis = walk.formulation.layout.channel
    first, limit = [0] * x.type.rank, list(x.shape)
    first[axis], limit[axis] = start, stop
    return walk.b.slice(x, first, limit, hint=hint)


def _surround(walk: Walk, dy: Value, before: int, after: int) -> Value:
    low, high = [0] * dy.type.rank, [0] * dy.type.rank
    low[walk.formulation.layout.channel] = before
    high[walk.formulation.layout.channel] = after
    return walk.b.pad(dy, 0, low, high, hint="dx")
