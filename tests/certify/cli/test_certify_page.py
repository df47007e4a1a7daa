"""The page that certify writes, and what a terminal shows while it works."""

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from certify.refute.cases import TANH
from gradwright.certify import Claim, Kind, Proved, Unknown
from gradwright.cli import main
from gradwright.cli.live_claims import LiveClaims


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in (("forward", TANH.forward), ("wrong", TANH.wrong(0))):
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


PAIR = ("certify", "--forward", "forward", "--backward", "wrong", "--report")


@pytest.mark.interpreter
def test_a_page_is_written_and_its_size_told(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    assert main([*PAIR, "page.html", "--json"]) == 1
    said = capsys.readouterr()
    page = (folder / "page.html").read_bytes()
    assert re.fullmatch(rf"wrote page\.html: {len(page):,} bytes in \d+\.\d s\n", said.err)
    assert said.out.count("\n") == 1
    assert b"<title>Refuted: wrong against forward</title>" in page
    assert page.count(b'data-claim="') == 1


@pytest.mark.interpreter
def test_two_texts_and_one_text_have_pages_too(folder: Path) -> None:
    assert main(["certify", "--equal", "forward", "forward", "--report", "equal.html"]) == 0
    assert "Proved: forward against forward" in (folder / "equal.html").read_text("utf-8")
    one = TANH.forward.replace("%x: tensor<3xf32>) -> tensor<3xf32>", "%x: tensor<f32>) -> ONE")
    one = one.replace("3xf32", "f32").replace("ONE", "(tensor<f32>, tensor<f32>)")
    one = one.replace("return %y : tensor<f32>", "return %y, %y : tensor<f32>, tensor<f32>")
    (folder / "one").write_text(one, "utf-8")
    assert main(["certify", "one", "--wrt", "0", "--grads", "1", "--report", "one.html"]) == 1
    assert "<title>Refuted: one</title>" in (folder / "one.html").read_text("utf-8")


def test_a_folder_that_is_not_there_is_refused_at_once(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    assert main([*PAIR, "no/page.html"]) == 3
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == ("gradwright: --report: expected a folder that exists, found none at no\n")
    assert not (folder / "no").exists()


def drawn(shown: LiveClaims) -> list[str]:
    """Return the lines that a terminal shows."""
    stream = io.StringIO()
    Console(file=stream, width=80).print(shown)
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def test_a_terminal_shows_counts_the_latest_claims_and_the_work() -> None:
    shown = LiveClaims()
    for i in range(20):
        shown.observe(Claim(f"claim {i}", Kind.EQUAL, Proved(), 0.25))
    shown.observe(Claim("claim 20", Kind.GRADIENT, Unknown("why"), 1.5))
    shown.work_on("claim 21: proof")
    tally, head, before, *rows, work = drawn(shown)
    assert tally.startswith("21 claims settled in 0.")
    assert tally.endswith("20 proved  1 unknown")
    assert head.split() == ["claim", "kind", "verdict", "seconds"]
    assert before == "… 9 before"
    assert len(rows) == 12
    assert rows[-1].split() == ["claim", "20", "gradient", "unknown", "1.50"]
    assert work[2:].startswith("claim 21: proof  0.")
