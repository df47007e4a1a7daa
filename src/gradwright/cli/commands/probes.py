"""`gradwright probes`: each loss and block alone, its gradients measured and proved."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
    as_json: AsJson = False,
) -> None:
    """Check the gradients of losses and blocks alone.

    That is done by differences in f64, in f32, and by proof.
    `emit probe:NAME` prints the text. The exit code is 1 where a gradient is measured wrong or a
    claim is refuted, 2 where a claim is unknown.
    """
    from gradwright.certify import Search
    from gradwright.probes import PROBES, check_probe, probe_named

    wanted = list(name or PROBES)
    for each in wanted:
        probe_named(each)
    sources = Sources()
    text = None if file is None else sources.text(file)
    checked: list[Checked] = []
    for each in wanted:
        with sources.named():
            checked.append(check_probe(each, text, search=Search(seconds)))
        tell(f"{len(checked)} of {len(wanted)}: {each}, {checked[-1].verdict.value}")
    if as_json:
        write_json({"probes": [_record(one) for one in checked]})
    else:
        _write(checked)
    raise typer.Exit(_code(checked))


def _code(checked: "list[Checked]") -> int:
    verdicts = {one.verdict.value for one in checked}
    if "refuted" in verdicts or not all(one.is_measured_right for one in checked):
        return Exit.MISSED
    return Exit.UNSUPPORTED if "unknown" in verdicts else Exit.DONE


def _record(one: "Checked") -> dict[str, object]:
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


def _write(checked: "list[Checked]") -> None:
    from gradwright.probes import DIFFERENCE_TOLERANCE, ROUNDING_TOLERANCE

    rows = [
        [
            one.name,
            str(len(one.gradients)),
            f"{max(gradient.difference for gradient in one.gradients):.1e}",
            f"{max(gradient.rounding for gradient in one.gradients):.1e}",
            "right" if one.is_measured_right else "wrong",
            one.verdict.value,
        ]
        for one in checked
    ]
    write_table(["probe", ">gradients", ">differences", ">f32", "measured", "proof"], rows)
    write_line(
        f"\nerrors beside the largest element of a gradient; allowed {DIFFERENCE_TOLERANCE:.1e} of "
        f"differences in f64, {ROUNDING_TOLERANCE:.1e} of f32"
    )
    for one in checked:
        for gradient in one.gradients:
            if not gradient.is_right:
                write_line(
                    f"{one.name}: d.{gradient.name} is off by {gradient.difference:.1e}, in f32 by "
                    f"{gradient.rounding:.1e}; {gradient.disturbed} of {gradient.tried} "
                    "differences met kinks"
                )
        for claim in one.report.claims:
            if claim.verdict.value != "proved":
                said = claim.counterexample or claim.reason
                write_line(f"{one.name}: {claim.name} {claim.verdict.value}: {said}")
