"""Options that name one entry point of a net: what `emit` writes and `certify` judges."""

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from gradwright.cli.arguments import FormulationName
from gradwright.cli.nets import PROBE_OF
from gradwright.cli.options import abi_of, formulation_of, loss_of, optimizer_of
from gradwright.errors import SpecError, UnsupportedError, perhaps

if TYPE_CHECKING:
    from gradwright.cli.nets import Chosen
    from gradwright.hlo import ElementType
    from gradwright.layers import Precision
    from gradwright.programs import Program
    from gradwright.programs.probes import LossProgram
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
    PROBE = "probe"


WITH_LAYER = (EntryPoint.CAPTURE, EntryPoint.SALIENCY, EntryPoint.PROBE)
"""Entry points about one layer."""


class Rounding(enum.StrEnum):
    """Element type of the numbers in the text, and of its rounded products."""

    F32 = "f32"
    F64 = "f64"
    BF16 = "bf16"
    BF16_DENSE = "bf16-dense"
    F8E4M3 = "f8e4m3"
    F8E4M3_BF16 = "f8e4m3-bf16"


NET_BATCH = 8
"""Samples per call of a net, where nothing is said."""


@dataclass(frozen=True, slots=True)
class Emission:
    """One entry point as options spell it; `loss`, `optimizer`, `abi` are NAME[:FIELD=VALUE,...].

    `batch` None is `NET_BATCH` for a net and the published batch of an artifact; `layer` is the
    path of the layer that is probed, or whose map `capture` and `saliency` return; `formulation`
    None is that of the published artifact, and the portable one of a net; `recompute` names layers
    of a net, by their paths or all blocks.
    """

    entry: EntryPoint
    batch: int | None
    loss: str
    optimizer: str
    precision: Rounding
    abi: str = "standard"
    layer: str | None = None
    formulation: FormulationName | None = None
    recompute: str = ""

    @classmethod
    def at(
        cls,
        entry: str,
        batch: int | None,
        loss: str,
        optimizer: str,
        precision: Rounding,
        abi: str,
        layer: str | None,
        formulation: FormulationName | None,
        recompute: str,
    ) -> Self:
        """Read `--entry`: the name of an entry point, or probe:LAYER."""
        name, colon, path = entry.partition(":")
        if name not in tuple(EntryPoint) or (colon and not entry.startswith(PROBE_OF)):
            names = [point.value for point in EntryPoint if point is not EntryPoint.PROBE]
            expected = f"one of {', '.join(names)}, probe:LAYER"
            raise SpecError(
                where="--entry",
                expected=expected,
                found=repr(entry),
                remedy=perhaps(name, names),
            )
        return cls(
            EntryPoint(name),
            batch,
            loss,
            optimizer,
            precision,
            abi,
            path if colon else layer,
            formulation,
            recompute,
        )

    def of(self, text: str, options: "Chosen") -> "Program | LossProgram":
        """Emit the program of a net, the artifact or the probe that a word names."""
        from gradwright.cli.nets import artifact_of, net_of

        if text.startswith(PROBE_OF):
            return self._probe(text.removeprefix(PROBE_OF))
        name = artifact_of(text)
        if name is None:
            return self.program(net_of(text, options))
        return self._artifact(name)

    def program(self, net: "NetSpec") -> "Program":
        """Emit the entry point of a net."""
        from gradwright.programs import (
            capture,
            eval,
            forward,
            optimizer_step,
            saliency,
            train_step,
            vjp,
        )
        from gradwright.programs.probes import layer_probe

        element, precision = numbers_of(self.precision)
        loss, optimizer, abi = loss_of(self.loss), optimizer_of(self.optimizer), abi_of(self.abi)
        batch = NET_BATCH if self.batch is None else self.batch
        form = formulation_of(
            self.formulation or FormulationName.PORTABLE, net, batch, recompute=self.recompute
        )
        if self.entry in PLAIN:
            self._require_plain()
        match self.entry:
            case EntryPoint.TRAIN_STEP:
                return train_step(
                    net,
                    batch=batch,
                    loss=loss,
                    optimizer=optimizer,
                    element=element,
                    abi=abi,
                    precision=precision,
                    formulation=form,
                )
            case EntryPoint.OPTIMIZER_STEP:
                return optimizer_step(net, optimizer=optimizer, element=element)
            case EntryPoint.FORWARD | EntryPoint.EVAL | EntryPoint.VJP:
                emit = {EntryPoint.FORWARD: forward, EntryPoint.EVAL: eval}.get(self.entry, vjp)
                return emit(
                    net,
                    batch=batch,
                    element=element,
                    abi=abi,
                    precision=precision,
                    formulation=form,
                )
            case EntryPoint.CAPTURE:
                return capture(
                    net, batch=batch, layer=self.layer, element=element, formulation=form
                )
            case EntryPoint.SALIENCY:
                return saliency(
                    net, batch=batch, layer=self.layer, element=element, formulation=form
                )
            case EntryPoint.PROBE:
                return layer_probe(
                    net, self.layer or "", batch=batch, element=element, formulation=form
                )

    def _artifact(self, name: str) -> "Program":
        from gradwright.zoo import artifact

        published = artifact(name) if self.batch is None else artifact(name, batch=self.batch)
        if self.formulation is None:
            return published
        batch = published.batch
        form = formulation_of(self.formulation, published.net, batch)
        return artifact(name, batch=batch, formulation=form)

    def _probe(self, name: str) -> "Program | LossProgram":
        from gradwright.probes import probe_named

        element, precision = numbers_of(self.precision)
        if precision != numbers_of(Rounding.F32)[1]:
            where, expected = f"{PROBE_OF}{name}", "f32 or f64"
            raise UnsupportedError(where=where, expected=expected, found=self.precision.value)
        return probe_named(name).program(name, element)

    def _require_plain(self) -> None:
        if self.abi != "standard" or self.precision not in (Rounding.F32, Rounding.F64):
            raise UnsupportedError(
                where=self.entry,
                expected="the standard convention in f32 or f64",
                found=f"{self.abi}, {self.precision}",
            )


PLAIN = (*WITH_LAYER, EntryPoint.OPTIMIZER_STEP)
"""Entry points of the standard convention only."""


def numbers_of(rounding: Rounding) -> "tuple[ElementType, Precision]":
    """Return the element type of a text and the precision of its products."""
    from gradwright.hlo import ElementType
    from gradwright.layers import BF16, BF16_DENSE, F8E4M3, F8E4M3_BF16, FULL

    element = ElementType.F64 if rounding is Rounding.F64 else ElementType.F32
    precisions = {
        Rounding.BF16: BF16,
        Rounding.BF16_DENSE: BF16_DENSE,
        Rounding.F8E4M3: F8E4M3,
        Rounding.F8E4M3_BF16: F8E4M3_BF16,
    }
    return element, precisions.get(rounding, FULL)
