"""What a probe is made of: layers on an input, or a loss of an output."""

from collections.abc import Sequence
from dataclasses import dataclass

from gradwright.hlo import ElementType, Shape
from gradwright.losses import Loss
from gradwright.programs import Program
from gradwright.programs.probes import LossProgram, loss_probe, net_probe
from gradwright.spec import Entry, Image, Input, NetSpec

PICTURE = Image(4, 6, 5)
"""Extents that are distinct, so that no axis can be taken for another."""


@dataclass(frozen=True, slots=True)
class LayerProbe:
    """Layers on a batch of inputs, small enough to be evaluated thousands of times."""

    layers: Sequence[Entry]
    input: Input = PICTURE
    batch: int = 2

    def program(self, name: str, element: ElementType = ElementType.F32) -> Program:
        """Return forward and vector-Jacobian product in one text."""
        net = NetSpec(name, self.input, self.layers)
        return net_probe(net, batch=self.batch, element=element)

    @property
    def classes(self) -> int:
        """How many values integer inputs have: what token ids and labels are drawn below."""
        return getattr(self.input, "vocabulary", 1)


@dataclass(frozen=True, slots=True)
class LossProbe:
    """A loss of an output [B, …]."""

    loss: Loss
    output: Shape

    def program(self, name: str, element: ElementType = ElementType.F32) -> LossProgram:
        """Return value, metrics and seed in one text."""
        return loss_probe(name, self.loss, self.output, element=element)

    @property
    def classes(self) -> int:
        """How many classes labels are drawn from."""
        return self.output[1]


AnyProbe = LayerProbe | LossProbe
