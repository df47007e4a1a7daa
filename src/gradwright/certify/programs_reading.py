"""What a program is to the certifier: a text, the roles of its ports, and what it declares."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from gradwright.certify.kernel.unroll import unrolled
from gradwright.certify.notation import Statement, parse
from gradwright.certify.prove_lemmas import candidates
from gradwright.certify.refute_points import restricted
from gradwright.certify.texts_calls import inlined
from gradwright.errors import SpecError
from gradwright.hlo import (
    Function,
    Port,
    Role,
    Signature,
    Value,
    first_difference,
    read_module,
)

STATED = (Role.OUTPUT, Role.LOSS, Role.METRIC, Role.STATISTIC, Role.CORRECTION)
"""Results that statements define; parameters and moments have rules, gradients a forward."""


class Program(Protocol):
    """What is needed of a program; nothing of it is trusted but what it declares."""

    @property
    def text(self) -> str:
        """StableHLO text."""
        ...

    @property
    def signature(self) -> Signature:
        """Names and roles of arguments and results."""
        ...

    @property
    def statements(self) -> Sequence[str]:
        """What results are, in index notation over the names of the arguments."""
        ...

    @property
    def updates(self) -> Mapping[str, str]:
        """Update rule of each parameter over theta, g, lr, t and its moments."""
        ...

    @property
    def primal(self) -> "Program | None":
        """What the gradients are of, where it is no result: a forward, or a loss alone."""
        ...


@dataclass(frozen=True, slots=True)
class Declared:
    """A text beside what a program declares: whether somebody's text is that program."""

    text: str
    signature: Signature
    statements: Sequence[str]
    updates: Mapping[str, str]
    primal: Program | None

    @staticmethod
    def of(program: Program, text: str) -> "Declared":
        """Take another text for what a program declares."""
        return Declared(
            text, program.signature, program.statements, program.updates, program.primal
        )


@dataclass(frozen=True, slots=True)
class Reading:
    """A program's function, its ports and its statements."""

    main: Function
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    statements: tuple[Statement, ...]
    updates: Mapping[str, str]
    primal: "Reading | None"

    @staticmethod
    def of(program: Program) -> "Reading":
        """Read a text, and that of its primal.

        Errors: ParseError for a bad text or bad notation; SpecError where the text has other
        arguments or results than the ports say.
        """
        main = inlined(read_module(program.text))
        ports = program.signature
        _require("arguments", ports.inputs, main.body.arguments)
        _require("results", ports.outputs, main.body.results)
        returned = zip(ports.outputs, main.body.results, strict=True)
        losses = [value for port, value in returned if port.role is Role.LOSS]
        statements = tuple(each for line in program.statements for each in parse(line))
        named = zip((port.name for port in ports.inputs), main.body.arguments, strict=True)
        lemmas = candidates(main.body.operations, statements, dict(named))
        main = unrolled(main, losses, stays=lemmas.keys())
        main = restricted(main, main.body.results)
        primal = None if program.primal is None else Reading.of(program.primal)
        return Reading(main, ports.inputs, ports.outputs, statements, program.updates, primal)

    def without_gradients(self) -> "Reading":
        """Return what the program would be if it returned only what is stated of it."""
        kept = [k for k, port in enumerate(self.outputs) if port.role in STATED]
        main = restricted(self.main, [self.main.body.results[k] for k in kept])
        return replace(self, main=main, outputs=tuple(self.outputs[k] for k in kept))

    def argument(self, name: str) -> int | None:
        """Return which argument has a name."""
        return next((i for i, port in enumerate(self.inputs) if port.name == name), None)

    def result(self, name: str, *roles: Role) -> int | None:
        """Return which result of one of some roles has a name."""
        named = (k for k, p in enumerate(self.outputs) if p.name == name and p.role in roles)
        return next(named, None)

    @property
    def loss(self) -> int | None:
        """Which result is the loss."""
        return next((k for k, p in enumerate(self.outputs) if p.role is Role.LOSS), None)

    @property
    def differentiated(self) -> "tuple[Reading, int] | None":
        """The text that has the loss that is differentiated, and which of its results that is."""
        measured = self if self.primal is None else self.primal
        return None if measured.loss is None else (measured, measured.loss)

    @property
    def parameters(self) -> list[str]:
        """Names of the parameters."""
        return [port.name for port in self.inputs if port.role is Role.PARAMETER]


def target_of(port: Port) -> str:
    """Return the name under which statements define a result: what is taken too has a prime."""
    return f"{port.name}'" if port.role in (Role.STATISTIC, Role.CORRECTION) else port.name


def _require(what: str, ports: Sequence[Port], values: Sequence[Value]) -> None:
    apart = first_difference([port.type for port in ports], [value.type for value in values])
    if apart is not None:
        place, expected, found = apart
        name = f" (%{ports[place].name})" if place < len(ports) else ""
        expected = f"those of the program, {expected}{name}"
        raise SpecError(where=f"{what} of the text", expected=expected, found=found)
