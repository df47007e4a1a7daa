"""Where in the texts the values stand that a claim speaks of, for whoever shows their lines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gradwright.hlo import Block, Value


@dataclass(frozen=True, slots=True)
class Spot:
    """A value of a text: its name, and the line that makes it (0: an argument, or bytecode)."""

    name: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Anchors:
    """The values between which the lines of a claim lie; no verdict rests on them.

    `result` is the claimed value in the text that is judged. `reference` are the values that it is
    measured by: what a gradient differentiates, or the value that it has to equal, in the forward
    or the first text (the judged one where there is only one). `wrt` is the argument of a gradient.
    `rule` says in index notation what the value has to be.
    """

    result: Spot
    reference: tuple[Spot, ...] = ()
    wrt: Spot | None = None
    rule: str = ""


class Spots:
    """The spots of the values of a block."""

    def __init__(self, block: Block) -> None:
        made = ((r, op.line) for op in block.operations for r in op.results)
        self._lines: Mapping[int, int] = {id(value): line for value, line in made}

    def at(self, value: Value) -> Spot:
        """Return where a value stands."""
        return Spot(value.name, self._lines.get(id(value), 0))

    def all(self, values: Sequence[Value]) -> tuple[Spot, ...]:
        """Return where each of the values stands."""
        return tuple(map(self.at, values))
