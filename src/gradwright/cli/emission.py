"""Options that name one entry point of a net: what `emit` writes and `certify` judges."""

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradwright.cli.options import loss_of, optimizer_of
from gradwright.errors import SpecError

if TYPE_CHECKING:
    from gradwright.programs import Program
    from gradwright.spec import NetSpec


class EntryPoint(enum.StrEnum):
    """What the emitted `main` does."""

    TRAIN_STEP = "train-step"
    FORWARD = "forward"
    EVAL = "eval"
    CAPTURE = "capture"
    SALIENCY = "saliency"
    VJP = "vjp"
    OPTIMIZER_STEP = "optimizer-step"


class Precision(enum.StrEnum):
    """Element type of the numbers in the text."""

    F32 = "f32"
    F64 = "f64"
    BF16 = "bf16"
    F8E4M3 = "f8e4m3"


# StableHLO's names of these types.
_ELEMENTS = {
    Precision.F32: "f32",
    Precision.F64: "f64",
    Precision.BF16: "bf16",
    Precision.F8E4M3: "f8E4M3FN",
}


@dataclass(frozen=True, slots=True)
class Emission:
    """One entry point as options spell it; `loss` and `optimizer` are NAME[:FIELD=VALUE,...].

    `layer` is the path of the layer whose map `capture` and `saliency` return.
    """

    entry: EntryPoint
    batch: int
    loss: str
    optimizer: str
    precision: Precision
    layer: str | None = None

    def program(self, net: "NetSpec") -> "Program":
        """Emit; what an entry point does not read of loss and optimizer is checked all the same."""
        from gradwright.hlo import ElementType
        from gradwright.programs import (
            capture,
            eval,
            forward,
            optimizer_step,
            saliency,
            train_step,
            vjp,
        )

        if self.layer is not None and self.entry not in (EntryPoint.CAPTURE, EntryPoint.SALIENCY):
            expected = f"no layer with --entry {self.entry.value}"
            raise SpecError(where="--layer", expected=expected, found=self.layer)
        element = ElementType(_ELEMENTS[self.precision])
        loss, optimizer = loss_of(self.loss), optimizer_of(self.optimizer)
        batch = self.batch
        match self.entry:
            case EntryPoint.TRAIN_STEP:
                return train_step(net, batch=batch, loss=loss, optimizer=optimizer, element=element)
            case EntryPoint.OPTIMIZER_STEP:
                return optimizer_step(net, optimizer=optimizer, element=element)
            case EntryPoint.FORWARD:
                return forward(net, batch=batch, element=element)
            case EntryPoint.EVAL:
                return eval(net, batch=batch, element=element)
            case EntryPoint.CAPTURE:
                return capture(net, batch=batch, layer=self.layer, element=element)
            case EntryPoint.SALIENCY:
                return saliency(net, batch=batch, layer=self.layer, element=element)
            case EntryPoint.VJP:
                return vjp(net, batch=batch, element=element)
