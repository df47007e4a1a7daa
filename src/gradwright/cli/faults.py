"""What went wrong, on one line: where, what was expected, what was found, what to do."""

import enum
import errno
from typing import Protocol, cast

import typer

from gradwright.cli.output import STANDARD_OUTPUT
from gradwright.errors import GradwrightError, SpecError, perhaps

_EXPECTED = {
    errno.ENOENT: ("a file or folder", "none"),
    errno.EISDIR: ("a file", "a folder"),
    errno.ENOTDIR: ("a folder", "a file on the way to it"),
    errno.EEXIST: ("a new name", "one that is taken"),
    errno.EACCES: ("permission to use it", "none"),
    errno.EPERM: ("permission to use it", "none"),
    errno.EROFS: ("a file system that can be written to", "a read-only one"),
    errno.ENOSPC: ("room to write", "none left on the device"),
    errno.EDQUOT: ("room to write", "none left within the quota"),
    errno.EMFILE: ("room for one more open file", "too many open files"),
    errno.ENAMETOOLONG: ("a name that the file system can hold", "a longer one"),
    errno.ELOOP: ("a file or folder", "links that lead to each other"),
}


def of_system(error: OSError) -> str:
    """Say what the operating system refused."""
    where = error.filename or "system"
    said = error.strerror or type(error).__name__
    expected, found = _EXPECTED.get(error.errno or 0, ("that the system uses it", said))
    return f"{where}: expected {expected}, found {found}"


def of_output(error: OSError) -> str:
    """Say why standard output took no more."""
    return of_system(OSError(error.errno, error.strerror, STANDARD_OUTPUT))


class _Descriptor(Protocol):
    """What typer keeps of the type of a parameter."""

    annotation: object
    choices: tuple[object, ...] | None


class _Ranged(Protocol):
    """A parameter of typer, with its least and its largest value where it has them."""

    opts: list[str]
    min: float | None
    max: float | None
    type_descriptor: _Descriptor


def of_usage(error: typer.TyperException) -> str:
    """Say what of a command line is wrong, and where the help is."""
    value = _refused_value(error)
    if value is not None:
        return str(value)
    verb = getattr(getattr(error, "ctx", None), "command_path", "gradwright")
    return f"{error.format_message().rstrip('.')}. See: {verb} --help"


def _refused_value(error: typer.TyperException) -> GradwrightError | None:
    """Return the error about a value that has not the type, or the size, of its parameter."""
    found = _given_value(error)
    parameter: object = getattr(error, "param", None)
    if found is None or not hasattr(parameter, "type_descriptor"):
        return None
    asked = cast("_Ranged", parameter)
    choices = [_name(choice) for choice in asked.type_descriptor.choices or ()]
    expected = f"one of {', '.join(choices)}" if choices else _number(asked)
    return SpecError(
        where=max(asked.opts, key=len),
        expected=expected,
        found=repr(found),
        remedy=perhaps(found, choices),
    )


def _given_value(error: typer.TyperException) -> str | None:
    """Return the word that was refused, which typer's checker keeps in the cause."""
    errors = getattr(error.__cause__, "errors", None)
    if not callable(errors):
        return None
    [first, *_] = cast("list[dict[str, object]]", errors())
    word = first.get("input")
    return word if isinstance(word, str) else None


def _name(choice: object) -> str:
    return str(choice.value if isinstance(choice, enum.Enum) else choice)


def _number(asked: _Ranged) -> str:
    kind = "a number" if "float" in str(asked.type_descriptor.annotation) else "a whole number"
    least, most = asked.min, asked.max
    if least is not None and most is not None:
        return f"{kind} from {least:,} to {most:,}"
    return kind if least is None else f"{kind} of at least {least:,}"
