"""Is this text the gradient of that text: denotation, normal form, calculus, verdicts."""

from gradwright.certify.claims import Claim, Kind, Report
from gradwright.certify.texts import certify_equal, certify_text, certify_vjp
from gradwright.certify.texts_settle import Effort, Observer, Search
from gradwright.certify.verdicts import (
    Counterexample,
    Distribution,
    Proved,
    Refuted,
    Unknown,
    Verdict,
)

__all__ = [
    "Claim",
    "Counterexample",
    "Distribution",
    "Effort",
    "Kind",
    "Observer",
    "Proved",
    "Refuted",
    "Report",
    "Search",
    "Unknown",
    "Verdict",
    "certify_equal",
    "certify_text",
    "certify_vjp",
]
