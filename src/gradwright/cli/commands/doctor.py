"""`gradwright doctor`: what is installed, what each backend can do, what to install."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from gradwright.cli.arguments import AsJson
from gradwright.cli.exits import Exit
from gradwright.cli.output import write_json, write_line, write_table

if TYPE_CHECKING:
    from gradwright.run import BackendHealth, Report


def doctor(*, as_json: AsJson = False) -> None:
    """Show what is installed and what works.

    Each backend compiles and runs one addition; the exit code is 1 when none of them can.
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
    if report.advice:
        write_line("\nTo have the rest, in a checkout of Gradwright:")
    for advice in report.advice:
        write_line(f"  {advice}")


def _verdict(health: "BackendHealth") -> str:
    return f"works, {health.seconds:.2f} s" if health.works else health.reason
