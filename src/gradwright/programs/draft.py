"""A program while it is written."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gradwright.errors import UnsupportedError
from gradwright.hlo import (
    Builder,
    ElementType,
    Function,
    Module,
    Port,
    Role,
    Shape,
    Signature,
    TensorType,
    Value,
)
from gradwright.layers.formulation import Formulation
from gradwright.layers.precision import FULL, Precision
from gradwright.layers.walk import Mode, Statistics, Walk, forward_chain
from gradwright.losses import Loss
from gradwright.optim import Clock, Constants, Optimizer
from gradwright.programs.abi import STANDARD, Abi, Packed
from gradwright.programs.program import Program, check_request, named_after
from gradwright.spec import NetSpec, Slot


@dataclass(slots=True)
class Arguments:
    """What a program was declared to take; slots and masks by their full names.

    `moments` are those of the convention, by parameter and kind; x is a batch of whole examples.
    """

    parameters: dict[str, Value] = field(default_factory=dict[str, Value])
    moments: dict[str, dict[str, Value]] = field(default_factory=dict[str, dict[str, Value]])
    statistics: dict[str, Value] = field(default_factory=dict[str, Value])
    masks: dict[str, Value] = field(default_factory=dict[str, Value])
    rate: Value | None = None
    step: Value | None = None
    corrections: tuple[Value, Value] | None = None
    x: Value | None = None
    y: Value | None = None

    @property
    def data(self) -> Value:
        """The batch, of a program that takes one."""
        assert self.x is not None
        return self.x


@dataclass(slots=True)
class Draft:
    """A program while it is written: arguments are declared, then results are returned."""

    net: NetSpec
    batch: int
    element: ElementType
    formulation: Formulation
    abi: Abi = STANDARD
    precision: Precision = FULL
    b: Builder = field(default_factory=Builder)
    inputs: list[Port] = field(default_factory=list[Port])
    outputs: list[Port] = field(default_factory=list[Port])
    results: list[Value] = field(default_factory=list[Value])
    functions: list[Function] = field(default_factory=list[Function])
    """What the program calls."""
    names: Mapping[str, str] = field(init=False)
    """What slots are called as arguments."""

    def __post_init__(self) -> None:
        """Refuse what no program can have."""
        check_request(self.net, self.batch, self.element, self.formulation)
        self.names = self.abi.names(self.net)

    def argument(self, name: str, role: Role, type: TensorType) -> Value:
        """Declare an argument."""
        return self.port(Port(name, role, type))

    def port(self, port: Port) -> Value:
        """Declare an argument."""
        self.inputs.append(port)
        return self.b.argument(port.name, port.type)

    def floats(self, name: str, role: Role, shape: Shape = ()) -> Value:
        """Declare a floating-point argument, by default a scalar."""
        return self.argument(name, role, TensorType(shape, self.element))

    @property
    def statistics(self) -> Sequence[Slot]:
        """The running statistics that the program knows."""
        batch = self.abi.statistics is Statistics.BATCH
        return self.net.statistics if batch else ()

    def clock(self, given: Arguments, optimizer: Optimizer) -> Clock:
        """Return the scalars of an update; a rate that the text holds is a constant."""
        scalar = TensorType((), self.element)
        baked = self.abi.baked_rate(self.batch)
        rate = given.rate if baked is None else self.b.splat(baked, scalar, hint="rate")
        assert rate is not None  # a convention without an argument for the rate has it in the text
        if not isinstance(self.abi, Packed):
            return Clock(rate, given.step, given.corrections)
        for name, number in optimizer.constants.items():
            if number:
                self.b.splat(number, scalar, hint=name)
        return Clock(rate, given.step, given.corrections, Constants.NAMED)

    def moment_port(self, slot: Slot, moment: str) -> Port:
        """Return what a moment of a parameter is called, and whose it is."""
        owner = self.names[slot.name]
        type = TensorType(slot.shape, self.element)
        return Port(self.abi.moment_name(owner, moment), Role.MOMENT, type, owner, moment)

    def as_passed(self, batch: Value) -> Value:
        """Return a batch of examples in the shape in which the convention passes them."""
        return self.b.reshape(batch, data_shape(self.net, self.batch, self.abi))

    def result(self, name: str, role: Role, value: Value) -> None:
        """Return a value under a name."""
        self.returned(Port(name, role, value.type), value)

    def returned(self, port: Port, value: Value) -> None:
        """Return a value."""
        self.outputs.append(port)
        self.results.append(value)

    def walk(self, given: Arguments, mode: Mode) -> Walk:
        """Return the state of a walk over the net."""
        slots = given.parameters | given.statistics
        kinds = self.abi.statistics, self.precision
        return Walk(
            self.b, self.element, self.batch, mode, self.formulation, slots, given.masks, *kinds
        )

    def program(
        self,
        entry: str,
        *,
        loss: Loss | None = None,
        optimizer: Optimizer | None = None,
        statements: Sequence[str] = (),
        updates: Mapping[str, str] | None = None,
        primal: Program | None = None,
    ) -> Program:
        """Close the function and return the program."""
        signature = Signature(tuple(self.inputs), tuple(self.outputs))
        function = self.b.finish(self.abi.function, self.results, signature.aliases)
        name = f"{self.net.identifier}_{entry.replace('-', '_')}"
        if self.abi.function != STANDARD.function:
            name = self.abi.function
        program = Program(
            entry,
            self.net,
            self.batch,
            self.element,
            self.formulation,
            Module(name, (function, *self.functions)),
            signature,
            loss,
            optimizer,
            tuple(statements),
            primal,
            updates or {},
            self.abi,
            self.precision,
        )
        self._require_roundings(program)
        return program

    def _require_roundings(self, program: Program) -> None:
        """Refuse a precision that nothing in the program is computed in."""
        results = [v.type.element for op in program.module.main.body.walk() for v in op.results]
        narrow = (ElementType.BF16, ElementType.F8E4M3FN)
        if not self.precision.is_full and not any(element in results for element in narrow):
            raise UnsupportedError(
                where=f"{self.net.name}: precision",
                expected="a net with products that this precision rounds",
                found="none",
                remedy="Products of dense layers are rounded by a precision that says dense",
            )


def data_shape(net: NetSpec, batch: int, abi: Abi) -> Shape:
    """Return the shape in which a batch of examples is passed."""
    example = net.input.shape
    return (batch, math.prod(example)) if abi.flattens else (batch, *example)


def run_net(walk: Walk, net: NetSpec, x: Value) -> tuple[Value, Value]:
    """Write the layers on a batch; return (x in the walk's layout, the output in it)."""
    entered = walk.enter(x, hint="x")
    with named_after(net):
        return entered, forward_chain(walk, net.plans, entered)
