"""The page: a template, the style, the scripts, and the claims as HTML that needs no script."""

import re
from collections import Counter
from collections.abc import Sequence
from html import escape
from importlib import resources
from pathlib import Path

from gradwright.certify.claims import Claim, Report
from gradwright.certify.verdicts import Verdict
from gradwright.report.proof_page.claim import claim_html, verdict_mark
from gradwright.report.proof_page.groups import layer_of, scope_groups
from gradwright.report.proof_page.records import packed
from gradwright.report.proof_page.statements import NamedText, Statements
from gradwright.train import write_atomically

_SCRIPTS = ("lines.js", "heat.js", "groups.js", "page.js")
_HEADLINES = {
    Verdict.PROVED: "Proved",
    Verdict.REFUTED: "Refuted",
    Verdict.UNKNOWN: "Unknown",
}


def write_proof_page(
    path: Path, report: Report, judged: NamedText, reference: NamedText | None = None
) -> None:
    """Write the page of a report to a file, whole or not at all.

    Errors: CheckpointError where the file cannot be written; ParseError for a bad text.
    """
    write_atomically(path, proof_page(report, judged, reference).encode())


def proof_page(report: Report, judged: NamedText, reference: NamedText | None = None) -> str:
    """Return the page of a report: one HTML file that loads nothing.

    `judged` is the text whose results are claimed; `reference` the forward or first text that they
    are measured by, where that is another one. Claims, outcomes and scope are readable without
    scripts; the lines of a claim and the picture of its counterexample are drawn by one.

    Errors: ParseError for a text that cannot be read.
    """
    emitted = Statements.of(judged.text)
    measure = emitted if reference is None else Statements.of(reference.text)
    names = [judged.name] if reference is None else [judged.name, reference.name]
    longest = max((claim.seconds for claim in report.claims), default=0.0)
    arguments = {*emitted.arguments, *measure.arguments}
    rows = [
        claim_html(i, claim, layer_of(claim, arguments), longest)
        for i, claim in enumerate(report.claims)
    ]
    parts = {
        "title": escape(f"{_HEADLINES[report.verdict]}: {' against '.join(names)}"),
        "style": _file("page.css"),
        "verdict": report.verdict.value,
        "mark": verdict_mark(report.verdict),
        "headline": _HEADLINES[report.verdict],
        "sentence": escape(_sentence(report)),
        "texts": _texts(judged, reference),
        "tally": _tally(report.claims),
        "findings": _findings(report),
        "filters": _filters(report.claims),
        "claims": "\n".join(rows),
        "scope": _scope(report.scope),
        "record": packed(report.claims, emitted, measure, names),
        "script": "\n".join(map(_file, _SCRIPTS)),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _file("page.html"))


def _file(name: str) -> str:
    return (resources.files(__package__) / name).read_text(encoding="utf-8")


def _sentence(report: Report) -> str:
    count = Counter(claim.verdict for claim in report.claims)
    total = len(report.claims)
    claims = f"{total} claim{'' if total == 1 else 's'}"
    match report.verdict:
        case Verdict.PROVED:
            said = f"{'The' if total == 1 else 'All'} {claims} hold{'s' if total == 1 else ''}"
            said += " over the real numbers, within the scope below."
        case Verdict.REFUTED:
            refuted = count[Verdict.REFUTED]
            said = (
                f"{refuted} of {claims} {'is' if refuted == 1 else 'are'} false: there are inputs "
                "at which the text returns something else."
            )
        case Verdict.UNKNOWN:
            unknown = count[Verdict.UNKNOWN]
            said = (
                f"{unknown} of {claims} {'was' if unknown == 1 else 'were'} neither proved nor "
                "refuted."
            )
    return f"{said} {report.seconds:.2f} s."


def _texts(judged: NamedText, reference: NamedText | None) -> str:
    shown = (
        [("judged", judged)]
        if reference is None
        else [
            ("measured by", reference),
            ("judged", judged),
        ]
    )
    return "".join(
        f"<div><dt>{role}</dt><dd><code>{escape(text.name)}</code>, "
        f"{len(text.text.splitlines()):,} lines</dd></div>"
        for role, text in shown
    )


def _tally(claims: Sequence[Claim]) -> str:
    """Return a bar with the share of each verdict."""
    count = Counter(claim.verdict for claim in claims)
    return "".join(
        f'<span class="{verdict.value}" style="flex-grow:{count[verdict]}"></span>'
        for verdict in Verdict
        if count[verdict]
    )


def _filters(claims: Sequence[Claim]) -> str:
    count = Counter(claim.verdict for claim in claims)
    return "".join(
        f'<button type="button" class="chip {verdict.value}" data-filter="{verdict.value}" '
        f'aria-pressed="true"{"" if count[verdict] else " disabled"}>{verdict_mark(verdict)} '
        f"{verdict.value} <b>{count[verdict]}</b></button>"
        for verdict in Verdict
    )


def _findings(report: Report) -> str:
    """Return one entry per defect, with links to the claims that it spoils."""
    numbers = {id(claim): i for i, claim in enumerate(report.claims)}
    entries = [
        f"<li><code>{escape(site)}</code> <span class='dim'>spoils</span> "
        + ", ".join(
            f'<a href="#claim-{numbers[id(claim)]}">{escape(claim.name)}</a>' for claim in claims
        )
        + "</li>"
        for site, claims in report.findings
    ]
    if not entries:
        return ""
    return f'<section class="findings"><h2>Where to look</h2><ul>{"".join(entries)}</ul></section>'


def _scope(scope: Sequence[str]) -> str:
    return "".join(
        f"<div><h3>{escape(heading)}</h3><ul>"
        + "".join(f"<li>{escape(line)}</li>" for line in lines)
        + "</ul></div>"
        for heading, lines in scope_groups(scope)
    )
