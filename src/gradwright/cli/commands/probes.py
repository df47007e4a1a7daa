"""`gradwright probes`: each loss and block alone, its gradients measured and proved."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict, cast

import typer

from gradwright.cli.arguments import AsJson
from gradwright.cli.exits import Exit
from gradwright.cli.output import tell, write_json, write_line, write_table
from gradwright.cli.sources import Sources

if TYPE_CHECKING:
    from gradwright.probes import Checked

# How long the reference interpreter may look for a counterexample to one probe.
_SECONDS = 60.0


def probes(
    name: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Probes; default: all of them.")
    ] = None,
    *,
    file: Annotated[
        Path | None, typer.Option(help="A text that is to be the one probe that is named.")
    ] = None,
    seconds: Annotated[
        float, typer.Option(min=0, help="Budget of the search for counterexamples, per probe.")
    ] = _SECONDS,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="Processes that share them; default: one for each core."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check the gradients of losses and blocks alone.

    That is done by differences in f64, in f32, and by proof.
    `emit probe:NAME` prints the text. The exit code is 1 where a gradient is measured wrong or a
    claim is refuted, 2 where a claim is unknown.
    """
    from gradwright.probes import PROBES, probe_named

    wanted = list(name or PROBES)
    for each in wanted:
        probe_named(each)
    sources = Sources()
    text = None if file is None else sources.text(file)
    with sources.named():
        checked = _checked(wanted, partial(_share, text=text, seconds=seconds), jobs)
    if as_json:
        write_json({"probes": [one["record"] for one in checked]})
    else:
        _write(checked)
    raise typer.Exit(_code([one["record"] for one in checked]))


class _Record(TypedDict):
    """A probe in the answer of `--json`."""

    name: str
    verdict: str
    right: bool
    gradients: list[dict[str, object]]
    claims: list[dict[str, object]]


class _Told(TypedDict):
    """What is said of a probe: to programs, and to people as a row and as lines below the table."""

    record: _Record
    row: list[str]
    lines: list[str]


def _checked(
    names: list[str], share: Callable[[list[str]], list[_Told]], jobs: int | None
) -> list[_Told]:
    """Check probes in several processes, each its share; what one does not answer is done here."""
    from gradwright.certify.processes import SMALL, Part, processes

    count = min(processes(jobs, SMALL), len(names))
    if count == 1:
        return share(names)
    shares = [names[i::count] for i in range(count)]
    parts: list[Part] = []
    try:
        parts += (Part.start(lambda each=each: {"told": share(each)}) for each in shares)
        answers = [part.answer() for part in parts]
    finally:
        for part in parts:
            part.end()
    found: dict[str, _Told] = {}
    for each, answer in zip(shares, answers, strict=True):
        told = share(each) if answer is None else cast("list[_Told]", answer["told"])
        found.update(zip(each, told, strict=True))
    return [found[each] for each in names]


def _share(names: list[str], text: str | None, seconds: float) -> list[_Told]:
    from gradwright.certify import Search
    from gradwright.probes import check_probe

    found: list[_Told] = []
    for name in names:
        one = check_probe(name, text, search=Search(seconds))
        tell(f"{name}: {one.verdict.value}")
        found.append(_Told(record=_record(one), row=_row(one), lines=list(_lines(one))))
    return found


def _code(records: list[_Record]) -> int:
    verdicts = {one["verdict"] for one in records}
    if "refuted" in verdicts or not all(one["right"] for one in records):
        return Exit.MISSED
    return Exit.UNSUPPORTED if "unknown" in verdicts else Exit.DONE


def _record(one: "Checked") -> _Record:
    return {
        "name": one.name,
        "verdict": one.verdict.value,
        "right": one.is_measured_right,
        "gradients": [
            {
                "name": gradient.name,
                "difference": gradient.difference,
                "f32": gradient.rounding,
                "tried": gradient.tried,
                "disturbed": gradient.disturbed,
                "right": gradient.is_right,
            }
            for gradient in one.gradients
        ],
        "claims": [claim.to_json() for claim in one.report.claims],
    }


def _write(checked: list[_Told]) -> None:
    from gradwright.probes import DIFFERENCE_TOLERANCE, ROUNDING_TOLERANCE

    heads = ["probe", ">gradients", ">differences", ">f32", "measured", "proof"]
    write_table(heads, [one["row"] for one in checked])
    write_line(
        f"\nerrors beside the largest element of a gradient; allowed {DIFFERENCE_TOLERANCE:.1e} of "
        f"differences in f64, {ROUNDING_TOLERANCE:.1e} of f32"
    )
    for line in (line for one in checked for line in one["lines"]):
        write_line(line)


def _row(one: "Checked") -> list[str]:
    return [
        one.name,
        str(len(one.gradients)),
        f"{max(gradient.difference for gradient in one.gradients):.1e}",
        f"{max(gradient.rounding for gradient in one.gradients):.1e}",
        "right" if one.is_measured_right else "wrong",
        one.verdict.value,
    ]


def _lines(one: "Checked") -> Iterator[str]:
    """Yield what is wrong with a probe, or unknown of it."""
    for gradient in one.gradients:
        if not gradient.is_right:
            yield (
                f"{one.name}: d.{gradient.name} is off by {gradient.difference:.1e}, in f32 by "
                f"{gradient.rounding:.1e}; {gradient.disturbed} of {gradient.tried} "
                "differences met kinks"
            )
    for claim in one.report.claims:
        if claim.verdict.value != "proved":
            said = claim.counterexample or claim.reason
            yield f"{one.name}: {claim.name} {claim.verdict.value}: {said}"
