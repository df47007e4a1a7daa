"""What one command was asked: its verb, the values of its parameters, and which were given."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self, cast

import typer


@dataclass(frozen=True, slots=True)
class Asked:
    """One parameter: its name in Python, how people spell it, its value, and whether it was given.

    What was given may equal the default; what was not holds it.
    """

    name: str
    spelling: str
    value: object
    given: bool

    @property
    def text(self) -> str:
        """The value as text, "" where there is none."""
        return "" if self.value is None else str(self.value)

    @property
    def words(self) -> tuple[str, ...]:
        """The values of a list as text."""
        return tuple(map(str, self._values))

    @property
    def paths(self) -> tuple[Path, ...]:
        """The values that are paths: none, one, or those of a list."""
        return tuple(value for value in self._values if isinstance(value, Path))

    @property
    def _values(self) -> list[object]:
        many = isinstance(self.value, list | tuple)
        values: list[object] = list(cast("list[object]", self.value)) if many else [self.value]
        return [value for value in values if value is not None]


@dataclass(frozen=True, slots=True)
class Request:
    """A verb and what it was asked."""

    verb: str
    parameters: tuple[Asked, ...]

    @classmethod
    def of(cls, context: typer.Context) -> Self:
        """Read a parsed command."""
        return cls(context.info_name or "", tuple(_asked(context)))

    def __getitem__(self, name: str) -> Asked:
        """Return a parameter by its name; one that the verb does not have was not given."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        return Asked(name, name, None, given=False)


def _asked(context: typer.Context) -> Iterator[Asked]:
    for parameter in context.command.params:
        name = parameter.name or ""
        source = context.get_parameter_source(name)
        yield Asked(
            name,
            _spelling(parameter.opts, parameter.metavar),
            context.params.get(name),
            given=source is not None and source.name == "COMMANDLINE",
        )


def _spelling(spellings: list[str], metavar: str | None) -> str:
    """Return --OPTION, or the word that stands for an argument in the help."""
    longest = max(spellings, key=len)
    if longest.startswith("-"):
        return longest
    return (metavar or longest).upper()
