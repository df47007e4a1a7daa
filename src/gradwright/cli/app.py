"""The verbs of the command line, in the order in which the help lists them."""

from typing import Annotated

import typer

from gradwright.cli.commands.bench import bench
from gradwright.cli.commands.cache import cache
from gradwright.cli.commands.catalogue import artifacts, nets, show
from gradwright.cli.commands.certify import certify
from gradwright.cli.commands.check import check
from gradwright.cli.commands.conventions import show_conventions
from gradwright.cli.commands.doctor import doctor
from gradwright.cli.commands.emit import emit
from gradwright.cli.commands.evaluate import evaluate
from gradwright.cli.commands.explain import explain
from gradwright.cli.commands.mutate import mutate
from gradwright.cli.commands.predict import predict
from gradwright.cli.commands.probes import probes
from gradwright.cli.commands.theorems import theorems
from gradwright.cli.commands.train import train
from gradwright.cli.commands.tune import tune
from gradwright.cli.output import write_line
from gradwright.cli.verb import Verb

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


for _name, _verb in {
    "nets": nets,
    "artifacts": artifacts,
    "show": show,
    "emit": emit,
    "train": train,
    "eval": evaluate,
    "predict": predict,
    "explain": explain,
    "bench": bench,
    "tune": tune,
    "certify": certify,
    "check": check,
    "mutate": mutate,
    "probes": probes,
    "theorems": theorems,
    "conventions": show_conventions,
    "cache": cache,
    "doctor": doctor,
}.items():
    app.command(_name, cls=Verb)(_verb)
