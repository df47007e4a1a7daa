"""The verbs of the command line, in the order in which the help lists them."""

from typing import Annotated

import typer

from gradwright.cli.output import write_line

app = typer.Typer(
    name="gradwright",
    help="Declare a neural net, emit the one StableHLO text that trains it, run the text.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _show_version(wanted: bool) -> None:
    if not wanted:
        return
    from importlib.metadata import version

    write_line(f"gradwright {version('gradwright')}")
    raise typer.Exit


@app.callback()
def common(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show it.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error; may stand anywhere.")
    ] = False,
) -> None:
    """Accept the options that stand before a verb."""
