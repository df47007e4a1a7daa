"""Certificates as JSON objects: what the checker reads."""

from collections.abc import Iterable
from dataclasses import fields

from gradwright.check.affine import Affine
from gradwright.check.certificate import (
    FORMAT,
    Answer,
    Certificate,
    ClaimRecord,
    EqualClaim,
    GradientClaim,
    LossClaim,
    MeaningClaim,
    UpdateClaim,
)
from gradwright.check.guide import Opened, Parted, Recognized, Split

_KINDS = {
    GradientClaim: "gradient",
    LossClaim: "loss",
    EqualClaim: "equal",
    MeaningClaim: "meaning",
    UpdateClaim: "update",
}


def certificate_json(certificate: Certificate) -> dict[str, object]:
    """Return the JSON object, to be written with sorted keys."""
    c = certificate
    return {
        "answers": [[n, *_answer_row(a)] for n, a in sorted(c.answers.items())],
        "assumed": [list(row) for row in c.assumed],
        "claims": [{"kind": _KINDS[type(claim)], **_fields_of(claim)} for claim in c.claims],
        "cotangents": sorted(c.cotangents),
        "cuts": sorted(c.cuts),
        "format": FORMAT,
        "literals": dict(sorted(c.literals.items())),
        "loss": c.loss,
        "names": dict(sorted(c.names.items())),
        "statements": [[s.text, s.way.value, s.value, list(s.order)] for s in c.statements],
        "subject": c.subject,
        "texts": list(c.texts),
        "uncovered": list(c.uncovered),
    }


def _fields_of(claim: ClaimRecord) -> dict[str, object]:
    found: dict[str, object] = {field.name: getattr(claim, field.name) for field in fields(claim)}
    return {**found, "reads": dict(claim.reads)} if isinstance(claim, UpdateClaim) else found


def _answer_row(a: Answer) -> list[object]:
    if isinstance(a, Recognized):
        return ["value", str(a.scale), a.atom, _rows(a.access)]
    if isinstance(a, Split):
        return ["split", a.atom, a.variable, list(a.cuts)]
    if isinstance(a, Parted):
        return ["part", a.atom, a.guard, list(a.cuts)]
    if isinstance(a, Opened):
        return ["open", a.atom, a.factor]
    return ["sum", a.atom, *map(_rows, (a.access, a.to_mine, a.to_theirs))]


def _rows(expressions: Iterable[Affine]) -> list[list[int]]:
    return [[e[0], *(n for term in e[1] for n in term)] for e in expressions]
