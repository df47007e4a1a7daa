"""`gradwright conventions`: every named choice and what each of its values means."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from gradwright.cli.arguments import AsJson
from gradwright.cli.output import write_json, write_line

if TYPE_CHECKING:
    from gradwright.cli.enums import Convention

# Where a choice or a rule changes numbers; other packages have enums that only name things.
CHOICES = (
    "gradwright.spec",
    "gradwright.layers",
    "gradwright.losses",
    "gradwright.optim",
    "gradwright.programs",
)
RULES = ("gradwright.layers", "gradwright.losses", "gradwright.optim")


def show_conventions(
    *,
    as_json: AsJson = False,
) -> None:
    """List every convention that has a name.

    Choices come first, then what layers, losses and optimizers compute; all of it is read from
    where it is declared.
    """
    from gradwright.cli.enums import conventions, rules

    choices, records = conventions(CHOICES), rules(RULES)
    if as_json:
        write_json(
            {
                "conventions": [asdict(choice) for choice in choices],
                "rules": [asdict(record) for record in records],
            }
        )
        return
    for choice in choices:
        _write(choice)
    for record in records:
        write_line(f"{record.name}  [{record.module}]")
        for line in record.meaning.splitlines():
            write_line(f"    {line}".rstrip())


def _write(choice: "Convention") -> None:
    write_line(f"{choice.name}  {choice.meaning}  [{choice.module}]")
    width = max(len(value) for value, _ in choice.choices)
    for value, meaning in choice.choices:
        write_line(f"    {value:{width}}  {meaning}".rstrip())
