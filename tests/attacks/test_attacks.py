"""What is not a true certificate of its text is refused, with the reason in one line."""

from pathlib import Path

import pytest

from attacks.forged import FORGED, forged
from attacks.malformed import MALFORMED
from attacks.subjects import copy, honest, step
from gradwright.check import check
from gradwright.cli import main
from gradwright.errors import CertificateError


def test_the_honest_certificate_holds() -> None:
    checked = check(copy(), step().text)
    assert checked.reason is None
    assert (len(checked.claims), checked.uncovered) == (20, ())
    assert {type(answer).__name__ for answer in honest().answers.values()} == {
        "Recognized",
        "SameSum",
        "Split",
    }


@pytest.mark.parametrize("name", FORGED)
def test_a_lie_is_refused(name: str) -> None:
    checked = check(forged(name), step().text)
    assert not checked.accepted
    assert checked.reason is not None
    assert FORGED[name][1] in checked.reason
    assert "\n" not in checked.reason
    assert checked.claims == ()


@pytest.mark.parametrize("name", MALFORMED)
def test_what_is_no_certificate_is_refused(name: str) -> None:
    make, reason = MALFORMED[name]
    with pytest.raises(CertificateError) as caught:
        check(make(), step().text)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_the_command_says_which_with_its_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "step.mlir"
    text.write_text(step().text, encoding="utf-8")
    found: dict[str, int] = {}
    lie, junk = forged("another sign"), MALFORMED["empty"][0]()
    assert isinstance(junk, str)
    for name, content in (("lie", lie), ("junk", junk)):
        file = tmp_path / name
        file.write_text(content, encoding="utf-8")
        found[name] = main(["check", str(file), str(text)])
    assert found == {"lie": 1, "junk": 3}
    assert "rejected: a value is not -1 times" in capsys.readouterr().out
