"""`gradwright conventions`: every named choice and what each of its values means."""

from dataclasses import asdict
from typing import Annotated

import typer

from gradwright.cli.app import app
from gradwright.cli.output import write_json, write_line

# Where a choice changes numbers; the rest of the package has enums that only name things.
PACKAGES = ("gradwright.spec", "gradwright.layers", "gradwright.losses", "gradwright.optim")


@app.command("conventions")
def show_conventions(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """List every convention that has a name, read from where it is declared."""
    from gradwright.cli.enums import conventions

    found = conventions(PACKAGES)
    if as_json:
        write_json({"conventions": [asdict(convention) for convention in found]})
        return
    for convention in found:
        write_line(f"{convention.name}  {convention.meaning}  [{convention.module}]")
        width = max((len(value) for value, _ in convention.choices), default=0)
        for value, meaning in convention.choices:
            write_line(f"    {value:{width}}  {meaning}".rstrip())
