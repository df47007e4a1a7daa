"""`gradwright doctor`: what is installed, what each backend can do, what to install."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from gradwright.cli.arguments import AsJson
from gradwright.cli.exits import Exit
from gradwright.cli.output import write_json, write_line, write_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradwright.run import BackendHealth, Report


def doctor(*, as_json: AsJson = False) -> None:
    """Show what is installed and what works.

    Each backend compiles and runs one addition, then what programs use besides; the exit code is 1
    when none of them works.
    """
    from gradwright.run import doctor as examine

    report = examine()
    if as_json:
        write_json(_record(report))
    else:
        _write(report)
    if not any(health.works for health in report.backends):
        raise typer.Exit(Exit.MISSED)


def _record(report: "Report") -> dict[str, object]:
    record = asdict(report)
    record["cache"]["folder"] = str(report.cache.folder)
    return record


def _write(report: "Report") -> None:
    features = " ".join(report.cpu_features) or "unknown features"
    write_line(f"Python {report.python} on {report.system}, {report.cores} cores ({features})")
    write_line(f"threads {report.settings.threads}, allocator {report.settings.allocator}")
    usage = report.cache
    write_line(f"cache {usage.folder}: {usage.entries} programs, {usage.bytes:,} bytes\n")
    write_table(
        ["package", "version", "for"],
        [[item.name, item.version or "missing", item.purpose] for item in report.packages],
    )
    write_line("")
    write_table(["backend", "self-test"], [[h.backend, _verdict(h)] for h in report.backends])
    _write_abilities([health for health in report.backends if health.trials])
    if report.advice:
        write_line("\nTo have the rest, in a checkout of Gradwright:")
    for advice in report.advice:
        write_line(f"  {advice}")


def _write_abilities(backends: "Sequence[BackendHealth]") -> None:
    """Show a table of abilities by backend, and below it why what fails does."""
    write_line("")
    rows = [
        [trials[0].ability, *("yes" if trial.works else "no" for trial in trials)]
        for trials in zip(*(health.trials for health in backends), strict=True)
    ]
    write_table(["can", *(health.backend for health in backends)], rows)
    for health in backends:
        for trial in health.trials:
            if not trial.works:
                write_line(f"  {health.backend}, {trial.ability}: {trial.reason}")


def _verdict(health: "BackendHealth") -> str:
    return f"works, {health.seconds:.2f} s" if health.works else health.reason
