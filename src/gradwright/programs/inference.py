"""Programs without a backward: forward, eval."""

from gradwright.hlo import ElementType, Role
from gradwright.layers import PORTABLE, Formulation
from gradwright.layers.statements import net_statements
from gradwright.layers.walk import Mode
from gradwright.programs.arguments import Draft, run_net
from gradwright.programs.program import Program
from gradwright.spec import NetSpec


def forward(
    net: NetSpec,
    *,
    batch: int,
    element: ElementType = ElementType.F32,
    formulation: Formulation = PORTABLE,
) -> Program:
    """Return the training-mode forward: batch statistics, masks applied.

    Inputs: parameters, x, masks. Outputs: `output` [B, …].
    """
    draft = Draft(net, batch, element, formulation)
    slots = draft.slots(net.parameters, Role.PARAMETER)
    x = draft.data()
    walk = draft.walk(slots, draft.masks(), Mode.TRAINING)
    _, output = run_net(walk, net, x)
    draft.result("output", Role.OUTPUT, walk.leave(output, hint="output"))
    stated = net_statements(net.plans, "x", Mode.TRAINING)
    return draft.program("forward", statements=[*stated.lines, f"output = {stated.output}"])


def eval(
    net: NetSpec,
    *,
    batch: int,
    element: ElementType = ElementType.F32,
    formulation: Formulation = PORTABLE,
) -> Program:
    """Return the evaluation: running statistics, no masks.

    Inputs: parameters, statistics, x. Outputs: `output` [B, …].
    """
    draft = Draft(net, batch, element, formulation)
    slots = draft.slots(net.parameters, Role.PARAMETER)
    slots |= draft.slots(net.statistics, Role.STATISTIC)
    walk = draft.walk(slots, {}, Mode.EVALUATION)
    _, output = run_net(walk, net, draft.data())
    draft.result("output", Role.OUTPUT, walk.leave(output, hint="output"))
    stated = net_statements(net.plans, "x", Mode.EVALUATION)
    return draft.program("eval", statements=[*stated.lines, f"output = {stated.output}"])
