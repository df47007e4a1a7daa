"""The arguments of a program, declared in the order of its convention."""

from collections.abc import Callable, Sequence

from gradwright.hlo import Role, TensorType
from gradwright.losses import Labels, Loss, SoftmaxCrossEntropy
from gradwright.optim import Optimizer
from gradwright.programs.abi import Abi, Section
from gradwright.programs.draft import Arguments, Draft, data_shape
from gradwright.programs.program import named_after


def declare(
    draft: Draft,
    sections: Sequence[Section],
    *,
    loss: Loss | None = None,
    optimizer: Optimizer | None = None,
) -> Arguments:
    """Declare the arguments of some sections, in the order of the convention."""
    given = Arguments()
    for section in draft.abi.inputs:
        if section in sections:
            _DECLARATIONS[section](draft, given, loss, optimizer)
    return given


def _parameters(draft: Draft, given: Arguments, *_: object) -> None:
    for slot in draft.net.parameters:
        given.parameters[slot.name] = draft.floats(
            draft.names[slot.name], Role.PARAMETER, slot.shape
        )


def _statistics(draft: Draft, given: Arguments, *_: object) -> None:
    for slot in draft.statistics:
        given.statistics[slot.name] = draft.floats(
            draft.names[slot.name], Role.STATISTIC, slot.shape
        )


def _moments(
    draft: Draft, given: Arguments, loss: Loss | None, optimizer: Optimizer | None
) -> None:
    """All of one kind before the next."""
    del loss
    assert optimizer is not None
    given.moments = {slot.name: {} for slot in draft.net.parameters}
    for moment in draft.abi.moments(optimizer):
        for slot in draft.net.parameters:
            given.moments[slot.name][moment] = draft.port(draft.moment_port(slot, moment))


def _rate(draft: Draft, given: Arguments, *_: object) -> None:
    given.rate = draft.floats("lr", Role.LEARNING_RATE)


def _step(draft: Draft, given: Arguments, *_: object) -> None:
    given.step = draft.floats("t", Role.STEP)


def _corrections(draft: Draft, given: Arguments, *_: object) -> None:
    first, second = (draft.floats(name, Role.CORRECTION) for name in ("bc1", "bc2"))
    given.corrections = first, second


def _data(draft: Draft, given: Arguments, *_: object) -> None:
    """Declare the batch of examples `x`, in one row each where the convention says so."""
    element = draft.net.input.integer or draft.element
    shape = data_shape(draft.net, draft.batch, draft.abi)
    x = draft.argument("x", Role.DATA, TensorType(shape, element))
    given.x = draft.b.reshape(x, (draft.batch, *draft.net.input.shape), hint="picture")


def _labels(draft: Draft, given: Arguments, loss: Loss | None, optimizer: Optimizer | None) -> None:
    del optimizer
    assert loss is not None
    with named_after(draft.net):
        label = loss.label(TensorType((draft.batch, *draft.net.output), draft.element))
    given.y = draft.argument(label_name(draft.abi, loss), Role.LABEL, label)


def _masks(draft: Draft, given: Arguments, *_: object) -> None:
    for mask in draft.net.masks:
        shape = (draft.batch, *mask.shape)
        given.masks[mask.name] = draft.floats(mask.name, Role.MASK, shape)


def _loss_slot(draft: Draft, given: Arguments, *_: object) -> None:
    """Declare the argument in the place of the loss, which nothing reads."""
    del given
    draft.floats("lslot", Role.LOSS)


_DECLARATIONS: dict[Section, Callable[[Draft, Arguments, Loss | None, Optimizer | None], None]] = {
    Section.PARAMETERS: _parameters,
    Section.MOMENTS: _moments,
    Section.STATISTICS: _statistics,
    Section.RATE: _rate,
    Section.STEP: _step,
    Section.CORRECTIONS: _corrections,
    Section.DATA: _data,
    Section.LABELS: _labels,
    Section.MASKS: _masks,
    Section.LOSS: _loss_slot,
}


def label_name(abi: Abi, loss: Loss) -> str:
    """Return what labels are called as an argument."""
    soft = isinstance(loss, SoftmaxCrossEntropy) and loss.labels is Labels.SOFT
    return "onehot" if abi.flattens and soft else "y"
