"""`gradwright emit`: the StableHLO text of one entry point of a net."""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gradwright.cli.arguments import (
    AbiText,
    AsJson,
    BatchCount,
    CapturedLayer,
    Classes,
    EmittedForms,
    EmittedText,
    EntryText,
    LossText,
    OptimizerText,
    Recomputed,
    Size,
)
from gradwright.cli.emission import Emission, Rounding
from gradwright.cli.nets import Chosen
from gradwright.cli.output import tell, write_json, write_line

if TYPE_CHECKING:
    from gradwright.hlo import Port
    from gradwright.layers import Formulation
    from gradwright.programs import Program
    from gradwright.programs.probes import LossProgram


def emit(
    net: EmittedText,
    *,
    entry: EntryText = "train-step",
    batch: BatchCount = None,
    classes: Classes = None,
    size: Size = "",
    loss: LossText = "cross-entropy",
    optimizer: OptimizerText = "adam",
    precision: Annotated[
        Rounding, typer.Option(help="Element type, and of which products.")
    ] = Rounding.F32,
    abi: AbiText = "standard",
    layer: CapturedLayer = None,
    formulation: EmittedForms = None,
    recompute: Recomputed = "",
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="File to write instead of standard output.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print or write the StableHLO text of a net."""
    from gradwright.train import write_atomically

    emission = Emission.at(
        entry, batch, loss, optimizer, precision, abi, layer, formulation, recompute
    )
    program = emission.of(net, Chosen.of(classes, size))
    if out is not None:
        write_atomically(out, program.text.encode())
        tell(f"{out}: {program.name}, {program.text.count(chr(10)):,} lines")
    if as_json:
        write_json(_description(program, out))
    elif out is None:
        write_line(program.text.rstrip("\n"))


def _description(program: "Program | LossProgram", out: Path | None) -> dict[str, object]:
    formulation: Formulation | None = getattr(program, "formulation", None)
    return {
        "name": program.name,
        "entry": program.entry,
        "batch": program.batch,
        "formulation": [] if formulation is None else list(formulation.described),
        "inputs": [_port(port) for port in program.inputs],
        "outputs": [_port(port) for port in program.outputs],
        "sha256": hashlib.sha256(program.text.encode()).hexdigest(),
        **({"text": program.text} if out is None else {"out": str(out)}),
    }


def _port(port: "Port") -> dict[str, object]:
    return {
        "name": port.name,
        "role": port.role.value,
        "shape": list(port.shape),
        "type": port.type.element.value,
    }
