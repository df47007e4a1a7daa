"""`gradwright emit`: the StableHLO text of one entry point of a net."""

import enum
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gradwright.cli.arguments import AsJson, LossText, NetText, OptimizerText
from gradwright.cli.nets import net_of
from gradwright.cli.options import loss_of, optimizer_of
from gradwright.cli.output import tell, write_json, write_line

if TYPE_CHECKING:
    from gradwright.hlo import ElementType, Port
    from gradwright.programs import Program
    from gradwright.spec import NetSpec


class EntryPoint(enum.StrEnum):
    """What the emitted `main` does."""

    TRAIN_STEP = "train-step"
    FORWARD = "forward"
    EVAL = "eval"
    CAPTURE = "capture"
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


def emit(
    net: NetText,
    *,
    entry: Annotated[EntryPoint, typer.Option(help="Entry point.")] = EntryPoint.TRAIN_STEP,
    batch: Annotated[int, typer.Option(help="Samples per call; an optimizer step has none.")] = 8,
    loss: LossText = "cross-entropy",
    optimizer: OptimizerText = "adam",
    precision: Annotated[Precision, typer.Option(help="Element type.")] = Precision.F32,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="File to write instead of standard output.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print or write the StableHLO text of a net."""
    from gradwright.hlo import ElementType
    from gradwright.train import write_atomically

    element = ElementType(_ELEMENTS[precision])
    program = _program(net_of(net), entry, batch=batch, element=element, loss=loss, rule=optimizer)
    if out is not None:
        write_atomically(out, program.text.encode())
        tell(f"{out}: {program.name}, {program.text.count(chr(10)):,} lines")
    if as_json:
        write_json(_description(program, out))
    elif out is None:
        write_line(program.text.rstrip("\n"))


def _program(
    net: "NetSpec", entry: EntryPoint, *, batch: int, element: "ElementType", loss: str, rule: str
) -> "Program":
    """Emit one entry point; what it does not read of loss and optimizer is checked all the same."""
    from gradwright.programs import capture, eval, forward, optimizer_step, train_step, vjp

    chosen_loss, optimizer = loss_of(loss), optimizer_of(rule)
    match entry:
        case EntryPoint.TRAIN_STEP:
            return train_step(
                net, batch=batch, loss=chosen_loss, optimizer=optimizer, element=element
            )
        case EntryPoint.OPTIMIZER_STEP:
            return optimizer_step(net, optimizer=optimizer, element=element)
        case EntryPoint.FORWARD:
            return forward(net, batch=batch, element=element)
        case EntryPoint.EVAL:
            return eval(net, batch=batch, element=element)
        case EntryPoint.CAPTURE:
            return capture(net, batch=batch, element=element)
        case EntryPoint.VJP:
            return vjp(net, batch=batch, element=element)


def _description(program: "Program", out: Path | None) -> dict[str, object]:
    return {
        "name": program.name,
        "entry": program.entry,
        "batch": program.batch,
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
