"""`gradwright certify`: prove or refute that texts are gradients, or the same function."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gradwright.cli.exits import Exit
from gradwright.cli.output import write_json, write_line, write_table
from gradwright.cli.texts import GradientTexts
from gradwright.errors import SpecError

if TYPE_CHECKING:
    from gradwright.certify import Claim, Observer, Report, Search

# How long the reference interpreter may work on counterexamples.
_SECONDS = 60.0


def certify(
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]")] = None,
    *,
    loss: Annotated[int, typer.Option(help="Result of FILE that is differentiated.")] = 0,
    wrt: Annotated[str, typer.Option(help="I,J: arguments of FILE.")] = "",
    grads: Annotated[str, typer.Option(help="K,L: results that are their gradients.")] = "",
    forward: Annotated[Path | None, typer.Option(help="Text that --backward goes with.")] = None,
    backward: Annotated[Path | None, typer.Option(help="(inputs, cotangents) to cotangents.")] = (
        None
    ),
    equal: Annotated[
        tuple[Path, Path] | None, typer.Option(help="Two texts of one function.")
    ] = None,
    seconds: Annotated[
        float, typer.Option(min=0, help="Budget of the search for counterexamples.")
    ] = _SECONDS,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Prove or refute gradients over the reals.

    Either of FILE with --wrt and --grads, --forward with --backward, or --equal A B. The exit code
    is 0 where every claim is proved, 1 where one is refuted, 2 where one is unknown.
    """
    from gradwright.certify import Search

    with _live_table() as observe:
        search = Search(seconds)
        texts = GradientTexts(file, loss, wrt, grads, forward, backward)
        report = _report(texts, equal, search, observe)
    if as_json:
        write_json(report.to_json())
    else:
        _write(report)
    raise typer.Exit(_EXITS[report.verdict.value])


_EXITS = {"proved": Exit.DONE, "refuted": Exit.MISSED, "unknown": Exit.UNSUPPORTED}


def _report(
    texts: GradientTexts, equal: tuple[Path, Path] | None, search: "Search", observe: "Observer"
) -> "Report":
    from gradwright.certify import certify_equal
    from gradwright.certify.texts_gradient import certify_gradients

    if equal is None:
        return certify_gradients(texts.subject(), search, observe)
    if texts.is_given:
        raise SpecError(where="--equal", expected="no other texts", found="some")
    left, right = (path.read_bytes() for path in equal)
    return certify_equal(left, right, search=search, observe=observe)


@contextmanager
def _live_table() -> "Generator[Observer, None, None]":
    """Show settled claims on standard error while the work goes on, if that is a terminal."""
    from rich.console import Console
    from rich.live import Live
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for head in ("claim", "verdict", "seconds"):
        table.add_column(head)
    console = Console(stderr=True, markup=False, highlight=False, emoji=False)

    def observe(claim: "Claim") -> None:
        colour = _COLOURS[claim.verdict.value]
        table.add_row(claim.name, claim.verdict.value, f"{claim.seconds:.2f}", style=colour)

    if not console.is_terminal:
        yield _silently
        return
    with Live(table, console=console, transient=True):
        yield observe


_COLOURS = {"proved": "green", "refuted": "red", "unknown": "yellow"}


def _silently(_: "Claim") -> None:
    return


def _write(report: "Report") -> None:
    rows = [
        [claim.name, claim.kind.value, claim.verdict.value, f"{claim.seconds:.2f}"]
        for claim in report.claims
    ]
    write_table(["claim", "kind", "verdict", ">seconds"], rows)
    for site, claims in report.findings:
        write_line(f"\n{site}")
        for claim in claims:
            write_line(f"  {claim.name}: {claim.counterexample or claim.reason}")
    write_line(f"\n{report.verdict.value} in {report.seconds:.2f} s")
    for line in report.scope:
        write_line(f"- {line}")
