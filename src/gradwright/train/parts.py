"""The programs that training consists of, and what they were made from."""

from collections.abc import Callable
from dataclasses import dataclass

from gradwright.kinds import checked
from gradwright.layers import PORTABLE, Formulation
from gradwright.losses import Loss, SoftmaxCrossEntropy
from gradwright.optim import Optimizer
from gradwright.programs import eval as emit_eval
from gradwright.programs import initial_state, train_step
from gradwright.run import Compilable
from gradwright.spec import NetSpec
from gradwright.train.checkpoint import State
from gradwright.train.options import TrainOptions


@dataclass(frozen=True, slots=True)
class Parts:
    """A net, the train step and evaluation emitted for it, and where its state starts.

    `loss` and `optimizer` are used by their `repr` alone; `ignore_label` is the label that the loss
    leaves out, None where it has none; `initial` gives the state before the first step for a seed;
    `formulation` is recorded with the run.
    """

    net: NetSpec
    loss: object
    optimizer: object
    step: Compilable
    evaluator: Compilable
    initial: Callable[[int], State]
    ignore_label: int | None = None
    formulation: Formulation | None = None


@checked
def emit_parts(
    net: NetSpec,
    loss: Loss,
    optimizer: Optimizer,
    options: TrainOptions,
    *,
    formulation: Formulation = PORTABLE,
) -> Parts:
    """Emit the train step and the evaluation of a net."""
    step = train_step(
        net, batch=options.batch, loss=loss, optimizer=optimizer, formulation=formulation
    )
    ignored = loss.ignore_index if isinstance(loss, SoftmaxCrossEntropy) else None
    return Parts(
        net=net,
        loss=loss,
        optimizer=optimizer,
        step=step,
        evaluator=emit_eval(net, batch=options.eval_batch, formulation=formulation),
        initial=lambda seed: initial_state(step, seed),
        ignore_label=ignored,
        formulation=formulation,
    )
