"""Probes: some layers, or one loss, as a text of its own with the gradients by all its inputs.

What the gradients are of stands in the same text, so that neither differences nor the prover need
anything beside it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from gradwright.errors import UnsupportedError
from gradwright.hlo import Builder, ElementType, Module, Port, Role, Shape, Signature, TensorType
from gradwright.hlo.printer import print_module
from gradwright.layers import PORTABLE, Formulation
from gradwright.layers.statements import definitions, renamed
from gradwright.layers.walk import Mode, backward
from gradwright.losses import Loss
from gradwright.programs.abi import STANDARD, Section
from gradwright.programs.arguments import declare
from gradwright.programs.capture import plan_of
from gradwright.programs.draft import Draft, run_net
from gradwright.programs.program import Program
from gradwright.programs.stated import Notation
from gradwright.programs.training import input_gradient, parameter_gradients
from gradwright.spec import Flat, Image, NetSpec


def net_probe(
    net: NetSpec,
    *,
    batch: int,
    element: ElementType = ElementType.F32,
    formulation: Formulation = PORTABLE,
) -> Program:
    """Return the training-mode forward of a net together with its vector-Jacobian product.

    Inputs: those of `forward`, then `dy`. Outputs: `output`, then those of `vjp`.
    """
    draft = Draft(net, batch, element, formulation)
    given = declare(draft, (Section.PARAMETERS, Section.DATA, Section.MASKS))
    walk = draft.walk(given, Mode.TRAINING)
    dy = draft.floats("dy", Role.COTANGENT, (batch, *net.output))
    entered, output = run_net(walk, net, given.data)
    draft.result("output", Role.OUTPUT, walk.leave(output, hint="output"))
    cotangents = backward(walk, output, walk.enter(dy, hint="dy"))
    for name, gradient in parameter_gradients(net, cotangents, given.parameters).items():
        draft.result(f"d.{name}", Role.GRADIENT, gradient)
    input_gradient(draft, walk, cotangents, entered)
    stated = Notation(net, STANDARD).layers(Mode.TRAINING)
    return draft.program("probe", statements=[*stated.lines, f"output = {stated.output}"])


def layer_probe(
    net: NetSpec,
    path: str,
    *,
    batch: int,
    element: ElementType = ElementType.F32,
    formulation: Formulation = PORTABLE,
) -> Program:
    """Return the probe of one layer of a net, at the shapes that it has there.

    Errors: SpecError for a path that the net lacks; UnsupportedError for a layer inside another one
    that reads neither a picture nor features.
    """
    plan = plan_of(net, path)
    match plan.input:
        case _ if plan is net.plans[0]:
            input = net.input
        case (channels, height, width):
            input = Image(channels, height, width)
        case (features,):
            input = Flat(features)
        case _:
            expected = "a layer that reads a picture or features"
            found = f"one that reads {list(plan.input)}"
            raise UnsupportedError(where=f"{net.name}: {path}", expected=expected, found=found)
    alone = NetSpec(f"{net.name}.{path}", input, [(path.rpartition(".")[2], plan.layer)])
    return net_probe(alone, batch=batch, element=element, formulation=formulation)


@dataclass(frozen=True)
class LossProgram:
    """A loss as a text, with what the text is to be; `gradwright.certify` takes it as a program."""

    name: str
    loss: Loss
    module: Module
    signature: Signature
    statements: tuple[str, ...]
    entry: ClassVar[str] = "probe"

    @property
    def updates(self) -> Mapping[str, str]:
        """No update rules."""
        return {}

    @property
    def primal(self) -> None:
        """No forward beside it."""
        return

    @property
    def batch(self) -> int:
        """Examples."""
        return self.inputs[0].shape[0]

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Arguments in order."""
        return self.signature.inputs

    @property
    def outputs(self) -> tuple[Port, ...]:
        """Results in order."""
        return self.signature.outputs

    @property
    def text(self) -> str:
        """StableHLO text: the same declaration gives the same bytes."""
        return print_module(self.module, (f"{self.name}: probe", str(self.loss)))


def loss_probe(
    name: str, loss: Loss, output: Shape, *, element: ElementType = ElementType.F32
) -> LossProgram:
    """Return a loss of an output [B, …] together with its seed.

    Inputs: `output`, `y`, the labels. Outputs: `loss`, metrics, `d.output`.
    """
    b = Builder()
    type = TensorType(output, element)
    label = loss.label(type)
    inputs = (Port("output", Role.DATA, type), Port("y", Role.LABEL, label))
    x, y = (b.argument(port.name, port.type) for port in inputs)
    with b.scope("loss", f"loss: {loss}"):
        evaluated = loss.write(b, x, y)
    metrics = {metric: evaluated.metrics[metric] for metric in loss.metrics}
    values = [evaluated.value, *metrics.values(), evaluated.seed]
    outputs = (
        Port("loss", Role.LOSS, evaluated.value.type),
        *(Port(metric, Role.METRIC, value.type) for metric, value in metrics.items()),
        Port("d.output", Role.GRADIENT, type),
    )
    module = Module(f"{name.replace('-', '_')}_probe", (b.finish("main", values),))
    lines = [line for _, line in definitions(loss.meaning(output))]
    statements = tuple(renamed(line, {"x": "output"}) for line in lines)
    return LossProgram(name, loss, module, Signature(inputs, outputs), statements)
