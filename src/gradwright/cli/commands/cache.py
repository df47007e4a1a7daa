"""`gradwright cache`: what the compile cache holds, and how to empty it."""

import enum
from typing import TYPE_CHECKING, Annotated

import typer

from gradwright.cli.arguments import AsJson
from gradwright.cli.output import write_json, write_line

if TYPE_CHECKING:
    from gradwright.run import Usage

_MEBIBYTE = 2**20


class Action(enum.StrEnum):
    """What to do with the cache."""

    SHOW = "show"
    CLEAR = "clear"


def cache(
    action: Annotated[Action, typer.Argument(help="What to do.")] = Action.SHOW,
    *,
    as_json: AsJson = False,
) -> None:
    """Show or clear the compiled programs.

    What is cleared is compiled again when it is needed.
    """
    from gradwright.run import Cache

    usage = Cache().clear() if action is Action.CLEAR else Cache().usage()
    if as_json:
        write_json(_record(action, usage))
        return
    verb = "deleted" if action is Action.CLEAR else "holds"
    size = f"{usage.bytes / _MEBIBYTE:,.1f} MiB"
    write_line(f"{usage.folder}: {verb} {usage.entries:,} compiled programs, {size}")


def _record(action: Action, usage: "Usage") -> dict[str, object]:
    return {
        "action": action.value,
        "folder": str(usage.folder),
        "entries": usage.entries,
        "bytes": usage.bytes,
    }
