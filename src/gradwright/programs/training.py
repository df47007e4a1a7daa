"""Programs with a backward or an update: train step, vjp, optimizer step."""

from collections.abc import Callable, Mapping

from gradwright.errors import UnsupportedError
from gradwright.hlo import ElementType, Role, Value
from gradwright.kinds import checked
from gradwright.layers import FULL, PORTABLE, Formulation, Precision
from gradwright.layers.walk import Cotangents, Mode, Walk, backward
from gradwright.losses import Loss
from gradwright.losses.loss import Evaluated
from gradwright.optim import Optimizer
from gradwright.programs.abi import STANDARD, Abi, Cotangent, Section
from gradwright.programs.arguments import declare
from gradwright.programs.draft import Arguments, Draft, run_net
from gradwright.programs.inference import forward
from gradwright.programs.program import Program, named_after
from gradwright.programs.stated import Notation
from gradwright.programs.updates import Moved, moved_by
from gradwright.spec import NetSpec

EVERYTHING = tuple(Section)
"""A train step takes whatever its convention has a place for."""


@checked
def train_step(
    net: NetSpec,
    *,
    batch: int,
    loss: Loss,
    optimizer: Optimizer,
    element: ElementType = ElementType.F32,
    formulation: Formulation = PORTABLE,
    abi: Abi = STANDARD,
    precision: Precision = FULL,
) -> Program:
    """Return one step of training: forward, loss, backward, update.

    Inputs: parameters, moments, statistics, `lr`, `t` (from 1), `x`, `y`, masks.
    Outputs: parameters', moments', statistics' (aliased to the inputs), `loss`, metrics.
    Other conventions (`abi`) have other arguments, orders and names; `precision` says which
    products are rounded.
    """
    draft = Draft(net, batch, element, formulation, abi, precision)
    with named_after(net):
        abi.check(optimizer)
    given = declare(draft, EVERYTHING, loss=loss, optimizer=optimizer)
    clock = draft.clock(given, optimizer)
    walk, output, evaluated = _evaluated(draft, given, loss)
    with draft.b.scope("loss", f"loss: {loss}"):
        seed = evaluated.seed if abi.cotangent is Cotangent.MEAN else evaluated.summed()
        seed = walk.enter(seed, hint="seed")
    gradients = parameter_gradients(net, backward(walk, output, seed), given.parameters)
    moved = moved_by(draft, optimizer, clock, given, gradients)
    for section in abi.outputs:
        _RETURNS[section](draft, moved, walk, evaluated)
    notation = Notation(net, abi)
    return draft.program(
        "train-step",
        loss=loss,
        optimizer=optimizer,
        statements=[*_loss_statements(notation, loss, batch), *_others(notation)],
        updates=_rules(draft, optimizer),
        primal=_differentiated(draft, loss, optimizer),
    )


@checked
def vjp(
    net: NetSpec,
    *,
    batch: int,
    element: ElementType = ElementType.F32,
    formulation: Formulation = PORTABLE,
    abi: Abi = STANDARD,
    precision: Precision = FULL,
) -> Program:
    """Return the vector-Jacobian product of the training-mode forward.

    Inputs: those of `forward`, then `dy`, the cotangent of its output. Outputs: `d.NAME` for each
    parameter, then `d.x` where x is floating point; sums over the batch, no 1/B.
    """
    draft = Draft(net, batch, element, formulation, abi, precision)
    given = declare(draft, (Section.PARAMETERS, Section.DATA, Section.MASKS))
    dy = draft.floats("dy", Role.COTANGENT, (batch, *net.output))
    walk = draft.walk(given, Mode.TRAINING)
    entered, output = run_net(walk, net, given.data)
    cotangents = backward(walk, output, walk.enter(dy, hint="dy"))
    for name, gradient in parameter_gradients(net, cotangents, given.parameters).items():
        draft.result(f"d.{draft.names[name]}", Role.GRADIENT, gradient)
    input_gradient(draft, walk, cotangents, entered)
    primal = forward(
        net,
        batch=batch,
        element=element,
        formulation=formulation,
        abi=abi,
        precision=precision,
    )
    return draft.program("vjp", primal=primal)


@checked
def optimizer_step(
    net: NetSpec,
    *,
    optimizer: Optimizer,
    element: ElementType = ElementType.F32,
) -> Program:
    """Return the update alone, for gradients that come from elsewhere (summed, averaged).

    Inputs: parameters, moments, `lr`, `t`, then `d.NAME` for each parameter.
    Outputs: parameters', moments'.
    """
    draft = Draft(net, 1, element, PORTABLE)
    state = (Section.PARAMETERS, Section.MOMENTS, Section.RATE, Section.STEP)
    given = declare(draft, state, optimizer=optimizer)
    gradients = {
        slot.name: draft.floats(f"d.{slot.name}", Role.GRADIENT, slot.shape)
        for slot in net.parameters
    }
    clock = draft.clock(given, optimizer)
    moved = moved_by(draft, optimizer, clock, given, gradients)
    _return_parameters(draft, moved)
    _return_moments(draft, moved)
    updates = _rules(draft, optimizer)
    return draft.program("optimizer-step", optimizer=optimizer, updates=updates)


def _evaluated(draft: Draft, given: Arguments, loss: Loss) -> tuple[Walk, Value, Evaluated]:
    """Write forward and loss; return the walk, the output in its layout, and the loss."""
    walk = draft.walk(given, Mode.TRAINING)
    _, output = run_net(walk, draft.net, given.data)
    assert given.y is not None  # a step with a loss takes labels
    with draft.b.scope("loss", f"loss: {loss}"):
        return walk, output, loss.write(draft.b, walk.leave(output, hint="output"), given.y)


def _differentiated(draft: Draft, loss: Loss, optimizer: Optimizer) -> Program | None:
    """Return the program of what a step descends along, None where it returns that itself."""
    abi = draft.abi
    is_sum = abi.cotangent is Cotangent.SUM
    if Section.LOSS in abi.outputs and not is_sum:
        return None
    own = Draft(draft.net, draft.batch, draft.element, draft.formulation, abi, draft.precision)
    given = declare(own, EVERYTHING, loss=loss, optimizer=optimizer)
    _, _, evaluated = _evaluated(own, given, loss)
    notation = Notation(own.net, abi)
    statements = _loss_statements(notation, loss, own.batch)
    name, value = "loss", evaluated.value
    if is_sum:
        name, value = "total", own.b.multiply(value, own.b.splat_like(own.batch, value))
        statements.append(f"total = {own.batch} * loss")
    own.result(name, Role.LOSS, value)
    return own.program("loss", loss=loss, statements=statements)


def _loss_statements(notation: Notation, loss: Loss, batch: int) -> list[str]:
    stated = notation.layers(Mode.TRAINING)
    return [*stated.lines, *notation.loss(loss, batch, stated.output)]


def _others(notation: Notation) -> list[str]:
    """Return what a train step computes beside loss, gradients and updates."""
    kept = (f"{name}' = {name}" for name in ("bc1", "bc2"))
    has_corrections = Section.CORRECTIONS in notation.abi.outputs
    return [*notation.statistics(), *(kept if has_corrections else ())]


def _rules(draft: Draft, optimizer: Optimizer) -> Mapping[str, str]:
    """Return the update rule of each parameter by its name as an argument."""
    return {
        draft.names[slot.name]: draft.abi.rule(optimizer, slot, draft.batch)
        for slot in draft.net.parameters
    }


def parameter_gradients(
    net: NetSpec, cotangents: Cotangents, parameters: Mapping[str, Value]
) -> dict[str, Value]:
    """Return the gradient of every parameter; one without a path to the output is refused."""
    gradients: dict[str, Value] = {}
    for slot in net.parameters:
        gradient = cotangents.get(parameters[slot.name])
        if gradient is None:
            raise UnsupportedError(
                where=f"{net.name}: {slot.name}",
                expected="every parameter to reach the output",
                found="no path from it, so it would never train",
            )
        gradients[slot.name] = gradient
    return gradients


def input_gradient(draft: Draft, walk: Walk, cotangents: Cotangents, entered: Value) -> None:
    """Return `d.x` from a program, where x is floating point."""
    if draft.net.input.integer is not None:
        return
    dx = cotangents.get(entered)
    assert dx is not None  # every layer pulls back to its floating-point input
    pictures = walk.leave(dx, hint="dx")
    draft.result("d.x", Role.GRADIENT, draft.as_passed(pictures))


def _return_parameters(draft: Draft, moved: Moved, *_: object) -> None:
    for slot in draft.net.parameters:
        draft.result(draft.names[slot.name], Role.PARAMETER, moved.parameters[slot.name])


def _return_moments(draft: Draft, moved: Moved, *_: object) -> None:
    """All of one kind before the next."""
    for kind in moved.kinds:
        for slot in draft.net.parameters:
            draft.returned(draft.moment_port(slot, kind), moved.moments[slot.name][kind])


def _return_statistics(draft: Draft, moved: Moved, walk: Walk, evaluated: Evaluated) -> None:
    del moved, evaluated
    for slot in draft.statistics:
        draft.result(draft.names[slot.name], Role.STATISTIC, walk.updated[slot.name])


def _return_loss(draft: Draft, moved: Moved, walk: Walk, evaluated: Evaluated) -> None:
    del moved, walk
    draft.result("loss", Role.LOSS, evaluated.value)


def _return_metrics(draft: Draft, moved: Moved, walk: Walk, evaluated: Evaluated) -> None:
    del moved, walk
    for name, value in evaluated.metrics.items():
        draft.result(name, Role.METRIC, value)


def _return_corrections(draft: Draft, moved: Moved, *_: object) -> None:
    for name, value in zip(("bc1", "bc2"), moved.corrections or (), strict=True):
        draft.result(name, Role.CORRECTION, value)


_RETURNS: Mapping[Section, Callable[[Draft, Moved, Walk, Evaluated], None]] = {
    Section.PARAMETERS: _return_parameters,
    Section.MOMENTS: _return_moments,
    Section.STATISTICS: _return_statistics,
    Section.LOSS: _return_loss,
    Section.METRICS: _return_metrics,
    Section.CORRECTIONS: _return_corrections,
}
