"""What was claimed of a text and what became of it: claims and the report that holds them."""

import enum
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from gradwright.certify.anchors import Anchors
from gradwright.certify.verdicts import (
    Counterexample,
    Json,
    Outcome,
    Refuted,
    Unknown,
    Verdict,
    verdict_of,
)


class Kind(enum.StrEnum):
    """What a claim says; the value is its spelling in JSON.

    MEANING: a value is what index notation says of it. GRADIENT: a result is the vector-Jacobian
    product. UPDATE: a result is the declared update rule of that gradient. LOSS: the reported loss
    is the differentiated one. EQUAL: two values are the same function.
    """

    MEANING = "meaning"
    GRADIENT = "gradient"
    UPDATE = "update"
    LOSS = "loss"
    EQUAL = "equal"


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement about one result of a text, with its outcome.

    Units: `seconds` of wall time, proof and search for a counterexample together. `site` is the
    line and name of the value at fault, the same for all claims that one defect spoils. `anchors`
    are the values that it speaks of, where whoever made the claim names them.
    """

    name: str
    kind: Kind
    outcome: Outcome
    seconds: float = 0.0
    site: str | None = None
    anchors: Anchors | None = None

    @property
    def verdict(self) -> Verdict:
        """Proved, refuted or unknown."""
        return verdict_of(self.outcome)

    @property
    def counterexample(self) -> Counterexample | None:
        """The input at which the sides differ, where the claim is refuted."""
        return self.outcome.counterexample if isinstance(self.outcome, Refuted) else None

    @property
    def reason(self) -> str | None:
        """Why nothing was shown, where the claim is unknown."""
        return self.outcome.reason if isinstance(self.outcome, Unknown) else None

    def to_json(self) -> Json:
        """Return the record of `certify --json`."""
        record: Json = {
            "name": self.name,
            "kind": self.kind.value,
            "verdict": self.verdict.value,
            "seconds": round(self.seconds, 4),
        }
        if self.counterexample is not None:
            record["counterexample"] = self.counterexample.to_json()
        if self.reason is not None:
            record["reason"] = self.reason
        if self.site is not None:
            record["site"] = self.site
        return record


class Evidence(Protocol):
    """What a certificate can be written from."""

    def certificate(self) -> object | None:
        """Return the certificate as a JSON object, the same at each call."""
        ...

    def why_none(self) -> str:
        """Return why there is no certificate, "" where there is one."""
        ...


@dataclass(frozen=True, slots=True)
class Report:
    """All claims about a text; the worst of their verdicts; what the verdicts do and do not say.

    Units: `seconds` of wall time.
    """

    claims: tuple[Claim, ...]
    scope: tuple[str, ...]
    seconds: float = 0.0
    evidence: Evidence | None = field(default=None, repr=False, compare=False)

    @property
    def certificate(self) -> object | None:
        """What the independent checker replays, written when it is first asked for.

        None where nothing that was proved can be replayed. A JSON object: see `gradwright.check`.
        """
        return None if self.evidence is None else self.evidence.certificate()

    @property
    def why_uncertified(self) -> str:
        """Why there is no certificate, "" where there is one; it is written to find out."""
        if self.evidence is not None:
            return self.evidence.why_none()
        return "no claim is proved"

    @property
    def verdict(self) -> Verdict:
        """Refuted if any claim is, else unknown if any is or nothing was claimed, else proved."""
        found = {claim.verdict for claim in self.claims}
        for verdict in (Verdict.REFUTED, Verdict.UNKNOWN):
            if verdict in found:
                return verdict
        return Verdict.PROVED if found else Verdict.UNKNOWN

    @property
    def findings(self) -> tuple[tuple[str, tuple[Claim, ...]], ...]:
        """The claims that are not proved by the site at fault: one finding per defect."""
        sites: dict[str, list[Claim]] = {}
        for claim in self.claims:
            if claim.verdict is not Verdict.PROVED:
                sites.setdefault(claim.site or claim.name, []).append(claim)
        return tuple((site, tuple(claims)) for site, claims in sites.items())

    def to_json(self) -> Json:
        """Return the object that `certify --json` prints."""
        return {
            "verdict": self.verdict.value,
            "seconds": round(self.seconds, 4),
            "scope": list(self.scope),
            "claims": [claim.to_json() for claim in self.claims],
        }


def count(claims: Iterable[Claim], verdict: Verdict) -> int:
    """Return how many claims have a verdict."""
    return sum(claim.verdict is verdict for claim in claims)
