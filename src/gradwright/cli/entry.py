"""Run one command and turn whatever happens into one line and an exit code."""

import os
import sys
import traceback
from collections.abc import Sequence
from io import TextIOWrapper

import typer

from gradwright.cli.app import app
from gradwright.cli.exits import Exit
from gradwright.cli.faults import of_output, of_system, of_usage
from gradwright.cli.output import tell
from gradwright.errors import GradwrightError

DEBUG = "--debug"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that `arguments` (default: those of the process) name; return its exit code.

    `--debug` may stand anywhere and shows the traceback of an error.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    _prepare_streams()
    code = _run([argument for argument in given if argument != DEBUG], debug=DEBUG in given)
    return _flush(code)


def _prepare_streams() -> None:
    """Let nothing that is written fail: closed streams take it, and other alphabets spell it."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller, as in `gradwright nets >&-`
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 (for good)
        elif isinstance(stream := getattr(sys, name), TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _run(arguments: list[str], *, debug: bool) -> int:
    try:
        code = app(arguments, prog_name="gradwright", standalone_mode=False)
    except SystemExit:
        # The only one that arrives here is typer's answer to a reader that closed the pipe.
        return Exit.CLOSED_PIPE
    except Exception as error:
        if debug:
            traceback.print_exc()
        return _explain(error)
    if code == Exit.INTERRUPTED:
        tell("gradwright: interrupted")
    return code or Exit.DONE


def _explain(error: Exception) -> int:
    """Say on one line what went wrong; return the exit code that says the same."""
    match error:
        case GradwrightError():
            tell(f"gradwright: {_one_line(str(error))}")
            return error.exit_code
        case typer.TyperException():
            tell(f"gradwright: {_one_line(of_usage(error))}")
            return Exit.BAD_INPUT
        case OSError():
            tell(f"gradwright: {_one_line(of_system(error))}")
            return Exit.BAD_INPUT
        case MemoryError():
            found = _one_line(str(error)) or "too little of it"
            tell(f"gradwright: memory: expected room for every array, found {found}")
            return Exit.BAD_INPUT
        case ModuleNotFoundError() if error.name and not error.name.startswith("gradwright"):
            tell(
                f"gradwright: {error.name}: expected an installed package, found none. "
                f"Install it: pip install {error.name}"
            )
            return Exit.BAD_INPUT
        case _:
            tell(
                f"gradwright: internal error, please report it: {type(error).__name__}: "
                f"{_one_line(str(error))} ({DEBUG} shows where)"
            )
            return Exit.INTERNAL


def _one_line(message: str) -> str:
    return " ".join(message.split())


def _flush(code: int) -> int:
    """Flush standard output; a reader that has gone (`| head`) is no reason for a traceback."""
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return Exit.CLOSED_PIPE
        tell(f"gradwright: {of_output(error)}")
        return Exit.BAD_INPUT
    return code
