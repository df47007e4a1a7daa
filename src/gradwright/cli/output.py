"""Where the command line writes: answers to standard output, everything else to standard error."""

import io
import json
import shutil
import sys
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

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


@contextmanager
def writing(file: Path) -> Generator[Callable[[bytes | None], None]]:
    """Show on a terminal that a file is made; what is called last puts it there and says so.

    It takes the bytes, or None where the file has been written.
    """
    from rich.console import Console

    from gradwright.train.storage import write_atomically

    def wrote(content: bytes | None) -> None:
        if content is not None:
            write_atomically(file, content)
        size, seconds = file.stat().st_size, time.perf_counter() - started
        tell(f"wrote {file}: {size:,} bytes in {seconds:.1f} s")

    console, started = Console(stderr=True), time.perf_counter()
    with console.status(f"writing {file}") if console.is_terminal else nullcontext():
        yield wrote


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
