"""What programs compute, in index notation over the names of their arguments."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gradwright.layers.statements import (
    Stated,
    definitions,
    net_statements,
    renamed,
    statistics_statements,
)
from gradwright.layers.walk import Mode, Statistics
from gradwright.losses import Loss
from gradwright.programs.abi import Abi
from gradwright.programs.arguments import label_name
from gradwright.spec import NetSpec

_PICTURE = "picture"
"""What the batch is called once its rows are whole examples again."""


@dataclass(frozen=True, slots=True)
class Notation:
    """The statements about one net under one convention."""

    net: NetSpec
    abi: Abi

    def layers(self, mode: Mode) -> Stated:
        """Return what the layers compute of x."""
        stated = net_statements(self.net.plans, self._x, mode, self.abi.statistics)
        return Stated((*self._unflattened, *self._named(stated.lines)), stated.output, stated.reads)

    def loss(self, loss: Loss, batch: int, output: str) -> list[str]:
        """Return what the loss and its metrics are of the value called `output`."""
        defined = definitions(loss.meaning((batch, *self.net.output)))
        returned = ("loss", *loss.metrics)
        names = {name: f"loss.{name}" for name, _ in defined if name not in returned}
        names |= {"x": output, "y": label_name(self.abi, loss)}
        return [renamed(line, names) for _, line in defined]

    def statistics(self) -> list[str]:
        """Return the new running statistics."""
        if self.abi.statistics is Statistics.EXAMPLE:
            return []
        return self._named(statistics_statements(self.net.plans))

    @property
    def _is_flat(self) -> bool:
        return self.abi.flattens and len(self.net.input.shape) > 1

    @property
    def _x(self) -> str:
        return _PICTURE if self._is_flat else "x"

    @property
    def _unflattened(self) -> list[str]:
        """Return the statement that makes whole examples of rows."""
        if not self._is_flat:
            return []
        shape = self.net.input.shape
        axes = [f"i{axis}" for axis in range(len(shape))]
        bounds = ",".join(f"{axis}<{extent}" for axis, extent in zip(axes, shape, strict=True))
        strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
        digits = zip(strides, axes, strict=True)
        flat = " + ".join(axis if stride == 1 else f"{stride}*{axis}" for stride, axis in digits)
        return [f"{_PICTURE}[n,{bounds}] = x[n,{flat}]"]

    def _named(self, lines: Sequence[str]) -> list[str]:
        """Return statements over the names of the arguments."""
        names: Mapping[str, str] = self.abi.names(self.net)
        primed = {f"{name}'": f"{called}'" for name, called in names.items()}
        return [renamed(line, {**names, **primed}) for line in lines]
