"""One claim as HTML: a row that opens, with what became of the claim in words."""

import re
from html import escape

from gradwright.certify.claims import Claim
from gradwright.certify.verdicts import Counterexample, Input, Verdict

_MARKS = {Verdict.PROVED: "✓", Verdict.REFUTED: "✗", Verdict.UNKNOWN: "?"}
SHORT = 0.1
"""Seconds below which a time is given in milliseconds."""
_FORMS = re.compile(r"(.*?): derived: (.*) / emitted: (.*?)(?:; (.*))?", re.DOTALL)


def verdict_mark(verdict: Verdict) -> str:
    """Return the sign of a verdict; the word always stands beside it or is read out."""
    return f'<span class="mark" aria-hidden="true">{_MARKS[verdict]}</span>'


def duration(seconds: float) -> str:
    """Return a time with a unit in which it is readable."""
    return f"{seconds:.2f} s" if seconds >= SHORT else f"{1000 * seconds:.1f} ms"


def claim_html(number: int, claim: Claim, layer: str, longest: float) -> str:
    """Return the row; `longest` is the time, in seconds, of a bar of full length."""
    verdict = claim.verdict.value
    share = claim.seconds / longest if longest > 0 else 0.0
    return (
        f'<details class="claim {verdict}" id="claim-{number}" data-claim="{number}" '
        f'data-verdict="{verdict}" data-kind="{claim.kind.value}" data-layer="{escape(layer)}" '
        f'data-seconds="{claim.seconds:.6f}">'
        f'<summary><span class="badge">{verdict_mark(claim.verdict)}'
        f'<span class="word">{verdict}</span></span>'
        f'<span class="name">{escape(claim.name)}</span>'
        f'<span class="kind">{claim.kind.value}</span>'
        f'<span class="bar" aria-hidden="true"><i style="width:{100 * share:.1f}%"></i></span>'
        f'<span class="seconds">{duration(claim.seconds)}</span></summary>'
        f'<div class="body">{_outcome(claim)}<div class="panels"></div></div></details>'
    )


def _outcome(claim: Claim) -> str:
    site = f"<p>Look at <code>{escape(claim.site)}</code>.</p>" if claim.site is not None else ""
    rule = ""
    if claim.anchors is not None and claim.anchors.rule:
        lines = escape(claim.anchors.rule.replace("; ", "\n"))
        rule = f'<h4>Has to be</h4><pre class="rule">{lines}</pre>'
    if claim.counterexample is not None:
        return rule + site + _counterexample(claim.counterexample)
    return rule + site + (_reason(claim.reason) if claim.reason is not None else "")


def _counterexample(found: Counterexample) -> str:
    place = ", ".join(map(str, found.index))
    facts = [
        ("index", f"[{place}]"),
        ("the text returns", f"{found.emitted:.9g}"),
        ("it should be", f"{found.wanted:.9g} ± {found.error:.1g}"),
        ("seed", str(found.seed)),
    ]
    if found.ratio is not None:
        facts.insert(3, ("ratio, at every index", found.ratio))
    cells = "".join(f"<div><dt>{name}</dt><dd>{escape(value)}</dd></div>" for name, value in facts)
    inputs = "".join(map(_input, found.inputs))
    return (
        f'<h4>Counterexample</h4><dl class="facts">{cells}</dl><div class="heat"></div>'
        '<details class="inputs"><summary>Inputs</summary><div class="scroll"><table>'
        "<thead><tr><th>argument</th><th>shape</th><th>drawn</th><th>values</th></tr></thead>"
        f"<tbody>{inputs}</tbody></table></div></details>"
    )


def _input(each: Input) -> str:
    shape = "x".join([*map(str, each.shape), each.element])
    few = "by seed" if each.values is None else ", ".join(f"{v:.6g}" for v in each.values)
    return (
        f"<tr><td><code>%{escape(each.name)}</code></td><td>{shape}</td>"
        f"<td>{each.distribution.value}</td><td>{few}</td></tr>"
    )


def _reason(reason: str) -> str:
    """Return why nothing was shown; where two forms are compared, one beside the other."""
    found = _FORMS.fullmatch(reason)
    if found is None:
        return f'<p class="reason">{escape(reason)}</p>'
    place, derived, emitted, rest = found.groups()
    after = f'<p class="reason">{escape(rest)}</p>' if rest else ""
    return (
        f"<h4>Two forms that were not shown to be equal, at <code>{escape(place)}</code></h4>"
        f'<div class="forms">{_form("derived", derived)}{_form("emitted", emitted)}</div>{after}'
    )


def _form(role: str, form: str) -> str:
    terms = re.sub(r"«(.*?)»", r"<mark>«\1»</mark>", escape(form))
    return f"<div><h5>{role}</h5><pre>{terms}</pre></div>"
