"""The record of an emitted program: its text, and what every argument and result is."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

from gradwright.errors import SpecError, UnsupportedError, perhaps
from gradwright.hlo import ElementType, Module, Port, Signature
from gradwright.hlo.printer import print_module
from gradwright.layers import FULL, Formulation, Precision
from gradwright.losses import Loss
from gradwright.optim import Optimizer
from gradwright.programs.abi import STANDARD, Abi
from gradwright.spec import MaskSlot, NetSpec
from gradwright.spec.numbers import COUNTS, is_count

FLOAT_ELEMENTS = (ElementType.F32, ElementType.F64)
"""Element types that a whole program can be written in."""


@dataclass(frozen=True)
class Program:
    """One entry point of a net as StableHLO.

    `module` is what was built, `text` what is shipped; everything downstream reads the text.
    """

    entry: str
    net: NetSpec
    batch: int
    element: ElementType
    formulation: Formulation
    module: Module = field(repr=False)
    signature: Signature = field(repr=False)
    loss: Loss | None = None
    optimizer: Optimizer | None = None
    statements: tuple[str, ...] = field(default=(), repr=False)
    """What the results are, in index notation over the names of the arguments, in order.

    They define each output, loss and metric under its name and each new running statistic under
    its name with a prime.
    """
    primal: "Program | None" = field(default=None, repr=False)
    """What the gradients in the program are of, where that is no result of its own.

    The forward that a vector-Jacobian product belongs to; the sum that a step descends along.
    """
    updates: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Declared update rule of each parameter, in index notation (empty without optimizer)."""
    abi: Abi = STANDARD
    precision: Precision = FULL

    @property
    def name(self) -> str:
        """Name of the module, e.g. `digits_cnn_train_step`."""
        return self.module.name

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Arguments in order."""
        return self.signature.inputs

    @property
    def outputs(self) -> tuple[Port, ...]:
        """Results in order."""
        return self.signature.outputs

    @property
    def masks(self) -> tuple[MaskSlot, ...]:
        """Masks that the caller draws for each step (training only)."""
        taken = {port.name for port in self.inputs}
        return tuple(mask for mask in self.net.masks if mask.name in taken)

    @property
    def text(self) -> str:
        """StableHLO text: the same declaration gives the same bytes."""
        return self._printed

    @cached_property
    def _printed(self) -> str:
        settings = [f"element {self.element.value}", f"batch {self.batch}"]
        settings.extend(str(part) for part in (self.loss, self.optimizer) if part is not None)
        if self.abi != STANDARD:
            settings.append(f"convention {self.abi}")
        if not self.precision.is_full:
            settings.append(str(self.precision))
        header = (f"{self.net.name}: {self.entry}", *settings)
        return print_module(self.module, header)


@contextmanager
def named_after(net: NetSpec) -> Generator[None, None, None]:
    """Put the name of the net in front of what a layer or a loss refuses."""
    try:
        yield
    except (SpecError, UnsupportedError) as refusal:
        raise refusal.at(f"{net.name}: {refusal.where}") from None


def check_request(net: NetSpec, batch: int, element: ElementType, form: Formulation) -> None:
    """SpecError for what is no program's, UnsupportedError for a type that no program is in."""
    paths = [plan.path for plan in net.walk()]
    for path in form.recomputed:
        if path not in paths:
            raise SpecError(
                where=f"{net.name}: Formulation.recomputed",
                expected="paths of its layers",
                found=repr(path),
                remedy=perhaps(path, paths) or f"gradwright show {net.name} lists them",
            )
    if not is_count(batch):
        raise SpecError(where=f"{net.name}: batch", expected=COUNTS, found=repr(batch))
    if element not in FLOAT_ELEMENTS:
        expected = " or ".join(e.value for e in FLOAT_ELEMENTS)
        where = f"{net.name}: element type"
        raise UnsupportedError(where=where, expected=expected, found=element.value)
