"""Programs that return an inner map beside the output: capture, and its gradient for saliency."""

import difflib
from collections.abc import Iterator, Sequence

from gradwright.errors import SpecError, UnsupportedError
from gradwright.hlo import ElementType, Role, Value
from gradwright.kinds import checked
from gradwright.layers import PORTABLE, AvgPool, Formulation, Gate, GlobalAvgPool, MaxPool
from gradwright.layers.statements import Stated
from gradwright.layers.walk import Captured, Mode, Walk, backward
from gradwright.programs.abi import STANDARD, Section
from gradwright.programs.arguments import declare
from gradwright.programs.draft import Draft, run_net
from gradwright.programs.program import Program
from gradwright.programs.stated import Notation
from gradwright.spec import NetSpec, Plan

NEAR = 3
"""Paths that an error about a misspelt one names."""


@checked
def capture(
    net: NetSpec,
    *,
    batch: int,
    layer: str | None = None,
    element: ElementType = ElementType.F32,
    formulation: Formulation = PORTABLE,
) -> Program:
    """Return the evaluation that also yields the map of one layer.

    `layer` is the path of a layer that returns a map, by default the one that the only
    GlobalAvgPool reads (pools inside gates are not meant).
    Inputs: those of `eval`. Outputs: `features` [B, C, H, W], `output` [B, …].
    Errors: SpecError for a path that the net lacks, and for that of a layer that returns no map;
    map, and where the default names none.
    """
    draft = Draft(net, batch, element, formulation)
    stated = Notation(net, STANDARD).layers(Mode.EVALUATION)
    path = _before_pool(net, stated) if layer is None else map_of(net, layer)
    walk, output = _evaluated(draft, path)
    _captured(draft, walk, output)
    return draft.program("capture", statements=_statements(stated, path))


@checked
def saliency(
    net: NetSpec,
    *,
    batch: int,
    layer: str | None = None,
    element: ElementType = ElementType.F32,
    formulation: Formulation = PORTABLE,
) -> Program:
    """Return the evaluation, the map of one layer, and the gradient of the output by that map.

    `layer` is the path of a layer that returns a map, by default `last_map`.
    Inputs: those of `eval`, then `dy`, the cotangent of the output. Outputs: `features`
    [B, C, H, W], `output` [B, …], `d.features` = d <dy, output> / d features, with everything
    that does not go through the map held fixed; examples do not mix, for statistics are running.
    Errors: SpecError for a path that the net lacks, and for that of a layer that returns no map;
    map, or one on which the output does not depend.
    """
    draft = Draft(net, batch, element, formulation)
    stated = Notation(net, STANDARD).layers(Mode.EVALUATION)
    path = last_map(net) if layer is None else map_of(net, layer)
    walk, output = _evaluated(draft, path)
    dy = draft.floats("dy", Role.COTANGENT, (batch, *net.output))
    captured = _captured(draft, walk, output)
    cotangents = backward(walk, output, walk.enter(dy, hint="dy"))
    gradient = cotangents.get(captured.reentered)
    if gradient is None:
        raise UnsupportedError(
            where=f"{net.name}: saliency",
            expected="an output that depends on the map",
            found=f"no path from {path} to it",
        )
    draft.result("d.features", Role.GRADIENT, walk.leave(gradient, hint="dfeatures"))
    return draft.program("saliency", statements=_statements(stated, path))


@checked
def plan_of(net: NetSpec, layer: str) -> Plan:
    """Return the plan of a layer by its path; SpecError where the net has none there."""
    plans = {plan.path: plan for plan in net.walk()}
    if layer not in plans:
        near = difflib.get_close_matches(layer, plans, NEAR, cutoff=0.0)
        raise SpecError(
            where=f"{net.name}: layer",
            expected=f"the path of a layer, such as {', '.join(near)}",
            found=repr(layer),
        )
    return plans[layer]


@checked
def map_of(net: NetSpec, layer: str) -> str:
    """Return the path of a layer, once it is known to return a map."""
    outputs = {plan.path: plan.output for plan in net.walk()}
    maps = [plan.path for plan in net.walk() if _is_map(plan)]
    if layer in maps:
        return layer
    near = difflib.get_close_matches(layer, maps, NEAR, cutoff=0.0)
    returned = f", which returns {list(outputs[layer])}" if layer in outputs else ""
    raise SpecError(
        where=f"{net.name}: layer",
        expected=f"the path of a layer that returns a map [C, H, W], such as {', '.join(near)}",
        found=f"{layer!r}{returned}",
        remedy="`gradwright show` lists the layers of a net",
    )


def last_map(net: NetSpec) -> str:
    """Return the path of the last layer that returns a map, pools aside.

    UnsupportedError where there is none. Source: Selvaraju et al. 2017, section 3, which takes the
    last convolutional layer for the best compromise between semantics and place.
    """
    found = _last_map(net.plans)
    if found is None:
        expected = "a layer that returns a map [C, H, W]"
        raise UnsupportedError(where=f"{net.name}: saliency", expected=expected, found="none")
    return found


def _last_map(plans: Sequence[Plan]) -> str | None:
    for plan in reversed(plans):
        if _is_map(plan) and not isinstance(plan.layer, MaxPool | AvgPool):
            return plan.path
        inner = None if isinstance(plan.layer, Gate) else _last_map(plan.children)
        if inner is not None:
            return inner
    return None


def _is_map(plan: Plan) -> bool:
    return len(plan.output) == 3


def _before_pool(net: NetSpec, stated: Stated) -> str:
    """Return the path of the layer that the only global pool reads."""
    layer, dot, _ = stated.reads[_only_pool(net).path].rpartition(".")
    if not dot:
        expected = "a layer before the global pool, whose output is the map to capture"
        raise UnsupportedError(where=f"{net.name}: capture", expected=expected, found="none")
    return layer


def _evaluated(draft: Draft, path: str) -> tuple[Walk, Value]:
    """Write the evaluation with the map of one layer set apart; return the walk and the output."""
    given = declare(draft, (Section.PARAMETERS, Section.STATISTICS, Section.DATA))
    walk = draft.walk(given, Mode.EVALUATION)
    walk.captured_path = path
    _, output = run_net(walk, draft.net, given.data)
    return walk, output


def _captured(draft: Draft, walk: Walk, output: Value) -> Captured:
    """Return map and output from the program."""
    assert walk.captured is not None  # every plan of a net is walked
    draft.result("features", Role.OUTPUT, walk.captured.features)
    draft.result("output", Role.OUTPUT, walk.leave(output, hint="output"))
    return walk.captured


def _statements(stated: Stated, path: str) -> list[str]:
    return [*stated.lines, f"features = {path}.y", f"output = {stated.output}"]


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
