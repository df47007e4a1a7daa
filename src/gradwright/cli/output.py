"""Where the command line writes: answers to standard output, everything else to standard error."""

import io
import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

# A terminal says its width; a pipe does not, and must not have its lines cut.
_PIPE_WIDTH = 200
STANDARD_OUTPUT = "standard output"


def write_json(record: Mapping[str, object]) -> None:
    """Print one JSON object on one line of standard output."""
    write_line(json.dumps(record, allow_nan=False, ensure_ascii=False))


def write_line(line: str) -> None:
    """Print one line on standard output; an OSError says that it is about that."""
    try:
        sys.stdout.write(line + "\n")
    except OSError as error:
        error.filename = error.filename or STANDARD_OUTPUT
        raise


def tell(line: str) -> None:
    """Print one line for people on standard error; one that takes nothing is no fault of a verb."""
    with suppress(OSError):
        sys.stderr.write(line + "\n")


def write_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows under column heads on standard output.

    A head that starts with ">" names a column of numbers, set flush right.
    """
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        name = column.removeprefix(">")
        table.add_column(name, justify="left" if name == column else "right", overflow="fold")
    for row in rows:
        table.add_row(*row)
    width = shutil.get_terminal_size((_PIPE_WIDTH, 0)).columns
    drawn = io.StringIO()
    console = Console(
        file=drawn,
        width=width,
        force_terminal=sys.stdout.isatty(),
        markup=False,
        highlight=False,
        emoji=False,
    )
    console.print(table)
    for line in drawn.getvalue().splitlines():
        write_line(line.rstrip())
