"""The programs that training consists of, and what they were made from."""

from collections.abc import Callable
from dataclasses import dataclass

from gradwright.run import Compilable
from gradwright.spec import NetSpec
from gradwright.train.checkpoint import State


@dataclass(frozen=True, slots=True)
class Parts:
    """A net, the train step and evaluation emitted for it, and where its state starts.

    `loss` and `optimizer` are used by their `repr` alone; `ignore_label` is the label that the loss
    leaves out, None where it has none; `initial` gives the state before the first step for a seed.
    """

    net: NetSpec
    loss: object
    optimizer: object
    step: Compilable
    evaluator: Compilable
    initial: Callable[[int], State]
    ignore_label: int | None = None
