"""Wrong windows, winners, error functions and indices: no certificate covers what they spoil."""

import json

import pytest

from attacks.spoilt import SPOILT, Spoilt, bent, certificate_of, text_of
from attacks.subjects import Json, records_of
from gradwright.certify.certificate import Subject, written
from gradwright.certify.certificate_json import certificate_json
from gradwright.check import check
from gradwright.check.certificate import Certificate, GradientClaim
from gradwright.check.replay import digest
from gradwright.check.session import numbered

COUNTS = {"bent": 10, "indexed": 1}
LIES: dict[str, tuple[str, Json, str]] = {
    "a root that is none": ("bent", {"literals": {"0.70710677": "1/2"}}, "does not stand for"),
    "a root that is another": (
        "bent",
        {"literals": {"0.70710677": "1/3^1/2"}},
        "does not stand for",
    ),
    "a power of no number": ("bent", {"literals": {"0.70710677": "e^-1/2"}}, "does not stand for"),
    "a root that is not meant": ("bent", {"literals": {}}, ""),
    "a hypothesis about indices left out": ("indexed", {"assumed": []}, "other hypotheses"),
}
"""Subject, changed fields and words of the reason."""


def honest(subject: str) -> Json:
    """Return a copy of the certificate of a right text."""
    return json.loads(json.dumps(certificate_of(subject)))


def newly_written(spoilt: Spoilt) -> Certificate:
    """Return what can be certified of a wrong text."""
    if spoilt.subject == "bent":
        return written(*records_of(spoilt.text, bent()))
    subject = Subject("gradients", [spoilt.text], 0)
    values = [value.name for value in numbered(subject.functions)]
    return written(subject, [("dx", GradientClaim(0, values.index("dx")))])


@pytest.mark.parametrize("subject", COUNTS)
def test_the_right_text_is_covered(subject: str) -> None:
    checked = check(certificate_of(subject), text_of(subject))
    assert (checked.reason, checked.uncovered) == (None, ())
    assert len(checked.claims) == COUNTS[subject]


@pytest.mark.parametrize("name", SPOILT)
def test_the_certificate_of_the_right_text_does_not_fit(name: str) -> None:
    spoilt = SPOILT[name]
    stolen = {**honest(spoilt.subject), "texts": [digest(spoilt.text)]}
    assert check(stolen, spoilt.text).reason is not None


@pytest.mark.parametrize("name", SPOILT)
def test_a_certificate_of_the_wrong_text_leaves_it_open(name: str) -> None:
    certificate = newly_written(SPOILT[name])
    assert len(certificate.claims) < COUNTS[SPOILT[name].subject]
    assert (
        not certificate.claims or check(certificate_json(certificate), SPOILT[name].text).accepted
    )


@pytest.mark.parametrize("name", LIES)
def test_a_lie_about_them_is_refused(name: str) -> None:
    subject, changes, reason = LIES[name]
    checked = check({**honest(subject), **changes}, text_of(subject))
    assert reason in str(checked.reason)
