"""Programs without a backward: forward, eval."""

from gradwright.hlo import ElementType, Role
from gradwright.kinds import checked
from gradwright.layers import FULL, PORTABLE, Formulation, Precision
from gradwright.layers.walk import Mode
from gradwright.programs.abi import STANDARD, Abi, Section
from gradwright.programs.arguments import declare
from gradwright.programs.draft import Draft, run_net
from gradwright.programs.program import Program
from gradwright.programs.stated import Notation
from gradwright.spec import NetSpec


@checked
def forward(
    net: NetSpec,
    *,
    batch: int,
    element: ElementType = ElementType.F32,
    formulation: Formulation = PORTABLE,
    abi: Abi = STANDARD,
    precision: Precision = FULL,
) -> Program:
    """Return the training-mode forward: batch statistics, masks applied.

    Inputs: parameters, x, masks, in the order of `abi`. Outputs: `output` [B, …].
    """
    draft = Draft(net, batch, element, formulation, abi, precision)
    return _inferring(draft, "forward", Mode.TRAINING, Section.MASKS)


@checked
def eval(
    net: NetSpec,
    *,
    batch: int,
    element: ElementType = ElementType.F32,
    formulation: Formulation = PORTABLE,
    abi: Abi = STANDARD,
    precision: Precision = FULL,
) -> Program:
    """Return the evaluation: running statistics, no masks.

    Inputs: parameters, statistics, x, in the order of `abi`. Outputs: `output` [B, …].
    """
    draft = Draft(net, batch, element, formulation, abi, precision)
    return _inferring(draft, "eval", Mode.EVALUATION, Section.STATISTICS)


def _inferring(draft: Draft, entry: str, mode: Mode, section: Section) -> Program:
    """Return the net in one mode; `section` is what it takes beside parameters and x."""
    given = declare(draft, (Section.PARAMETERS, Section.DATA, section))
    walk = draft.walk(given, mode)
    _, output = run_net(walk, draft.net, given.data)
    draft.result("output", Role.OUTPUT, walk.leave(output, hint="output"))
    stated = Notation(draft.net, draft.abi).layers(mode)
    return draft.program(entry, statements=[*stated.lines, f"output = {stated.output}"])
