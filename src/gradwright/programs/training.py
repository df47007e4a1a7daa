"""Programs with a backward or an update: train step, vjp, optimizer step."""

from collections.abc import Mapping, Sequence

from gradwright.errors import UnsupportedError
from gradwright.hlo import ElementType, Role, TensorType, Value
from gradwright.layers import PORTABLE, Formulation
from gradwright.layers.statements import (
    definitions,
    net_statements,
    renamed,
    statistics_statements,
)
from gradwright.layers.walk import Cotangents, Mode, backward
from gradwright.losses import Loss
from gradwright.optim import Clock, Optimizer
from gradwright.programs.arguments import Draft, moment_name, run_net
from gradwright.programs.inference import forward
from gradwright.programs.program import Program, named_after, require
from gradwright.spec import NetSpec


def train_step(
    net: NetSpec,
    *,
    batch: int,
    loss: Loss,
    optimizer: Optimizer,
    element: ElementType = ElementType.F32,
    formulation: Formulation = PORTABLE,
) -> Program:
    """Return one step of training: forward, loss, backward, update.

    Inputs: parameters, moments, statistics, `lr`, `t` (from 1), `x`, `y`, masks.
    Outputs: parameters', moments', statistics' (aliased to the inputs), `loss`, metrics.
    """
    require("loss", loss, Loss)
    require("optimizer", optimizer, Optimizer)
    draft = Draft(net, batch, element, formulation)
    parameters = draft.slots(net.parameters, Role.PARAMETER)
    moments = draft.moments(optimizer)
    statistics = draft.slots(net.statistics, Role.STATISTIC)
    clock = Clock(draft.floats("lr", Role.LEARNING_RATE), draft.floats("t", Role.STEP))
    x = draft.data()
    with named_after(net):
        label = loss.label(TensorType((batch, *net.output), element))
    y = draft.argument("y", Role.LABEL, label)
    walk = draft.walk(parameters | statistics, draft.masks(), Mode.TRAINING)
    _, output = run_net(walk, net, x)
    with draft.b.scope("loss", f"loss: {loss}"):
        evaluated = loss.write(draft.b, walk.leave(output, hint="output"), y)
        seed = walk.enter(evaluated.seed, hint="seed")
    gradients = _parameter_gradients(net, backward(walk, output, seed), parameters)
    _update(draft, optimizer, clock, parameters, moments, gradients)
    for slot in net.statistics:
        draft.result(slot.name, Role.STATISTIC, walk.updated[slot.name])
    draft.result("loss", Role.LOSS, evaluated.value)
    for name in loss.metrics:
        draft.result(name, Role.METRIC, evaluated.metrics[name])
    return draft.program(
        "train-step", loss=loss, optimizer=optimizer, statements=_statements(net, batch, loss)
    )


def vjp(
    net: NetSpec,
    *,
    batch: int,
    element: ElementType = ElementType.F32,
    formulation: Formulation = PORTABLE,
) -> Program:
    """Return the vector-Jacobian product of the training-mode forward.

    Inputs: those of `forward`, then `dy`, the cotangent of its output. Outputs: `d.NAME` for each
    parameter, then `d.x` where x is floating point; sums over the batch, no 1/B.
    """
    draft = Draft(net, batch, element, formulation)
    parameters = draft.slots(net.parameters, Role.PARAMETER)
    x = draft.data()
    masks = draft.masks()
    dy = draft.floats("dy", Role.COTANGENT, (batch, *net.output))
    walk = draft.walk(parameters, masks, Mode.TRAINING)
    entered, output = run_net(walk, net, x)
    cotangents = backward(walk, output, walk.enter(dy, hint="dy"))
    for name, gradient in _parameter_gradients(net, cotangents, parameters).items():
        draft.result(f"d.{name}", Role.GRADIENT, gradient)
    if net.input.integer is None:
        dx = cotangents.get(entered)
        assert dx is not None  # every layer pulls back to its floating-point input
        draft.result("d.x", Role.GRADIENT, walk.leave(dx, hint="dx"))
    primal = forward(net, batch=batch, element=element, formulation=formulation)
    return draft.program("vjp", primal=primal)


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
    require("optimizer", optimizer, Optimizer)
    draft = Draft(net, 1, element, PORTABLE)
    parameters = draft.slots(net.parameters, Role.PARAMETER)
    moments = draft.moments(optimizer)
    clock = Clock(draft.floats("lr", Role.LEARNING_RATE), draft.floats("t", Role.STEP))
    gradients = {
        slot.name: draft.floats(f"d.{slot.name}", Role.GRADIENT, slot.shape)
        for slot in net.parameters
    }
    _update(draft, optimizer, clock, parameters, moments, gradients)
    return draft.program("optimizer-step", optimizer=optimizer)


def _statements(net: NetSpec, batch: int, loss: Loss) -> list[str]:
    """Return what a train step computes beside gradients and updates."""
    stated = net_statements(net.plans, "x", Mode.TRAINING)
    defined = definitions(loss.meaning((batch, *net.output)))
    returned = ("loss", *loss.metrics)
    names = {name: f"loss.{name}" for name, _ in defined if name not in returned}
    names["x"] = stated.output
    evaluated = [renamed(line, names) for _, line in defined]
    return [*stated.lines, *evaluated, *statistics_statements(net.plans)]


def _parameter_gradients(
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


def _update(
    draft: Draft,
    optimizer: Optimizer,
    clock: Clock,
    parameters: Mapping[str, Value],
    moments: Mapping[str, Sequence[Value]],
    gradients: Mapping[str, Value],
) -> None:
    """Write the update of every parameter; return parameters', then moments' kind by kind."""
    new_moments: dict[str, Value] = {}
    for slot in draft.net.parameters:
        old, g = parameters[slot.name], gradients[slot.name]
        with draft.b.scope(slot.name, f"update: {optimizer}"):
            new, state = optimizer.update(draft.b, clock, slot, old, moments[slot.name], g)
        draft.result(slot.name, Role.PARAMETER, new)
        for moment, value in zip(optimizer.moments, state, strict=True):
            new_moments[moment_name(slot, moment)] = value
    for moment in optimizer.moments:
        for slot in draft.net.parameters:
            name = moment_name(slot, moment)
            draft.result(name, Role.MOMENT, new_moments[name])
