"""Programs without a backward: forward, eval, capture."""

from collections.abc import Iterator, Sequence

from gradwright.errors import UnsupportedError
from gradwright.hlo import ElementType, Role
from gradwright.layers import PORTABLE, Formulation, Gate, GlobalAvgPool
from gradwright.layers.statements import net_statements
from gradwright.layers.walk import Mode
from gradwright.programs.arguments import Draft, run_net
from gradwright.programs.program import Program
from gradwright.spec import NetSpec, Plan


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


def capture(
    net: NetSpec,
    *,
    batch: int,
    element: ElementType = ElementType.F32,
    formulation: Formulation = PORTABLE,
) -> Program:
    """Return the evaluation that also yields the map before the global pool, for saliency.

    Inputs: those of `eval`. Outputs: `features` [B, C, H, W], `output` [B, …].
    Errors: UnsupportedError unless the net has exactly one GlobalAvgPool (those inside gates are
    not meant).
    """
    pool = _only_pool(net)
    draft = Draft(net, batch, element, formulation)
    slots = draft.slots(net.parameters, Role.PARAMETER)
    slots |= draft.slots(net.statistics, Role.STATISTIC)
    walk = draft.walk(slots, {}, Mode.EVALUATION)
    _, output = run_net(walk, net, draft.data())
    features = walk.leave(walk.read[pool.path], hint="features")
    draft.result("features", Role.OUTPUT, features)
    draft.result("output", Role.OUTPUT, walk.leave(output, hint="output"))
    stated = net_statements(net.plans, "x", Mode.EVALUATION)
    results = [f"features = {stated.reads[pool.path]}", f"output = {stated.output}"]
    return draft.program("capture", statements=[*stated.lines, *results])


def _only_pool(net: NetSpec) -> Plan:
    pools = [p for p in _outside_gates(net.plans) if isinstance(p.layer, GlobalAvgPool)]
    if len(pools) != 1:
        raise UnsupportedError(
            where=f"{net.name}: capture",
            expected="exactly one GlobalAvgPool, whose input is the map to capture",
            found=", ".join(pool.path for pool in pools) or "none",
        )
    return pools[0]


def _outside_gates(plans: Sequence[Plan]) -> Iterator[Plan]:
    for plan in plans:
        yield plan
        if not isinstance(plan.layer, Gate):
            yield from _outside_gates(plan.children)
