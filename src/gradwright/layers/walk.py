"""One walk over a net: the builder, the mode, the arguments, and the tape of pullbacks."""

import enum
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from gradwright.hlo import Builder, ElementType, Shape, Value
from gradwright.layers.formulation import Formulation
from gradwright.layers.layer import emitting
from gradwright.layers.precision import FULL, Leaf, Precision
from gradwright.spec import Plan
from gradwright.spec.conventions import Convention
from gradwright.spec.padding import Windows

Pullback = Callable[[Value], Sequence[Value | None]]


class Mode(enum.Enum):
    """What a layer does where training and evaluation differ."""

    TRAINING = "training"
    """Batch statistics; masks applied."""
    EVALUATION = "evaluation"
    """Running statistics; masks absent."""


class Statistics(Convention):
    """What batch normalisation takes its mean and variance over."""

    BATCH = "batch"
    """Batch and positions in training, running averages in evaluation: Ioffe and Szegedy 2015."""
    EXAMPLE = "example"
    """The positions of each example alone, in training and evaluation; no running averages.

    Ulyanov et al. 2016, "Instance Normalization". Same as PyTorch's InstanceNorm2d(affine=True).
    """


@dataclass(frozen=True, slots=True)
class Step:
    """One primitive on the tape.

    `pullback(dy)` appends the vector-Jacobian product and returns one cotangent per input, None
    where the derivative is zero or not asked for by definition (masks, labels).
    """

    plan: Plan
    inputs: tuple[Value, ...]
    output: Value
    pullback: Pullback


@dataclass(frozen=True, slots=True)
class Captured:
    """A map that a program returns: as [B, C, H, W], and as the layers after it read it.

    They read it back from what is returned, so that the result is a function of it.
    """

    features: Value
    reentered: Value


@dataclass(slots=True)
class Walk:
    """State of one walk; `layer.forward(walk, plan, x)` reads arguments here and records steps."""

    b: Builder
    element: ElementType
    batch: int
    mode: Mode
    formulation: Formulation
    slots: Mapping[str, Value]
    masks: Mapping[str, Value]
    statistics: Statistics = Statistics.BATCH
    precision: Precision = FULL
    updated: dict[str, Value] = field(default_factory=dict[str, Value])
    """New running statistics by full slot name."""
    captured_path: str = ""
    """Path of the layer whose output map is captured; "": none."""
    captured: "Captured | None" = None
    """That map, once the walk has come to it."""
    tape: list[Step] = field(default_factory=list[Step])
    bordered: dict[tuple[Value, Windows], Value] = field(
        default_factory=dict[tuple[Value, Windows], Value]
    )
    """Padded pictures that forward and backward both read."""
    repeated: dict[tuple[Value, int], Value] = field(default_factory=dict[tuple[Value, int], Value])
    """Depthwise weights for so many columns, which forward and backward both read."""

    @contextmanager
    def at(self, plan: Plan) -> Generator[None]:
        """Write a layer, or its pullback, in the forms of its site."""
        whole = self.formulation
        self.formulation = whole.at(emitting(plan).site(plan, self.batch))
        try:
            yield
        finally:
            self.formulation = whole

    def recomputes(self, plan: Plan) -> bool:
        """Return whether the backward computes a layer again; not beside a map to capture."""
        return plan.path in self.formulation.recomputed and not self.captured_path

    def slot(self, plan: Plan, name: str) -> Value:
        """Return the argument that holds a slot of the layer."""
        return self.slots[plan.full(name)]

    def mask(self, plan: Plan, name: str) -> Value | None:
        """Return the argument that holds a mask; None in evaluation."""
        return self.masks[plan.full(name)] if self.mode is Mode.TRAINING else None

    def record(
        self, plan: Plan, inputs: Sequence[Value], output: Value, pullback: Pullback
    ) -> Value:
        """Put a primitive on the tape and return its output.

        One that hands its only input on as it is has nothing to pull back: the cotangent of its
        output is already that of its input, and would be counted twice.
        """
        if len(inputs) == 1 and inputs[0] is output:
            return output
        self.tape.append(Step(plan, tuple(inputs), output, pullback))
        return output

    def shape(self, example: Shape) -> Shape:
        """Return the shape, in this walk's layout, of a batch of examples."""
        if len(example) != 3:
            return (self.batch, *example)
        shape = [self.batch, *example]
        formulation = self.formulation.layout
        channels, height, width = example
        shape[formulation.channel] = channels
        shape[formulation.spatial[0]], shape[formulation.spatial[1]] = height, width
        return tuple(shape)

    def enter(self, value: Value, *, hint: str) -> Value:
        """Return a batch of pictures [B, C, H, W] in this walk's layout."""
        if value.type.rank != 4:
            return value
        channel, (height, width) = self.formulation.layout.channel, self.formulation.layout.spatial
        order = [0] * 4
        order[channel], order[height], order[width] = 1, 2, 3
        return self.b.transpose(value, order, hint=hint)

    def leave(self, value: Value, *, hint: str) -> Value:
        """Return a batch of pictures of this walk's layout as [B, C, H, W]."""
        if value.type.rank != 4:
            return value
        layout = self.formulation.layout
        return self.b.transpose(value, (0, layout.channel, *layout.spatial), hint=hint)

    def rounded(self, leaf: Leaf, product: Callable[[Value, Value], Value], *pair: Value) -> Value:
        """Return a product of two values, computed in a narrower type and converted back."""
        narrow = leaf.element or self.element
        lhs, rhs = (self.b.convert(v, narrow, hint=f"{_plain(v)}_{leaf.value}") for v in pair)
        return self.b.convert(product(lhs, rhs), self.element, hint="wide")

    def per_channel(self, vector: Value, like: Value) -> Value:
        """Return a [C] vector broadcast to the shape of an activation."""
        rank = like.type.rank
        axis = self.formulation.layout.channel if rank == 4 else rank - 1
        return self.b.broadcast(vector, like.shape, (axis,))

    def other_axes(self, like: Value) -> tuple[int, ...]:
        """Return every dimension of an activation except the channels."""
        rank = like.type.rank
        axis = self.formulation.layout.channel if rank == 4 else rank - 1
        return tuple(i for i in range(rank) if i != axis)


def forward_chain(walk: Walk, plans: Sequence[Plan], x: Value) -> Value:
    """Write layers one after the other."""
    for plan in plans:
        x = forward(walk, plan, x)
    return x


def forward(walk: Walk, plan: Plan, x: Value) -> Value:
    """Write one layer under its own names and comment."""
    with walk.b.scope(plan.path, describe(plan)), walk.at(plan):
        write = _recomputed if walk.recomputes(plan) else emitting(plan).forward
        y = write(walk, plan, x)
        if plan.path != walk.captured_path:
            return y
        features = walk.leave(y, hint="features")
        walk.captured = Captured(features, walk.enter(features, hint="captured"))
        return walk.captured.reentered


def _recomputed(walk: Walk, plan: Plan, x: Value) -> Value:
    """Write a layer of which the backward keeps the input alone: it computes the rest again.

    Source: Chen et al. 2016, "Training Deep Nets with Sublinear Memory Cost", section 3. The
    barrier makes the second forward wait for the cotangent, and keeps the compiler from taking it
    for the first one.
    """
    layer, mark = emitting(plan), len(walk.tape)
    y = layer.forward(walk, plan, x)
    del walk.tape[mark:]
    names = [part.full(s.name) for part in plan.walk() for s in part.slots if s.trainable]
    parameters = [walk.slots[name] for name in names]

    def pullback(dy: Value) -> list[Value | None]:
        again, waited = walk.b.optimization_barrier(x, dy, hint=("again", "dy"))
        inner = replace(walk, tape=[], updated={}, bordered={}, repeated={})
        output = layer.forward(inner, plan, again)
        cotangents = backward(inner, output, waited)
        return [cotangents.get(value) for value in (again, *parameters)]

    return walk.record(plan, (x, *parameters), y, pullback)


def backward(walk: Walk, output: Value, seed: Value) -> "Cotangents":
    """Write the pullbacks of the tape from `output` down, starting with cotangent `seed`."""
    cotangents = Cotangents(walk.b)
    cotangents.add(output, seed)
    for step in reversed(walk.tape):
        dy = cotangents.get(step.output)
        if dy is None:
            continue
        comment = f"{describe(step.plan)}, backward"
        with walk.b.scope(step.plan.path, comment), walk.at(step.plan):
            for value, cotangent in zip(step.inputs, step.pullback(dy), strict=True):
                if cotangent is not None:
                    cotangents.add(value, cotangent)
    return cotangents


@dataclass(frozen=True, slots=True)
class Cotangents:
    """The cotangent of each value met so far; a value used twice adds up."""

    b: Builder
    _known: dict[int, Value] = field(default_factory=dict[int, Value])

    def get(self, value: Value) -> Value | None:
        """Return the cotangent of a value, None where no path leads to it."""
        return self._known.get(id(value))

    def add(self, value: Value, cotangent: Value) -> None:
        """Add to the cotangent of a value."""
        if cotangent.type != value.type:
            expected = f"a cotangent {value.type} of %{value.name}"
            raise self.b.mismatch("backward", expected, str(cotangent.type))
        known = self._known.get(id(value))
        total = cotangent if known is None else self.b.add(known, cotangent, hint="dsum")
        self._known[id(value)] = total


def _plain(value: Value) -> str:
    """Return the last part of a value's name."""
    return value.name.rpartition(".")[2]


def describe(plan: Plan) -> str:
    """Return the comment of a layer: path, declaration, shapes of one example."""
    shapes = f"{list(plan.input)} -> {list(plan.output)}"
    return f"{plan.path}: {plan.layer} {shapes}"
