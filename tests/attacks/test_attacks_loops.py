"""The certificate of a loop that adds up, carried over to loops that compute something else."""

import pytest

from check.test_check_loops import AT_ONCE, DEFECTS, LOOP
from gradwright.certify.certificate import Subject, written
from gradwright.certify.certificate_json import certificate_json
from gradwright.check import check
from gradwright.check.certificate import EqualClaim
from gradwright.check.replay import digest


@pytest.mark.parametrize("defect", DEFECTS)
def test_the_certificate_of_the_right_loop_does_not_fit(defect: str) -> None:
    honest = written(Subject("equal", [LOOP, AT_ONCE]), [("0", EqualClaim(0))])
    assert check(certificate_json(honest), LOOP, AT_ONCE).accepted
    text = LOOP.replace(*DEFECTS[defect])
    stolen = {**certificate_json(honest), "texts": [digest(text), digest(AT_ONCE)]}
    assert check(stolen, text, AT_ONCE).reason is not None
