"""`gradwright certify`: prove or refute that texts are gradients, or the same function."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gradwright.cli.arguments import (
    AbiText,
    BatchCount,
    CapturedLayer,
    Classes,
    EmittedForms,
    EntryText,
    Recomputed,
    Size,
)
from gradwright.cli.declared import DeclaredText
from gradwright.cli.emission import Emission, Rounding
from gradwright.cli.exits import Exit
from gradwright.cli.nets import Chosen
from gradwright.cli.output import tell, write_json, write_line, write_table, writing
from gradwright.cli.texts import GradientTexts

if TYPE_CHECKING:
    from gradwright.certify import Observer, Report, Search

# How long the reference interpreter may work on counterexamples.
_SECONDS = 60.0
# Elements of a counterexample that a page draws; each costs two evaluations.
_CELLS = 100


def certify(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE|NET", help="Text of a loss and its gradients, or a net."),
    ] = None,
    *,
    net: Annotated[str, typer.Option(help="Net whose program FILE is to be.")] = "",
    entry: EntryText = "train-step",
    batch: BatchCount = None,
    classes: Classes = None,
    size: Size = "",
    optimizer: Annotated[str, typer.Option(help="Of NET: NAME[:FIELD=VALUE,...].")] = "adam",
    precision: Annotated[Rounding, typer.Option(help="Element types of NET.")] = Rounding.F32,
    abi: AbiText = "standard",
    layer: CapturedLayer = None,
    formulation: EmittedForms = None,
    recompute: Recomputed = "",
    loss: Annotated[
        str,
        typer.Option(
            help="Result of FILE to differentiate, 0 unless said; of NET, NAME[:FIELD=…]."
        ),
    ] = "",
    wrt: Annotated[str, typer.Option(help="I,J-K,%NAME: arguments of FILE or --forward.")] = "",
    grads: Annotated[str, typer.Option(help="Results of FILE that are their gradients.")] = "",
    forward: Annotated[Path | None, typer.Option(help="Text that --backward goes with.")] = None,
    backward: Annotated[Path | None, typer.Option(help="(inputs, cotangents) to cotangents.")] = (
        None
    ),
    equal: Annotated[
        tuple[Path, Path] | None,
        typer.Option(metavar="A B", help="Two texts of one function; B is judged by A."),
    ] = None,
    seconds: Annotated[
        float, typer.Option(min=0, help="Budget of the search for counterexamples.")
    ] = _SECONDS,
    budget: Annotated[
        float | None, typer.Option(min=0, help="Seconds for everything, proofs too; then unknown.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1, help="Processes that prove a net; as many as cores unless it is small."
        ),
    ] = None,
    page: Annotated[
        Path | None, typer.Option("--report", metavar="FILE.html", help="Write a page to look at.")
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Write what `check` replays.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Prove or refute what a text returns, over the reals.

    Either of NET with the options of `emit` (with FILE --net NET, the text in FILE is to be that
    program), FILE with --wrt and --grads, --forward with --backward, or --equal A B. The exit code
    is 0 where every claim is proved, 1 where one is refuted, 2 where one is unknown or where the
    certificate that was asked for cannot be written.
    """
    from gradwright.certify import Search
    from gradwright.cli.live_claims import live_claims

    emission = Emission.at(
        entry,
        batch,
        loss or "cross-entropy",
        optimizer,
        precision,
        abi,
        layer,
        formulation,
        recompute,
    )
    declared = DeclaredText.chosen(file, net, emission, Chosen.of(classes, size))
    texts = GradientTexts(
        None if declared is not None else file, loss, wrt, grads, forward, backward
    )
    with live_claims() as shown:
        cells = 0 if page is None else _CELLS
        search = Search(seconds, budget, cells=cells, progress=shown.work_on, jobs=jobs)
        if declared is not None:
            report = declared.certify(search, shown.observe, certificate)
        else:
            report = _report(texts, equal, search, shown.observe)
            if certificate is not None and equal is None:
                report = texts.with_certificate(report)
    if as_json:
        write_json(report.to_json())
    else:
        _write(report)
    is_missing = certificate is not None and not _wrote_certificate(certificate, report)
    if page is not None and declared is not None:
        declared.write_page(page, report)
    elif page is not None:
        _write_page(page, report, texts, equal)
    code = _EXITS[report.verdict.value]
    raise typer.Exit(Exit.UNSUPPORTED if is_missing and code is Exit.DONE else code)


_EXITS = {"proved": Exit.DONE, "refuted": Exit.MISSED, "unknown": Exit.UNSUPPORTED}


def _report(
    texts: GradientTexts, equal: tuple[Path, Path] | None, search: "Search", observe: "Observer"
) -> "Report":
    from gradwright.certify import certify_equal
    from gradwright.certify.texts_gradient import certify_gradients

    if equal is None:
        return certify_gradients(texts.subject(), search, observe)
    left, right = map(texts.sources, equal)
    with texts.sources.named():
        return certify_equal(left, right, search=search, observe=observe)


def _wrote_certificate(file: Path, report: "Report") -> bool:
    """Write the certificate, or say why there is none."""
    from gradwright.certify.certificate_claims import certificate_text

    with writing(file) as wrote:
        text = certificate_text(report)
        if text is not None:
            wrote(text.encode())
            return True
    tell(f"no certificate: {report.why_uncertified}")
    _remove_older(file)
    return False


def _remove_older(file: Path) -> None:
    """Let no certificate of an earlier text pass for the one that could not be written."""
    if file.exists():
        file.unlink()
        tell(f"removed {file}, which an earlier command had written")


def _write_page(
    page: Path, report: "Report", texts: GradientTexts, equal: tuple[Path, Path] | None
) -> None:
    from gradwright.report.proof_page import NamedText, write_proof_page

    reference, judged = equal if equal is not None else texts.reference_and_judged
    measure = None if reference is None else NamedText(reference.name, texts.sources(reference))
    with writing(page) as wrote:
        write_proof_page(page, report, NamedText(judged.name, texts.sources(judged)), measure)
        wrote(None)


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
