"""What each argument and result of a program is for: names, roles and types."""

import enum
from dataclasses import dataclass

import numpy as np

from gradwright.hlo.types import Shape, TensorType


class Role(enum.StrEnum):
    """What one argument or result of a program is."""

    PARAMETER = "parameter"
    MOMENT = "moment"
    STATISTIC = "statistic"
    LEARNING_RATE = "learning-rate"
    STEP = "step"
    CORRECTION = "correction"
    DATA = "data"
    LABEL = "label"
    MASK = "mask"
    COTANGENT = "cotangent"
    GRADIENT = "gradient"
    LOSS = "loss"
    METRIC = "metric"
    OUTPUT = "output"

    @property
    def is_state(self) -> bool:
        """Whether a value of this role lives on from one step to the next."""
        return self in (Role.PARAMETER, Role.MOMENT, Role.STATISTIC)


@dataclass(frozen=True, slots=True)
class Port:
    """One argument or result of a program.

    `name` is unique among the inputs and among the outputs; an input and an output that are the
    same state before and after a step carry the same name and role. A moment belongs to the
    parameter `owner`, in whose update rule it is called `part`; where neither is given, its name
    is `owner.part`.
    """

    name: str
    role: Role
    type: TensorType
    owner: str = ""
    part: str = ""

    @property
    def moment(self) -> tuple[str, str]:
        """Owner and part of a moment."""
        owner, _, part = self.name.rpartition(".")
        return self.owner or owner, self.part or part

    @property
    def shape(self) -> Shape:
        """Extents, outermost first."""
        return self.type.shape

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """NumPy type of the array that is passed or returned."""
        return self.type.element.dtype


@dataclass(frozen=True, slots=True)
class Signature:
    """Ordered arguments and results of a program."""

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]

    @property
    def aliases(self) -> tuple[tuple[int, int], ...]:
        """Pairs (input index, output index) of state that a step may update in place."""
        outputs = {
            (port.name, port.role): index
            for index, port in enumerate(self.outputs)
            if port.role.is_state
        }
        pairs = ((i, outputs.get((port.name, port.role))) for i, port in enumerate(self.inputs))
        return tuple((i, j) for i, j in pairs if j is not None)
