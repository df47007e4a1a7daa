"""Calling conventions of programs: which arguments and results, in what order, under what names."""

import abc
import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from gradwright.errors import SpecError, UnsupportedError
from gradwright.layers.statements import renamed
from gradwright.layers.walk import Statistics
from gradwright.optim import Correction, Optimizer
from gradwright.programs import letters
from gradwright.spec import NetSpec, Slot
from gradwright.spec.conventions import Convention
from gradwright.spec.decimals import quotient
from gradwright.spec.fields import check_fields
from gradwright.spec.numbers import LARGEST_REAL, SMALLEST_REAL


class Cotangent(Convention):
    """What the update follows the gradient of, for a batch of B."""

    MEAN = "mean"
    """The loss."""
    SUM = "sum"
    """B times the loss; whoever sets the rate divides by B."""


class Reported(Convention):
    """Whether a fused step returns its loss."""

    NOTHING = "nothing"
    """State alone."""
    LOSS = "loss"
    """The loss; an argument `lslot`, which nothing reads, gives both ends the same shapes."""


class Section(enum.Enum):
    """A run of arguments or of results."""

    PARAMETERS = enum.auto()
    MOMENTS = enum.auto()
    STATISTICS = enum.auto()
    RATE = enum.auto()
    STEP = enum.auto()
    CORRECTIONS = enum.auto()
    DATA = enum.auto()
    LABELS = enum.auto()
    MASKS = enum.auto()
    LOSS = enum.auto()
    METRICS = enum.auto()


@dataclass(frozen=True, slots=True)
class Abi(abc.ABC):
    """A calling convention.

    `cotangent` says what a train step differentiates, `statistics` what batch normalisation
    normalises by (of each example alone: no running statistics are taken or returned), `function`
    is the name of the entry point.
    """

    kind: ClassVar[str]
    flattens: ClassVar[bool] = False
    """Whether an example comes as a row of numbers, and a soft label is called `onehot`."""
    shares_updates: ClassVar[bool] = False
    """Whether a rule may be a function of its own, which parameters of one shape call."""
    cotangent: Cotangent = Cotangent.MEAN
    statistics: Statistics = Statistics.BATCH
    function: str = "main"

    def __post_init__(self) -> None:
        """Check types, and that the entry point has a name."""
        check_fields(self)
        if not self.function.isidentifier() or not self.function.isascii():
            expected = "letters, digits and '_', no digit first"
            raise SpecError(where=f"{self.kind}.function", expected=expected, found=self.function)

    @property
    @abc.abstractmethod
    def inputs(self) -> Sequence[Section]:
        """The arguments in order."""

    @property
    @abc.abstractmethod
    def outputs(self) -> Sequence[Section]:
        """The results of a train step in order."""

    def names(self, net: NetSpec) -> Mapping[str, str]:
        """Return what each slot is called as an argument."""
        return {slot.name: slot.name for slot in net.slots}

    def moments(self, optimizer: Optimizer) -> Sequence[str]:
        """Return the moments that a step takes and returns for each parameter."""
        return optimizer.moments

    def place(self, moment: str) -> str:
        """Return which of them holds a moment of the optimizer."""
        return moment

    def moment_name(self, parameter: str, moment: str) -> str:
        """Return what a moment is called as an argument."""
        return f"{parameter}.{moment}"

    def baked_rate(self, batch: int) -> float | None:
        """Return the rate that the text holds; None where it is an argument."""
        del batch
        return None

    def check(self, optimizer: Optimizer) -> None:
        """UnsupportedError for an optimizer whose state has no place."""
        del optimizer

    def rule(self, optimizer: Optimizer, slot: Slot, batch: int) -> str:
        """Return the update rule of a parameter in index notation, over the arguments."""
        del batch
        return optimizer.meaning(slot)


@dataclass(frozen=True, slots=True)
class Standard(Abi):
    """Named state first, then scalars, x, y, masks; state, loss and metrics come back."""

    kind: ClassVar[str] = "standard"
    shares_updates: ClassVar[bool] = True

    @property
    def inputs(self) -> Sequence[Section]:
        """The arguments in order."""
        state = (Section.PARAMETERS, Section.MOMENTS, Section.STATISTICS)
        return (*state, Section.RATE, Section.STEP, Section.DATA, Section.LABELS, Section.MASKS)

    @property
    def outputs(self) -> Sequence[Section]:
        """The results of a train step in order."""
        state = (Section.PARAMETERS, Section.MOMENTS, Section.STATISTICS)
        return (*state, Section.LOSS, Section.METRICS)


@dataclass(frozen=True, slots=True)
class Lettered(Abi, abc.ABC):
    """Parameters are called W1, b1, … (see `letters`), counted from `first`."""

    flattens: ClassVar[bool] = True
    convolution_bias: ClassVar[str] = "b"
    first: int = 1

    def __post_init__(self) -> None:
        """Check types, and that no layer has a negative number."""
        Abi.__post_init__(self)
        if self.first < 0:
            raise SpecError(where=f"{self.kind}.first", expected=">= 0", found=str(self.first))

    def names(self, net: NetSpec) -> Mapping[str, str]:
        """Return what each slot is called as an argument."""
        return letters.names(net, first=self.first, convolution_bias=self.convolution_bias)

    def moment_name(self, parameter: str, moment: str) -> str:
        """Return what a moment is called as an argument."""
        return f"{parameter}{moment}"


@dataclass(frozen=True, slots=True)
class Fused(Lettered):
    """x, parameters, labels; the parameters come back. Plain descent, its rate in the text.

    theta' = theta - rate g, where the rate in the text is `rate` / B if the cotangent is the sum.
    Source: the fused steps of lean4-mlir.
    """

    kind: ClassVar[str] = "fused"
    cotangent: Cotangent = Cotangent.SUM
    rate: float = 0.1
    loss: Reported = Reported.NOTHING

    def __post_init__(self) -> None:
        """Check types, and that the rate is one."""
        Lettered.__post_init__(self)
        if not SMALLEST_REAL <= self.rate <= LARGEST_REAL:
            expected = "a number > 0 that f32 holds"
            raise SpecError(where="fused.rate", expected=expected, found=repr(self.rate))

    @property
    def inputs(self) -> Sequence[Section]:
        """The arguments in order."""
        first = (Section.DATA, Section.PARAMETERS, *self._loss)
        return (*first, Section.STATISTICS, Section.MASKS, Section.LABELS)

    @property
    def outputs(self) -> Sequence[Section]:
        """The results of a train step in order."""
        return (Section.PARAMETERS, *self._loss, Section.STATISTICS)

    @property
    def _loss(self) -> Sequence[Section]:
        return (Section.LOSS,) if self.loss is Reported.LOSS else ()

    def baked_rate(self, batch: int) -> float:
        """Return the rate that the text holds."""
        return quotient(self.rate, batch if self.cotangent is Cotangent.SUM else 1)

    def check(self, optimizer: Optimizer) -> None:
        """UnsupportedError for an optimizer with state."""
        if optimizer.moments:
            raise UnsupportedError(
                where="fused step",
                expected="an optimizer without state",
                found=optimizer.kind,
                remedy="Use Sgd, or the packed convention",
            )

    def rule(self, optimizer: Optimizer, slot: Slot, batch: int) -> str:
        """Return the update rule of a parameter in index notation, over the arguments."""
        return renamed(optimizer.meaning(slot), {"lr": repr(self.baked_rate(batch))})


_PACKED_PLACES = {"m": "m", "v": "v", "u": "v"}
"""Where a packed step keeps a moment: the velocity of a momentum rule is in the place of v."""


@dataclass(frozen=True, slots=True)
class Packed(Lettered):
    """x, parameters, all m, all v, lr, bc1, bc2, labels; the same without x and labels comes back.

    Every optimizer has the same arguments: one without m or v returns it as it came. The bias
    corrections bc_i = 1 - beta_i^t are the caller's and are returned unchanged behind the loss.
    Source: the packed protocol of lean4-mlir.
    """

    kind: ClassVar[str] = "packed"
    convolution_bias: ClassVar[str] = "cb"
    """Since b1 and b2 are numbers of Adam."""

    @property
    def inputs(self) -> Sequence[Section]:
        """The arguments in order."""
        state = (Section.DATA, Section.PARAMETERS, Section.MOMENTS)
        scalars = (Section.RATE, Section.CORRECTIONS)
        return (*state, *scalars, Section.STATISTICS, Section.MASKS, Section.LABELS)

    @property
    def outputs(self) -> Sequence[Section]:
        """The results of a train step in order."""
        state = (Section.PARAMETERS, Section.MOMENTS)
        return (*state, Section.LOSS, Section.CORRECTIONS, Section.STATISTICS)

    def moments(self, optimizer: Optimizer) -> Sequence[str]:
        """Return m and v, whatever the optimizer."""
        del optimizer
        return ("m", "v")

    def place(self, moment: str) -> str:
        """Return which of them holds a moment of the optimizer."""
        return _PACKED_PLACES[moment]

    def check(self, optimizer: Optimizer) -> None:
        """UnsupportedError for state that is no m, v or velocity."""
        if not set(optimizer.moments) <= _PACKED_PLACES.keys():
            expected = "an optimizer whose state is m and v, or a velocity"
            raise UnsupportedError(where="packed step", expected=expected, found=optimizer.kind)

    def rule(self, optimizer: Optimizer, slot: Slot, batch: int) -> str:
        """Return the update rule of a parameter in index notation, over the arguments."""
        del batch
        moved = {moment: self.place(moment) for moment in optimizer.moments}
        primed = {f"{moment}'": f"{place}'" for moment, place in moved.items()}
        rule = renamed(optimizer.meaning(slot, Correction.GIVEN), moved | primed)
        kept = [m for m in self.moments(optimizer) if m not in moved.values()]
        return "; ".join([rule, *(f"{moment}' = {moment}" for moment in kept)])


STANDARD = Standard()
"""The default."""
