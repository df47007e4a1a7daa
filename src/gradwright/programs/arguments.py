"""Declaring the arguments of a program in the order of the ABI, and collecting its results."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from gradwright.hlo import (
    Builder,
    ElementType,
    Module,
    Port,
    Role,
    Shape,
    Signature,
    TensorType,
    Value,
)
from gradwright.layers.formulation import Formulation
from gradwright.layers.walk import Mode, Walk, forward_chain
from gradwright.losses import Loss
from gradwright.optim import Optimizer
from gradwright.programs.program import Program, check_request, named_after
from gradwright.spec import NetSpec, Slot


def moment_name(slot: Slot, moment: str) -> str:
    """Return the name of an optimizer's state for a parameter, e.g. `conv1.weight.m`."""
    return f"{slot.name}.{moment}"


@dataclass(slots=True)
class Draft:
    """A program while it is written: arguments are declared, then results are returned."""

    net: NetSpec
    batch: int
    element: ElementType
    formulation: Formulation
    b: Builder = field(default_factory=Builder)
    inputs: list[Port] = field(default_factory=list[Port])
    outputs: list[Port] = field(default_factory=list[Port])
    results: list[Value] = field(default_factory=list[Value])

    def __post_init__(self) -> None:
        """Refuse what no program can have."""
        check_request(self.net, self.batch, self.element, self.formulation)

    def argument(self, name: str, role: Role, type: TensorType) -> Value:
        """Declare an argument."""
        self.inputs.append(Port(name, role, type))
        return self.b.argument(name, type)

    def floats(self, name: str, role: Role, shape: Shape = ()) -> Value:
        """Declare a floating-point argument, by default a scalar."""
        return self.argument(name, role, TensorType(shape, self.element))

    def slots(self, slots: Sequence[Slot], role: Role) -> dict[str, Value]:
        """Declare parameters or statistics; return them by name."""
        return {slot.name: self.floats(slot.name, role, slot.shape) for slot in slots}

    def moments(self, optimizer: Optimizer) -> dict[str, list[Value]]:
        """Declare the optimizer's state, all of one kind before the next."""
        state: dict[str, list[Value]] = {slot.name: [] for slot in self.net.parameters}
        for moment in optimizer.moments:
            for slot in self.net.parameters:
                name = moment_name(slot, moment)
                state[slot.name].append(self.floats(name, Role.MOMENT, slot.shape))
        return state

    def data(self) -> Value:
        """Declare the batch of examples `x`."""
        element = self.net.input.integer or self.element
        shape = (self.batch, *self.net.input.shape)
        return self.argument("x", Role.DATA, TensorType(shape, element))

    def masks(self) -> dict[str, Value]:
        """Declare the masks of dropout and stochastic depth; return them by name."""
        return {
            mask.name: self.floats(mask.name, Role.MASK, (self.batch, *mask.shape))
            for mask in self.net.masks
        }

    def result(self, name: str, role: Role, value: Value) -> None:
        """Return a value under a name."""
        self.outputs.append(Port(name, role, value.type))
        self.results.append(value)

    def walk(self, slots: dict[str, Value], masks: dict[str, Value], mode: Mode) -> Walk:
        """Return the state of a walk over the net."""
        return Walk(self.b, self.element, self.batch, mode, self.formulation, slots, masks)

    def program(
        self,
        entry: str,
        *,
        loss: Loss | None = None,
        optimizer: Optimizer | None = None,
        statements: Sequence[str] = (),
        primal: Program | None = None,
    ) -> Program:
        """Close the function and return the program."""
        signature = Signature(tuple(self.inputs), tuple(self.outputs))
        function = self.b.finish("main", self.results, signature.aliases)
        name = f"{self.net.identifier}_{entry.replace('-', '_')}"
        return Program(
            entry,
            self.net,
            self.batch,
            self.element,
            self.formulation,
            Module(name, (function,)),
            signature,
            loss,
            optimizer,
            tuple(statements),
            primal,
        )


def run_net(walk: Walk, net: NetSpec, x: Value) -> tuple[Value, Value]:
    """Write the layers on a batch; return (x in the walk's layout, the output in it)."""
    entered = walk.enter(x, hint="x")
    with named_after(net):
        return entered, forward_chain(walk, net.plans, entered)
